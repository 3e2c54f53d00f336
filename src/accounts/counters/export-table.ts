// The counters as a table for exports, and the names and meanings that the API has for what they count.
import { z } from 'zod';
import { divisionColumns } from '#src/accounts/tenants/division-columns.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { columnsOf, exportTable } from '#src/kernel/export-table.ts';
import { dayName } from './rules.ts';
import { counterStore, type DivisionCounts } from './store.ts';

const DAYS_PER_PAGE = 7;

export const countFields = {
  accepted: z.int().describe('mails, one per recipient'),
  sent: z.int().describe('accepted by the upstream'),
  refused: z.int().describe('permanently refused by the upstream, so never sent'),
  delivered: z.int().describe('as far as the upstream reports deliveries'),
  hard_bounced: z.int(),
  soft_bounced: z.int(),
  complaints: z.int(),
  unsubscribes: z.int(),
  opens: z.int().describe('recipients who opened the mail; machines are not counted'),
  clicks: z.int().describe('recipients who followed a link; machines are not counted'),
};

export const stats = exportTable<DivisionCounts>({
  columns: {
    day: ['in UTC', ({ day }) => dayName(day)],
    ...divisionColumns,
    stream: [
      '`transactional` or `marketing`',
      ({ route_id }, db) => tenantStore(db).route(route_id)?.type ?? null,
    ],
    ...columnsOf<DivisionCounts>(countFields, (row) => ({ ...row })),
  },
  projectOf: ({ project_id }) => project_id,
  read: (db, after, { from, toExclusive }) => {
    const first = Math.max(after, from);
    const next = Math.min(first + DAYS_PER_PAGE, toExclusive);
    return { rows: counterStore(db).perDivision(first, next), next: next < toExclusive ? next : null };
  },
});
