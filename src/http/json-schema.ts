// zod schemas as JSON Schema 2020-12 for the API's description. What zod names (`.meta({ id })`) or refers to from
// within itself becomes a component of the document; all else is written in place.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export type JsonSchema = { readonly [key: string]: unknown };
export type JsonSchemas = Readonly<Record<string, JsonSchema>>;
export type Direction = 'input' | 'output';

export interface SchemaBook {
  /** `place` names components that have no name of their own. The two directions differ where there are defaults. */
  describe(schema: z.ZodType, direction: Direction, place: string): JsonSchema;
  /** The same as a component: under its own name, else under `name`, which the first to ask gives. */
  refer(schema: z.ZodType, direction: Direction, name: string): JsonSchema;
  readonly components: JsonSchemas;
}

export const COMPONENTS = '#/components/schemas/';
const DEFINITIONS = '#/$defs/';
const ROOT = '#';
/** Ends the names of components that describe what is sent, until `mergeDirections`. */
const INPUT = '.input';

const renameRefs = (schema: unknown, rename: (ref: string) => string): unknown => {
  if (Array.isArray(schema)) return schema.map((item) => renameRefs(item, rename));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' ? [key, rename(value)] : [key, renameRefs(value, rename)],
    ),
  );
};

const holdsRef = (schema: unknown, ref: string): boolean =>
  typeof schema === 'object' &&
  schema !== null &&
  Object.entries(schema).some(([key, value]) => (key === '$ref' && value === ref) || holdsRef(value, ref));

/** `format` says to a reader what zod's pattern beside it says to a machine; a constant has its type, and
 * names of fields are strings; the bounds of a double say nothing. */
const dropNoise = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
  delete jsonSchema.readOnly;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.const !== undefined) delete jsonSchema.type;
  if (isDeepStrictEqual(jsonSchema.propertyNames, { type: 'string' })) delete jsonSchema.propertyNames;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** A record that has all keys of an enumeration requires them, so they are its fields. */
const nameFields = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
  const { propertyNames, additionalProperties, required = [] } = jsonSchema;
  if (propertyNames === undefined || required.length === 0 || typeof additionalProperties !== 'object')
    return;
  delete jsonSchema.propertyNames;
  jsonSchema.properties = Object.fromEntries(required.map((name) => [name, additionalProperties]));
  jsonSchema.additionalProperties = false;
};

/** Examples that the schema, or the one that it wraps, declares. */
export const examplesOf = (schema: z.ZodType): readonly unknown[] => {
  const { examples } = schema.meta() ?? {};
  if (Array.isArray(examples)) return examples;
  const { innerType, in: taken } = schema.def as { readonly innerType?: z.ZodType; readonly in?: z.ZodType };
  const wrapped = innerType ?? taken;
  return wrapped === undefined ? [] : examplesOf(wrapped);
};

/** Answers may gain fields without notice: their schemas must not call others unknown. */
const openAnswer = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
  dropNoise({ jsonSchema });
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
};

/**
 * The document, where what is sent and what is answered share a component if both are the same or there is only one of
 * them. Else the one that is sent is called `…Input`.
 */
export const mergeDirections = <T extends { readonly components: { readonly schemas: JsonSchemas } }>(
  document: T,
): T => {
  const { schemas } = document.components;
  const merged = new Map(
    Object.entries(schemas).map(([name, schema]) => {
      if (!name.endsWith(INPUT)) return [name, name];
      const plain = name.slice(0, -INPUT.length);
      const isShared = schemas[plain] === undefined || isDeepStrictEqual(schemas[plain], schema);
      return [name, isShared ? plain : `${plain}Input`];
    }),
  );
  const rename = (name: string): string => merged.get(name) ?? name;
  const renamed = renameRefs(document, (ref) =>
    ref.startsWith(COMPONENTS) ? COMPONENTS + rename(ref.slice(COMPONENTS.length)) : ref,
  ) as T;
  const named = Object.entries(renamed.components.schemas).map(([name, schema]) => [rename(name), schema]);
  return { ...renamed, components: { ...renamed.components, schemas: Object.fromEntries(named) } };
};

/** The examples within are shown where the whole is sent, so they are left out unless `hasExamples`. */
export const createSchemaBook = ({ hasExamples = false } = {}): SchemaBook => {
  const components: Record<string, JsonSchema> = {};

  const add = (name: string, schema: JsonSchema): void => {
    const present = components[name];
    if (present !== undefined && !isDeepStrictEqual(present, schema)) {
      throw new Error(`two different schemas have the id ${name}`);
    }
    components[name] = schema;
  };

  const describe: SchemaBook['describe'] = (schema, direction, place) => {
    const clean = direction === 'output' ? openAnswer : dropNoise;
    const { $schema, $defs, ...bare } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io: direction,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        nameFields({ jsonSchema });
        clean({ jsonSchema });
        if (!hasExamples) delete jsonSchema.examples;
        const { describedBy } = jsonSchema;
        delete jsonSchema.describedBy;
        if (describedBy instanceof z.ZodType)
          Object.assign(jsonSchema, describe(describedBy, direction, `${place}Item`));
      },
    });
    const nameOf = (key: string): string => {
      const name = key.startsWith('__') ? place + key : key;
      return direction === 'input' ? name + INPUT : name;
    };
    const relocate = (part: unknown): JsonSchema =>
      renameRefs(part, (ref) => {
        if (ref === ROOT) return COMPONENTS + nameOf(place);
        return ref.startsWith(DEFINITIONS) ? COMPONENTS + nameOf(ref.slice(DEFINITIONS.length)) : ref;
      }) as JsonSchema;
    for (const [key, definition] of Object.entries($defs ?? {})) add(nameOf(key), relocate(definition));
    if (!holdsRef(bare, ROOT)) return relocate(bare);
    add(nameOf(place), relocate(bare));
    return { $ref: COMPONENTS + nameOf(place) };
  };

  const named = new Map<z.ZodType, string>();
  const refer: SchemaBook['refer'] = (schema, direction, name) => {
    const described = describe(schema, direction, name);
    if ('$ref' in described || !('properties' in described)) return described;
    const known = named.get(schema) ?? name;
    named.set(schema, known);
    const key = direction === 'input' ? known + INPUT : known;
    add(key, described);
    return { $ref: COMPONENTS + key };
  };

  return { components, describe, refer };
};
