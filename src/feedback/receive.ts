// Takes a report in: whose message it is about, what it means, and all that follows, in one transaction of the tenant's
// file. A report that comes again after a crash, or because its sender did not hear the 250, changes nothing.

import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { redactText } from '#src/events/redact.ts';
import type { EventData } from '#src/events/store.ts';
import { eventStore } from '#src/events/store.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Clock } from '#src/kernel/time.ts';
import { isOptOut } from '#src/mail/arf.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import { messageStore } from '#src/messages/store.ts';
import { applySignal, type SignalDeps } from './apply-signal.ts';
import { type Consequence, consequenceOf, type Report } from './rules.ts';
import { copyOf, type UnsubscribeKeys, unsubscribe } from './unsubscribe/unsubscribe.ts';

export interface ReceiveDeps extends SignalDeps {
  readonly readPlatform: <T>(work: (db: PlatformDb) => T) => Promise<T>;
  readonly files: TenantFiles;
  readonly clock: Clock;
}

/** `unchanged`: known already, or nothing that matters. `unknown`: its recipient's record is gone. */
export type Received = 'changed' | 'unchanged' | 'unknown';

/** Who tells of it, where it was no mail. */
export interface Source {
  readonly via: string;
  /** Name of the relay that tells. */
  readonly upstream: string;
}

const viaOf: Readonly<Record<Report['kind'], string | null>> = {
  delivery_status: 'dsn',
  bounce: 'bounce',
  feedback: 'arf',
  auto_reply: 'auto_reply',
  told: null,
  other: null,
};

const saidIn = ({ reply, rule }: Consequence): EventData => ({
  ...(reply === null
    ? {}
    : {
        smtp_code: reply.code === 0 ? null : reply.code,
        enhanced_code: reply.enhanced,
        // Filters quote the content that they refuse.
        diagnostic: reply.text === '' ? null : redactText(reply.text),
      }),
  ...(rule === null ? {} : { rule }),
});

/** In the transaction of the practice's file. */
export const applyReport = (
  db: TenantDb,
  recipientId: number,
  report: Report,
  source: Source | null,
  deps: SignalDeps,
  now: number,
): Received => {
  if (report.kind === 'feedback' && isOptOut(report.feedback)) return applyOptOut(db, recipientId, deps, now);
  const recipient = messageStore(db).recipient(recipientId);
  if (!recipient) return 'unknown';
  const { address, message_seq, upstream } = recipient;
  const found = consequenceOf(report, {
    address,
    heard: eventStore(db).ofRecipient(message_seq, recipientId),
  });
  if (found === null) return 'unchanged';
  const via = source?.via ?? viaOf[report.kind];
  const data = {
    ...saidIn(found),
    upstream: source?.upstream ?? upstream,
    ...(via === null ? {} : { via }),
  };
  applySignal(db, recipient, { signal: found.signal, data }, deps, now);
  return 'changed';
};

/**
 * Resolves once it is durable. Rejects where the file cannot be written: nothing has changed then. `source` where it came
 * by another way than as a mail.
 */
export const receiveReport = async (
  deps: ReceiveDeps,
  { tenantNumber, recipientId }: ReturnPathTarget,
  report: Report,
  source: Source | null = null,
): Promise<Received> => {
  if (report.kind === 'other') return 'unchanged';
  const tenant = await deps.readPlatform((db) => registryStore(db).anyByNumber(tenantNumber));
  if (!tenant) return 'unknown';
  const now = deps.clock.now();
  return deps.files.write(tenant.id, (db) => applyReport(db, recipientId, report, source, deps, now));
};

/** A report of feedback type `opt-out` (RFC 6430): the provider's own unsubscribe button, worth as much as our link. */
const applyOptOut = (db: TenantDb, recipientId: number, keys: UnsubscribeKeys, now: number): Received => {
  const copy = copyOf(db, recipientId);
  if (copy === null) return 'unknown';
  return unsubscribe(db, copy, 'route', keys, now) ? 'changed' : 'unchanged';
};
