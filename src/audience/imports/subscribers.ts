// One row of a file of subscribers.
//
// The person's own word wins: who unsubscribed, complained or declined is left out, whatever the importer asserts. An address that
// was erased is left out too, and not stored again. One that
// is suppressed for another reason is imported and reported: it gets nothing until that suppression is removed.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { requestSubscription } from '#src/audience/public/request.ts';
import { sendableFor } from '#src/audience/sendable.ts';
import { isAskedOften, MAX_UNANSWERED } from '#src/audience/subscribers/add.ts';
import { activate, changeSubscriber, hasLeft } from '#src/audience/subscribers/change.ts';
import { type SubscriberRow, subscriberStore } from '#src/audience/subscribers/store.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import type { AcceptHere } from '#src/intake/accept.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { AppError, ErrorCode } from '#src/kernel/errors.ts';
import { isLiftedFor, type SuppressionFacts } from '#src/messages/suppression-rules.ts';
import type { AskedOfSubscribers } from './job.ts';
import type { Reason } from './reasons.ts';
import { importStore, type Outcome } from './store.ts';
import type { SubscriberLine } from './subscriber-line.ts';

export type RowResult =
  | {
      readonly outcome: Outcome;
      readonly reason?: Reason;
      /** The report names the line alone. */
      readonly isErased?: boolean;
      /** The file says that the person left, complained or bounced. */
      readonly isSuppressible?: boolean;
    }
  /** Nothing was done with the row: it is tried again later. */
  | { readonly outcome: 'waits'; readonly error: AppError };

export interface SubscriberImport {
  readonly context: AudienceContext;
  /** Number and id of the import. */
  readonly seq: number;
  readonly id: string;
  readonly asked: AskedOfSubscribers;
  readonly list: ListRow;
}

const LEFT: Reason = ['has_left'];
const ASKED_OFTEN: Reason = ['asked_often', MAX_UNANSWERED];
const NOT_ASKED: Reason = ['not_asked'];

/** Refusals that are about the recipient, and not about all mail of the practice. */
const aboutRecipient: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_recipient',
  'safe_mode_recipient',
]);

const own: ReadonlySet<string> = new Set(['complaint', 'unsubscribe', 'unsubscribe_all']);

const suppressedBy = (db: TenantDb, person: Buffer, { channel }: ListRow): readonly SuppressionFacts[] =>
  suppressionStore(db).isEmpty()
    ? []
    : suppressionStore(db)
        .ofAddress(person)
        .filter((row) => !isLiftedFor(row, channel));

/** The details leave out texts that the importer chose: they may name people. The record of the import has the name of the file. */
const details = (
  { id, asked: { by, by_id, sha256, assertion } }: SubscriberImport,
  line: number,
): Readonly<Record<string, string | number | null>> => ({
  import_id: id,
  by,
  by_id,
  file_sha256: sha256,
  line,
  ...(assertion && { given_at: assertion.given_at }),
});

/** What the file says of someone who is on the list already. */
const update = (db: TenantDb, row: SubscriberRow, { name, data }: SubscriberLine, now: number): Outcome => {
  const data_json = JSON.stringify({ ...JSON.parse(row.data_json), ...data });
  if ((name ?? row.name) === row.name && data_json === row.data_json) return 'already';
  changeSubscriber(db, row, { name: name ?? row.name, data: JSON.parse(data_json) }, now);
  return 'updated';
};

/** What a row says of someone. */
export interface ReadSubscriber extends SubscriberLine {
  /** See `addressHash`. */
  readonly person: Buffer;
  readonly line: number;
}

const ask = (
  db: TenantDb,
  one: SubscriberImport,
  accept: AcceptHere,
  subscriber: ReadSubscriber,
  now: number,
): RowResult => {
  const { context, list } = one;
  const asked = requestSubscription(
    db,
    context,
    accept,
    {
      list,
      address: subscriber.address,
      name: subscriber.name,
      data: subscriber.data,
      way: 'import',
      personal: {},
      details: details(one, subscriber.line),
    },
    now,
  );
  switch (asked.kind) {
    case 'asked':
      return { outcome: 'added' };
    case 'active':
    case 'asked_before':
      return { outcome: update(db, asked.subscriber, subscriber, now) };
    case 'suppressed':
      return { outcome: 'suppressed', reason: NOT_ASKED };
    case 'refused':
      return aboutRecipient.has(asked.error.code)
        ? { outcome: 'failed', reason: ['refused', asked.error.message] }
        : { outcome: 'waits', error: asked.error };
    default:
      return asked satisfies never;
  }
};

/** Called in a transaction; that of `accept`, where people are asked to confirm. */
export const importSubscriber = (
  db: TenantDb,
  one: SubscriberImport,
  accept: AcceptHere | null,
  subscriber: ReadSubscriber,
  now: number,
): RowResult => {
  const { context, seq, asked, list } = one;
  const { person, line } = subscriber;
  const imports = importStore(db);
  const suppressions = suppressedBy(db, person, list);
  if (suppressions.some(({ reason }) => reason === 'erasure'))
    return { outcome: 'left_out', reason: ['suppressed'], isErased: true };
  if (!sendableFor(context, tenantStore(db).practice().id).takes(subscriber.address))
    return { outcome: 'failed', reason: ['not_sendable'] };
  const first = imports.firstLine(seq, person);
  if (first !== undefined && first < line) return { outcome: 'duplicates', reason: ['duplicate', first] };
  if (first !== undefined && first > line) return { outcome: 'left_out', reason: ['left_at', first] };
  const done = (result: RowResult): RowResult => {
    if (result.outcome !== 'waits') imports.insertAddress(seq, person, line);
    return result;
  };
  if (subscriber.leftOut !== null) {
    const { reason, leaving } = subscriber.leftOut;
    return done({ outcome: 'left_out', reason, isSuppressible: leaving !== null });
  }
  const wish = suppressions.find(({ reason }) => own.has(reason));
  if (wish) return done({ outcome: 'left_out', reason: ['own_wish', wish.reason] });
  const suppression = suppressions.find(({ scope }) => scope === 'team');
  if (accept !== null) {
    const known = subscriberStore(db).onList(list.seq, person);
    const isGone = known
      ? known.status !== 'pending' && known.status !== 'active'
      : hasLeft(db, list.id, person);
    if (isGone) return done({ outcome: 'left_out', reason: LEFT });
    if (suppression) return done({ outcome: 'suppressed', reason: NOT_ASKED });
    if (isAskedOften(db, list.id, person)) return done({ outcome: 'left_out', reason: ASKED_OFTEN });
    return done(ask(db, one, accept, subscriber, now));
  }
  const { name, data, address } = subscriber;
  const entry = {
    action: 'import',
    way: 'import',
    legal_basis: asked.assertion?.basis ?? 'consent',
    personal: { name, evidence: asked.assertion?.evidence ?? null },
    details: details(one, line),
  } as const;
  const activation = activate(
    db,
    context,
    { list, address, person, entry, data, ...(name !== null && { name }) },
    now,
  );
  if (activation.outcome === 'refused') return done({ outcome: 'left_out', reason: LEFT });
  const outcome =
    activation.outcome === 'added'
      ? 'added'
      : activation.outcome === 'activated'
        ? 'updated'
        : update(db, activation.row, subscriber, now);
  if (suppression)
    return done({
      outcome: 'suppressed',
      reason: ['gets_nothing', suppression.reason],
    });
  return done({ outcome });
};
