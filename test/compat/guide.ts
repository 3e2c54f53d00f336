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

const differencesFirst = <B extends { readonly differs?: string }>(
  behaviours: readonly B[],
): readonly B[] => [
  ...behaviours.filter(({ differs }) => differs !== undefined),
  ...behaviours.filter(({ differs }) => differs === undefined),
];

/** In Markdown. */
export const guideText = (
  { from, start, changes, notes }: Guide,
  behaviours: readonly Pick<Behaviour<never>, 'what' | 'differs'>[],
): string =>
  `${[
    `# Coming from ${from}`,
    ...start,
    '## The one line to change',
    ...changes.flatMap(({ language, syntax, before, after }) => [
      `### ${language}`,
      'Before:',
      codeBlock(syntax, before),
      'After:',
      codeBlock(syntax, after),
    ]),
    '## What differs, and what is the same',
    `Each row is shown with ${from}'s published client by the tests of this repository.`,
    [
      '| behaviour | here |',
      '| --- | --- |',
      ...differencesFirst(behaviours).map(
        ({ what, differs }) => `| ${cell(what)} | ${cell(differs ?? 'the same')} |`,
      ),
    ].join('\n'),
    ...(notes.length === 0 ? [] : ['## Also good to know', notes.map((note) => `- ${note}`).join('\n')]),
  ].join('\n\n')}\n`;
