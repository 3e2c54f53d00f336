// Reads what the gates ask of the tenant's state, in the transaction that may store the message.
import type { KeyObject } from 'node:crypto';
import { monthOf, utcDay } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { plans } from '#src/accounts/tenants/rules.ts';
import { defaultFrom } from '#src/accounts/tenants/schema.ts';
import { type PracticeRow, type RouteRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { lastCheck } from '#src/domains/store.ts';
import { suppressionHash } from '#src/feedback/suppressions/address-hash.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import type { Assessment } from '#src/intake/content/assessment.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY } from '#src/kernel/time.ts';
import { addressDomain, parseAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { MessageFooter } from '#src/messages/settings.ts';
import { applicableSuppression, type SuppressionFacts } from '#src/messages/suppression-rules.ts';
import type { Draft } from './draft.ts';
import { type Facts, recipientsOf, streamOf } from './gate.ts';

export interface FactsDeps {
  readonly serviceHost: string;
  readonly safeMode: () => { readonly allowed: readonly string[] };
  /** Mails a UTC month that leave from a managed host. */
  readonly managedHostCap: () => number;
  /** Of the service: unsubscribe links begin with it. */
  readonly publicOrigin: string;
  readonly suppressionKey: KeyObject;
}

/** What is asked for beside the draft. */
export interface Question {
  readonly source: string;
  readonly projectId: string;
  readonly route: RouteRow;
  readonly content: Assessment | null;
  readonly now: number;
}

/** How much of its plan a practice has used in the UTC month. */
export const planOf = (
  db: TenantDb,
  practice: PracticeRow,
  deps: Pick<FactsDeps, 'managedHostCap'>,
  now: number,
): NonNullable<Facts['plan']> => {
  const month = monthOf(now);
  const usage = counterStore(db).usage(month.name);
  const planCap = plans[practice.plan].monthlyCap;
  const managedHost = practice.custom_domain === null && deps.managedHostCap() < planCap;
  return {
    name: practice.plan,
    cap: managedHost ? deps.managedHostCap() : planCap,
    used: usage.accepted,
    told: usage.told,
    resetsAt: month.nextFirstDay * DAY,
    refuses: managedHost || practice.plan === 'test' ? 'all' : 'marketing',
    managedHost,
  };
};

const warmupOf = (
  db: TenantDb,
  { custom_domain, warmup_started_at }: PracticeRow,
  stream: Facts['route']['type'],
  now: number,
): Facts['warmup'] =>
  custom_domain === null || warmup_started_at === null
    ? null
    : {
        startedAt: warmup_started_at,
        planned: counterStore(db).volumesFrom(stream, utcDay(now)),
      };

const suppressedAmong = (
  db: TenantDb,
  draft: Draft,
  practiceId: string,
  { projectId, route }: Question,
  key: KeyObject,
): ReadonlyMap<Address, SuppressionFacts> => {
  const found = new Map<Address, SuppressionFacts>();
  for (const { address } of recipientsOf(draft)) {
    const rows = suppressionStore(db).ofAddress(suppressionHash(key, practiceId, address));
    const row = rows.length === 0 ? null : applicableSuppression(rows, projectId, route.id);
    if (row) found.set(address, row);
  }
  return found;
};

/** DKIM alone: the other records are no condition for marketing. */
const isDkimBroken = (db: TenantDb, practice: PracticeRow, host: string): boolean => {
  if (host !== practice.custom_domain) return false;
  const records = lastCheck(db, host)?.check.records ?? [];
  return records.some(({ purpose, status }) => purpose === 'dkim' && status !== 'ok' && status !== 'error');
};

const wayOut = (source: string, publicOrigin: string): MessageFooter['unsubscribe'] => {
  if (source === 'system') return null;
  if (publicOrigin.startsWith('https:')) return 'one_click';
  // What goes to many must have a way out even where RFC 8058 cannot be followed.
  return source === 'bulk' || source === 'campaign' ? 'link' : null;
};

export const readFacts = (db: TenantDb, draft: Draft, deps: FactsDeps, question: Question): Facts => {
  const { source, route, content, now } = question;
  const practice = tenantStore(db).practice();
  const isOwn = source === 'system';
  const from = draft.from ?? { ...parseAddress(defaultFrom(practice)), name: practice.name };
  const stream = streamOf(draft, { route });
  return {
    now,
    pause:
      practice.paused_at === null ? null : { reason: practice.pause_reason ?? '', at: practice.paused_at },
    safeMode: practice.safe_mode === 1,
    safeModeAllowed: deps.safeMode().allowed,
    simulatorDomain: `simulator.${deps.serviceHost}`,
    sendingHosts:
      practice.custom_domain === null
        ? [practice.managed_host]
        : [practice.custom_domain, practice.managed_host],
    pendingDomain: practice.pending_domain,
    from,
    route: { id: route.id, slug: route.slug, type: route.type },
    practiceName: practice.name,
    legal: {
      street: practice.legal_street,
      city: practice.legal_city,
      privacy_url: practice.legal_privacy_url,
    },
    dkimBroken: stream === 'marketing' && isDkimBroken(db, practice, addressDomain(from.address)),
    plan: isOwn ? null : planOf(db, practice, deps, now),
    warmup: isOwn ? null : warmupOf(db, practice, stream, now),
    // Nobody opts out of the codes they sign in with.
    suppressed: isOwn ? new Map() : suppressedAmong(db, draft, practice.id, question, deps.suppressionKey),
    withoutConsent: null,
    content,
    unsubscribe: wayOut(source, deps.publicOrigin),
  };
};
