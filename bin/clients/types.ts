// A schema of the document as a type of TypeScript. Only what the document uses: what it does not know it throws at.
import type { Schema } from './document.ts';

const ORDINARY_NAME = /^[A-Za-z_$][\w$]*$/;

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? '';

/** Empty without a text. Nothing in it ends the comment. */
export const commentOf = (text: unknown, indent: string): string =>
  typeof text === 'string' && text !== ''
    ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n`
    : '';

const schemasOf = (value: unknown): readonly Schema[] => (Array.isArray(value) ? (value as Schema[]) : []);

const joined = (parts: readonly string[], sign: ' | ' | ' & '): string => {
  const unique = [...new Set(parts)];
  return unique.length === 1 ? (unique[0] ?? 'unknown') : `(${unique.join(sign)})`;
};

const objectType = (schema: Schema, indent: string): string => {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const required = (schema.required ?? []) as readonly string[];
  const more = schema.additionalProperties;
  const values = typeof more === 'object' && more !== null ? typeOf(more as Schema, indent) : null;
  if (properties.length === 0) return `Record<string, ${values ?? (more === false ? 'never' : 'unknown')}>`;
  const inner = `${indent}  `;
  const fields = properties.map(([name, one]) => {
    const key = ORDINARY_NAME.test(name) ? name : JSON.stringify(name);
    return `${commentOf(one.description, inner)}${inner}${key}${required.includes(name) ? '' : '?'}: ${typeOf(one, inner)};\n`;
  });
  const rest = values === null ? '' : `${inner}[key: string]: unknown;\n`;
  return `{\n${fields.join('')}${rest}${indent}}`;
};

const plainType = (type: unknown, schema: Schema, indent: string): string => {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return schema.items === undefined ? 'unknown[]' : `${typeOf(schema.items as Schema, indent)}[]`;
    case 'object':
      return objectType(schema, indent);
    default:
      throw new Error(`no type of TypeScript for ${JSON.stringify(schema)}`);
  }
};

const ownType = (schema: Schema, indent: string): string | null => {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum))
    return joined(
      schema.enum.map((one) => JSON.stringify(one)),
      ' | ',
    );
  if (schema.type !== undefined) {
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    return joined(
      types.map((type) => plainType(type, schema, indent)),
      ' | ',
    );
  }
  return schema.properties === undefined ? null : objectType(schema, indent);
};

/** `allOf` beside a type only narrows it where its parts have types themselves. */
export const typeOf = (schema: Schema, indent = ''): string => {
  if (typeof schema.$ref === 'string') return nameOf(schema.$ref);
  const some = [...schemasOf(schema.anyOf), ...schemasOf(schema.oneOf)].map((one) => typeOf(one, indent));
  const every = schemasOf(schema.allOf)
    .map((one) => typeOf(one, indent))
    .filter((one) => one !== 'unknown');
  const own = ownType(schema, indent);
  const parts = [...(own === null ? [] : [own]), ...every, ...(some.length > 0 ? [joined(some, ' | ')] : [])];
  return parts.length === 0 ? 'unknown' : joined(parts, ' & ');
};
