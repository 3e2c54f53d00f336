// Imports over HTTP: a file of subscribers or suppressions is taken, and worked on as a job that can be watched and cancelled.
import { requireAllProjects } from '#src/accounts/tenants/project-routes.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { AudienceContext, Part } from '#src/audience/context.ts';
import { listInUse } from '#src/audience/lists/change.ts';
import { listParams } from '#src/audience/lists/schema.ts';
import { sendableFor } from '#src/audience/sendable.ts';
import { wordsIn } from '#src/audience/words.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { namedPlace } from '#src/feedback/suppressions/place.ts';
import type { Caller } from '#src/kernel/access.ts';
import { CSV_TYPE, type CsvReading, csvFile, csvTable } from '#src/kernel/csv-file.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import { decodeCursor, listOf, toPage } from '#src/kernel/list.ts';
import { prefers } from '#src/kernel/page.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { DAY } from '#src/kernel/time.ts';
import type { OpenedFile } from './forms/open-file.ts';
import { askedOf } from './job.ts';
import { reasonText } from './reasons.ts';
import {
  fileBody,
  type GivenFile,
  givenFile,
  importParams,
  importSchema,
  listImportsQuery,
  presentImport,
  presentReported,
  previewOptions,
  previewSchema,
  reportedRow,
  requireAssertion,
  subscriberOptions,
  suppressionOptions,
} from './schema.ts';
import { type ImportKind, type ImportRow, importStore } from './store.ts';
import { openImportTask, removeEndedImports } from './task.ts';
import { UnreadableFile } from './unreadable.ts';

const MIB = 1_024 * 1_024;
/** Some 500,000 rows. */
const IMPORT_BYTES = 32 * MIB;
/** The limit for one tenant. */
const FILES_PER_MINUTE = 10;
const PREVIEWS_PER_MINUTE = 20;
const REPORT_PAGE = 1_000;
/** Imports of a tenant that wait or run. */
const MAX_UNFINISHED = 10;
const KEPT_MS = 90 * DAY;

const FILE_FORMS =
  'A table as CSV (commas, semicolons, tabs) or .xlsx with a head line in English, German, French or Spanish, cards of an address book (vCard), or addresses as people write them into a line; text in UTF-8, UTF-16 or Windows-1252, 32 MiB at most. Exports of other newsletter services are read as they are.';

/** The id by which actors of changes are named. */
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
  throw new AppError('not_found', say`There is no such import.`);
};

const requireFew = (db: TenantDb): void => {
  if (importStore(db).unfinished() < MAX_UNFINISHED) return;
  throw new AppError('conflict', say`A practice has at most ${MAX_UNFINISHED} imports at a time.`, {
    hint: say`Wait until one has ended, or cancel one.`,
  });
};

const REPORTED = ['line', 'address', 'outcome', 'reason'] as const;

const reportAsCsv = (
  reading: CsvReading,
  { seq }: ImportRow,
  language: MemberLanguage,
): AsyncGenerator<string> =>
  csvTable(reading, REPORTED, (db, after) => {
    const rows = importStore(db).faults(seq, after, REPORT_PAGE);
    return {
      made: rows.map((row) => {
        const reported = presentReported(row, language);
        const shown = { ...reported, outcome: wordsIn(language).reported[reported.outcome] };
        return REPORTED.map((column) => shown[column]);
      }),
      next: rows.at(-1)?.line ?? null,
    };
  });

/** Throws `invalid_request` with what to do where the file is none that can be read. */
const opened = async (bytes: Uint8Array, language: MemberLanguage): Promise<OpenedFile> => {
  const { openFile } = await import('./forms/open-file.ts');
  return openFile(bytes).catch((error: unknown) => {
    if (!(error instanceof UnreadableFile)) throw error;
    const message = say`${reasonText(error.reason, language)}`;
    throw new AppError('invalid_request', message, { extra: { fields: [{ path: 'file', message }] } });
  });
};

type FileBody<Fields> = string | Uint8Array | ({ readonly file: string | File } & Fields);

/** The file of a request, and the fields beside it. */
const bodyOf = async <Fields extends object>(
  body: FileBody<Fields>,
): Promise<{ readonly given: GivenFile; readonly fields: Partial<Fields> }> => {
  if (typeof body === 'string' || body instanceof Uint8Array)
    return { given: await givenFile(body), fields: {} };
  const { file, ...fields } = body;
  return { given: await givenFile(file), fields: fields as unknown as Fields };
};

export const openImports = (context: AudienceContext): Part => {
  const { files, clock } = context;
  const limit = createRateCheck(
    clock,
    () => perMinute(FILES_PER_MINUTE),
    say`Files are imported ${FILES_PER_MINUTE} times a minute at most.`,
  );
  const limitPreviews = createRateCheck(
    clock,
    () => perMinute(PREVIEWS_PER_MINUTE),
    say`Previews of imports are made ${PREVIEWS_PER_MINUTE} times a minute at most.`,
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
        description: `${FILE_FORMS} First and last name are joined; up to 50 other columns become values for templates, but none of an address book's. Who is on the list keeps their consent and gets the new values; who left or complained is left out. So is everyone whom a column about the status, unsubscribing, bounces or complaints does not clearly call a subscriber: where there are several, the strictest counts. …/import/preview shows what is found, and \`columns\` says it better. GET …/imports/{importID} shows how far it is, its report the rows that were not taken as they are.`,
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
        handle: async ({ params, query, body }, { caller, change, answerLanguage }) => {
          requireAllProjects(caller, 'lists.manage', say`A list`);
          limit(params.id);
          const { given, fields } = await bodyOf(body);
          const options = { ...query, ...fields };
          const assertion = requireAssertion(options);
          const { bytes, name } = given;
          const { receiveImport } = await import('./receive.ts');
          const record = await receiveImport(context, params.id, {
            kind: 'subscribers',
            bytes,
            opened: await opened(bytes, answerLanguage),
            asked: {
              ...askedBy(caller),
              file_name: name,
              columns: options.columns ?? {},
              list_id: params.listID,
              assertion,
            },
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
        tag: 'Subscribers',
        access: 'lists.manage',
        path: '/api/practices/{id}/lists/{listID}/subscribers/import/preview',
        id: 'previewSubscriberImport',
        summary: 'What an import of subscribers would make of a file',
        description:
          'Takes what the import takes, and stores nothing: what the file is, what its columns are for, and what would become of its rows, by the file alone.',
        audit: { none: 'nothing is stored' },
        params: listParams,
        query: previewOptions,
        body: fileBody(previewOptions).meta({
          examples: [
            'E-Mail;Name;Status\nerika@example.org;Erika Muster;abgemeldet\n',
            { file: '"Muster, Erika" <erika@example.org>; max@example.org' },
          ],
        }),
        responses: { 200: { description: 'What is found.', body: previewSchema } },
        errors: ['not_found', 'forbidden', 'rate_limited'],
        handle: async ({ params, query, body }, { caller, answerLanguage }) => {
          requireAllProjects(caller, 'lists.manage', say`A list`);
          limitPreviews(params.id);
          const { given, fields } = await bodyOf(body);
          const { columns = {}, status = 'pending' } = { ...query, ...fields };
          await files.read(params.id, (db) => listInUse(db, params.listID));
          const file = await opened(given.bytes, answerLanguage);
          const sendable = sendableFor(context, params.id);
          const asked = { columns, fileName: given.name, status, sendable };
          const { previewImport } = await import('./preview.ts');
          return { status: 200, body: await previewImport(file, asked, answerLanguage) };
        },
      }),
      defineRoute({
        ...taken,
        tag: 'Suppressions',
        access: 'suppressions.manage',
        path: '/api/practices/{id}/suppression/import',
        id: 'importSuppressions',
        summary: 'Suppress the addresses of a file',
        description: `${FILE_FORMS} Beside the address there may be \`scope\`, \`project\`, \`route\`, \`reason\` and \`note\`. Of a file with a column about the status, unsubscribing, bounces or complaints only those are taken who have left by it. Other columns are passed over. GET …/imports/{importID} shows how far it is, its report the rows that could not be taken.`,
        audit: 'suppression.import',
        params: tenantParams,
        query: suppressionOptions,
        body: fileBody(suppressionOptions).meta({
          examples: ['address,reason\nerika@example.org,unsubscribe\n', { file: 'erika@example.org\n' }],
        }),
        handle: async ({ params, query, body }, { caller, change, answerLanguage }) => {
          limit(params.id);
          const { given, fields } = await bodyOf(body);
          const { columns = {}, ...place } = { ...query, ...fields };
          const isNamed = Object.values(place).some((named) => named !== undefined);
          const { bytes, name } = given;
          const { receiveImport } = await import('./receive.ts');
          const record = await receiveImport(context, params.id, {
            kind: 'suppressions',
            bytes,
            opened: await opened(bytes, answerLanguage),
            asked: {
              ...askedBy(caller),
              file_name: name,
              columns,
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
        handle: async ({ params, query }, { caller, answerLanguage: language }) => {
          const filter = { ...visibleTo(caller), before: decodeCursor(query.cursor) };
          const rows = await files.read(params.id, (db) => importStore(db).find(filter, query.limit + 1));
          return {
            status: 200,
            body: toPage(
              rows,
              query.limit,
              ({ seq }) => seq,
              (row) => presentImport(row, language),
            ),
          };
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
        handle: async ({ params }, { caller, answerLanguage }) => ({
          status: 200,
          body: presentImport(
            await files.read(params.id, (db) => visibleImport(db, params.importID, caller)),
            answerLanguage,
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
          const language = request.answerLanguage;
          if (prefers(request, 'text/csv')) {
            const file = csvFile(
              'import.csv',
              reportAsCsv({ files, tenantId: params.id, request }, row, language),
            );
            return { ...file, headers: { ...file.headers, Vary: 'Accept, Accept-Language' } };
          }
          const after = decodeCursor(query.cursor) ?? 0;
          const rows = await files.read(params.id, (db) =>
            importStore(db).faults(row.seq, after, query.limit + 1),
          );
          const body = toPage(
            rows,
            query.limit,
            ({ line }) => line,
            (one) => presentReported(one, language),
          );
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
              throw new AppError('conflict', say`The import has ended: it is ${row.status}.`);
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
