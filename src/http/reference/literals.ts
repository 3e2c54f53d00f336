// Values of JSON as the literals of programming languages.

interface Writing {
  readonly text: (value: string) => string;
  readonly nothing: string;
  readonly truth: (value: boolean) => string;
  readonly key: (name: string) => string;
  /** Around a list and around an object. */
  readonly brackets: readonly [list: string, object: string];
  /** Within the brackets of an object on one line. */
  readonly pad: string;
  readonly emptyObject?: string;
  readonly indent: string;
}

/** Longer ones are broken into lines. */
const LINE = 72;

const written = (value: unknown, how: Writing, margin: string): string => {
  if (value === null || value === undefined) return how.nothing;
  if (typeof value === 'string') return how.text(value);
  if (typeof value === 'boolean') return how.truth(value);
  if (typeof value !== 'object') return String(value);
  const isList = Array.isArray(value);
  const [open = '', close = ''] = how.brackets[isList ? 0 : 1];
  const inner = margin + how.indent;
  const parts = Object.entries(value).map(
    ([name, one]) => `${isList ? '' : how.key(name)}${written(one, how, inner)}`,
  );
  if (parts.length === 0) return isList ? open + close : (how.emptyObject ?? open + close);
  const pad = isList ? '' : how.pad;
  const line = `${open}${pad}${parts.join(', ')}${pad}${close}`;
  if (line.length + margin.length <= LINE && !line.includes('\n')) return line;
  // JSON takes no comma after the last one.
  const last = how === json ? '' : ',';
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}${last}\n${margin}${close}`;
};

const json: Writing = {
  text: (value) => JSON.stringify(value),
  nothing: 'null',
  truth: String,
  key: (name) => `${JSON.stringify(name)}: `,
  brackets: ['[]', '{}'],
  pad: ' ',
  indent: '  ',
};
export const inJson = (value: unknown): string => written(value, json, '');

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const BREAKS = /[\n\r\t]/;

const singleQuoted = (value: string): string => {
  const whole = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${whole}'`;
};
export const nameInNode = (name: string): string => (IDENTIFIER.test(name) ? name : singleQuoted(name));

const node: Writing = {
  ...json,
  text: singleQuoted,
  key: (name) => `${nameInNode(name)}: `,
};
export const inNode = (value: unknown, margin = ''): string => written(value, node, margin);

const python: Writing = {
  ...json,
  nothing: 'None',
  truth: (value) => (value ? 'True' : 'False'),
  pad: '',
  indent: '    ',
};
export const inPython = (value: unknown, margin = ''): string => written(value, python, margin);

const phpText = (value: string): string =>
  BREAKS.test(value)
    ? `"${JSON.stringify(value).slice(1, -1).replaceAll('$', '\\$')}"`
    : `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const php: Writing = {
  ...json,
  text: phpText,
  key: (name) => `${phpText(name)} => `,
  brackets: ['[]', '[]'],
  pad: '',
  emptyObject: 'new stdClass()',
  indent: '    ',
};
export const inPhp = (value: unknown): string => written(value, php, '');

/** The text as it is where Go allows that, else escaped. */
export const inGo = (text: string): string =>
  text.includes('`') || text.includes('\r') || !/[\n"\\]/.test(text) ? JSON.stringify(text) : `\`${text}\``;
