// What the API's description repeats, written once and referred to: parameters, refusals, and the fields that one schema has of
// another.
import { isDeepStrictEqual } from 'node:util';
import { COMPONENTS, type JsonSchema, type JsonSchemas } from './json-schema.ts';

/** `message.hard_bounced` as `MessageHardBounced`. */
export const componentName = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/**
 * Replaces, in its holders, what is there more than once by a reference, and returns the components. What has no name
 * stays in its place; of different ones of one name, the most frequent has it.
 */
export const shareRepeated = (
  kind: 'parameters' | 'responses',
  holders: readonly (Record<string, JsonSchema> | JsonSchema[])[],
  nameOf: (value: JsonSchema) => string | null,
): JsonSchemas => {
  const texts = holders.flatMap((holder) => Object.values(holder).map((value) => JSON.stringify(value)));
  const byText = Map.groupBy(texts, (text) => text);
  const components: Record<string, JsonSchema> = {};
  const names = new Map<string, string>();
  for (const [text, { length }] of [...byText].toSorted(([, a], [, b]) => b.length - a.length)) {
    const value: JsonSchema = JSON.parse(text);
    const name = nameOf(value);
    if (length === 1 || name === null || name in components) continue;
    components[name] = value;
    names.set(text, name);
  }
  for (const holder of holders)
    for (const [key, value] of Object.entries(holder)) {
      const name = names.get(JSON.stringify(value));
      if (name !== undefined)
        (holder as Record<string, JsonSchema>)[key] = { $ref: `#/components/${kind}/${name}` };
    }
  return components;
};

/** Fewer fields in common are no relation. */
const FIELDS_IN_COMMON = 5;

interface ObjectSchema extends JsonSchema {
  readonly properties: JsonSchemas;
  readonly required?: readonly string[];
}

/** Whether an object may have further fields; others cannot be combined. */
const isOpenObject = (value: object): value is ObjectSchema =>
  'properties' in value && !('additionalProperties' in value);

/** Whether `wide` has all fields of `base`, and requires at least the same. */
const hasFieldsOf = (wide: ObjectSchema, base: ObjectSchema): boolean =>
  Object.entries(base.properties).every(([name, field]) => isDeepStrictEqual(wide.properties[name], field)) &&
  (base.required ?? []).every((name) => wide.required?.includes(name));

const sizeOf = ({ properties }: ObjectSchema): number => Object.keys(properties).length;

/** What has all fields of a component refers to it and says only what it has beside them. */
export const shareFields = (schemas: JsonSchemas): JsonSchemas => {
  const components = new Set<object>(Object.values(schemas));
  const bases = Object.entries(schemas)
    .filter((entry): entry is [string, ObjectSchema] => isOpenObject(entry[1]))
    .filter(([, schema]) => sizeOf(schema) >= FIELDS_IN_COMMON)
    .toSorted(([, a], [, b]) => sizeOf(b) - sizeOf(a));
  const baseOf = (wide: ObjectSchema) =>
    bases.find(
      ([, base]) => (sizeOf(wide) > sizeOf(base) || !components.has(wide)) && hasFieldsOf(wide, base),
    );
  const share = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(share);
    if (typeof value !== 'object' || value === null) return value;
    const [name, base] = (isOpenObject(value) && baseOf(value)) || [];
    if (!isOpenObject(value) || base === undefined)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, share(inner)]));
    const { properties, required = [], description, ...rest } = value;
    const ref = { $ref: `${COMPONENTS}${name}` };
    const said = description === undefined ? {} : { description };
    if (sizeOf(value) === sizeOf(base)) return { ...ref, ...said };
    const isOwn = (field: string): boolean => !(field in base.properties);
    const own = Object.fromEntries(Object.entries(properties).filter(([field]) => isOwn(field)));
    const ownRequired = required.filter(isOwn);
    return {
      ...said,
      allOf: [
        ref,
        { ...rest, properties: share(own), ...(ownRequired.length > 0 ? { required: ownRequired } : {}) },
      ],
    };
  };
  return share(schemas) as JsonSchemas;
};
