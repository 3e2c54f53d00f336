// Writes a page of the reference as Markdown, and the list of all pages by the convention of llms.txt (https://llmstxt.org).
import type { ServiceInfo } from '../api-facts.ts';
import { addressOf, type Block, type Field, type Page, type Section, START } from './model.ts';
import type { Reference } from './pages.ts';
import { languageNames, languages, type Samples } from './samples.ts';

/** The Markdown of a page has its address with `.md`. */
const ENDING = '.md';
export const markdownAddressOf = (name: string): string => `${addressOf(name)}${ENDING}`;

const FENCES: Readonly<Record<string, string>> = {
  curl: 'sh',
  node: 'js',
  python: 'python',
  php: 'php',
  go: 'go',
};

const fenced = (language: string, text: string): string =>
  `\`\`\`${FENCES[language] ?? language}\n${text}\n\`\`\``;

const fieldLines = (fields: readonly Field[], margin: string): readonly string[] =>
  fields.flatMap(({ name, type, isRequired, text, fields: inner }) => [
    `${margin}- \`${name}\` (\`${type}\`${isRequired ? ', required' : ''})${text === '' ? '' : `: ${text}`}`,
    ...fieldLines(inner, `${margin}  `),
  ]);

const captioned = (caption: string, text: string): string =>
  caption === '' ? text : `${caption}:\n\n${text}`;

const sampleTexts = (samples: Samples): readonly string[] =>
  languages.flatMap((language) => {
    const text = samples[language];
    return text === undefined ? [] : [captioned(languageNames[language], fenced(language, text))];
  });

const written = (block: Block): string => {
  switch (block.kind) {
    case 'prose':
      return block.text;
    case 'list':
      return block.items.map((item) => `- ${item}`).join('\n');
    case 'terms':
      return captioned(block.caption, block.rows.map(([term, text]) => `- ${term}: ${text}`).join('\n'));
    case 'fields':
      return captioned(block.caption, fieldLines(block.fields, '').join('\n'));
    case 'code':
      return captioned(block.caption, fenced(block.language, block.text));
    case 'samples':
      return sampleTexts(block.samples).join('\n\n');
    case 'index':
      return block.entries
        .map(({ title, href, text }) => `- [${title}](${href})${text === '' ? '' : `: ${text}`}`)
        .join('\n');
    case 'folded':
      return `${block.summary}:\n\n${block.blocks.map(written).join('\n\n')}`;
    default:
      return block satisfies never;
  }
};

const sectionText = ({ title, call, blocks, aside, id }: Section): string =>
  [
    `## ${title}`,
    ...(call
      ? [`\`${call.method} ${call.path}\` (\`${id}\`${call.isDeprecated ? ', deprecated' : ''})`]
      : []),
    ...[...blocks, ...aside].map(written),
  ].join('\n\n');

/** A page as Markdown; each link leads to the Markdown of the other page. */
export const pageAsMarkdown = (page: Page, reference: Reference): string => {
  const setup = reference.setup(page);
  const hasCalls = page.sections.some(({ call }) => call);
  const before = hasCalls ? ['What the samples of each language begin with:', ...sampleTexts(setup)] : [];
  const text = [
    `# ${page.title}`,
    page.summary,
    ...page.blocks.map(written),
    ...before,
    ...page.sections.map(sectionText),
  ].join('\n\n');
  return `${text.replace(/\]\((\/reference(?:\/[a-z-]+)?)(?=[#)])/g, `]($1${ENDING}`)}\n`;
};

/** A title, a summary, and lists of links with a line each. */
export const llmsText = ({ links }: Reference, info: ServiceInfo): string => {
  const lines = (isWanted: (name: string) => boolean): string =>
    links
      .filter(({ name }) => isWanted(name))
      .map(({ name, title, summary }) => `- [${title}](${info.origin}${markdownAddressOf(name)}): ${summary}`)
      .join('\n');
  const isForeign = (name: string): boolean => name.startsWith('form-of-');
  const isBasic = (name: string): boolean => [START, 'errors', 'events'].includes(name);
  return `# ${info.name} API

> The API of ${info.name}, which sends and receives the mail of practices. JSON at ${info.origin}, with a bearer token. Version ${info.version}.

Read “Start here” first. Each call has samples in curl, Node, Python, PHP and Go.

## Basics

${lines(isBasic)}

## Calls

${lines((name) => !isBasic(name) && !isForeign(name))}

## Optional

${lines(isForeign)}
- [OpenAPI](${info.origin}/openapi.yaml): every call described for machines, OpenAPI 3.1.
`;
};
