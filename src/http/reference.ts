// The API's reference for people: one HTML page without scripts, made from the same declarations as /openapi.yaml.
import type { z } from 'zod';
import { type Access, isPermission, type Permission } from '#src/kernel/access.ts';
import { errorTable } from '#src/kernel/errors.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import type { Route } from '#src/kernel/route.ts';
import { createSchemaBook, type JsonSchema, type SchemaBook } from './json-schema.ts';
import {
  bodyTypes,
  errorCodes,
  errorsOf,
  namesPracticeInHeader,
  operationId,
  type ServiceInfo,
  statusOf,
} from './route-facts.ts';

/** Deeper fields are in /openapi.yaml. */
const MAX_FIELD_DEPTH = 4;
const MAX_SHOWN_VALUES = 12;

export const referenceStyle = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 0 auto; padding: 1rem; color: #1c1c1c; background: #fff }
code { font: 0.9em ui-monospace, monospace } h3 code { font-size: 1em }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem } caption { text-align: left; font-weight: 600 }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #ddd }
section { border-top: 1px solid #bbb; margin-top: 1.5rem } nav ul { columns: 2; padding-left: 1rem }
@media (prefers-color-scheme: dark) { body { color: #e8e8e8; background: #161616 } a { color: #8ab4f8 } th, td { border-color: #444 } }
`;

const code = (raw: string): string => `<code>${escapeHtml(raw)}</code>`;
/** Descriptions mark code with backticks, as in the declarations. */
const prose = (raw: string): string => escapeHtml(raw).replace(/`([^`]+)`/g, '<code>$1</code>');

const table = (caption: string, heads: readonly string[], rows: readonly (readonly string[])[]): string =>
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

const fieldTable = (
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

const openAccessText: Readonly<Record<Exclude<Access, Permission>, string>> = {
  public: 'public',
  authenticated: 'any live credential',
  session: 'a signed-in member’s session',
  practice_creator: 'the operator’s token, or the session of an Owner or Admin of any practice',
  operator: 'the operator’s token',
};

const accessText = ({ access }: Route): string =>
  isPermission(access) ? `permission ${code(access)}` : openAccessText[access];

/** What the door does with every request of the route. */
const termsOf = (route: Route): string => {
  const { audit, rate, stability, body } = route;
  const terms = [
    `Access: ${accessText(route)}.`,
    ...(namesPracticeInHeader(route)
      ? [`Without a token of a practice, ${code('X-Service-Practice')} names the practice it is for.`]
      : []),
    ...(rate === undefined ? [] : ['Under the tight rate limit of sign-in and public forms.']),
    ...(body && bodyTypes(route).length > 1 ? [`Takes ${bodyTypes(route).map(code).join(', ')}.`] : []),
    ...(typeof audit === 'string' ? [`In the audit as ${code(audit)}.`] : []),
    `Stability: ${stability}.`,
  ];
  return `<p>${terms.join(' ')}</p>`;
};

const anchor = (route: Route): string => operationId(route);

const routeSection = (route: Route, book: SchemaBook): string => {
  const place = anchor(route);
  const responses = Object.entries(route.responses).map(([status, { description, body }]) => {
    const schema = typeof body === 'object' ? body : undefined;
    const kind = typeof body === 'string' ? `, ${code(body)}` : '';
    const fields = fieldTable('Fields of the answer', schema, 'output', `${place}.${status}`, book);
    return `<p><strong>${status}</strong> ${prose(description)}${kind}</p>${fields}`;
  });
  const errors = errorsOf(route).map((name) => `<a href="#error-${name}">${name}</a> (${statusOf(name)})`);
  return `<section id="${place}"><h3>${code(`${route.method.toUpperCase()} ${route.path}`)}</h3>
<p>${prose(route.summary)}</p>${route.description ? `<p>${prose(route.description)}</p>` : ''}
${termsOf(route)}
${fieldTable('Path', route.params, 'input', `${place}.params`, book)}
${fieldTable('Query', route.query, 'input', `${place}.query`, book)}
${fieldTable('Headers', route.headers, 'input', `${place}.headers`, book)}
${fieldTable('Body', route.body, 'input', `${place}.body`, book)}
${responses.join('\n')}
<p>Errors: ${errors.join(', ')}.</p></section>`;
};

const errorRows = (): string[][] =>
  errorCodes.map((name) => {
    const declaration = errorTable[name];
    const extra = 'extra' in declaration ? Object.keys(declaration.extra).map(code).join(', ') : '';
    const again = 'temporary' in declaration ? 'yes' : '';
    return [
      `<code id="error-${name}">${name}</code>`,
      String(declaration.status),
      prose(declaration.hint),
      extra,
      again,
    ];
  });

/** The whole page, in UTF-8. */
export const referencePage = (routes: readonly Route[], info: ServiceInfo): string => {
  const book = createSchemaBook();
  const groups = Map.groupBy(routes, ({ tag }) => tag);
  const contents = [...groups].map(([tag, members]) => {
    const links = members.map(
      (route) =>
        `<li><a href="#${anchor(route)}">${code(`${route.method.toUpperCase()} ${route.path}`)}</a></li>`,
    );
    return `<h2>${escapeHtml(tag)}</h2><ul>${links.join('')}</ul>`;
  });
  const sections = [...groups].map(
    ([tag, members]) =>
      `<h2>${escapeHtml(tag)}</h2>${members.map((route) => routeSection(route, book)).join('\n')}`,
  );
  const title = `${escapeHtml(info.name)} API reference`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${referenceStyle}</style></head><body>
<h1>${title}</h1><p>Version ${escapeHtml(info.version)} at ${code(info.origin)}. For machines: <a href="/openapi.yaml">/openapi.yaml</a>.</p>
<nav aria-label="Routes">${contents.join('\n')}</nav>
<main>${sections.join('\n')}
<h2 id="errors">Errors</h2>
<p>An error is a JSON object with ${code('code')}, ${code('error')} (what happened), ${code('hint')} (what to do) and the fields named here.</p>
${table('Codes', ['Code', 'Status', 'What to do', 'Fields', 'May succeed later'], errorRows())}</main></body></html>
`;
};
