// A table for exports asks for each page what its reader may see by then.
import { expect, test } from 'vitest';
import { anonymous, type Caller, permissions } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { exportTable } from '#src/kernel/export-table.ts';

const table = exportTable<{ readonly project: string }>({
  columns: { project: ['', ({ project }) => project] },
  permission: 'messages.view',
  read: (_, after) => ({ rows: [{ project: 'mine' }, { project: 'theirs' }], next: after + 1 }),
  projectOf: ({ project }) => project,
});
const page = table.page({ from: 0, toExclusive: 1 });
const owner: Caller = { ...anonymous, permissions: new Set(permissions) };

test('a reader who loses the permission on the way gets no further page', () => {
  const db = {} as TenantDb;
  expect(page(db, 0, owner).made).toEqual([['mine'], ['theirs']]);
  const since = { ...owner, permissions: new Set(permissions.filter((one) => one !== 'messages.view')) };
  expect(() => page(db, 1, since)).toThrow('a permission of its own');
});

test('a reader who is limited to projects on the way gets the rows of theirs from then on', () => {
  const limited = { ...owner, projects: new Set(['mine']) };
  expect(page({} as TenantDb, 1, limited)).toEqual({ made: [['mine']], next: 2 });
});
