// How the reference shows things: code, prose, tables, and the fields of a schema.
import type { z } from 'zod';
import { escapeHtml } from '#src/kernel/page.ts';
import type { JsonSchema, SchemaBook } from './json-schema.ts';

/** Deeper fields are in /openapi.yaml. */
const MAX_FIELD_DEPTH = 4;
/** So that all statuses are. */
const MAX_SHOWN_VALUES = 16;

export const code = (raw: string): string => `<code>${escapeHtml(raw)}</code>`;
/** Descriptions mark code with backticks, as in the declarations. */
export const prose = (raw: string): string => escapeHtml(raw).replace(/`([^`]+)`/g, '<code>$1</code>');

/** HTML in, HTML out; nothing where there are no rows. */
export const table = (
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string =>
  rows.length === 0
    ? ''
    : `<table><caption>${caption}</caption><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</tbody></table>`;

const asSchemas = (value: unknown): JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : []);
const asSchema = (value: unknown): JsonSchema | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : undefined;

const resolve = (schema: JsonSchema, book: SchemaBook): JsonSchema => {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
  return name === undefined ? schema : (book.components[name] ?? schema);
};

const branchesOf = (schema: JsonSchema): JsonSchema[] => [
  ...asSchemas(schema.anyOf),
  ...asSchemas(schema.oneOf),
];

const typeOf = (raw: JsonSchema, book: SchemaBook): string => {
  const schema = resolve(raw, book);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) {
    const shown = schema.enum.slice(0, MAX_SHOWN_VALUES).map((value) => JSON.stringify(value));
    return schema.enum.length > shown.length ? `${shown.join(' | ')} | …` : shown.join(' | ');
  }
  const branches = branchesOf(schema);
  if (branches.length > 0) return [...new Set(branches.map((branch) => typeOf(branch, book)))].join(' | ');
  const items = asSchema(schema.items);
  if (items) return `array of ${typeOf(items, book)}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : schema.type;
  if (typeof type !== 'string') return 'any';
  return typeof schema.format === 'string' ? `${type} (${schema.format})` : type;
};

const boundNames: readonly [string, string][] = [
  ['minLength', 'at least $ characters'],
  ['maxLength', 'at most $ characters'],
  ['minItems', 'at least $ items'],
  ['maxItems', 'at most $ items'],
  ['minimum', 'from $'],
  ['maximum', 'to $'],
  ['default', 'default $'],
];

const boundsOf = (schema: JsonSchema): string =>
  boundNames
    .filter(([key]) => schema[key] !== undefined)
    .map(([key, words]) => words.replace('$', JSON.stringify(schema[key])))
    .join(', ');

/** One row a field, those of nested objects and arrays below theirs: `to[].email`. */
const fieldRows = (raw: JsonSchema, book: SchemaBook, prefix: string, depth: number): string[][] => {
  if (depth > MAX_FIELD_DEPTH) return [];
  const schema = resolve(raw, book);
  const items = asSchema(schema.items);
  if (items) return fieldRows(items, book, `${prefix}[]`, depth);
  const inBranches = branchesOf(schema).flatMap((branch) => fieldRows(branch, book, prefix, depth));
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = Object.entries(asSchema(schema.properties) ?? {}).flatMap(([name, property]) => {
    const field = asSchema(property) ?? {};
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const resolved = resolve(field, book);
    const notes = [field.description ?? resolved.description, boundsOf(resolved)].filter(
      (note) => note && note !== '',
    );
    const row = [
      code(path),
      code(typeOf(field, book)),
      required.includes(name) ? 'yes' : '',
      prose(notes.join('; ')),
    ];
    return [row, ...fieldRows(field, book, path, depth + 1)];
  });
  return [...own, ...inBranches];
};

const FIELD_HEADS = ['Field', 'Type', 'Required', 'Description'];

/** `place` names it in the book. */
export const fieldTable = (
  caption: string,
  schema: z.ZodType | undefined,
  direction: 'input' | 'output',
  place: string,
  book: SchemaBook,
): string => {
  if (!schema) return '';
  const described = book.describe(schema, direction, place);
  const rows = fieldRows(described, book, '', 1);
  // What is no object has no fields: its type says what there is to say.
  return rows.length > 0
    ? table(caption, FIELD_HEADS, rows)
    : `<p>${caption}: ${code(typeOf(described, book))} ${prose(boundsOf(described))}</p>`;
};
