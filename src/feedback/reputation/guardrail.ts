// Counts what becomes of mails, and pauses the practice in the same transaction where that was too much. Most mails cost no
// more than one look whether their route is watched: only a hard bounce, a complaint, or a mail on a route that had one
// lately makes it add up the window.
import { utcDay } from '#src/accounts/counters/rules.ts';
import { type CountedOutcome, counterStore } from '#src/accounts/counters/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { systemChange } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { writePause } from './pause.ts';
import { findingOf, lookAgainOn, reasonOf, windowFrom } from './rules.ts';
import { reputationStore } from './store.ts';
import { windowOf } from './window.ts';

export interface GuardrailDeps {
  /** It sends the codes by which people sign in, and is never paused. */
  readonly systemTenantId: () => string | null;
  /** See PauseNotices. */
  readonly tell: (tenantId: string) => void;
}

export interface Guardrail {
  /** One mail more of each of these outcomes, on the route of that message. In the transaction that learns of it. */
  count(db: TenantDb, messageSeq: number, outcomes: readonly CountedOutcome[], now: number): void;
  /** The owners may still have to be told of a pause or resumption. */
  tell(tenantId: string): void;
}

/** Pauses where the route is over a limit; else notes when to look again. */
const look = (db: TenantDb, routeId: string, { systemTenantId, tell }: GuardrailDeps, now: number): void => {
  const practice = tenantStore(db).practice();
  // What is counted during a pause counts no more after it.
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
  writePause(db, { facts, reason: reasonOf(finding, slug, from) }, systemChange('practice.pause'), now);
  tell(practice.id);
};

export const createGuardrail = (deps: GuardrailDeps): Guardrail => ({
  count: (db, messageSeq, outcomes, now) => {
    const today = utcDay(now);
    counterStore(db).addOutcomes(today, messageSeq, outcomes);
    const store = reputationStore(db);
    const isBad = outcomes.includes('hard_bounced') || outcomes.includes('complaints');
    const isMessage = outcomes.includes('sent') || outcomes.includes('refused');
    const routeId = isBad
      ? store.routeOf(messageSeq)
      : isMessage
        ? store.dueOfMessage(messageSeq, today)
        : undefined;
    if (routeId !== undefined) look(db, routeId, deps, now);
  },
  tell: deps.tell,
});
