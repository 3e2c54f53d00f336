// Vendor B's bounces: what came back, numbered as in the practice's log. To activate one lifts the suppression that a bounce
// of its address caused; that of a complaint or an unsubscription is the person's wish and stays.
import { z } from 'zod';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { mayChange } from '#src/feedback/suppressions/place.ts';
import { type SuppressionRow, suppressionStore } from '#src/feedback/suppressions/store.ts';
import { removeSuppressions } from '#src/feedback/suppressions/transfer.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { applicableSuppression, type SuppressionReason } from '#src/messages/suppression-rules.ts';
import { routeOfStream, streamOfRoute } from '../streams.ts';
import { bounceTypeNames, bounceTypeOf, bounceTypes, typesOfNone } from './bounce-types.ts';
import { type LookupDeps, lookup, tenantOf } from './lookups.ts';
import { filterText, isWithin, pagedQuery, pageOf, periodOf, periodShape } from './page.ts';
import { shownFrom } from './present-message.ts';
import { sliceOfEvents } from './slice.ts';
import { type LoggedEvent, loggedEventStore } from './store.ts';

const noSuchBounce = (): AppError => new AppError('not_found', say`There is no such bounce.`);

const bounceSchema = z
  .strictObject({
    RecordType: z.literal('Bounce'),
    ID: z.int(),
    Type: z.enum(bounceTypeNames),
    TypeCode: z.int(),
    Name: z.string(),
    Tag: z.string().nullable(),
    MessageID: z.uuid(),
    MessageStream: z.string(),
    ServerID: z.int(),
    Description: z.string(),
    Details: z.string().describe("the other side's words"),
    Email: z.string(),
    From: z.string(),
    BouncedAt: z.iso.datetime(),
    DumpAvailable: z.boolean(),
    Inactive: z.boolean().describe('the address gets no mail of that stream'),
    CanActivate: z.boolean().describe('a bounce suppresses it, and this caller may lift that'),
    Subject: z.string(),
  })
  .meta({ id: 'VendorBBounce' });

const bounceParams = z.strictObject({
  bounceID: z
    .string()
    .max(100)
    .describe('a number')
    .meta({ examples: ['1'] }),
});

const bouncesQuery = pagedQuery({
  type: z.enum([...bounceTypeNames, ...typesOfNone, '']).optional(),
  inactive: z
    .string()
    .refine((text) => ['true', 'false', ''].includes(text.toLowerCase()), 'must be `true` or `false`')
    .optional(),
  emailfilter: filterText.describe('a part of the address'),
  tag: filterText,
  messageid: filterText,
  messagestream: filterText,
  ...periodShape,
});

type Activatable = Extract<SuppressionReason, 'hard_bounce' | 'soft_bounces'>;
const activatable: readonly SuppressionReason[] = [
  'hard_bounce',
  'soft_bounces',
] satisfies readonly Activatable[];

const isActivatable = ({ reason }: SuppressionRow): boolean => activatable.includes(reason);

const suppressionsOf = (db: TenantDb, { suppressionKey }: LookupDeps, { recipient }: LoggedEvent) =>
  suppressionStore(db).rowsOfAddress(
    addressHash(suppressionKey, tenantStore(db).practice().id, recipient as Address),
  );

const isInactive = (rows: readonly SuppressionRow[], event: LoggedEvent): boolean =>
  applicableSuppression(rows, event) !== null;

const toLift = (db: TenantDb, rows: readonly SuppressionRow[], caller: Caller): readonly SuppressionRow[] =>
  caller.permissions.has('suppressions.manage')
    ? rows.filter((row) => isActivatable(row) && mayChange(db, row, caller))
    : [];

const wordsOf = ({ smtp_code, enhanced_code, diagnostic }: LoggedEvent['data']): string =>
  [smtp_code, enhanced_code, diagnostic]
    .filter((part) => part !== null && part !== undefined && part !== '')
    .join(' ');

const presentBounce = (
  db: TenantDb,
  deps: LookupDeps,
  event: LoggedEvent,
  caller: Caller,
): z.infer<typeof bounceSchema> => {
  const Type = bounceTypeOf(event.type, event.data);
  if (Type === null) throw noSuchBounce();
  const { code, name, description } = bounceTypes[Type];
  const rows = suppressionsOf(db, deps, event);
  const words = wordsOf(event.data);
  return {
    RecordType: 'Bounce',
    ID: event.seq,
    Type,
    TypeCode: code,
    Name: name,
    Tag: event.tag,
    MessageID: event.message_id,
    MessageStream: streamOfRoute(db, event.route_id),
    ServerID: tenantStore(db).practice().number,
    Description: description,
    Details: words,
    Email: event.recipient,
    From: shownFrom(event),
    BouncedAt: toIso(event.at),
    DumpAvailable: words !== '',
    Inactive: isInactive(rows, event),
    CanActivate: toLift(db, rows, caller).length > 0,
    Subject: event.subject,
  };
};

/** Throws `not_found` where none has that number, or the caller may not see it. */
const visibleBounce = (db: TenantDb, id: string, caller: Caller): LoggedEvent => {
  const event = /^\d{1,15}$/.test(id) ? loggedEventStore(db).returned(Number(id)) : undefined;
  if (!event || !mayUseProject(caller, event.project_id) || bounceTypeOf(event.type, event.data) === null)
    throw noSuchBounce();
  return event;
};

export const bounceLookups = (deps: LookupDeps): Route[] => {
  const { shape, files } = deps;
  const shared = { ...lookup(deps), method: 'get', access: 'messages.view' } as const;

  const findBounces = (
    db: TenantDb,
    query: z.output<typeof bouncesQuery>,
    caller: Caller,
    before: number | null,
  ) => {
    const period = periodOf(query);
    const route = query.messagestream ? routeOfStream(db, query.messagestream, caller) : null;
    const isWanted = (row: LoggedEvent): boolean => {
      const type = bounceTypeOf(row.type, row.data);
      return (
        type !== null &&
        (!query.type || query.type === type) &&
        (!query.emailfilter || row.recipient.toLowerCase().includes(query.emailfilter.toLowerCase())) &&
        (!query.tag || row.tag?.toLowerCase() === query.tag.toLowerCase()) &&
        (route === null || row.route_id === route.id) &&
        isWithin(row.at, period) &&
        (!query.inactive ||
          isInactive(suppressionsOf(db, deps, row), row) === (query.inactive.toLowerCase() === 'true'))
      );
    };
    if (typesOfNone.some((name) => name === query.type)) return { items: [], next: null };
    const messageId = query.messageid?.toLowerCase() || null;
    return sliceOfEvents(db, { kind: 'returned', messageId, caller, isWanted, from: period.from }, before);
  };

  return [
    defineRoute({
      ...shared,
      path: `${shape.base}/bounces`,
      id: 'vendorbListBounces',
      summary: 'Bounces of all messages',
      description:
        'Newest first: also complaints, unsubscriptions and automatic replies. `TotalCount` is at most 10,000, and what was found so far where filters let little through; where they let so little through that the page is not full, the list is refused.',
      query: bouncesQuery,
      responses: {
        200: {
          description: 'What came back.',
          body: z.strictObject({ TotalCount: z.int(), Bounces: z.array(bounceSchema) }),
        },
      },
      handle: async ({ query }, context) => {
        const tenantId = tenantOf(context);
        const { caller } = context;
        const { total, page } = await pageOf(
          (before) => files.read(tenantId, (db) => findBounces(db, query, caller, before)),
          query,
        );
        const body = await files.read(tenantId, (db) => ({
          TotalCount: total,
          Bounces: page.map((event) => presentBounce(db, deps, event, caller)),
        }));
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/bounces/{bounceID}`,
      id: 'vendorbGetBounce',
      summary: 'One bounce',
      params: bounceParams,
      responses: { 200: { description: 'The bounce.', body: bounceSchema } },
      handle: async ({ params }, context) => {
        const { caller } = context;
        const body = await files.read(tenantOf(context), (db) =>
          presentBounce(db, deps, visibleBounce(db, params.bounceID, caller), caller),
        );
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/bounces/{bounceID}/dump`,
      id: 'vendorbGetBounceDump',
      summary: 'What the other side wrote',
      description: 'Its SMTP reply, or that quoted in its report. The report itself is not kept.',
      params: bounceParams,
      responses: {
        200: { description: 'Empty where it said nothing.', body: z.strictObject({ Body: z.string() }) },
      },
      handle: async ({ params }, context) => {
        const Body = await files.read(tenantOf(context), (db) =>
          wordsOf(visibleBounce(db, params.bounceID, context.caller).data),
        );
        return { status: 200, body: { Body } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'put',
      path: `${shape.base}/bounces/{bounceID}/activate`,
      access: 'suppressions.manage',
      id: 'vendorbActivateBounce',
      summary: 'Let mail go to the address again',
      description: 'Lifts what a bounce suppressed. A complaint or an unsubscription is not lifted.',
      audit: 'suppression.delete',
      params: bounceParams,
      responses: {
        200: {
          description: 'Mail goes to it again, unless another suppression keeps it from it.',
          body: z.strictObject({ Message: z.string(), Bounce: bounceSchema }),
        },
      },
      errors: ['conflict'],
      handle: async ({ params }, context) => {
        const tenantId = tenantOf(context);
        const { caller, change } = context;
        if (!caller.permissions.has('messages.view'))
          throw new AppError('forbidden', say`Who may not see messages sees no bounces.`, {
            extra: { permission: 'messages.view' },
          });
        const ids = await files.read(tenantId, (db) => {
          const event = visibleBounce(db, params.bounceID, caller);
          return toLift(db, suppressionsOf(db, deps, event), caller).map(({ id }) => id);
        });
        const by = { tenantId, caller, change };
        const removed =
          ids.length === 0 ? ids : [...(await removeSuppressions(deps, ids, by, isActivatable))];
        if (removed.length === 0)
          throw new AppError('conflict', say`No bounce suppresses this address, or you may not lift it.`, {
            hint: say`GET /api/practices/{id}/suppression?address= shows what keeps mail from it.`,
          });
        const Bounce = await files.read(tenantId, (db) =>
          presentBounce(db, deps, visibleBounce(db, params.bounceID, caller), caller),
        );
        return { status: 200, body: { Message: 'OK', Bounce } };
      },
    }),
  ];
};
