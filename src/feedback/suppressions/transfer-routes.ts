// Import, export and bulk removal of suppressions over HTTP.
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { namedPlace } from './place.ts';
import { MAX_LINES, readLines } from './read-csv.ts';
import { practiceParams } from './routes.ts';
import {
  bulkDeleteAnswer,
  bulkDeleteBody,
  importAnswer,
  importBody,
  importQuery,
  MAX_NAMED_LINES,
} from './schema.ts';
import {
  exportSuppressions,
  importSuppressions,
  removeSuppressions,
  type SuppressionDeps,
} from './transfer.ts';

const MIB = 1_024 * 1_024;
/** Room for the lines of one import with 160 octets each. */
const IMPORT_BYTES = 8 * MIB;
/** For one tenant: each takes some seconds of the event loop, in small pieces. */
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
    `Suppressions are imported and exported ${FILES_PER_MINUTE} times a minute at most.`,
  );
  return [
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/suppression/import',
      id: 'importSuppressions',
      summary: 'Suppress the addresses of a file',
      description: `CSV with a head line (\`address\`, and as wanted \`scope\`, \`project\`, \`route\`, \`reason\`, \`note\`; others are passed over), or a list with one address a line; ${MAX_LINES} lines at most. Lines that cannot be taken are named, the others are imported. An import that was cut off is sent again: what is there already stays as it is.`,
      audit: 'suppression.import',
      text: ['text/csv', 'text/plain'],
      form: true,
      query: importQuery,
      body: importBody,
      bodyLimit: IMPORT_BYTES,
      responses: { 200: { description: 'What became of the lines.', body: importAnswer } },
      errors: ['not_found', 'forbidden'],
      handle: async ({ params, query, body }, { caller, change }) => {
        limit(params.id);
        const { lines, failed } = await readLines(body);
        const by = { tenantId: params.id, caller, change };
        // An unknown or forbidden place is an error of the request, not of each line.
        const says = query.scope ?? query.project_id ?? query.route_id;
        if (says !== undefined)
          await deps.files.read(params.id, (db) => namedPlace(db, query, caller, 'query'));
        const came = await importSuppressions(deps, lines, query, by);
        const all = [...failed, ...came.failed].toSorted((a, b) => a.line - b.line);
        const { imported, already } = came;
        return {
          status: 200,
          body: { imported, already, failed_count: all.length, failed: all.slice(0, MAX_NAMED_LINES) },
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/suppression/export',
      id: 'exportSuppressions',
      summary: 'All suppressions as a file',
      description:
        'Oldest first; can be imported again. Cells that a spreadsheet program would run as a formula are led by an apostrophe. Who is limited to projects gets those of their projects.',
      responses: { 200: { description: 'CSV with a head line.', body: 'text/csv; charset=utf-8' } },
      handle: ({ params }, { caller }) => {
        limit(params.id);
        return {
          status: 200,
          contentType: 'text/csv; charset=utf-8',
          headers: { 'Content-Disposition': 'attachment; filename="suppressions.csv"' },
          body: exportSuppressions(deps, { tenantId: params.id, caller }),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/suppression/bulk-delete',
      id: 'deleteSuppressions',
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
