// Applies a report to its recipient in one transaction of the tenant's file. A report that comes again after a crash, or
// because its sender did not get the 250, changes nothing.

import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { EventData } from '#src/events/store.ts';
import { eventStore } from '#src/events/store.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { redactText } from '#src/kernel/redact.ts';
import type { Clock } from '#src/kernel/time.ts';
import { isComplaint, isOptOut } from '#src/mail/arf.ts';
import type { ReportResult } from '#src/mail/reception.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import { messageStore } from '#src/messages/store.ts';
import { applySignal, type SignalDeps } from './apply-signal.ts';
import { type Reporter, type Standing, standingOf } from './reporter.ts';
import { type Consequence, consequenceOf, type Report } from './rules.ts';
import { copyOf, type UnsubscribeKeys, unsubscribe } from './unsubscribe/unsubscribe.ts';

export interface ReceiveDeps extends SignalDeps {
  /** Domains whose complaints count; see `standingOf`. */
  readonly feedbackSources: () => readonly string[];
  readonly readPlatform: <T>(work: (db: PlatformDb) => T) => Promise<T>;
  readonly files: TenantFiles;
  readonly clock: Clock;
}

/** The sender of a report that came by HTTP, who has proved who they are. */
export interface Source {
  readonly via: string;
  /** Name of the relay. */
  readonly upstream: string;
}

const isProvenSource = (from: Source | Reporter | Standing): from is Source =>
  typeof from === 'object' && 'upstream' in from;

const viaOf: Readonly<Record<Report['kind'], string | null>> = {
  delivery_status: 'dsn',
  bounce: 'bounce',
  feedback: 'arf',
  auto_reply: 'auto_reply',
  relay_event: 'ses',
  other: null,
};

const replyData = ({ reply, rule }: Consequence): EventData => ({
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

/** Only these are held against the practice at once, no matter who sends them. */
const reportsComplaint = (report: Report): boolean =>
  report.kind === 'feedback'
    ? isComplaint(report.feedback)
    : report.kind === 'relay_event' && report.found.signal === 'spam_complaint';

/** Called in the transaction of the tenant's file. `from`: the source by HTTP, or what is known of the sender of a mail. */
export const applyReport = (
  db: TenantDb,
  recipientId: number,
  report: Report,
  from: Source | Standing,
  deps: SignalDeps,
  now: number,
): ReportResult => {
  if (report.kind === 'feedback' && isOptOut(report.feedback)) return applyOptOut(db, recipientId, deps, now);
  const recipient = messageStore(db).recipient(recipientId);
  if (!recipient) return 'unknown';
  const { address, message_seq, upstream } = recipient;
  const source = isProvenSource(from) ? from : null;
  const isUncounted = source === null && from !== 'proven' && reportsComplaint(report);
  const found = consequenceOf(report, {
    address,
    events: eventStore(db).ofRecipient(message_seq, recipientId),
    isUncounted,
  });
  if (found === null) return 'unchanged';
  const via = source?.via ?? viaOf[report.kind];
  const data = {
    ...replyData(found),
    upstream: source?.upstream ?? upstream,
    ...(via === null ? {} : { via }),
    ...(isUncounted ? { counted: false as const, rule: `reporter_${from}` } : {}),
  };
  applySignal(db, recipient, { signal: found.signal, data }, deps, now);
  return 'changed';
};

/**
 * Resolves once it is durable. Rejects where the file cannot be written; then nothing has changed. Who has sent a complaint is
 * found out before: a transaction waits for no DNS.
 */
export const receiveReport = async (
  deps: ReceiveDeps,
  { tenantNumber, recipientId }: ReturnPathTarget,
  report: Report,
  from: Source | Reporter,
): Promise<ReportResult> => {
  if (report.kind === 'other') return 'unchanged';
  const tenant = await deps.readPlatform((db) => registryStore(db).anyByNumber(tenantNumber));
  if (!tenant) return 'unknown';
  const standing = isProvenSource(from) ? from : await reporterOf(deps, tenant.id, recipientId, report, from);
  const now = deps.clock.now();
  return deps.files.write(tenant.id, (db) => applyReport(db, recipientId, report, standing, deps, now));
};

const reporterOf = async (
  { files, feedbackSources }: ReceiveDeps,
  tenantId: string,
  recipientId: number,
  report: Report,
  reporter: Reporter,
): Promise<Standing> => {
  if (!reportsComplaint(report)) return 'not_proven';
  const address = await files.read(tenantId, (db) => messageStore(db).recipient(recipientId)?.address);
  return address === undefined ? 'not_proven' : standingOf(reporter, address, feedbackSources());
};

/** A mail to the address by which a copy's recipient unsubscribes, worth as much as our link. Rejects as `receiveReport`. */
export const receiveUnsubscription = async (
  deps: ReceiveDeps,
  { tenantNumber, recipientId }: ReturnPathTarget,
): Promise<ReportResult> => {
  const tenant = await deps.readPlatform((db) => registryStore(db).anyByNumber(tenantNumber));
  if (!tenant) return 'unknown';
  const now = deps.clock.now();
  return deps.files.write(tenant.id, (db) => applyOptOut(db, recipientId, deps, now));
};

/** A report of feedback type `opt-out` (RFC 6430): the provider's own unsubscribe button, worth as much as our link. */
const applyOptOut = (db: TenantDb, recipientId: number, keys: UnsubscribeKeys, now: number): ReportResult => {
  const copy = copyOf(db, recipientId);
  if (copy === null) return 'unknown';
  return unsubscribe(db, copy, { scope: 'route' }, keys, now) ? 'changed' : 'unchanged';
};
