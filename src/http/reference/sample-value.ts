// A value that a schema allows, always the same one, to show what an answer looks like: examples and constants that are declared,
// else what the name of a field suggests. Fields that an answer has only sometimes are left out. A test holds each against its schema.
import { EXAMPLE_ID } from '#src/kernel/fields.ts';
import type { JsonSchema, SchemaBook } from '../json-schema.ts';
import { asSchema, branchesOf, resolve } from './fields.ts';

const TIME = '2026-03-02T08:30:00.000Z';

/** What the end of a name suggests; the first that the schema allows is taken. */
const byName: readonly (readonly [RegExp, string])[] = [
  [/(^|_)(id|ids|etag|actor)$|ID$/, EXAMPLE_ID],
  [/(_at|_from|_until|_to|_before|timestamp|since|until)$/, TIME],
  [/(^|_)(day|date|birthday)$/, '2026-03-02'],
  [/(email|recipient|recipients|address|addresses|reply_to|^to|^cc|^bcc)$/, 'erika@example.org'],
  [/^from$|sender$/, 'praxis@send.example.com'],
  [/(^|_)(url|link|href|logo|homepage|website)$|_url$/, 'https://mail.example.com/'],
  [/(^|_)(domain|host|hostname)$/, 'send.example.com'],
  [/subject$/, 'Your appointment on Monday'],
  [/(^|_)(html)$/, '<p>We expect you on Monday at 9:30.</p>'],
  [/(^|_)(text|body|content)$/, 'We expect you on Monday at 9:30.'],
  [/(^|_)name$/, 'Praxis Muster'],
  [/permission/, 'messages.send'],
  [/colou?r$/, '#0b57d0'],
  [/language$/, 'de'],
  [/secret$/, 'whsec_…'],
  [/token$/, 'svc_…'],
  [/country$/, 'DE'],
  [/content_type|media_type/, 'text/plain'],
];

/** Values that one meets, where there are several. */
const usual: readonly unknown[] = ['queued', 'delivered', 'active', 'verified', 'message.delivered'];

/** For what the name says nothing of; each for another pattern. */
const others: readonly string[] = [
  'text',
  EXAMPLE_ID,
  TIME,
  '2026-03-02',
  'erika@example.org',
  'send.example.com',
  'https://mail.example.com/',
  '0',
  '1',
  'a',
  'A',
  '#0b57d0',
  'message.delivered',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '203.0.113.7',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
];

const byFormat: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT.*Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
  email: /^[^@\s]+@[^@\s]+\.[a-z]+$/,
  uri: /^https:\/\//,
  ipv4: /^203\./,
};

const allows = (schema: JsonSchema, text: string): boolean => {
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema as Record<string, never>;
  return (
    text.length >= minLength &&
    text.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern).test(text)) &&
    (format === undefined || (byFormat[format]?.test(text) ?? true))
  );
};

const textOf = (schema: JsonSchema, name: string): string => {
  const named = byName.flatMap(([ending, value]) => (ending.test(name) ? [value] : []));
  return [...named, ...others].find((value) => allows(schema, value)) ?? 'text';
};

const numberOf = ({ minimum, exclusiveMinimum, maximum }: Record<string, unknown>): number => {
  const least = Number(minimum ?? (exclusiveMinimum === undefined ? 0 : Number(exclusiveMinimum) + 1));
  return Math.min(Math.max(least, 1), Number(maximum ?? Infinity));
};

const typesOf = ({ type }: JsonSchema): unknown[] => (Array.isArray(type) ? type : [type]);
const isNull = (schema: JsonSchema): boolean => schema.type === 'null' || schema.const === null;

/** What refers to itself ends there. */
const MAX_DEPTH = 8;

export const sampleOf = (raw: JsonSchema, book: SchemaBook, name = '', depth = 0): unknown => {
  const schema = resolve(raw, book);
  const { examples } = schema;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum))
    return usual.find((value) => (schema.enum as unknown[]).includes(value)) ?? schema.enum[0];
  const branches = branchesOf(schema);
  if (branches.length > 0) {
    const shown = depth > MAX_DEPTH ? branches.find(isNull) : branches.find((branch) => !isNull(branch));
    return sampleOf(shown ?? branches[0] ?? {}, book, name, depth);
  }
  const parts = Array.isArray(schema.allOf) ? (schema.allOf as JsonSchema[]) : [];
  if (parts.length > 0) return Object.assign({}, ...parts.map((part) => sampleOf(part, book, name, depth)));
  const types = typesOf(schema);
  const type = (depth > MAX_DEPTH ? undefined : types.find((one) => one !== 'null')) ?? types.at(-1);
  switch (type) {
    case 'object': {
      const required = Array.isArray(schema.required) ? schema.required : [];
      const fields = Object.entries(asSchema(schema.properties) ?? {}).filter(([field]) =>
        required.includes(field),
      );
      return Object.fromEntries(
        fields.map(([field, inner]) => [field, sampleOf(asSchema(inner) ?? {}, book, field, depth + 1)]),
      );
    }
    case 'array': {
      if (Array.isArray(schema.prefixItems))
        return schema.prefixItems.map((item) => sampleOf(asSchema(item) ?? {}, book, name, depth + 1));
      const items = asSchema(schema.items);
      const count = Math.max(Number(schema.minItems ?? 0), depth < MAX_DEPTH && items ? 1 : 0);
      return Array.from({ length: count }, () => sampleOf(items ?? {}, book, name, depth + 1));
    }
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return true;
    case 'string':
      return textOf(schema, name);
    case 'null':
      return null;
    default:
      return {};
  }
};
