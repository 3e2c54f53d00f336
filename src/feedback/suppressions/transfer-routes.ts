// Export and bulk removal of suppressions over HTTP.
import { z } from 'zod';
import { CSV_TYPE, csvFile, csvQuery } from '#src/kernel/csv-file.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { practiceParams } from './routes.ts';
import { bulkDeleteAnswer, bulkDeleteBody } from './schema.ts';
import { exportSuppressions, removeSuppressions, type SuppressionDeps } from './transfer.ts';

/** The limit for one tenant: each takes some seconds of the event loop, in small pieces. */
const FILES_PER_MINUTE = 10;

const shared = {
  tag: 'Suppressions',
  access: 'suppressions.manage',
  stability: 'stable',
  params: practiceParams,
} as const;

export const suppressionTransferRoutes = (deps: SuppressionDeps): Route[] => {
  const limit = createRateCheck(
    deps.clock,
    () => perMinute(FILES_PER_MINUTE),
    say`Suppressions are exported ${FILES_PER_MINUTE} times a minute at most.`,
  );
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/suppression/export',
      id: 'exportSuppressions',
      summary: 'All suppressions as a file',
      description:
        'Oldest first; can be imported again. Cells that a spreadsheet program would run as a formula are led by an apostrophe. Who is limited to projects gets those of their projects.',
      query: z.strictObject(csvQuery),
      responses: { 200: { description: 'CSV with a head line.', body: CSV_TYPE } },
      handle: ({ params, query: { language } }, request) => {
        limit(params.id);
        const { files } = deps;
        const reading = { files, tenantId: params.id, request, language };
        return csvFile('suppressions.csv', exportSuppressions(reading));
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/suppression/bulk-delete',
      id: 'deleteSuppressions',
      usedBy: 'programs that keep addresses in another system',
      summary: 'Let go of up to 1,000 addresses',
      audit: 'suppression.bulk_delete',
      body: bulkDeleteBody,
      responses: { 200: { description: 'Those that were there are gone.', body: bulkDeleteAnswer } },
      handle: async ({ params, body }, { caller, change }) => {
        const removed = await removeSuppressions(deps, body.ids, { tenantId: params.id, caller, change });
        const not_found = body.ids.filter((id) => !removed.has(id));
        return { status: 200, body: { deleted: removed.size, not_found } };
      },
    }),
  ];
};
