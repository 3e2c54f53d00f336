// Says in words what a zod schema expects, so that a problem in a file and the documentation of a key come from one
// declaration. `.meta({ expected })` gives the words of a schema; without it they are derived from its type.
import { z } from 'zod';
import { DAY, HOUR, MINUTE, SECOND } from './time.ts';

export type Schema = z.core.$ZodType;
type Path = readonly PropertyKey[];

/** A string that `parse` turns into something better, or into null where it is not what is `expected`. */
export const parsedText = <T>(expected: string, parse: (text: string) => T | null) =>
  z
    .string()
    .transform((text, context): T => {
      const value = parse(text);
      if (value !== null) return value;
      context.addIssue({ code: 'custom', message: expected });
      return z.NEVER;
    })
    .meta({ expected });

/** A string kept as it is, provided `accepts` it. */
export const checkedText = (expected: string, accepts: (text: string) => boolean) =>
  z.string().refine(accepts).meta({ expected });

const wrapped = (schema: Schema): Schema | null => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return schema.def.innerType;
  return schema instanceof z.ZodPipe ? schema.def.in : null;
};

/** The schema without defaults, optionality and transformations. */
export const unwrap = (schema: Schema): Schema => {
  const inner = wrapped(schema);
  return inner === null ? schema : unwrap(inner);
};

/** A text of the schema's metadata, looked for from the outermost wrapper inwards. */
export const metaText = (schema: Schema, name: string): string | undefined => {
  const text = z.globalRegistry.get(schema)?.[name];
  if (typeof text === 'string') return text;
  const inner = wrapped(schema);
  return inner === null ? undefined : metaText(inner, name);
};

const isRecord = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null;

/** The option of a union that `value` chose by its discriminator, or the schema itself where it is no such union. */
const chosenOption = (schema: Schema, value: unknown): Schema => {
  if (!(schema instanceof z.ZodDiscriminatedUnion) || !isRecord(value)) return schema;
  const { discriminator, options } = schema.def;
  const chosen = options.find((option) =>
    option._zod.propValues?.[discriminator]?.has(value[discriminator] as string),
  );
  return chosen ?? schema;
};

/** The schema of the value at `path` in `value`; null where the schema has no such place. */
export const schemaAt = (schema: Schema, path: Path, value: unknown): Schema | null => {
  const [step, ...rest] = path;
  if (step === undefined) return schema;
  const container = chosenOption(unwrap(schema), value);
  if (container instanceof z.ZodUnion && !(container instanceof z.ZodDiscriminatedUnion)) {
    const branch = container.options.find((option) => schemaAt(option, path, value) !== null);
    return branch ? schemaAt(branch, path, value) : null;
  }
  const child =
    container instanceof z.ZodObject
      ? container.def.shape[String(step)]
      : container instanceof z.ZodArray
        ? container.def.element
        : undefined;
  return child ? schemaAt(child, rest, isRecord(value) ? value[step] : undefined) : null;
};

/** The names an object at this place may have; empty where no object is expected. */
export const knownKeys = (schema: Schema, value: unknown): string[] => {
  const container = chosenOption(unwrap(schema), value);
  return container instanceof z.ZodObject ? Object.keys(container.def.shape) : [];
};

export const oneOf = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** The bounds a schema was given: of a number's value, of a list's or text's length. */
const range = (schema: Schema): string => {
  const bounds = (schema._zod.def.checks ?? []).map(
    ({ _zod: { def } }) => def as unknown as Record<string, unknown>,
  );
  const bound = (check: string, name: string): unknown => bounds.find((def) => def.check === check)?.[name];
  const least = bound('greater_than', 'value') ?? bound('min_length', 'minimum');
  const most = bound('less_than', 'value') ?? bound('max_length', 'maximum');
  return least === undefined ? `at most ${most}` : `${least} to ${most}`;
};

/** `a whole number from 1 to 65535`, `none, opportunistic, required or implicit`, `a list of at most 5 entries, each host:port`. */
export const expectedOf = (schema: Schema): string => {
  const words = metaText(schema, 'expected');
  if (words !== undefined) return words;
  const bare = unwrap(schema);
  if (bare instanceof z.ZodNumber) return `${bare.isInt ? 'a whole number' : 'a number'} from ${range(bare)}`;
  if (bare instanceof z.ZodBoolean) return 'true or false';
  if (bare instanceof z.ZodEnum) return oneOf(bare.options.map(String));
  if (bare instanceof z.ZodLiteral) return oneOf([...bare.values].map(String));
  if (bare instanceof z.ZodArray)
    return `a list of ${range(bare)} entries, each ${expectedOf(bare.def.element)}`;
  if (bare instanceof z.ZodObject || bare instanceof z.ZodDiscriminatedUnion) return 'a mapping';
  if (bare instanceof z.ZodUnion) return oneOf(bare.options.map(expectedOf));
  return `text of ${range(bare)} characters`;
};

const units = [
  ['d', DAY],
  ['h', HOUR],
  ['m', MINUTE],
  ['s', SECOND],
  ['ms', 1],
] as const;

/** Ten years: beyond any sensible setting, and far below what a millisecond count can hold. */
const MAX_DURATION = 3_650 * DAY;

/** Milliseconds, or null where the text is no duration of at most ten years. */
export const parseDuration = (text: string): number | null => {
  const match = /^(\d{1,12})(d|h|ms|m|s)$/.exec(text);
  const unit = units.find(([name]) => name === match?.[2]);
  if (!match || !unit) return null;
  const milliseconds = Number(match[1]) * unit[1];
  return milliseconds <= MAX_DURATION ? milliseconds : null;
};

/** The shortest form without a fraction: `90s`, `72h` as `3d`. */
export const formatDuration = (milliseconds: number): string => {
  const unit = milliseconds === 0 ? undefined : units.find(([, length]) => milliseconds % length === 0);
  return unit ? `${milliseconds / unit[1]}${unit[0]}` : `${milliseconds}${milliseconds === 0 ? 's' : 'ms'}`;
};

/** Duration within bounds (milliseconds, both inclusive); the parsed value is in milliseconds. */
export const durationBetween = (atLeast: number, atMost: number) =>
  parsedText(
    `a duration (ms, s, m, h, d) from ${formatDuration(atLeast)} to ${formatDuration(atMost)}`,
    (text) => {
      const milliseconds = parseDuration(text);
      return milliseconds !== null && milliseconds >= atLeast && milliseconds <= atMost ? milliseconds : null;
    },
  );

export const duration = durationBetween(0, MAX_DURATION);
