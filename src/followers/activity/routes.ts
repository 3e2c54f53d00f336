// The log of events of a practice, as pages and as a live stream, with what webhooks pass over. A caller that is limited to
// projects sees events of these, and none that concern several projects, as in the list of suppressions. Mail received is for who may
// see the mailbox.

import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { decodeCursor, encodeCursor, readCursor } from '#src/kernel/list.ts';
import { prefers } from '#src/kernel/page.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { visibleMessage } from '#src/messages/present.ts';
import type { PracticeUrl } from '#src/messages/published-event.ts';
import type { Live } from './live.ts';
import {
  type ActivityQuery,
  activityHeaders,
  activityPage,
  activityQuery,
  presentActivity,
} from './present.ts';
import { type ActivityFilter, findActivity } from './store.ts';

export interface ActivityRoutesDeps {
  readonly files: TenantFiles;
  readonly live: Pick<Live, 'open'>;
  readonly practiceUrl: PracticeUrl;
}

const STREAM_TYPE = 'text/event-stream';
/** A proxy that buffers the answer would hold back a live stream. */
const streamHeaders = { Vary: 'Accept', 'X-Accel-Buffering': 'no' };

const timeOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));

const unfit = (path: string, message: Text): AppError =>
  new AppError('invalid_request', say`\`${path}\` ${message}.`, { extra: { fields: [{ path, message }] } });

const refuse = (query: ActivityQuery, names: readonly (keyof ActivityQuery)[], message: Text): void => {
  const given = names.find((name) => query[name] !== undefined);
  if (given !== undefined) throw unfit(`query.${given}`, message);
};

const filterOf = (
  query: ActivityQuery,
  message: number | null,
  { projects, permissions }: Caller,
): ActivityFilter => ({
  types: query.event ?? null,
  message,
  from: timeOf(query.from),
  before: timeOf(query.to),
  projects: projects && [...projects],
  withMail: permissions.has('inbound.view'),
});

/** The place after which a stream is to go on; null: from now on. The header is newer than the address that it comes with. */
const placeAskedFor = (query: ActivityQuery, { header, countOf }: RequestContext): number | null => {
  const inHeader = header('last-event-id') ?? '';
  if (countOf('last-event-id') > 1) throw unfit('header.Last-Event-ID', say`may be in the request once`);
  const [path, given] =
    inHeader === '' ? ['query.last_event_id', query.last_event_id] : ['header.Last-Event-ID', inHeader];
  if (given === undefined) return null;
  const place = readCursor(given);
  if (place === undefined) throw unfit(path, say`expected the id of an event of this stream`);
  return place;
};

const stream = async (
  { files, live }: ActivityRoutesDeps,
  tenantId: string,
  query: ActivityQuery,
  context: RequestContext,
) => {
  refuse(query, ['cursor', 'from', 'to'], say`belongs to pages, not to the live stream`);
  const { caller, readmit } = context;
  const after = placeAskedFor(query, context);
  const { message_id } = query;
  const message =
    message_id === undefined
      ? null
      : await files.read(tenantId, (db) => visibleMessage(db, message_id, caller).seq);
  return live.open({
    tenantId,
    caller,
    readmit,
    after,
    filterFor: (present) => filterOf(query, message, present),
  });
};

const page = (
  { files, practiceUrl }: ActivityRoutesDeps,
  tenantId: string,
  query: ActivityQuery,
  caller: Caller,
) => {
  refuse(query, ['last_event_id'], say`belongs to the live stream: ask for it with Accept: ${STREAM_TYPE}`);
  const before = decodeCursor(query.cursor);
  return files.read(tenantId, (db) => {
    const { message_id } = query;
    const message = message_id === undefined ? null : visibleMessage(db, message_id, caller).seq;
    const { rows, next, end } = findActivity(db, filterOf(query, message, caller), before, query.limit);
    return {
      data: rows.map((row) => presentActivity(row, practiceUrl(tenantId))),
      next_cursor: next === null ? null : encodeCursor(next),
      last_event_id: encodeCursor(end),
    };
  });
};

export const activityRoutes = (deps: ActivityRoutesDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/api/practices/{id}/events',
    tag: 'Events',
    id: 'listEvents',
    summary: 'What goes on, as pages or live',
    description:
      'With `Accept: text/event-stream` it is a stream of server-sent events that ends when the client leaves: `id` is a place in ' +
      'the log, `event` the name, `data` an item as in a page. After a lost connection `Last-Event-ID` goes on at that place, ' +
      'without a gap and without repetition; a page’s `last_event_id` goes on where the page ended. `limit` does not count ' +
      'there, `cursor`, `from` and `to` are refused. Mail received is shown with `inbound.view` only. Where events after that place are no longer kept, or the log has been ' +
      'replaced by a backup, an event `gap` says so (`{"reason": "removed"}`, `{"reason": "restored"}`) and the stream goes on ' +
      'with the oldest one kept, or at the end. A credential that has lost its right is cut off within 15 seconds. At most 20 ' +
      'streams a practice.',
    access: 'messages.view',
    stability: 'stable',
    params: tenantParams,
    query: activityQuery,
    headers: activityHeaders,
    responses: {
      200: {
        description:
          'Newest first. A page may hold fewer than `limit`, even none, while `next_cursor` is set: a call ends when it has looked for long enough, and the next one goes on.',
        body: activityPage,
        otherwise: STREAM_TYPE,
      },
    },
    handle: async ({ params, query }, context) =>
      prefers(context, STREAM_TYPE)
        ? {
            status: 200,
            contentType: STREAM_TYPE,
            headers: streamHeaders,
            body: await stream(deps, params.id, query, context),
          }
        : {
            status: 200,
            headers: { Vary: 'Accept' },
            body: await page(deps, params.id, query, context.caller),
          },
  }),
];
