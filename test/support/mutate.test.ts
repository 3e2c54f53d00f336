import { expect, test } from 'vitest';
import { mutantsOf } from './mutate.ts';

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
