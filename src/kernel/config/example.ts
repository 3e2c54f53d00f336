// Prints the schema as a YAML file that documents every key: config/service.example.yaml. Keys with a default are set;
// the others are commented out, without a space after the `#`.
import { stringify } from 'yaml';
import { z } from 'zod';
import { expectedOf, metaText, type Schema, unwrap } from '#src/kernel/expected.ts';
import { configSchema } from './schema.ts';

const WIDTH = 110;

const HEADER = `# Configuration of Sendwerk. Copy it to config/service.yaml and set what differs.
# A line that begins with "# " explains. A line that begins with "#" and no space is a setting that is not set:
# take the # away to set it. Everything else has its default and may be left out, except service and secrets.
# Durations are a whole number and a unit: 500ms, 90s, 5m, 72h, 30d. Relative paths start at the working directory.
# Secrets are never in this file: they are in files (..._file) or in environment variables (..._env).
`;

const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
};

/** With `explain` the comment also says what is expected. */
const comment = (schema: Schema, indent: string, explain: boolean): string[] => {
  const expected = explain ? `Expects ${expectedOf(schema)}.` : '';
  const text = [metaText(schema, 'description'), expected].filter(Boolean).join(' ');
  return wrap(text, WIDTH - indent.length - 2).map((line) => `${indent}# ${line}`);
};

const flow = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();

/** The value of a key that the file leaves out. */
const defaultOf = (schema: Schema): unknown => {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault) return schema.def.defaultValue;
  return schema instanceof z.ZodOptional ? defaultOf(schema.def.innerType) : undefined;
};

const exampleOf = (schema: Schema): unknown => {
  const bare =
    schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault ? schema.def.innerType : schema;
  const example = z.globalRegistry.get(bare)?.example ?? z.globalRegistry.get(schema)?.example;
  return unwrap(bare) instanceof z.ZodArray && example !== undefined ? [example] : example;
};

const isActive = (schema: Schema): boolean =>
  !(schema instanceof z.ZodOptional) || metaText(schema, 'active') === 'yes';

/** Comments the settings out; explanations stay as they are. */
const disabled = (lines: readonly string[], indent: string): string[] =>
  lines.map((line) => (/^ *#/.test(line) ? line : `${indent}#${line.slice(indent.length)}`));

const keyLines = (key: string, schema: Schema, indent: string): string[] => {
  const bare = unwrap(schema);
  const list = bare instanceof z.ZodArray ? unwrap(bare.def.element) : null;
  if (bare instanceof z.ZodObject) {
    const lines = [`${indent}${key}:`, ...objectLines(bare, `${indent}  `)];
    return [...comment(schema, indent, false), ...(isActive(schema) ? lines : disabled(lines, indent))];
  }
  if (list instanceof z.ZodDiscriminatedUnion)
    return [
      ...comment(schema, indent, false),
      `${indent}${key}:`,
      ...optionLines(list, defaultOf(schema), `${indent}  `),
    ];
  if (bare instanceof z.ZodLiteral)
    return [...comment(schema, indent, false), `${indent}${key}: ${[...bare.values][0]}`];
  const value = defaultOf(schema) ?? exampleOf(schema);
  const line = `${indent}${key}: ${flow(value)}`;
  return [...comment(schema, indent, true), ...(isActive(schema) ? [line] : disabled([line], indent))];
};

const objectLines = (schema: z.ZodObject, indent: string): string[] =>
  Object.entries(schema.def.shape).flatMap(([key, value]) => keyLines(key, value, indent));

/** One entry for each kind; those of the default are active. */
const optionLines = (union: z.ZodDiscriminatedUnion, byDefault: unknown, indent: string): string[] =>
  union.def.options.flatMap((option) => {
    if (!(option instanceof z.ZodObject)) return [];
    const kinds = option.def.shape.kind?._zod.values ?? new Set();
    const active =
      Array.isArray(byDefault) &&
      byDefault.some((entry: { kind?: unknown }) => kinds.has(entry.kind as string));
    const inner = objectLines(option, `${indent}  `);
    const first = inner.findIndex((line) => !/^ *#/.test(line));
    const lines = inner.map((line, index) =>
      index > first ? line : index < first ? line.slice(2) : `${indent}- ${line.trimStart()}`,
    );
    return [...comment(option, indent, false), ...(active ? lines : disabled(lines, indent))];
  });

export const exampleConfig = (): string =>
  [
    HEADER,
    ...Object.entries(configSchema.shape).map(([key, schema]) => `${keyLines(key, schema, '').join('\n')}\n`),
  ].join('\n');
