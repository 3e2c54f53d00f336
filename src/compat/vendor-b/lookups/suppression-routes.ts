// Vendor B's suppressions of a message stream: those of its route, of its project and of the whole practice.
import { z } from 'zod';
import { type RouteRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { addSuppression } from '#src/feedback/suppressions/change.ts';
import { isVisible, mayChange, namedPlace, visiblePlaces } from '#src/feedback/suppressions/place.ts';
import { addressOf } from '#src/feedback/suppressions/routes.ts';
import { auditedSuppression } from '#src/feedback/suppressions/schema.ts';
import { type SuppressionRow, suppressionStore } from '#src/feedback/suppressions/store.ts';
import { removeSuppressions } from '#src/feedback/suppressions/transfer.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { asItComes } from '#src/kernel/fields.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { toIso } from '#src/kernel/time.ts';
import { validate } from '#src/kernel/validate.ts';
import { AddressError, parseAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import type { SuppressionReason } from '#src/messages/suppression-rules.ts';
import { isObject, knownInAnyCase } from '../../known-fields.ts';
import { routeOfStream } from '../streams.ts';
import { type LookupDeps, lookup, tenantOf } from './lookups.ts';
import { filterText, isWithin, MAX_TOTAL, pageOf, periodOf, periodShape, ROWS_PER_SLICE } from './page.ts';

const MAX_ADDRESSES = 50;
const ADDRESS_LENGTH = 1_000;

const reasonNames = ['HardBounce', 'SpamComplaint', 'ManualSuppression'] as const;
const originNames = ['Recipient', 'Customer', 'Admin'] as const;

interface Shown {
  readonly SuppressionReason: (typeof reasonNames)[number];
  readonly Origin: (typeof originNames)[number];
  /** The person's own wish, which is lifted by no call of this form. */
  readonly isWish: boolean;
}

const bounced: Shown = { SuppressionReason: 'HardBounce', Origin: 'Recipient', isWish: false };
const wished: Shown = { SuppressionReason: 'ManualSuppression', Origin: 'Recipient', isWish: true };
const byHand: Shown = { SuppressionReason: 'ManualSuppression', Origin: 'Customer', isWish: false };

const shownAs: Readonly<Record<SuppressionReason, Shown>> = {
  hard_bounce: bounced,
  soft_bounces: bounced,
  complaint: { SuppressionReason: 'SpamComplaint', Origin: 'Recipient', isWish: true },
  unsubscribe: wished,
  unsubscribe_all: wished,
  erasure: wished,
  manual: byHand,
  import: byHand,
};

const streamParams = z.strictObject({
  stream: z
    .string()
    .min(1)
    .max(100)
    .meta({ examples: ['outbound'] }),
});

const dumpQuery = z.object({
  suppressionreason: z.enum(reasonNames).optional(),
  origin: z.enum(originNames).optional(),
  emailaddress: filterText.describe('exactly this one'),
  ...periodShape,
});

const suppressionSchema = z
  .strictObject({
    EmailAddress: z.string(),
    SuppressionReason: z.enum(reasonNames),
    Origin: z.enum(originNames),
    CreatedAt: z.iso.datetime(),
  })
  .meta({ id: 'VendorBSuppression' });

const addressesBody = z
  .object({
    Suppressions: z
      .array(z.object({ EmailAddress: z.string().max(ADDRESS_LENGTH) }))
      .min(1)
      .max(MAX_ADDRESSES),
  })
  .meta({ id: 'VendorBAddresses' });
const example = { Suppressions: [{ EmailAddress: 'erika@example.org' }] };

const outcomes = <S extends string>(status: S) =>
  z.strictObject({
    Suppressions: z.array(
      z.strictObject({
        EmailAddress: z.string(),
        Status: z.enum([status, 'Failed']),
        Message: z.string().nullable().describe('why it failed'),
      }),
    ),
  });

/** An empty one fails in its place, as any other that is no address. */
const addressIn = (item: unknown): unknown =>
  isObject(item) ? { EmailAddress: '', ...Object(knownInAnyCase(item, ['EmailAddress'])) } : item;

/** The addresses as given, each with what it is read as; null where it is no address. */
const addressesIn = (body: unknown): readonly (readonly [given: string, address: Address | null])[] => {
  const known = knownInAnyCase(body, ['Suppressions'], {
    Suppressions: (list) => (Array.isArray(list) ? list.map(addressIn) : list),
  });
  return validate(addressesBody, known, 'body').Suppressions.map(({ EmailAddress: given }) => {
    try {
      return [given, parseAddress(given).address];
    } catch (error) {
      if (error instanceof AddressError) return [given, null];
      throw error;
    }
  });
};

const NO_ADDRESS = 'This is no e-mail address.';
const NOT_YOURS =
  'You may not lift this suppression: it is the wish of the person, or concerns other projects too. DELETE /api/practices/{id}/suppression/{suppressionID} removes one by its id.';

const isNoWish = ({ reason }: SuppressionRow): boolean => !shownAs[reason].isWish;

/** Whether it keeps mail of that route from its address. A project's own counts where the route is that project's. */
const appliesTo = (route: RouteRow, { scope, project_id, route_id }: SuppressionRow): boolean =>
  scope === 'team' || route_id === route.id || (project_id !== null && project_id === route.project_id);

export const suppressionLookups = (deps: LookupDeps): Route[] => {
  const { shape, files, clock, suppressionKey } = deps;
  const shared = { ...lookup(deps), access: 'suppressions.manage', params: streamParams } as const;
  const base = `${shape.base}/message-streams/{stream}/suppressions`;

  const rowsOf = (db: TenantDb, address: Address): readonly SuppressionRow[] =>
    suppressionStore(db).rowsOfAddress(addressHash(suppressionKey, tenantStore(db).practice().id, address));

  /** A caller who is limited to projects sees those of the whole practice of one address alone, as natively. */
  const sliceFor = (
    db: TenantDb,
    { emailaddress, suppressionreason, origin, ...period }: z.output<typeof dumpQuery>,
    stream: string,
    caller: Caller,
    before: number | null,
  ) => {
    const route = routeOfStream(db, stream, caller);
    const isWanted = (row: SuppressionRow): boolean =>
      row.address !== null &&
      appliesTo(route, row) &&
      (suppressionreason === undefined || shownAs[row.reason].SuppressionReason === suppressionreason) &&
      (origin === undefined || shownAs[row.reason].Origin === origin) &&
      isWithin(row.created_at, periodOf(period));
    if (emailaddress) {
      const rows = rowsOf(db, addressOf('query.emailaddress', emailaddress));
      return { items: rows.filter((row) => isVisible(db, row, caller) && isWanted(row)), next: null };
    }
    const everything = { scope: null, reason: null, text: null, projectId: null, routeId: null };
    const filter = { ...everything, within: visiblePlaces(db, caller) };
    const { rows, next } = suppressionStore(db).find(filter, before, ROWS_PER_SLICE);
    return { items: rows.filter(isWanted), next };
  };

  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: `${base}/dump`,
      id: 'vendorbListSuppressions',
      summary: 'Who gets no mail of a stream',
      description: `Newest first, at most ${MAX_TOTAL}; GET /api/practices/{id}/suppression/export has all. Those of the whole practice are in the list of each stream.`,
      query: dumpQuery,
      responses: {
        200: {
          description: 'The suppressions.',
          body: z.strictObject({ Suppressions: z.array(suppressionSchema) }),
        },
      },
      handle: async ({ params, query }, context) => {
        const tenantId = tenantOf(context);
        const { page } = await pageOf(
          (before) =>
            files.read(tenantId, (db) => sliceFor(db, query, params.stream, context.caller, before)),
          { count: MAX_TOTAL, offset: 0 },
        );
        const Suppressions = page.map(({ address, reason, created_at }) => {
          const { SuppressionReason, Origin } = shownAs[reason];
          return { EmailAddress: address, SuppressionReason, Origin, CreatedAt: toIso(created_at) };
        });
        return { status: 200, body: { Suppressions } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: base,
      id: 'vendorbCreateSuppressions',
      summary: `Suppress up to ${MAX_ADDRESSES} addresses on a stream`,
      audit: 'suppression.create',
      body: asItComes(addressesBody, { examples: [example] }),
      responses: { 200: { description: 'Each in its place.', body: outcomes('Suppressed') } },
      handle: async ({ params, body }, context) => {
        const tenantId = tenantOf(context);
        const { caller, change } = context;
        const given = addressesIn(body);
        await files.write(tenantId, (db) => {
          const now = clock.now();
          const place = namedPlace(db, { route_id: routeOfStream(db, params.stream, caller).id }, caller);
          const added = given.flatMap(([, address]) => {
            if (address === null) return [];
            const wanted = { address, place, reason: 'manual', sourceMessageId: null, note: null } as const;
            const { row, isNew } = addSuppression(db, suppressionKey, wanted, now);
            return isNew ? [auditedSuppression(db, row)] : [];
          });
          const entry = { before: { suppressions: [] }, after: { suppressions: added } };
          auditStore(db).record(change, { target: { type: 'practice', id: tenantId }, ...entry }, now);
        });
        const Suppressions = given.map(([EmailAddress, address]) =>
          address === null
            ? { EmailAddress, Status: 'Failed', Message: NO_ADDRESS }
            : { EmailAddress, Status: 'Suppressed', Message: null },
        );
        return { status: 200, body: { Suppressions } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${base}/delete`,
      id: 'vendorbDeleteSuppressions',
      summary: `Let go of up to ${MAX_ADDRESSES} addresses on a stream`,
      description:
        'What the list of the stream has of them is removed, also what applies to other streams. A complaint or an unsubscription is not.',
      audit: 'suppression.bulk_delete',
      body: asItComes(addressesBody, { examples: [example] }),
      responses: {
        200: {
          description: 'Each in its place; one that is on no list is `Deleted` too.',
          body: outcomes('Deleted'),
        },
      },
      handle: async ({ params, body }, context) => {
        const tenantId = tenantOf(context);
        const { caller, change } = context;
        const judged = () =>
          files.read(tenantId, (db) => {
            const route = routeOfStream(db, params.stream, caller);
            return addressesIn(body).map(([EmailAddress, address]) => {
              if (address === null) return { EmailAddress, Message: NO_ADDRESS, ids: [] };
              const rows = rowsOf(db, address).filter((row) => appliesTo(route, row));
              const isFree = rows.every((row) => isNoWish(row) && mayChange(db, row, caller));
              return isFree
                ? { EmailAddress, Message: null, ids: rows.map(({ id }) => id) }
                : { EmailAddress, Message: NOT_YOURS, ids: [] };
            });
          });
        const ids = new Set((await judged()).flatMap((one) => one.ids));
        await removeSuppressions(deps, [...ids], { tenantId, caller, change }, isNoWish);
        // Once more: one may have become the person's wish, and was kept.
        const Suppressions = (await judged()).map(({ EmailAddress, Message }) => ({
          EmailAddress,
          Status: Message === null ? 'Deleted' : 'Failed',
          Message,
        }));
        return { status: 200, body: { Suppressions } };
      },
    }),
  ];
};
