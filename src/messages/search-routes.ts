// Search of messages as people type: a page of what is found, how many have each status, and all of it as a file. A caller that
// is limited to projects finds only the messages of these projects.
import { z } from 'zod';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import { CSV_TYPE, csvFile, csvQuery, csvTable, describeColumns } from '#src/kernel/csv-file.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { decodeCursor, encodeCursor, listOf } from '#src/kernel/list.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';
import { countStatuses } from './count-statuses.ts';
import { presentSummary } from './present.ts';
import { countQuery, exportQuery, messageSummarySchema, searchQuery, statusCountsSchema } from './schema.ts';
import { exportColumns, exportPage } from './search-export.ts';
import type { SearchIndexer } from './search-indexer.ts';
import { type MessageFilter, messageSearchStore } from './search-store.ts';
import { messageStore } from './store.ts';

/** The limit for one practice: 100,000 rows take some seconds of the event loop, in small pieces. */
const EXPORTS_PER_MINUTE = 20;

const DAY_ALONE = /^\d{4}-\d\d-\d\d$/;
const timeOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));
/** The end of the day where only a day is given, otherwise the time itself. */
const endOf = (text: string | undefined): number | null =>
  text === undefined ? null : Date.parse(text) + (DAY_ALONE.test(text) ? DAY : 0);

/** Throws `not_found` for a route or campaign that does not exist or that the caller may not see. */
const filterOf = (db: TenantDb, query: z.output<typeof exportQuery>, caller: Caller): MessageFilter => {
  const route = query.route === undefined ? null : tenantStore(db).route(query.route);
  const isForeign = route?.project_id && !mayUseProject(caller, route.project_id);
  if (route === undefined || isForeign) throw new AppError('not_found', say`There is no such route.`);
  const campaign = query.campaign_id === undefined ? null : messageStore(db).campaignSeq(query.campaign_id);
  if (campaign === undefined) throw new AppError('not_found', say`There is no such campaign.`);
  return {
    text: query.q ?? null,
    parts: null,
    tag: query.tag ?? null,
    statuses: query.status ?? null,
    routeId: route?.id ?? null,
    templateId: query.template_id ?? null,
    projects: caller.projects && [...caller.projects],
    kind: query.kind ?? null,
    campaign,
    createdFrom: timeOf(query.from),
    createdBefore: endOf(query.to),
  };
};

export const searchRoutes = (
  files: TenantFiles,
  clock: Clock,
  indexer: Pick<SearchIndexer, 'waiting'>,
): Route[] => {
  const limit = createRateCheck(
    clock,
    () => perMinute(EXPORTS_PER_MINUTE),
    say`Messages are exported ${EXPORTS_PER_MINUTE} times a minute at most.`,
  );
  const shared = {
    method: 'get',
    tag: 'Messages',
    access: 'messages.view',
    stability: 'stable',
    params: z.strictObject({ id: idSchema.describe('the practice') }),
  } as const;
  return [
    defineRoute({
      ...shared,
      path: '/api/practices/{id}/messages/search',
      id: 'searchMessages',
      summary: 'List and search messages',
      query: searchQuery,
      responses: {
        200: {
          description:
            'Newest first, without bodies. A page may have fewer than `limit` messages, even none, while `next_cursor` is set: a call stops after a limited time, and the next one continues.',
          body: listOf(messageSummarySchema),
        },
      },
      handle: async ({ params, query }, { caller }) => {
        const before = decodeCursor(query.cursor);
        const page = await files.read(params.id, (db) => {
          const store = messageSearchStore(db);
          indexer.waiting(params.id, store.behind());
          const found = store.find(filterOf(db, query, caller), before, query.limit);
          return {
            data: found.rows.map((row) => presentSummary(db, row)),
            next_cursor: found.before === null ? null : encodeCursor(found.before),
          };
        });
        return { status: 200, body: page };
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/practices/{id}/messages/search/counts',
      id: 'countMessages',
      summary: 'How many messages a search finds of each status',
      query: countQuery,
      responses: {
        200: {
          description:
            'Every status, also with 0. Of each 10,000 are counted; with a filter besides the period, of all together the newest 10,000 that are found in a limited time.',
          body: statusCountsSchema,
        },
      },
      handle: async ({ params, query }, { caller }) => ({
        status: 200,
        body: {
          data: await countStatuses(files, params.id, (db) => filterOf(db, query, caller)),
        },
      }),
    }),
    defineRoute({
      ...shared,
      path: '/api/practices/{id}/messages/search/export',
      id: 'exportMessages',
      summary: 'What a search finds as a file',
      description: `A line for each recipient, newest message first, in UTF-8 with a byte order mark; times are UTC. Cells that a spreadsheet program would run as a formula are led by an apostrophe. The columns keep their names and their order; new ones come last: ${describeColumns(exportColumns)}.`,
      query: exportQuery.extend(csvQuery),
      responses: { 200: { description: 'CSV with a head line.', body: CSV_TYPE } },
      errors: ['rate_limited'],
      handle: async ({ params, query: { language, ...query } }, request) => {
        limit(params.id);
        // Faults of the filter are answered before the file begins.
        const { slug } = await files.read(params.id, (db) => {
          filterOf(db, query, request.caller);
          return tenantStore(db).practice();
        });
        const lines = csvTable(
          { files, tenantId: params.id, request, language },
          Object.keys(exportColumns),
          (db, before, caller) => exportPage(db, filterOf(db, query, caller), before),
        );
        return csvFile(`${slug}-messages.csv`, lines);
      },
    }),
  ];
};
