// Checks what the DNS holds for a practice's host, and applies the result: a pending domain that is proved comes into
// use, owners are notified of records that went bad or recovered, the result is stored, and the next check gets its
// time. The DNS is asked outside the tenant's queue, because that can take long; a result for tokens that the host no
// longer has is discarded.
//
// Order of the writes: registry (claim, mails), tenant's file (domain, result, health), registry (next check). A crash
// in between repeats the check; the id of a mail that was written prevents a second one.

import { notifyOwners } from '#src/accounts/mails/outbox.ts';
import { presentPractice } from '#src/accounts/tenants/schema.ts';
import { type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { withPatience } from '#src/kernel/dns-lookup.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { checkHost } from '../check/check-host.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { ensureHostKeys } from '../keys/publish-keys.ts';
import type { HostCheck, HostFacts } from '../records/host-check.ts';
import { hostFactsOf, hostInQuestion, hostKeyRows } from '../records/host-facts.ts';
import { dnsCheckStore, lastCheck, sendingDomainStore } from '../store.ts';
import { noticesOf } from './check-notices.ts';
import { forgetOtherChecks, lastHealthOf, recordsOf, scheduleCheck } from './next-check.ts';
import { claimDomain, loseDomains, useDomain } from './ownership.ts';
import { type HealthVerdict, judgeHealth } from './record-health.ts';

export interface PracticeCheck {
  readonly kind: HostFacts['kind'];
  /** Whether the domain is still pending after the check. */
  readonly pending: boolean;
  readonly checkedAt: number;
  readonly check: HostCheck;
}

/** `in_question` is the pending domain if there is one; `in_use` is the domain in use beside it. */
export type HostChoice = 'in_question' | 'in_use' | 'managed';

interface Subject {
  readonly pending: boolean;
  readonly facts: HostFacts;
}

/** A domain rarely changes during its check; more changes in a row come from a client that loops. */
const MAX_LOOKS = 3;
const RETRY_AFTER_S = 5;

const namedHost = (practice: PracticeRow, which: HostChoice): ReturnType<typeof hostInQuestion> =>
  hostInQuestion({
    ...practice,
    ...(which === 'in_question' ? {} : { pending_domain: null }),
    ...(which === 'managed' ? { custom_domain: null } : {}),
  });

/** Runs in the tenant's queue. First repairs what a crash or an earlier version left. */
export const prepareSubject = async (
  deps: DomainDeps,
  tenantId: string,
  which: HostChoice = 'in_question',
): Promise<Subject> => {
  const { tenants } = deps.storage;
  await loseDomains(deps, tenantId);
  const named = await tenants.read(tenantId, (db) => namedHost(tenantStore(db).practice(), which));
  if (named.kind === 'custom') await ensureHostKeys(deps, tenantId, named.host);
  const facts = await tenants.read(tenantId, (db) => hostFactsOf(db, named, deps));
  return { pending: named.pending, facts };
};

const isOutdated = (db: TenantDb, { facts, pending }: Subject, which: HostChoice): boolean => {
  const named = namedHost(tenantStore(db).practice(), which);
  if (named.host !== facts.host || named.pending !== pending) return true;
  const selectors = hostKeyRows(db, facts.host).map(({ token }) => token);
  return selectors.join() !== facts.keys.map(({ selector }) => selector).join();
};

const NOT_WATCHED: HealthVerdict = { health: {}, wentBad: [], recovered: [] };

interface Applied {
  readonly checked: PracticeCheck;
  /** Id of the tenant that lost the domain to this one. */
  readonly former: string | null;
}

/**
 * Runs in the tenant's queue. Null if the host or its keys changed since the lookups. Throws `unavailable` when the
 * service ends.
 */
const applyCheck = async (
  deps: DomainDeps,
  tenantId: string,
  which: HostChoice,
  subject: Subject,
  check: HostCheck,
  change: Change,
): Promise<Applied | null> => {
  const { storage, clock, notices, signers } = deps;
  if (deps.stopping.aborted)
    throw new AppError('unavailable', say`The service is about to end.`, {
      extra: { retry_after: RETRY_AFTER_S },
    });
  const { host, kind } = subject.facts;
  const known = await storage.tenants.read(tenantId, (db) =>
    isOutdated(db, subject, which)
      ? null
      : {
          practice: tenantStore(db).practice(),
          earlier: lastHealthOf(db, host),
          attachedAt: sendingDomainStore(db).get(host)?.attached_at ?? null,
        },
  );
  if (known === null) return null;
  const { practice, earlier, attachedAt } = known;
  const now = clock.now();
  const isVerified = subject.pending && check.dkimVerified;
  const isWatched = kind === 'custom' && (isVerified || !subject.pending);
  const verdict = isWatched ? judgeHealth(earlier, recordsOf(check), now) : NOT_WATCHED;
  const findings = { verdict, earlier, isVerified, attachedAt };
  const mails = await noticesOf(deps, practice, host, findings);
  let former: string | null = null;
  if (isVerified || mails.length > 0)
    former = await storage.platform.write((db) => {
      for (const telling of mails) notifyOwners(notices, db, telling, now);
      return isVerified ? claimDomain(db, tenantId, host, now) : null;
    });
  await storage.tenants.write(tenantId, (db) => {
    const before = tenantStore(db).practice();
    if (isVerified) useDomain(db, host, now);
    const after = tenantStore(db).practice();
    const target = { type: 'practice', id: tenantId };
    const entry = { target, before: presentPractice(before, now), after: presentPractice(after, now) };
    auditStore(db).record(change, entry, now);
    dnsCheckStore(db).put({
      host,
      checked_at: now,
      result_json: JSON.stringify(check),
      standings_json: JSON.stringify(verdict.health),
    });
    forgetOtherChecks(db, after);
  });
  deps.badRecords.note(tenantId, host, verdict.health, now);
  if (isVerified) signers.forget(tenantId, host);
  await scheduleCheck(deps, tenantId, now);
  if (mails.length > 0) notices.wake();
  const pending = subject.pending && !isVerified;
  return { checked: { kind, pending, checkedAt: now, check }, former };
};

/** Throws `conflict` if the domain changes again and again meanwhile, `unavailable` when the service ends. */
export const checkPractice = async (
  deps: DomainDeps,
  tenantId: string,
  change: Change,
  which: HostChoice = 'in_question',
): Promise<PracticeCheck> => {
  const { queue, lookup, log } = deps;
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const subject = await queue(tenantId, () => prepareSubject(deps, tenantId, which));
    const check = await checkHost(withPatience(lookup), subject.facts);
    const applied = await queue(tenantId, () => applyCheck(deps, tenantId, which, subject, check, change));
    if (applied === null) continue;
    const { former, checked } = applied;
    // Outside this tenant's queue: two tenants that wait for each other would wait for ever.
    if (former !== null)
      await queue(former, () => loseDomains(deps, former)).catch((error) =>
        log.warn({ err: error, practice_id: former }, 'a lost domain is left for the next look at it'),
      );
    return checked;
  }
  throw new AppError('conflict', say`The domain was changed while it was looked at.`, {
    hint: say`Check again.`,
  });
};

// The host in question with the records that it needs and what was last found of them.

export interface HostReading {
  readonly facts: HostFacts;
  /** Null if the records that the host needs now were never checked. */
  readonly check: HostCheck | null;
}

const speaksOf = (check: HostCheck, { host, keys }: HostFacts): boolean =>
  keys.every(({ selector }) => check.records.some(({ name }) => name === `${selector}._domainkey.${host}`));

export const readHost = async (deps: DomainDeps, tenantId: string): Promise<HostReading> => {
  const { facts } = await deps.queue(tenantId, () => prepareSubject(deps, tenantId));
  const last = await deps.storage.tenants.read(tenantId, (db) => lastCheck(db, facts.host));
  return { facts, check: last !== null && speaksOf(last.check, facts) ? last.check : null };
};
