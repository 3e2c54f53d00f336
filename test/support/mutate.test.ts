import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { changedLines, mutantsOf, testsOf } from './mutate.ts';
import { temporaryDirectory } from './storage.ts';

const SOURCE = `import { a } from './a.ts';
// WHERE id = 1 and 1 < 2
export const LIMIT = 1_000;
export const of = (db: Db, tenantId: string, id: string): boolean => {
  if (isLate(id, 'x < y') && LIMIT <= 2) return true;
  log('removed WHERE');
  db.prepare(\`DELETE FROM invitations WHERE tenant_id = ? AND id = ? AND (sent_at < @now)\`).run(tenantId, id);
};
const sync = (file: number) => fdatasync(file);
`;

test('each place is changed once, code as code and SQL as SQL, comments and other strings never', () => {
  const changes = mutantsOf(SOURCE).map(
    ({ start, end, text }) => `${SOURCE.slice(start, end)} -> ${text || 'nothing'}`,
  );
  expect(changes).toEqual([
    '1_000 -> 1001',
    "if (isLate(id, 'x < y') && LIMIT <= 2) return true; -> nothing",
    "(isLate(id, 'x < y') && LIMIT <= 2) -> (!(isLate(id, 'x < y') && LIMIT <= 2))",
    '&& -> ||',
    '<= -> <',
    '2 -> 3',
    'true -> false',
    "log('removed WHERE'); -> nothing",
    'db.prepare(`DELETE FROM invitations WHERE tenant_id = ? AND id = ? AND (sent_at < @now)`).run(tenantId, id); -> nothing',
    'tenant_id = ? -> TRUE',
    'id = ? -> TRUE',
    '< -> <=',
    'fdatasync(file) -> undefined',
  ]);
});

const known = new Map([
  ['test/flows/send.test.ts', { 'src/relay/rules.ts': 2, 'src/relay/claim.ts': 9, 'src/app/app.ts': 5 }],
  ['test/flows/api.test.ts', { 'src/relay/rules.ts': 4, 'src/app/app.ts': 5 }],
  ['test/relay/claim.test.ts', { 'src/relay/rules.ts': 2, 'src/relay/claim.ts': 9 }],
  ['test/relay/queue.test.ts', { 'src/relay/rules.ts': 2 }],
  ['test/relay/gone.test.ts', { 'src/relay/rules.ts': 4 }],
]);
const tests = [...known.keys(), 'test/relay/rules.test.ts'].filter((path) => !path.includes('gone'));

test.each<[file: string, importers: readonly string[], parts: readonly string[], flows: readonly string[]]>([
  [
    'src/relay/rules.ts',
    [],
    ['test/relay/rules.test.ts', 'test/relay/queue.test.ts', 'test/relay/claim.test.ts'],
    ['test/flows/api.test.ts', 'test/flows/send.test.ts'],
  ],
  ['src/relay/words.ts', ['src/relay/claim.ts'], ['test/relay/claim.test.ts'], ['test/flows/send.test.ts']],
  ['src/smtp/new.ts', [], ['test/smtp'], []],
])(
  'the tests of %s are those that run it, those that say the most of it first',
  (file, importers, parts, flows) => {
    const exists = (path: string): boolean => tests.includes(path);
    expect(testsOf(file, { known, exists, importers: () => importers })).toEqual({ parts, flows, more: 0 });
  },
);

test('of many tests that run a file the first ones are taken, and the others are counted', () => {
  const many = new Map(
    Array.from({ length: 60 }, (_, index) => [
      `test/${index < 30 ? 'flows' : 'relay'}/${index}.test.ts`,
      { 'src/relay/rules.ts': index + 1 },
    ]),
  );
  const found = testsOf('src/relay/rules.ts', {
    known: many,
    exists: (path) => many.has(path),
    importers: () => [],
  });
  expect([found.parts.length, found.flows.length, found.more]).toEqual([25, 10, 25]);
  expect([found.parts[0], found.flows[0]]).toEqual(['test/relay/59.test.ts', 'test/flows/29.test.ts']);
});

test('what has changed are lines of files that git knows, and whole files that it does not know yet', async () => {
  const root = await temporaryDirectory();
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
  const git = (...words: string[]) => execFileSync('git', [...identity, ...words], { cwd: root });
  const put = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const commit = (): void => {
    git('add', '.');
    git('commit', '-q', '-m', 'A change');
  };
  git('init', '-q', '-b', 'main');
  put('.gitignore', 'made.ts\n');
  for (const name of ['left', 'committed', 'edited'])
    put(`src/relay/${name}.ts`, 'const a = 1;\nconst b = 2;\n');
  commit();
  put('src/relay/committed.ts', 'const a = 1;\nconst b = 3;\n');
  commit();
  put('src/relay/edited.ts', 'const c = 1;\nconst b = 2;\nconst d = 3;\n');
  for (const file of ['src/relay/new.ts', 'src/relay/made.ts', 'src/dashboard/new.ts', 'test/new.ts'])
    put(file, 'const a = 1;\n');
  expect(Object.fromEntries(changedLines(root))).toEqual({
    'src/relay/committed.ts': new Set([2]),
    'src/relay/edited.ts': new Set([1, 3]),
    'src/relay/new.ts': null,
  });
});
