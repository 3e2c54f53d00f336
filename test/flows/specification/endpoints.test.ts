// Each row of the specification's endpoint tables: the daemon has it, lets in those that it should, and describes it with the
// fields it takes and answers. That each operation succeeds is in openapi-examples.test.ts, who may call it in access.test.ts.
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '#test/support/app.ts';
import { checkCells } from '#test/support/cells.ts';
import { listed, specified } from '#test/support/markdown-tables.ts';
import { describedPaths } from '#test/support/openapi.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
interface Operation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Row {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly access: string;
  readonly takes: readonly string[];
  readonly status: string;
  readonly fields: readonly string[];
}

const rows: readonly Row[] = specified('endpoints.md').flatMap(({ cells }) => {
  const { Method, Path: path = '', Access: access = '', Takes, Answers = '' } = cells;
  const [status = ''] = Answers.split(' ', 1);
  const fields = listed(Answers.slice(status.length).trim());
  return listed(Method).map((method) => {
    const name = `${method} ${path}`;
    return { name, method, path, access, takes: listed(Takes), status, fields };
  });
});

const app = await startApp({ config: { auth: { password_login: true } } });
afterAll(() => app.remove());
const { practice, token } = await app.createSender();

/** A parameter may have another name where it is described. */
const anyNames = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');
const paths = await describedPaths<Record<string, Record<string, Operation>>>(app, { isWhole: true });
const described = new Map(
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      `${method.toUpperCase()} ${anyNames(path)}`,
      operation,
    ]),
  ),
);
const operationOf = ({ method, path }: Row) => described.get(`${method} ${anyNames(path)}`);

const namesIn = ({ properties = {}, anyOf = [], oneOf = [] }: Schema): string[] => [
  ...Object.keys(properties),
  ...[...anyOf, ...oneOf].flatMap(namesIn),
];
const namesOf = (content: Content = {}): string[] =>
  Object.values(content).flatMap(({ schema }) => namesIn(schema ?? {}));

const call = (method: string, path: string, credential?: string) => {
  const target = path
    .replace('/practices/{id}', `/practices/${practice.id}`)
    .replaceAll(/\{\w+\}/g, () => randomUUID());
  const headers: Record<string, string> = { Accept: 'application/json', 'Content-Type': 'application/json' };
  if (credential !== undefined) headers.Authorization = `Bearer ${credential}`;
  const body = method === 'GET' ? {} : { body: '{}' };
  return fetch(app.origin + target, { method, headers, ...body });
};

/** What is said where nothing is, in the form of each surface; a path with another method says much the same. */
const NOTHING = /nothing at this path|does not take this method/i;

test('the tables have the 114 rows of the specification, and that of the form that came later', () => {
  expect(rows).toHaveLength(115);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
});

test('the daemon has every row, and its description too', async () => {
  const answers = await Promise.all(
    rows.map(async (row) => ({ row, text: await (await call(row.method, row.path, token)).text() })),
  );
  const missing = answers.filter(({ text }) => NOTHING.test(text)).map(({ row }) => row.name);
  const undescribed = rows.filter((row) => operationOf(row) === undefined).map(({ name }) => name);
  expect({ missing, undescribed }).toEqual({ missing: [], undescribed: [] });
  for (const path of [
    '/api/nothing',
    '/api/compat/vendor-a/x',
    '/api/compat/vendor-b/x',
    '/api/compat/vendor-c/x',
    '/api/compat/eu/x',
  ])
    expect(await (await call('POST', path, token)).text()).toMatch(NOTHING);
});

test('what needs a credential asks for one, what is public does not', () =>
  checkCells(
    rows,
    ({ name }) => name,
    async ({ method, path, access }) => {
      const { status, headers } = await call(method, path);
      const asksForBearer = status === 401 && headers.get('www-authenticate') === 'Bearer';
      expect(asksForBearer).toBe(access !== 'public');
      if (access === 'session' || access === 'operator')
        expect((await call(method, path, token)).status).toBe(403);
    },
  ));

test('each takes and answers the fields by their names', () =>
  checkCells(
    rows.filter((row) => operationOf(row) !== undefined),
    ({ name }) => name,
    async (row) => {
      const { parameters = [], requestBody, responses } = operationOf(row) as Operation;
      const taken = [...parameters.map(({ name }) => name), ...namesOf(requestBody?.content)];
      expect(row.takes.filter((name) => !taken.includes(name))).toEqual([]);
      if (row.status === '') return;
      expect(Object.keys(responses)).toContain(row.status);
      const answered = namesOf(responses[row.status]?.content);
      expect(row.fields.filter((name) => !answered.includes(name))).toEqual([]);
    },
  ));
