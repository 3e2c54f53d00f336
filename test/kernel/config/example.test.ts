import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { exampleConfig } from '#src/kernel/config/example.ts';
import { configSchema } from '#src/kernel/config/schema.ts';
import { metaText, type Schema, unwrap } from '#src/kernel/expected.ts';
import { formatProblem, readYaml } from '#src/kernel/yaml-file.ts';

const example = exampleConfig();
const problems = (text: string) => readYaml('example', text, configSchema).problems.map(formatProblem);
/** As a reader would: the `#` goes where no space follows it, deeper lines of the same block included. */
const uncommented = example.replace(/^( *)#(?! \S)/gm, '$1');

const keysOf = (schema: Schema, path: string): [string, Schema][] => {
  const bare = unwrap(schema);
  if (bare instanceof z.ZodDiscriminatedUnion)
    return bare.def.options.flatMap((option) => keysOf(option, path));
  if (bare instanceof z.ZodArray) return keysOf(bare.def.element, path);
  if (!(bare instanceof z.ZodObject)) return [];
  return Object.entries(bare.def.shape).flatMap(([key, inner]) => [
    [`${path}${key}`, inner] as [string, Schema],
    ...keysOf(inner, `${path}${key}.`),
  ]);
};
const keys = keysOf(configSchema, '');

test('config/service.example.yaml is what the schema prints; `npm run example-config` renews it', () => {
  expect(readFileSync('config/service.example.yaml', 'utf8')).toBe(example);
});

test('the example is a valid file', () => expect(problems(example)).toEqual([]));

test('it sets nothing but defaults, what is required and the usual places of secrets', () => {
  const { service, admin, secrets, ...rest } = readYaml('example', example, configSchema).value;
  const { service: _, admin: __, secrets: ___, ...defaults } = configSchema.parse({ service });
  expect(rest).toEqual(defaults);
  expect(admin).toEqual({ token_file: 'config/admin.token' });
  expect(secrets).toEqual({ master_key_file: 'config/master.key' });
});

test('it is still valid with everything set that is commented out', () => {
  expect(problems(uncommented)).toEqual([]);
  expect(parse(uncommented).upstreams).toMatchObject([
    { kind: 'capture' },
    { kind: 'smtp', user: 'sendwerk', rate: 50 },
  ]);
});

test.each(keys)('%s is described and shown', (path, schema) => {
  expect(metaText(schema, 'description')).toMatch(/^\S.*\.$/s);
  const shown = path.split('.').reduce<unknown>((value, key) => {
    const places: unknown[] = Array.isArray(value) ? value : [value];
    return places
      .map((place) => (place as Record<string, unknown>)[key])
      .find((inner) => inner !== undefined);
  }, parse(uncommented));
  expect(shown).toBeDefined();
});
