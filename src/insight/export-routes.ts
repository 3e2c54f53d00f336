// The numbers of a practice as files, for spreadsheets and programs that evaluate them.
import { z } from 'zod';
import { dayName, utcDay } from '#src/accounts/counters/rules.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { CSV_TYPE, csvFile, csvQuery, csvTable } from '#src/kernel/csv-file.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { ExportTable } from '#src/kernel/export-table.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { daysQuery } from './schema.ts';

/** The limit for one practice: 100,000 rows take two seconds of the event loop, in small pieces. */
const EXPORTS_PER_MINUTE = 20;
const LONGEST_DAYS = 400;

/** One route for the tables of all rooms, by their names. */
export const exportRoutes = (
  { files, clock }: { readonly files: TenantFiles; readonly clock: Clock },
  tables: Readonly<Record<string, ExportTable>>,
): Route[] => {
  const columnsText = Object.entries(tables)
    .map(([kind, { says }]) => `\`${kind}\`: ${says}.`)
    .join('\n\n');
  const limit = createRateCheck(
    clock,
    () => perMinute(EXPORTS_PER_MINUTE),
    say`Exports are made ${EXPORTS_PER_MINUTE} times a minute at most.`,
  );
  return [
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/exports/bi',
      tag: 'Overview',
      id: 'exportBi',
      usedBy: 'spreadsheets and programs for statistics',
      summary: 'Statistics, campaigns, bounces or scores as a file',
      description: `\`stats\` has a row for each UTC day, project and route that had any mail; \`campaigns\` those created, begun or ended in these days; \`bounces\` each hard and soft bounce; \`scores\` each message. Oldest first, in UTF-8 with a byte order mark; times are UTC. Cells that a spreadsheet program would run as a formula are led by an apostrophe. Who is limited to projects gets their rows; campaigns are the whole practice's. Bounces and scores need \`messages.view\` besides. The columns keep their names and their order; new ones come last:\n\n${columnsText}`,
      access: 'stats.view',
      stability: 'stable',
      params: tenantParams,
      query: z.strictObject({
        kind: z.enum(Object.keys(tables)).meta({ examples: ['stats'] }),
        ...daysQuery(LONGEST_DAYS).shape,
        ...csvQuery,
      }),
      responses: { 200: { description: 'CSV with a head line.', body: CSV_TYPE } },
      errors: ['forbidden', 'rate_limited'],
      handle: async ({ params, query: { kind, days, language } }, request) => {
        const table = tables[kind];
        if (table === undefined) throw new Error(`no table ${kind}`);
        const { columns, requireMay, page } = table;
        requireMay(request.caller);
        limit(params.id);
        const today = utcDay(clock.now());
        const from = today - days + 1;
        const { slug } = await files.read(params.id, (db) => tenantStore(db).practice());
        const lines = csvTable(
          { files, tenantId: params.id, request, language },
          columns,
          page({ from, toExclusive: today + 1 }),
        );
        return csvFile(`${slug}-${kind}-${dayName(from)}-${dayName(today)}.csv`, lines);
      },
    }),
  ];
};
