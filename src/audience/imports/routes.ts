// Imports over HTTP: a file of subscribers or suppressions is taken, and worked on as a job that can be watched and cancelled.
import { requireAllProjects } from '#src/accounts/tenants/project-routes.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { AudienceContext, Part } from '#src/audience/context.ts';
import { listInUse } from '#src/audience/lists/change.ts';
import { listParams } from '#src/audience/lists/schema.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { namedPlace } from '#src/feedback/suppressions/place.ts';
import type { Caller } from '#src/kernel/access.ts';
import { CSV_TYPE, type CsvReading, csvFile, csvTable } from '#src/kernel/csv-file.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { decodeCursor, listOf, toPage } from '#src/kernel/list.ts';
import { prefers } from '#src/kernel/page.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute } from '#src/kernel/route.ts';
import { DAY } from '#src/kernel/time.ts';
import { askedOf } from './job.ts';
import { receiveImport } from './receive.ts';
import { openImportTask, removeEndedImports } from './run.ts';
import {
  fileBody,
  givenFile,
  importParams,
  importSchema,
  listImportsQuery,
  presentImport,
  presentReported,
  reportedRow,
  requireAssertion,
  subscriberOptions,
  suppressionOptions,
} from './schema.ts';
import { type ImportKind, type ImportRow, importStore } from './store.ts';

const MIB = 1_024 * 1_024;
/** Some 500,000 rows. */
const IMPORT_BYTES = 32 * MIB;
/** For one tenant. */
const FILES_PER_MINUTE = 10;
const REPORT_PAGE = 1_000;
/** Imports of a tenant that wait or run. */
const MAX_UNFINISHED = 10;
const KEPT_MS = 90 * DAY;

const FILE_FORMS =
  'CSV with commas, semicolons or tabs and a head line in German or English, or a list with one address a line; in UTF-8, UTF-16 or Windows-1252, 32 MiB at most.';

/** As actors of changes are named. */
const idOf = ({ account, credentialId }: Caller): string => account?.id ?? credentialId;

const askedBy = (caller: Caller) => ({ by: caller.kind, by_id: idOf(caller) });

const permissionOf = { subscribers: 'lists.manage', suppressions: 'suppressions.manage' } as const;

/** The imports that the caller sees; who is limited to projects sees their own, of suppressions. */
const visibleTo = (caller: Caller): { readonly kinds: ImportKind[]; readonly by: string | null } => {
  const isLimited = caller.projects !== null;
  const isVisible = (kind: ImportKind): boolean =>
    caller.permissions.has(permissionOf[kind]) && !(isLimited && kind === 'subscribers');
  return {
    kinds: (['subscribers', 'suppressions'] as const).filter(isVisible),
    by: isLimited ? idOf(caller) : null,
  };
};

/** Throws `not_found`. */
const visibleImport = (db: TenantDb, id: string, caller: Caller): ImportRow => {
  const visible = visibleTo(caller);
  const row = importStore(db).byId(id);
  if (row && visible.kinds.includes(row.kind) && (visible.by === null || askedOf(row).by_id === visible.by))
    return row;
  throw new AppError('not_found', 'There is no such import.');
};

const requireFew = (db: TenantDb): void => {
  if (importStore(db).unfinished() < MAX_UNFINISHED) return;
  throw new AppError('conflict', `A practice has at most ${MAX_UNFINISHED} imports at a time.`, {
    hint: 'Wait until one has ended, or cancel one.',
  });
};

const REPORTED = ['line', 'address', 'outcome', 'reason'] as const;

const reportAsCsv = (reading: CsvReading, { seq }: ImportRow): AsyncGenerator<string> =>
  csvTable(reading, REPORTED, (db, after) => {
    const rows = importStore(db).faults(seq, after, REPORT_PAGE);
    return {
      made: rows.map((row) => REPORTED.map((column) => row[column])),
      next: rows.at(-1)?.line ?? null,
    };
  });

export const openImports = (context: AudienceContext): Part => {
  const { files, clock } = context;
  const limit = createRateCheck(
    clock,
    () => perMinute(FILES_PER_MINUTE),
    `Files are imported ${FILES_PER_MINUTE} times a minute at most.`,
  );
  const taken = {
    method: 'post',
    stability: 'stable',
    text: ['text/csv', 'text/plain'],
    form: { files: ['file'] },
    bodyLimit: IMPORT_BYTES,
    responses: { 202: { description: 'The file is stored, and is imported now.', body: importSchema } },
    errors: ['not_found', 'forbidden', 'conflict', 'rate_limited'],
  } as const;
  const watched = { tag: 'Imports', access: 'authenticated', stability: 'stable' } as const;
  const one = { 200: { description: 'The import.', body: importSchema } };
  return {
    routes: [
      defineRoute({
        ...taken,
        tag: 'Subscribers',
        access: 'lists.manage',
        path: '/api/practices/{id}/lists/{listID}/subscribers/import',
        id: 'importSubscribers',
        summary: 'Import subscribers from a file',
        description: `${FILE_FORMS} First and last name are joined; other columns become values for templates. Who is on the list keeps their consent and gets the new values; who left or complained is left out. GET …/imports/{importID} shows how far it is, its report the rows that were not taken as they are.`,
        audit: 'subscriber.import',
        params: listParams,
        query: subscriberOptions,
        body: fileBody(subscriberOptions).meta({
          examples: [
            'E-Mail;Vorname;Nachname;Ort\nerika@example.org;Erika;Muster;Köln\n',
            { file: 'erika@example.org\n' },
            { file: 'erika@example.org\n', status: 'active', evidence: 'Aufnahmebögen 2026, Ordner 12' },
          ],
        }),
        handle: async ({ params, query, body }, { caller, change }) => {
          requireAllProjects(caller, 'lists.manage', 'A list');
          limit(params.id);
          const { file, ...fields } =
            typeof body === 'string' || body instanceof Uint8Array ? { file: body } : body;
          const assertion = requireAssertion({ ...query, ...fields });
          const { bytes, name } = await givenFile(file);
          const record = await receiveImport(context, params.id, {
            kind: 'subscribers',
            bytes,
            asked: { ...askedBy(caller), file_name: name, list_id: params.listID, assertion },
            require: (db) => {
              listInUse(db, params.listID);
              requireFew(db);
            },
            change,
          });
          return { status: 202, body: record };
        },
      }),
      defineRoute({
        ...taken,
        tag: 'Suppressions',
        access: 'suppressions.manage',
        path: '/api/practices/{id}/suppression/import',
        id: 'importSuppressions',
        summary: 'Suppress the addresses of a file',
        description: `${FILE_FORMS} Beside the address there may be \`scope\`, \`project\`, \`route\`, \`reason\` and \`note\`; other columns are passed over. GET …/imports/{importID} shows how far it is, its report the rows that could not be taken.`,
        audit: 'suppression.import',
        params: tenantParams,
        query: suppressionOptions,
        body: fileBody(suppressionOptions).meta({
          examples: ['address,reason\nerika@example.org,unsubscribe\n', { file: 'erika@example.org\n' }],
        }),
        handle: async ({ params, query, body }, { caller, change }) => {
          limit(params.id);
          const { file, ...fields } =
            typeof body === 'string' || body instanceof Uint8Array ? { file: body } : body;
          const place = { ...query, ...fields };
          const isNamed = Object.values(place).some((named) => named !== undefined);
          const { bytes, name } = await givenFile(file);
          const record = await receiveImport(context, params.id, {
            kind: 'suppressions',
            bytes,
            asked: {
              ...askedBy(caller),
              file_name: name,
              place,
              projects: caller.projects && [...caller.projects],
            },
            require: (db) => {
              // An unknown or forbidden place is an error of the request, not of each row.
              if (isNamed) namedPlace(db, place, caller, 'query');
              requireFew(db);
            },
            change,
          });
          return { status: 202, body: record };
        },
      }),
      defineRoute({
        ...watched,
        method: 'get',
        path: '/api/practices/{id}/imports',
        id: 'listImports',
        summary: 'Imports of subscribers and suppressions',
        params: tenantParams,
        query: listImportsQuery,
        responses: {
          200: {
            description:
              'Newest first; they are kept for 90 days. Those of lists are shown with `lists.manage`, those of suppressions with `suppressions.manage`; who is limited to projects sees their own.',
            body: listOf(importSchema),
          },
        },
        handle: async ({ params, query }, { caller }) => {
          const filter = { ...visibleTo(caller), before: decodeCursor(query.cursor) };
          const rows = await files.read(params.id, (db) => importStore(db).find(filter, query.limit + 1));
          return { status: 200, body: toPage(rows, query.limit, ({ seq }) => seq, presentImport) };
        },
      }),
      defineRoute({
        ...watched,
        method: 'get',
        path: '/api/practices/{id}/imports/{importID}',
        id: 'getImport',
        summary: 'An import, and how far it is',
        params: importParams,
        responses: one,
        handle: async ({ params }, { caller }) => ({
          status: 200,
          body: presentImport(
            await files.read(params.id, (db) => visibleImport(db, params.importID, caller)),
          ),
        }),
      }),
      defineRoute({
        ...watched,
        method: 'get',
        path: '/api/practices/{id}/imports/{importID}/report',
        id: 'getImportReport',
        summary: 'Rows of an import that were not taken as they are',
        description: 'By line; the first 10,000 are kept. `counts` of the import counts all.',
        params: importParams,
        query: listImportsQuery,
        responses: {
          200: {
            description: 'With `Accept: text/csv` all of them as a file, without pages.',
            body: listOf(reportedRow),
            otherwise: CSV_TYPE,
          },
        },
        handle: async ({ params, query }, request) => {
          const row = await files.read(params.id, (db) => visibleImport(db, params.importID, request.caller));
          if (prefers(request, 'text/csv')) {
            const file = csvFile('import.csv', reportAsCsv({ files, tenantId: params.id, request }, row));
            return { ...file, headers: { ...file.headers, Vary: 'Accept' } };
          }
          const after = decodeCursor(query.cursor) ?? 0;
          const rows = await files.read(params.id, (db) =>
            importStore(db).faults(row.seq, after, query.limit + 1),
          );
          const body = toPage(rows, query.limit, ({ line }) => line, presentReported);
          return { status: 200, headers: { Vary: 'Accept' }, body };
        },
      }),
      defineRoute({
        ...watched,
        method: 'delete',
        path: '/api/practices/{id}/imports/{importID}',
        id: 'cancelImport',
        summary: 'Cancel an import',
        description: 'What is imported already stays. 409 `conflict` where it has ended.',
        audit: 'import.cancel',
        params: importParams,
        responses: { 200: { description: 'It is cancelled; no further row is taken.', body: importSchema } },
        errors: ['conflict'],
        handle: async ({ params }, { caller, change }) => ({
          status: 200,
          body: await files.write(params.id, (db) => {
            const row = visibleImport(db, params.importID, caller);
            if (row.status !== 'pending' && row.status !== 'running')
              throw new AppError('conflict', `The import has ended: it is ${row.status}.`);
            const now = clock.now();
            const cancelled: ImportRow = { ...row, status: 'cancelled', finished_at: now, due_at: now };
            importStore(db).update(cancelled);
            const after = presentImport(cancelled);
            const target = { type: 'import', id: row.id };
            auditStore(db).record(change, { target, before: presentImport(row), after }, now);
            return after;
          }),
        }),
      }),
    ],
    tasks: [openImportTask(context)],
    nightly: [
      {
        what: 'imports that ended long ago',
        run: (id, signal) => removeEndedImports(context, id, clock.now() - KEPT_MS, signal),
      },
    ],
  };
};
