// Every route has a user: the dashboard, the command line, a document, the clients of a foreign shape, or whom its declaration
// names. A route that nobody calls is one to remove. And a path that a document names is that of a route.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '#test/support/app.ts';
import { blocksOf, documentNames, quotedCodeOf } from '#test/support/document-samples.ts';
import { describedPaths } from '#test/support/openapi.ts';

const textsIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|md)$/.test(name))
    .map((name) => readFileSync(join(directory, name), 'utf8'));

/** Where a file names the beginning of its paths once, that is put where it is used. */
const withPaths = (text: string): string =>
  [...text.matchAll(/const (\w+) =\s*['`](\/api[^'`]*)['`]/g)].reduce(
    (whole, [, name = '', path = '']) => whole.replaceAll(`\${${name}}`, path),
    text,
  );

const VALUE = String.raw`(?:\$?\{[^}]+\}|:\w+|<[^>]+>|[\w-]+)`;
const namesPath = (path: string): RegExp =>
  new RegExp(
    `${path
      .split(/\{[^}]+\}/)
      .map(RegExp.escape)
      .join(VALUE)}(?![\\w/{$-])`,
  );

const app = await startApp();
afterAll(() => app.remove());
const paths =
  await describedPaths<Record<string, Record<string, { operationId?: string; 'x-used-by'?: string }>>>(app);

test('every route is called here, or says who calls it', async () => {
  const dashboard = textsIn('src/dashboard').map(withPaths).join('\n');
  const named = [...textsIn('src/app/cli'), ...textsIn('docs'), readFileSync('README.md', 'utf8')]
    .map(withPaths)
    .join('\n');
  const routes = Object.entries(paths)
    .filter(([path]) => !path.startsWith('/api/compat/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { operationId }]) => operationId !== undefined)
        .map(([method, operation]) => ({
          operation: `${method.toUpperCase()} ${path}`,
          isCalled: dashboard.includes(`${method.toUpperCase()} ${path}`) || namesPath(path).test(named),
          usedBy: operation['x-used-by'],
        })),
    );
  expect(routes.length).toBeGreaterThan(200);
  expect(routes.filter(({ isCalled, usedBy }) => !isCalled && usedBy === undefined)).toEqual([]);
});

/** A variable of a shell, a template or the description stands for any segment. */
const isVariable = (segment: string): boolean => /^(?:\$|\{)/.test(segment);
const leadsTo = (path: string, route: string): boolean => {
  const [named, declared] = [path.split('/'), route.split('/')];
  return (
    named.length === declared.length &&
    named.every((segment, index) => isVariable(declared[index] ?? '') || segment === declared[index])
  );
};

/** The route that an example for contributors adds. */
const ADDED_BY_EXAMPLE = '/api/practices/{id}/list-count';

test('the paths in README and docs are those of routes', () => {
  const named = documentNames().flatMap((name) =>
    [...blocksOf(name).map(({ text }) => text), ...quotedCodeOf(name)]
      .map((text) => text.replaceAll(/\$practice\b/g, '/api/practices/{id}'))
      .flatMap((text) => [...text.matchAll(/\/api(?:\/(?:[\w-]+|\$?\{\w+\}|\$\w+))+(?![\w/{$…-])/g)])
      .map(([path]) => [name, path] as const)
      .filter(([, path]) => !/^\/api\/(?:compat|v\d)(?:\/|$)/.test(path)),
  );
  expect(named.length).toBeGreaterThan(80);
  const unknown = named.filter(
    ([, path]) => path !== ADDED_BY_EXAMPLE && !Object.keys(paths).some((route) => leadsTo(path, route)),
  );
  expect(unknown.map((fault) => fault.join(': ')).join('\n')).toBe('');
});
