// What follows from the event log for the audience, in the transaction that moves the cursor, so that each event counts once:
// subscriptions end with an unsubscription, a hard bounce or a complaint; confirmation mails that left go into the ledger; and
// campaigns have their numbers, and it is noted when people read, where they agree to it. Nothing of that is on the way of a mail. What must hold at once, that no mail leaves to who has
// unsubscribed, is the suppression's, which is written with the event.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import { campaignStore } from '#src/audience/campaigns/store.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import type { AudienceContext, Part } from '#src/audience/context.ts';
import { listStore } from '#src/audience/lists/store.ts';
import { createFormAlerts } from '#src/audience/public/form-alerts.ts';
import { formHealthStore } from '#src/audience/public/form-health-store.ts';
import { type AudienceKeys, factsOf, withdraw } from '#src/audience/subscribers/change.ts';
import { type Reading, readingsStore } from '#src/audience/subscribers/readings-store.ts';
import { subscriberStore } from '#src/audience/subscribers/store.ts';
import type { Task } from '#src/audience/work.ts';
import type { EventType } from '#src/events/catalogue.ts';
import { followStore } from '#src/events/follow-store.ts';
import type { EventData } from '#src/events/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { type Clock, toIso } from '#src/kernel/time.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { ASKED_FOR } from '#src/messages/suppression-rules.ts';
import { type CounterName, countersOf, type Ending, endingOf, endsOn, isCounted } from './rules.ts';
import { type LoggedEvent, logStore } from './store.ts';

/** Types are looked at in about a millisecond; events that count take some 20 µs each. */
const LOOKED_AT = 1_000;
const PER_TRANSACTION = 300;
/** Events that mean nothing here. After so many the cursor moves, so that a start does not read them all again. */
const UNNOTED = 10_000;

interface LogDeps extends AudienceKeys {
  readonly files: TenantFiles;
  readonly clock: Clock;
}

const dataOf = ({ data_json }: LoggedEvent): EventData => (data_json === null ? {} : JSON.parse(data_json));

const countFor = (db: TenantDb, event: LoggedEvent, campaignSeq: number, data: EventData): void => {
  const store = logStore(db);
  const { type } = event;
  // The reporter has not proved who they are: the complaint must not stop a campaign either.
  if (data.counted === false) return;
  const repeated = data.repeated === true || store.isRepeated(event);
  const hasOpened = type === 'message.clicked' && store.isRepeated({ ...event, type: 'message.opened' });
  const own = data.attempt !== undefined;
  for (const name of countersOf({ type, own, repeated, hasOpened }))
    campaignStore(db).count(campaignSeq, name, 1);
  if (type === 'message.clicked' && data.url !== undefined)
    store.countLink(campaignSeq, data.url, !store.isRepeated(event, data.url));
};

const readingOf: Readonly<Partial<Record<EventType, Reading['kind']>>> = {
  'message.sent': 'sent',
  'message.opened': 'opened',
  'message.clicked': 'clicked',
};

/** When someone who agrees to it was sent mail of a campaign and read it, for the conditions of segments. */
const noteReading = (db: TenantDb, event: LoggedEvent, campaignSeq: number, deps: LogDeps): void => {
  const kind = readingOf[event.type];
  if (kind === undefined || event.recipient === null || event.is_tracked === 0) return;
  const person = addressHash(deps.suppressionKey, tenantStore(db).practice().id, event.recipient as Address);
  const lists: string[] = JSON.parse(campaignStore(db).bySeq(campaignSeq)?.list_ids_json ?? '[]');
  readingsStore(db).note(person, lists, { kind, at: event.at });
};

/** The list about which the mail asked. */
const askedList = (db: TenantDb, person: Buffer, { message_id }: LoggedEvent): string | undefined =>
  consentStore(db)
    .ofPerson(person)
    .map(({ facts_json }) => factsOf(facts_json))
    .find(({ action, details }) => action === 'request' && details.message_id === message_id)?.list_id ??
  undefined;

/** A stranger decides where the mails of a form go: what becomes of them is the form's alone. */
const countForForm = (db: TenantDb, event: LoggedEvent, data: EventData, deps: LogDeps): boolean => {
  const names = countersOf({
    type: event.type,
    own: data.attempt !== undefined,
    repeated: data.repeated === true || logStore(db).isRepeated(event),
    hasOpened: false,
  });
  const count = (...wanted: readonly CounterName[]): number =>
    wanted.some((one) => names.includes(one)) ? 1 : 0;
  const added = {
    mails: count('sent', 'refused'),
    hard_bounced: count('hard_bounced'),
    complaints: count('complained'),
  };
  if (event.recipient === null || added.mails + added.hard_bounced + added.complaints === 0) return false;
  const person = addressHash(deps.suppressionKey, tenantStore(db).practice().id, event.recipient as Address);
  const list = listStore(db).byId(askedList(db, person, event) ?? '');
  if (list) formHealthStore(db).count(list.seq, added, deps.clock.now());
  return list !== undefined;
};

/** What came before the person's last consent has been taken back by it. */
const end = (db: TenantDb, event: LoggedEvent, ending: Ending, data: EventData, deps: LogDeps): void => {
  const { recipient, message_id, campaign_seq, channel, at } = event;
  if (recipient === null) return;
  const person = addressHash(deps.suppressionKey, tenantStore(db).practice().id, recipient as Address);
  const campaign = campaign_seq === null ? undefined : campaignStore(db).bySeq(campaign_seq);
  const mail = {
    fromAll: data.suppression?.scope === 'team',
    channel,
    lists: campaign
      ? new Set<string>(JSON.parse(campaign.list_ids_json))
      : event.message_kind === 'doi'
        ? new Set([askedList(db, person, event)].filter((id) => id !== undefined))
        : null,
  };
  const withdrawal = {
    ...ending,
    details: { happened_at: toIso(at), message_id, campaign_id: campaign?.id ?? null },
    personal: { ip: data.ip ?? null, user_agent: data.user_agent ?? null },
  };
  for (const subscriber of subscriberStore(db).ofPerson(person)) {
    const list = listStore(db).bySeq(subscriber.list_seq);
    const isLater = Math.max(subscriber.confirmed_at ?? 0, subscriber.asked_at ?? 0) > at;
    if (!list || isLater || !endsOn(list, ending, mail)) continue;
    const isNo = ending.way === 'unsubscribe' && subscriber.status === 'pending';
    withdraw(db, deps, subscriber, isNo ? { ...withdrawal, way: 'declined' } : withdrawal, deps.clock.now());
  }
};

/** Whether it has counted for a form. */
const apply = (db: TenantDb, seq: number, deps: LogDeps): boolean => {
  const event = logStore(db).event(seq);
  if (!event || event.recipient_id === null) return false;
  const data = dataOf(event);
  if (data.bot) return false;
  if (event.type === 'message.sent' && event.message_kind === 'doi')
    logStore(db).setSent(event.message_seq, event.at);
  if (event.campaign_seq !== null) {
    countFor(db, event, event.campaign_seq, data);
    noteReading(db, event, event.campaign_seq, deps);
  }
  const ending = endingOf(event.type);
  if (ending !== null) end(db, event, ending, data, deps);
  return event.source === ASKED_FOR && countForForm(db, event, data, deps);
};

/** `formCounted`: something counted for a form of the tenant. */
export const logTask = (deps: LogDeps, formCounted: (tenantId: string) => void): Task => {
  const { files } = deps;
  /** Up to where nothing of a tenant's log means anything here; lost at a stop, and then read again. */
  const seenOf = new Map<string, number>();
  const startOf = (db: TenantDb, tenantId: string): number =>
    Math.max(seenOf.get(tenantId) ?? 0, followStore(db).cursor('audience') ?? 0);

  return {
    name: 'log',
    isNeeded: (db) => !listStore(db).isEmpty(),
    forget: (tenantId) => seenOf.delete(tenantId),
    due: (db, tenantId, now) => {
      const start = startOf(db, tenantId);
      const events = followStore(db).typesAfter(start, LOOKED_AT);
      const first = events.find(({ type }) => isCounted(type));
      const reached = first ? first.seq - 1 : (events.at(-1)?.seq ?? start);
      seenOf.set(tenantId, reached);
      const isWork = first !== undefined || reached - (followStore(db).cursor('audience') ?? 0) >= UNNOTED;
      return { items: isWork ? [0] : [], next: !isWork && events.length === LOOKED_AT ? now : null };
    },
    run: async (tenantId, _, signal) => {
      let more = true;
      let hasForm = false;
      while (more && !signal.aborted)
        more = await files.write(tenantId, (db) => {
          // Also where nothing comes after it: it may be far beyond the cursor, and would be due again.
          let place = startOf(db, tenantId);
          const events = followStore(db).typesAfter(place, LOOKED_AT);
          let applied = 0;
          for (const { seq, type } of events) {
            if (applied === PER_TRANSACTION) break;
            if (isCounted(type)) {
              hasForm = apply(db, seq, deps) || hasForm;
              applied += 1;
            }
            place = seq;
          }
          followStore(db).moveCursor('audience', place);
          return applied === PER_TRANSACTION || events.length === LOOKED_AT;
        });
      if (hasForm) formCounted(tenantId);
    },
  };
};

export const openLog = (context: AudienceContext): Part => {
  const { notify, nightly, stop } = createFormAlerts(context);
  return { routes: [], tasks: [logTask(context, notify)], nightly: [nightly], stop };
};
