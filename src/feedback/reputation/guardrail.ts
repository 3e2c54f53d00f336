// Counts the outcomes of mails, and pauses the tenant in the same transaction where a limit is reached. Only a hard bounce, a
// complaint, or a mail or soft bounce on a route that recently had one adds up the window.
import { isCounted, utcDay } from '#src/accounts/counters/rules.ts';
import { type CountedOutcome, counterStore } from '#src/accounts/counters/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { systemChange } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { messageStore } from '#src/messages/store.ts';
import { writePause } from './pause.ts';
import { findingOf, lookAgainOn, reasonOf, windowFrom } from './rules.ts';
import { reputationStore } from './store.ts';
import { windowOf } from './window.ts';

export interface GuardrailDeps {
  /** The system tenant sends the codes by which people sign in, and is never paused. */
  readonly systemTenantId: () => string | null;
  /** See PauseNotices. */
  readonly notifyOwners: (tenantId: string) => void;
  /** The brake looks whether the token by which the mail was sent is still in its usual range. */
  readonly countOutcome?: (
    db: TenantDb,
    tokenId: string,
    outcome: 'hard_bounced' | 'complaints',
    now: number,
  ) => void;
}

export interface Guardrail {
  /** Adds one mail to each of these counters of the message's route, in the transaction that stores the outcome. */
  count(db: TenantDb, messageSeq: number, outcomes: readonly CountedOutcome[], now: number): void;
  /** See PauseNotices. */
  notifyOwners(tenantId: string): void;
}

/** Pauses where the route is over a limit; otherwise stores when to look again. */
const look = (
  db: TenantDb,
  routeId: string,
  { systemTenantId, notifyOwners }: GuardrailDeps,
  now: number,
): void => {
  const practice = tenantStore(db).practice();
  // Counts of the time of a pause are ignored after it.
  if (practice.paused_at !== null || practice.id === systemTenantId()) return;
  const counts = windowOf(db, routeId, practice.resumed_at, now);
  const finding = findingOf(counts);
  if (finding === null) {
    reputationStore(db).watch(routeId, lookAgainOn(counts, utcDay(now)));
    return;
  }
  const slug = tenantStore(db).route(routeId)?.slug ?? routeId;
  const from = windowFrom(now, practice.resumed_at);
  const facts = { by: 'guardrail', route: { id: routeId, slug }, from, ...finding } as const;
  writePause(db, reasonOf(finding, slug, from), facts, systemChange('practice.pause'), now);
  notifyOwners(practice.id);
};

export const createGuardrail = (deps: GuardrailDeps): Guardrail => ({
  count: (db, messageSeq, outcomes, now) => {
    const today = utcDay(now);
    const division = messageStore(db).divisionOf(messageSeq);
    if (division === undefined || !isCounted(division.source)) return;
    counterStore(db).addOutcomes(today, division, outcomes);
    if (division.token_id !== null)
      for (const outcome of ['hard_bounced', 'complaints'] as const)
        if (outcomes.includes(outcome)) deps.countOutcome?.(db, division.token_id, outcome, now);
    const routeId = division.route_id;
    const isBad =
      outcomes.includes('hard_bounced') ||
      outcomes.includes('complaints') ||
      (outcomes.includes('soft_bounced') && reputationStore(db).isWatched(routeId));
    const isMessage = outcomes.includes('sent') || outcomes.includes('refused');
    if (isBad || (isMessage && reputationStore(db).isDue(routeId, today))) look(db, routeId, deps, now);
  },
  notifyOwners: deps.notifyOwners,
});
