// Takes a report in: whose message it is about, what it means, and all that follows, in one transaction of the tenant's
// file. A report that comes again after a crash, or because its sender did not hear the 250, changes nothing.
import type { KeyObject } from 'node:crypto';
import { utcDay } from '#src/counters/rules.ts';
import { counterStore, type Fate } from '#src/counters/store.ts';
import type { PlatformDb, TenantDb } from '#src/db/sqlite.ts';
import type { TenantFiles } from '#src/db/tenant-files.ts';
import { redactText } from '#src/events/redact.ts';
import type { EventType } from '#src/events/schema.ts';
import { eventStore } from '#src/events/store.ts';
import type { Clock } from '#src/kernel/time.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import { messageStore, type RecipientRow } from '#src/messages/store.ts';
import { queueStore } from '#src/queue/store.ts';
import { addSuppression, wholeTeam } from '#src/suppressions/change.ts';
import { registryStore } from '#src/tenants/registry-store.ts';
import { type Consequence, consequenceOf, type Report } from './rules.ts';

export interface ReceiveDeps {
  readonly readPlatform: <T>(work: (db: PlatformDb) => T) => Promise<T>;
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly suppressionKey: KeyObject;
  /** What goes there is counted nowhere, and nobody there is suppressed. */
  readonly simulatorDomain: string;
}

/** `unchanged`: known already, or nothing that matters. `unknown`: its recipient's record is gone. */
export type Received = 'changed' | 'unchanged' | 'unknown';

const fateOf: Readonly<Partial<Record<EventType, Fate>>> = {
  'message.delivered': 'delivered',
  'message.hard_bounced': 'hard_bounced',
  'message.soft_bounced': 'soft_bounced',
  'message.spam_complaint': 'complaints',
};

const saidIn = ({ reply }: Consequence) =>
  reply === null
    ? null
    : {
        smtp_code: reply.code === 0 ? null : reply.code,
        enhanced_code: reply.enhanced,
        // Filters quote the content that they refuse.
        diagnostic: reply.text === '' ? null : redactText(reply.text),
      };

/** What is not under way, but was to be tried again: an attempt whose end nobody knew has been told of. */
const dequeue = (db: TenantDb, recipientId: number): void => {
  const standing = queueStore(db).standing(recipientId);
  if (standing && standing.claimed === 0) queueStore(db).remove(recipientId);
};

const apply = (
  db: TenantDb,
  recipient: RecipientRow,
  found: Consequence,
  isSimulator: boolean,
  { suppressionKey }: ReceiveDeps,
  now: number,
): void => {
  const { id, message_seq } = recipient;
  const messages = messageStore(db);
  const said = saidIn(found);
  const { status, attempts, smtp_code, enhanced_code, diagnostic, upstream } = {
    ...recipient,
    ...said,
    status: found.status,
  };
  eventStore(db).append({
    type: found.event,
    messageSeq: message_seq,
    recipientId: id,
    at: now,
    data: {
      ...said,
      upstream,
      ...(found.rule === null ? {} : { rule: found.rule }),
      ...(found.repeated ? { repeated: true } : {}),
    },
  });
  messages.updateRecipient(message_seq, {
    id,
    status,
    attempts,
    smtp_code,
    enhanced_code,
    diagnostic,
    upstream,
    updated_at: now,
  });
  if (found.isFinal) dequeue(db, id);
  const fate = fateOf[found.event];
  if (fate && !found.repeated && !isSimulator) counterStore(db).addFates(utcDay(now), message_seq, [fate]);
  if (found.suppress === null) return;
  addSuppression(
    db,
    suppressionKey,
    {
      address: recipient.address as Address,
      place: wholeTeam,
      reason: found.suppress,
      sourceMessageId: messages.bySeq(message_seq)?.id ?? null,
      note: null,
    },
    now,
  );
};

const takeIn = (
  db: TenantDb,
  recipientId: number,
  report: Report,
  deps: ReceiveDeps,
  now: number,
): Received => {
  const recipient = messageStore(db).recipient(recipientId);
  const message = recipient && messageStore(db).bySeq(recipient.message_seq);
  if (!recipient || !message) return 'unknown';
  const isSimulator = addressDomain(recipient.address as Address) === deps.simulatorDomain;
  const found = consequenceOf(report, {
    address: recipient.address,
    status: recipient.status,
    heard: eventStore(db).ofRecipient(recipient.message_seq, recipient.id),
    isSimulator,
    isOwn: message.source === 'system',
  });
  if (found === null) return 'unchanged';
  apply(db, recipient, found, isSimulator, deps, now);
  return 'changed';
};

/** Resolves once it is durable. Rejects where the file cannot be written: nothing has changed then. */
export const receiveReport = async (
  deps: ReceiveDeps,
  { tenantNumber, recipientId }: ReturnPathTarget,
  report: Report,
): Promise<Received> => {
  if (report.kind === 'other') return 'unchanged';
  const tenant = await deps.readPlatform((db) => registryStore(db).anyByNumber(tenantNumber));
  if (!tenant) return 'unknown';
  const now = deps.clock.now();
  return deps.files.write(tenant.id, (db) => takeIn(db, recipientId, report, deps, now));
};
