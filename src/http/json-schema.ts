// zod schemas as JSON Schema 2020-12 for the API's description. What zod names (`.meta({ id })`) or refers to from
// within itself becomes a component of the document; all else is written in place.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export type JsonSchema = { readonly [key: string]: unknown };
export type Direction = 'input' | 'output';

export interface SchemaBook {
  /** `place` names components that have no name of their own. The two directions differ where there are defaults. */
  describe(schema: z.ZodType, direction: Direction, place: string): JsonSchema;
  readonly components: Readonly<Record<string, JsonSchema>>;
}

const COMPONENTS = '#/components/schemas/';
const DEFINITIONS = '#/$defs/';
const ROOT = '#';

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

/** `format` says to a reader what zod's pattern beside it says to a machine; the bounds of a double say nothing. */
const dropNoise = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** Answers may gain fields without notice: their schemas must not call others unknown. */
const openAnswer = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
  dropNoise({ jsonSchema });
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
};

export const createSchemaBook = (): SchemaBook => {
  const components: Record<string, JsonSchema> = {};

  const add = (name: string, schema: JsonSchema): void => {
    const present = components[name];
    if (present !== undefined && !isDeepStrictEqual(present, schema)) {
      throw new Error(`two different schemas have the id ${name}`);
    }
    components[name] = schema;
  };

  return {
    components,
    describe(schema, direction, place) {
      const { $schema, $defs, ...bare } = z.toJSONSchema(schema, {
        target: 'draft-2020-12',
        io: direction,
        unrepresentable: 'any',
        override: direction === 'output' ? openAnswer : dropNoise,
      });
      const nameOf = (key: string): string => {
        const name = key.startsWith('__') ? `${place}${key}` : key;
        return direction === 'input' ? `${name}.input` : name;
      };
      const relocate = (part: unknown): JsonSchema =>
        renameRefs(part, (ref) =>
          ref === ROOT
            ? `${COMPONENTS}${nameOf(place)}`
            : `${COMPONENTS}${nameOf(ref.slice(DEFINITIONS.length))}`,
        ) as JsonSchema;
      for (const [key, definition] of Object.entries($defs ?? {})) add(nameOf(key), relocate(definition));
      if (!holdsRef(bare, ROOT)) return relocate(bare);
      add(nameOf(place), relocate(bare));
      return { $ref: `${COMPONENTS}${nameOf(place)}` };
    },
  };
};
