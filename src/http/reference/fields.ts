// The fields of a schema in a form to read: each with its type, its bounds and the fields that it holds.
import type { JsonSchema, SchemaBook } from '../json-schema.ts';
import type { Field } from './model.ts';

/** Deeper fields are in /openapi.yaml. */
const MAX_DEPTH = 4;
/** So that all statuses are shown. */
const MAX_VALUES = 16;

const asSchemas = (value: unknown): JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : []);
export const asSchema = (value: unknown): JsonSchema | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : undefined;

export const resolve = (schema: JsonSchema, book: SchemaBook): JsonSchema => {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
  return name === undefined ? schema : (book.components[name] ?? schema);
};

export const branchesOf = (schema: JsonSchema): JsonSchema[] => [
  ...asSchemas(schema.anyOf),
  ...asSchemas(schema.oneOf),
];

export const typeOf = (raw: JsonSchema, book: SchemaBook): string => {
  const schema = resolve(raw, book);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) {
    const shown = schema.enum.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
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

export const boundsOf = (schema: JsonSchema): string =>
  boundNames
    .filter(([key]) => schema[key] !== undefined)
    .map(([key, words]) => words.replace('$', JSON.stringify(schema[key])))
    .join(', ');

/** Those of an array are those of its items, those of alternatives are those of all of them. */
export const fieldsOf = (raw: JsonSchema, book: SchemaBook, depth = 1): readonly Field[] => {
  if (depth > MAX_DEPTH) return [];
  const schema = resolve(raw, book);
  const items = asSchema(schema.items);
  if (items) return fieldsOf(items, book, depth);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = Object.entries(asSchema(schema.properties) ?? {}).map(([name, property]): Field => {
    const field = asSchema(property) ?? {};
    const resolved = resolve(field, book);
    const notes = [field.description ?? resolved.description, boundsOf(resolved)].filter(
      (note) => typeof note === 'string' && note !== '',
    );
    return {
      name,
      type: typeOf(field, book),
      isRequired: required.includes(name),
      text: notes.join('; '),
      fields: fieldsOf(field, book, depth + 1),
    };
  });
  const named = new Set(own.map(({ name }) => name));
  const inBranches = branchesOf(schema)
    .flatMap((branch) => fieldsOf(branch, book, depth))
    .filter(({ name }) => !named.has(name) && named.add(name));
  return [...own, ...inBranches];
};
