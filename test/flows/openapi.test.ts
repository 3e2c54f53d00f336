// The application's own /openapi.yaml as others see it, and beside it that of the forms of other services: an independent validator, readers of both versions of YAML, and
// what a client is generated from.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startApp } from '#test/support/app.ts';
import { describedParts } from '#test/support/openapi.ts';

interface Operation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-permission': string;
}
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const app = await startApp();
afterAll(() => app.remove());
const { text } = await app.request('GET', '/openapi.yaml');
const described: Described = parse(text);
const operations = Object.values(described.paths).flatMap((item) => Object.values(item));

test.each(['/openapi.yaml', '/openapi-compat.yaml'])('%s is valid OpenAPI 3.1', async (path) => {
  const { valid, errors } = await new Validator().validate(parse((await app.request('GET', path)).text));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('is the same for readers of YAML 1.1 and 1.2', () => {
  expect(parse(text, { version: '1.1' })).toEqual(parse(text, { version: '1.2' }));
});

test('is the same for another reader of YAML 1.1', { tags: 'debian/python3-yaml' }, async () => {
  const script = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)';
  const reading = promisify(execFile)('/usr/bin/python3', ['-c', script], { maxBuffer: 2 ** 24 });
  reading.child.stdin?.end(text);
  expect(JSON.parse((await reading).stdout)).toEqual(described);
});

/** The document grows with its operations, each of which stays readable; compressed is how it travels. */
const MAX_BYTES_AN_OPERATION = 3_000;
const MAX_BYTES_COMPRESSED = 110_000;

test('each call is described in one of the two documents', async () => {
  const [own, foreign] = await describedParts(app);
  expect(Object.keys(foreign.paths).length).toBeGreaterThan(30);
  expect(Object.keys(own.paths).filter((path) => path in foreign.paths)).toEqual([]);
  expect(Object.keys(own.paths).filter((path) => path.startsWith('/api/compat/'))).toEqual([]);
});

test('is short enough to be read', () => {
  expect(Buffer.byteLength(text) / operations.length).toBeLessThan(MAX_BYTES_AN_OPERATION);
  expect(gzipSync(text).length).toBeLessThan(MAX_BYTES_COMPRESSED);
});

test('names each operation once, by a verb and what it is about', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)+$/.test(id))).toEqual([]);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(ids).toEqual(expect.arrayContaining(['sendMessage', 'searchMessages', 'createWebhook']));
});

test('asks for the operator’s token only where the operator is meant', () => {
  const askingFor = operations.filter(({ security }) => security?.some((one) => 'adminToken' in one));
  const access = new Set(askingFor.map((operation) => operation['x-permission']));
  expect(access).toEqual(new Set(['operator', 'practice_creator']));
});

/** Places of objects that require a field they do not have. */
const lacking = (value: unknown, place: string): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { required, properties = {} } = value as { required?: unknown; properties?: object };
  const missing = Array.isArray(required) ? required.filter((name) => !Object.hasOwn(properties, name)) : [];
  return [
    ...missing.map((name) => `${place}: ${name}`),
    ...Object.entries(value).flatMap(([key, inner]) => lacking(inner, `${place}/${key}`)),
  ];
};

test('defines every field that it requires', () => {
  expect(lacking(described, '')).toEqual([]);
});
