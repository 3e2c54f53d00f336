// Reads the facts that the gates look at, in the transaction that may store the message.

import { monthOf, utcDay } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { legalOf } from '#src/accounts/tenants/legal.ts';
import { plans } from '#src/accounts/tenants/rules.ts';
import { defaultFrom, pauseReasonFor, sendingHost } from '#src/accounts/tenants/schema.ts';
import { type PracticeRow, type RouteRow, tenantStore } from '#src/accounts/tenants/store.ts';
import type { Assessment } from '#src/content/assessment.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import type { Limits } from '#src/kernel/limits.ts';
import type { Stream } from '#src/kernel/stream.ts';
import { DAY } from '#src/kernel/time.ts';
import { addressDomain, parseAddress } from '#src/mail/address.ts';
import type { Address, Mailbox } from '#src/mail/mailbox.ts';
import { kinds } from '#src/messages/kinds.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import type { MessageFooter } from '#src/messages/settings.ts';
import { ASKED_FOR, applicableSuppression, type SuppressionFacts } from '#src/messages/suppression-rules.ts';
import type { Draft } from './draft.ts';
import { type Facts, factsOfDraft, kindOf, recipientsOf } from './gate.ts';
import { controlsOf } from './gates/envelope-gates.ts';
import type { IntakeContext } from './intake-context.ts';

/** What facts are read for, beside the draft. */
export interface FactsRequest {
  readonly source: string;
  readonly tokenId: string | null;
  /** Those to which the sender is limited; null: none. */
  readonly projects: Caller['projects'];
  readonly projectId: string;
  readonly route: RouteRow;
  readonly content: Assessment | null;
  readonly consent: Facts['consent'];
  readonly now: number;
}

/** How much of its plan a practice has used in the UTC month. Mail from its managed host has a smaller cap. */
export const planOf = (
  db: TenantDb,
  practice: PracticeRow,
  { managed_host_mails }: Limits,
  now: number,
  fromHost: string = sendingHost(practice),
): NonNullable<Facts['plan']> => {
  const month = monthOf(now);
  const usage = counterStore(db).usage(month.name);
  const planCap = plans[practice.plan].monthlyCap;
  const usedThere = usage.accepted - usage.ownDomain;
  // The cap that is reached first.
  const managedHost =
    fromHost === practice.managed_host && managed_host_mails - usedThere < planCap - usage.accepted;
  return {
    name: practice.plan,
    cap: managedHost ? managed_host_mails : planCap,
    used: managedHost ? usedThere : usage.accepted,
    notified: usage.notified,
    resetsAt: month.nextFirstDay * DAY,
    refuses: managedHost || practice.plan === 'test' ? 'all' : 'marketing',
    managedHost,
  };
};

/** Null for the service's own mail too: the warm-up does not count it. */
export const warmupOf = (
  db: TenantDb,
  { custom_domain, managed_host, warmup_started_at }: PracticeRow,
  source: string,
  stream: Stream,
  fromHost: string,
  now: number,
): Facts['warmup'] =>
  source === 'system' || fromHost !== custom_domain || warmup_started_at === null
    ? null
    : {
        startedAt: warmup_started_at,
        managedHost: managed_host,
        planned: counterStore(db).volumesFrom(stream, utcDay(now)),
      };

const suppressedAmong = (
  db: TenantDb,
  draft: Draft,
  practiceId: string,
  { projectId, route, source }: FactsRequest,
  key: TenantKey,
): ReadonlyMap<Address, SuppressionFacts> => {
  const found = new Map<Address, SuppressionFacts>();
  if (suppressionStore(db).isEmpty()) return found;
  const { channel } = kinds[kindOf(draft, route)];
  const mail = { project_id: projectId, route_id: route.id, channel, source };
  for (const { address } of recipientsOf(draft)) {
    const rows = suppressionStore(db).ofAddress(addressHash(key, practiceId, address));
    const row = rows.length === 0 ? null : applicableSuppression(rows, mail);
    if (row) found.set(address, row);
  }
  return found;
};

const unsubscribeWay = (source: string, publicOrigin: string): MessageFooter['unsubscribe'] => {
  if (source === 'system') return null;
  if (publicOrigin.startsWith('https:')) return 'one_click';
  // Recipients of bulk mail must be able to unsubscribe even where RFC 8058 cannot be followed.
  return source === 'bulk' || source === 'campaign' ? 'link' : null;
};

/** The default sender by the practice's row, which is remembered until it changes. */
const defaultSenders = new WeakMap<PracticeRow, Mailbox>();

const defaultSender = (practice: PracticeRow): Mailbox => {
  const known = defaultSenders.get(practice);
  if (known) return known;
  const sender = { ...parseAddress(defaultFrom(practice)), name: practice.name };
  defaultSenders.set(practice, sender);
  return sender;
};

export const readFacts = (
  db: TenantDb,
  draft: Draft,
  intake: IntakeContext,
  request: FactsRequest,
): Facts => {
  const { source, route, content, now } = request;
  const practice = tenantStore(db).practice();
  const isOwn = source === 'system';
  const from = draft.from ?? defaultSender(practice);
  const fromHost = addressDomain(from.address);
  const limits = intake.limits();
  const { simulatorDomain } = intake;
  const config = intake.config();
  const { service, upstreams } = config;
  // No one can opt out of the codes that they sign in with.
  const suppressed = isOwn
    ? new Map()
    : suppressedAmong(db, draft, practice.id, request, intake.suppressionKey);
  const ofDraft = factsOfDraft(draft, { route, suppressed, simulatorDomain });
  const { stream } = ofDraft;
  return {
    ...ofDraft,
    now,
    limits,
    config,
    pause:
      practice.paused_at === null
        ? null
        : { reason: pauseReasonFor(practice, request.projects), at: practice.paused_at },
    safeMode: practice.safe_mode === 1,
    simulatorDomain,
    takesUtf8: intake.utf8.takes(practice.id),
    sendingHosts:
      practice.custom_domain === null
        ? [practice.managed_host]
        : [practice.custom_domain, practice.managed_host],
    pendingDomain: practice.pending_domain,
    from,
    route: { id: route.id, slug: route.slug, type: route.type },
    practiceName: practice.name,
    legal: legalOf(practice),
    // Only DKIM counts: the other records are no condition for marketing.
    dkimBroken:
      stream === 'marketing' && fromHost === practice.custom_domain && intake.isDkimBroken(db, fromHost),
    isAskedFor: source === ASKED_FOR,
    seesPractice: request.projects === null,
    plan: isOwn ? null : planOf(db, practice, limits, now, fromHost),
    warmup: warmupOf(db, practice, source, stream, fromHost, now),
    brake: request.tokenId === null ? null : intake.brake.factsOf(db, request.tokenId, now),
    suppressed,
    consent: request.consent,
    content,
    controls: controlsOf(upstreams),
    unsubscribe: unsubscribeWay(source, service.public_origin),
  };
};
