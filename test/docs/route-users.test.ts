// Every route has a user: the dashboard, the command line, a document, the clients of a foreign shape, or whom its declaration
// names. A route that nobody calls is one to remove.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '#test/support/app.ts';
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

test('every route is called here, or says who calls it', async () => {
  const app = await startApp();
  onTestFinished(app.remove);
  const paths =
    await describedPaths<Record<string, Record<string, { operationId?: string; 'x-used-by'?: string }>>>(app);
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
