// Subscribers of a list over HTTP.
import { z } from 'zod';
import type { AudienceContext } from '#src/audience/context.ts';
import { ledgerActor, listInUse, namedList } from '#src/audience/lists/change.ts';
import { listParams } from '#src/audience/lists/schema.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { sendableFor } from '#src/audience/sendable.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { SEND_ERRORS } from '#src/intake/accept.ts';
import type { Change } from '#src/kernel/change.ts';
import { CSV_TYPE, csvFile, csvQuery } from '#src/kernel/csv-file.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { decodeCursor, encodeCursor, listOf } from '#src/kernel/list.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import { unfit } from '#src/kernel/validate.ts';
import { AddressError, parseAddress } from '#src/mail/address.ts';
import { nameSchema } from '#src/mail/line-schema.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { type Asserted, addSubscriber, askAgain, subscriberOf } from './add.ts';
import { changeSubscriber, removeSubscriber, withdraw } from './change.ts';
import { exportSubscribers } from './export.ts';
import {
  auditedSubscriber,
  createSubscriberBody,
  listSubscribersQuery,
  patchSubscriberBody,
  presentDetails,
  presentSubscriber,
  subscriberDetails,
  subscriberParams,
  subscriberSchema,
} from './schema.ts';
import { type SubscriberRow, subscriberStore } from './store.ts';

/** The limit for one practice: each takes a second of the event loop for 100,000 subscribers, in small pieces. */
const EXPORTS_PER_MINUTE = 10;

const mailboxOf = (path: string, text: string): Mailbox => {
  try {
    return parseAddress(text);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw unfit([{ path, message: error.text }]);
  }
};

const assertedOf = <T extends Pick<Asserted, 'given_at'>>(
  asserted: T | undefined,
  field: 'consent' | 'tracking_consent',
  now: number,
): T | null => {
  if (asserted?.given_at === undefined) return asserted ?? null;
  const given = Date.parse(asserted.given_at);
  if (given > now) throw unfit([{ path: `body.${field}.given_at`, message: say`is in the future` }]);
  return { ...asserted, given_at: toIso(given) };
};

/** Throws `not_found`. */
const onList = (db: TenantDb, { seq }: ListRow, id: string): SubscriberRow => {
  const row = subscriberStore(db).byId(id);
  if (row?.list_seq === seq) return row;
  throw new AppError('not_found', say`There is no such subscriber.`);
};

export const subscriberRoutes = (context: AudienceContext): Route[] => {
  const { files, clock, intake } = context;
  const shared = { tag: 'Subscribers', access: 'lists.manage', stability: 'stable' } as const;
  const one = { description: 'The subscriber.', body: subscriberSchema };
  const limitExports = createRateCheck(
    clock,
    () => perMinute(EXPORTS_PER_MINUTE),
    say`Subscribers are exported ${EXPORTS_PER_MINUTE} times a minute at most.`,
  );
  const record = (
    db: TenantDb,
    change: Change,
    list: ListRow,
    before: SubscriberRow | null,
    after: SubscriberRow | null,
  ): void => {
    const shown = (row: SubscriberRow | null) => row && auditedSubscriber(list, row);
    const target = { type: 'subscriber', id: (after ?? before)?.id ?? list.id };
    auditStore(db).record(change, { target, before: shown(before), after: shown(after) }, clock.now());
  };
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/lists/{listID}/subscribers',
      id: 'listSubscribers',
      summary: 'Subscribers of a list',
      params: listParams,
      query: listSubscribersQuery,
      responses: {
        200: {
          description:
            'Newest first. A page may hold fewer than `limit`, even none, while `next_cursor` is set: a call looks at 2,000 subscribers at most.',
          body: listOf(subscriberSchema),
        },
      },
      handle: async ({ params, query }) => {
        const { status = null, q: text = null, address, limit } = query;
        const exactly = address === undefined ? null : mailboxOf('query.address', address).address;
        const before = decodeCursor(query.cursor);
        const body = await files.read(params.id, (db) => {
          const list = namedList(db, params.listID);
          const { rows, next } =
            exactly === null
              ? subscriberStore(db).page(list.seq, { status, text }, before, limit)
              : {
                  rows: [subscriberOf(db, context, list, exactly)].filter((row) => row !== null),
                  next: null,
                };
          const data = rows.map((row) => presentSubscriber(list, row));
          return { data, next_cursor: next === null ? null : encodeCursor(next) };
        });
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/lists/{listID}/subscribers',
      id: 'createSubscriber',
      summary: 'Add a subscriber',
      description:
        'A mail asks them to confirm, at most once a day; or they are active at once by your assertion that they have consented, which the consent ledger keeps. Who is on the list already stays as they are; who has left can only come back by themselves.',
      audit: 'subscriber.create',
      params: listParams,
      body: createSubscriberBody,
      responses: {
        200: { description: 'The address was on the list before.', body: subscriberSchema },
        201: one,
      },
      errors: SEND_ERRORS,
      handle: async ({ params, body }, { change }) => {
        const { address, name = null } = mailboxOf('body.address', body.address);
        const sendable = sendableFor(context, params.id);
        await sendable.learn([address]);
        if (!sendable.takes(address))
          throw new AppError(
            'invalid_recipient',
            say`The address has letters beyond ASCII before its @, and the mail server of this service takes no such address (SMTPUTF8).`,
            { extra: { recipients: [address] } },
          );
        const now = clock.now();
        const consent = assertedOf(body.consent, 'consent', now);
        const result = await intake.transact(params.id, (db, accept) => {
          const list = listInUse(db, params.listID);
          const wanted = {
            address,
            name: body.name ?? nameSchema.safeParse(name).data,
            data: body.data,
            consent,
            tracking: assertedOf(body.tracking_consent, 'tracking_consent', now) ?? undefined,
          };
          const added = addSubscriber(db, { context, accept, change, now }, list, wanted);
          if (added instanceof AppError) return added;
          record(db, change, list, added.before, added.row);
          return { isNew: added.before === null, shown: presentSubscriber(list, added.row) };
        });
        if (result instanceof AppError) throw result;
        return { status: result.isNew ? 201 : 200, body: result.shown };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/lists/{listID}/subscribers/export',
      id: 'exportSubscribers',
      summary: 'All subscribers of a list as a file',
      description:
        'Oldest first, with their status, the entry of the consent ledger that made it, and a column for each of the first 200 names of values (`data.…` where it is that of another column). Cells that a spreadsheet program would run as a formula are led by an apostrophe.',
      params: listParams,
      query: z.strictObject(csvQuery),
      responses: { 200: { description: 'CSV with a head line.', body: CSV_TYPE } },
      handle: async ({ params, query: { language } }, request) => {
        const list = await files.read(params.id, (db) => namedList(db, params.listID));
        limitExports(params.id);
        const reading = { files, tenantId: params.id, request, language };
        return csvFile('subscribers.csv', exportSubscribers(reading, list));
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/lists/{listID}/subscribers/{subscriberID}',
      id: 'getSubscriber',
      summary: 'A subscriber, and the other lists that the address is on',
      params: subscriberParams,
      responses: { 200: { ...one, body: subscriberDetails } },
      handle: async ({ params }) => {
        const body = await files.read(params.id, (db) => {
          const list = namedList(db, params.listID);
          return presentDetails(db, list, onList(db, list, params.subscriberID));
        });
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      path: '/api/practices/{id}/lists/{listID}/subscribers/{subscriberID}',
      id: 'updateSubscriber',
      summary: "Change a subscriber's name and values, or end the subscription",
      audit: 'subscriber.update',
      params: subscriberParams,
      body: patchSubscriberBody,
      responses: { 200: one },
      handle: async ({ params, body: { status, ...fields } }, { change }) => {
        const body = await files.write(params.id, (db) => {
          const list = namedList(db, params.listID);
          const before = onList(db, list, params.subscriberID);
          const now = clock.now();
          const changed = changeSubscriber(db, before, fields, now);
          const withdrawal = { way: 'api' as const, details: ledgerActor(change.actor) };
          const after =
            status === undefined ? changed : withdraw(db, context, changed, { status, ...withdrawal }, now);
          record(db, change, list, before, after);
          return presentSubscriber(list, after);
        });
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: '/api/practices/{id}/lists/{listID}/subscribers/{subscriberID}',
      id: 'deleteSubscriber',
      summary: 'Remove a subscriber from the list',
      description:
        'The consent ledger keeps what it has, and that it ended. To erase all that is held of a person is another request.',
      audit: 'subscriber.delete',
      params: subscriberParams,
      responses: { 204: { description: 'They are not on the list any more.' } },
      handle: async ({ params }, { change }) => {
        await files.write(params.id, (db) => {
          const list = namedList(db, params.listID);
          const before = onList(db, list, params.subscriberID);
          removeSubscriber(db, context, before, 'removed', clock.now());
          record(db, change, list, before, null);
        });
        return { status: 204 };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/lists/{listID}/subscribers/{subscriberID}/confirmation',
      id: 'sendConfirmation',
      summary: 'Ask a subscriber again to confirm',
      description: 'By the same mail, at most once a day, and three times in all until they confirm.',
      audit: 'subscriber.ask',
      params: subscriberParams,
      responses: { 202: one },
      errors: SEND_ERRORS,
      handle: async ({ params }, { change }) => {
        const now = clock.now();
        const result = await intake.transact(params.id, (db, accept) => {
          const list = listInUse(db, params.listID);
          const before = onList(db, list, params.subscriberID);
          const after = askAgain(db, { context, accept, change, now }, list, before);
          if (after instanceof AppError) return after;
          record(db, change, list, before, after);
          return presentSubscriber(list, after);
        });
        if (result instanceof AppError) throw result;
        return { status: 202, body: result };
      },
    }),
  ];
};
