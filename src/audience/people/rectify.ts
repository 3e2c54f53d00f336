// Rectifies what is held of a person over all lists (Art. 16 GDPR). A new address has to confirm each subscription itself: it gets
// the confirmation mails, and the subscriptions of the old one end. Messages that were sent stay as they were: they say what was
// sent then.
import { notFound, requireAllProjects } from '#src/accounts/tenants/project-routes.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { listStore } from '#src/audience/lists/store.ts';
import { addSubscriber } from '#src/audience/subscribers/add.ts';
import { changeSubscriber, withdraw } from '#src/audience/subscribers/change.ts';
import { type SubscriberRow, subscriberStore } from '#src/audience/subscribers/store.ts';
import { objectToTracking } from '#src/audience/subscribers/tracking.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { objectionStore } from '#src/feedback/tracking/objection-store.ts';
import type { AcceptHere } from '#src/intake/accept.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Person } from '#src/kernel/personal-data.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { personOf } from './person.ts';
import { practiceParams, type Rectification, rectifiedSchema, rectifyBody } from './schema.ts';

interface Request extends Pick<Rectification, 'name' | 'data'> {
  readonly person: Person;
  readonly newAddress: Address | null;
}

const isHere = ({ status }: SubscriberRow): boolean => status === 'active' || status === 'pending';

/** The outcome for one list. Throws what keeps the new address from being asked, unless it is suppressed or has left the list. */
const rectifyOne = (
  db: TenantDb,
  context: AudienceContext,
  accept: AcceptHere,
  { person, name, data, newAddress }: Request,
  row: SubscriberRow,
  change: Change,
  now: number,
) => {
  const list = listStore(db).bySeq(row.list_seq);
  if (!list) throw new Error('a subscriber has no list');
  const values = data && { ...JSON.parse(row.data_json), ...data };
  const changed = changeSubscriber(db, row, { name, data: values }, now);
  const shown = { list_id: list.id, list_name: list.name };
  if (newAddress !== null && person.is(newAddress)) {
    // The same mailbox, spelled otherwise.
    subscriberStore(db).update({ ...changed, address: newAddress, updated_at: now });
    return { ...shown, outcome: 'changed' as const };
  }
  if (newAddress === null || !isHere(row)) return { ...shown, outcome: 'changed' as const };
  withdraw(db, context, changed, { status: 'unsubscribed', way: 'rectified' }, now);
  if (list.archived_at !== null) return { ...shown, outcome: 'ended' as const };
  const added = {
    address: newAddress,
    name: changed.name ?? undefined,
    data: JSON.parse(changed.data_json),
    consent: null,
  };
  const asked = addSubscriber(db, { context, accept, change, now }, list, added);
  if (asked instanceof AppError && asked.code !== 'conflict') throw asked;
  const isAsked = !(asked instanceof AppError) && asked.isAsked;
  return { ...shown, outcome: isAsked ? ('asked' as const) : ('ended' as const) };
};

/** Who has objected to tracking has done so under the new address too. */
const keepObjection = (
  db: TenantDb,
  context: AudienceContext,
  { hash }: Person,
  address: Address,
  now: number,
): void => {
  if (objectionStore(db).entryOf(hash) === null) return;
  const person = addressHash(context.suppressionKey, tenantStore(db).practice().id, address);
  objectToTracking(db, context, { person, address }, { way: 'rectified' }, now);
};

export const rectifyRoute = (context: AudienceContext): Route =>
  defineRoute({
    method: 'patch',
    path: '/api/practices/{id}/people',
    tag: 'People',
    id: 'rectifyPerson',
    summary: 'Rectify what is held of a person (Art. 16 GDPR)',
    description:
      'On all lists. A new address gets a mail for each list and is on it once it has confirmed; the subscriptions of the old one end at once. Messages that were sent are not changed.',
    access: 'practice.manage',
    stability: 'stable',
    audit: 'person.rectify',
    params: practiceParams,
    body: rectifyBody,
    responses: { 200: { description: 'What became of each subscription.', body: rectifiedSchema } },
    errors: ['not_found'],
    handle: async ({ params: { id }, body }, { caller, change }) => {
      requireAllProjects(caller, 'practice.manage', say`The data of a person`);
      const person = personOf(context.suppressionKey, id, body.address.email as Address);
      const newAddress = (body.new_address?.email as Address | undefined) ?? null;
      const request = { person, newAddress, name: body.name, data: body.data };
      const subscriptions = await context.intake.transact(id, (db, accept) => {
        const now = context.clock.now();
        const rows = subscriberStore(db).ofPerson(person.hash);
        if (rows.length === 0) throw notFound('person');
        if (newAddress !== null && !person.is(newAddress))
          keepObjection(db, context, person, newAddress, now);
        const done = rows.map((row) => rectifyOne(db, context, accept, request, row, change, now));
        const { address: _, ...fields } = body;
        // Who it is cannot be read from it: the audit is kept after an erasure.
        const after = { person: person.pseudonym, fields: Object.keys(fields), subscriptions: done };
        const target = { type: 'practice', id: tenantStore(db).practice().id };
        auditStore(db).record(change, { target, before: null, after }, now);
        return done;
      });
      return { status: 200, body: { subscriptions } };
    },
  });
