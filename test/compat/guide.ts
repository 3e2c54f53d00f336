// The guides in docs/ for those who come from another service, made of the table of behaviours that its published client shows
// against the daemon. `vitest run -u test/compat` writes them again.

/** One thing that a client of the other service relies on, shown with that client. */
export interface Behaviour<Scene> {
  /** A sentence for a developer who knows the other service. */
  readonly what: string;
  /** What is different here; absent where it is as there. */
  readonly differs?: string;
  readonly run: (scene: Scene) => Promise<void>;
}

/** The change in one language or program. */
export interface Change {
  readonly language: string;
  /** Name of the code's language, as code blocks have it. */
  readonly syntax: string;
  readonly before: string;
  readonly after: string;
}

export interface Guide {
  /** The other service. */
  readonly from: string;
  /** Paragraphs before the changes: where the token comes from, which address to use. */
  readonly start: readonly string[];
  readonly changes: readonly Change[];
  /** What one must know beside the table. */
  readonly notes: readonly string[];
}

const codeBlock = (syntax: string, code: string): string => `\`\`\`${syntax}\n${code}\n\`\`\``;
const cell = (text: string): string => text.replaceAll('|', '\\|');

const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

/** In Markdown: differences first, because they decide whether a program can come. */
export const guideText = (
  { from, start, changes, notes }: Guide,
  behaviours: readonly Pick<Behaviour<never>, 'what' | 'differs'>[],
): string => {
  const rows = behaviours.flatMap(({ what, differs }) =>
    differs === undefined ? [] : [`| ${cell(what)} | ${cell(differs)} |`],
  );
  const same = behaviours.filter(({ differs }) => differs === undefined).map(({ what }) => what);
  return `${[
    `# Coming from ${from}`,
    ...start,
    '## What differs',
    `Each row, and what is the same below, is shown with ${from}'s published client by the tests of this repository.`,
    ['| behaviour | here |', '| --- | --- |', ...rows].join('\n'),
    ...(notes.length === 0 ? [] : ['## Also good to know', list(notes)]),
    '## The one line to change',
    ...changes.flatMap(({ language, syntax, before, after }) => [
      `### ${language}`,
      'Before:',
      codeBlock(syntax, before),
      'After:',
      codeBlock(syntax, after),
    ]),
    '## What is the same',
    list(same),
  ].join('\n\n')}\n`;
};
