// Pauses and resumes a tenant: its row, the audit, and the note that owners are to be notified, in the caller's transaction.
// While it is paused nothing is claimed and nothing is accepted; waiting mail goes out after the resumption, which also
// restarts the counts of the guardrail.
import type { z } from 'zod';
import { utcDay } from '#src/accounts/counters/rules.ts';
import { type practiceSchema, presentPractice } from '#src/accounts/tenants/schema.ts';
import { type PracticePause, type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';
import type { Finding } from './rules.ts';
import { reputationStore } from './store.ts';

type Practice = z.infer<typeof practiceSchema>;

/** The person who paused or resumed, or the finding of the guardrail. */
export type PauseFacts =
  | ({
      readonly by: 'guardrail';
      readonly route: { readonly id: string; readonly slug: string };
      /** Start of the counted time, ms. */
      readonly from: number;
    } & Finding)
  /** `name`: the member's address or the token's name; empty for the operator. */
  | { readonly by: 'member' | 'token' | 'operator'; readonly name: string };

/** Null where the tenant was never paused or resumed. */
export const pauseFacts = ({ pause_facts_json }: PracticeRow): PauseFacts | null =>
  pause_facts_json === null ? null : JSON.parse(pause_facts_json);

/** Whether the owners are not yet notified of the current pause, or of the resumption. */
export const isUnnotified = (db: TenantDb): boolean => tenantStore(db).practice().pause_told === 0;

const personOf = ({ kind, name }: Caller): PauseFacts => {
  if (kind === 'operator') return { by: 'operator', name: '' };
  return { by: kind === 'member' ? 'member' : 'token', name };
};

const write = (
  db: TenantDb,
  row: PracticeRow,
  pause: Omit<PracticePause, 'pause_told'>,
  change: Change,
  now: number,
): Practice => {
  const next: PracticeRow = { ...row, ...pause, pause_told: 0 };
  tenantStore(db).updatePause(next);
  const after = presentPractice(next, now);
  const target = { type: 'practice', id: row.id };
  auditStore(db).record(change, { target, before: presentPractice(row, now), after }, now);
  return after;
};

/**
 * Throws `conflict` where the tenant is paused already: the first reason is kept. A pause by the operator replaces any other,
 * and only the operator lifts it: otherwise an owner could lift the earlier pause and go on sending.
 */
export const writePause = (
  db: TenantDb,
  reason: string,
  facts: PauseFacts,
  change: Change,
  now: number,
): Practice => {
  const row = tenantStore(db).practice();
  const isTakenOver = facts.by === 'operator' && row.pause_by !== 'operator';
  if (row.paused_at !== null && !isTakenOver)
    throw new AppError('conflict', say`The practice is paused already.`, {
      hint: say`GET /api/practices/{id} shows who paused it and why.`,
    });
  const pause = {
    pause_reason: reason,
    pause_by: facts.by === 'token' ? 'member' : facts.by,
    paused_at: now,
    resumed_at: row.resumed_at,
    pause_facts_json: JSON.stringify(facts),
  } as const;
  return write(db, row, pause, change, now);
};

export const pausePractice = (
  db: TenantDb,
  reason: string,
  caller: Caller,
  change: Change,
  now: number,
): Practice => writePause(db, reason, personOf(caller), change, now);

const forbidden = (message: Text, hint: Text): AppError =>
  new AppError('forbidden', message, { hint, extra: { permission: 'practice.manage' } });

/** Throws `conflict` where it is not paused, `forbidden` where the caller may not lift that pause. */
export const resumePractice = (db: TenantDb, caller: Caller, change: Change, now: number): Practice => {
  const row = tenantStore(db).practice();
  if (row.paused_at === null)
    throw new AppError('conflict', say`The practice is not paused.`, {
      hint: say`There is nothing to resume.`,
    });
  if (!caller.isOwner)
    throw forbidden(
      say`A practice is resumed by one of its owners.`,
      say`Ask an owner, who is signed in, to resume it.`,
    );
  if (row.pause_by === 'operator' && caller.kind !== 'operator')
    throw forbidden(
      say`The operator has paused the practice, and alone resumes it.`,
      say`Write to the operator.`,
    );
  reputationStore(db).begin(utcDay(now));
  const resumed = {
    pause_reason: null,
    pause_by: null,
    paused_at: null,
    resumed_at: now,
    pause_facts_json: JSON.stringify(personOf(caller)),
  };
  return write(db, row, resumed, change, now);
};
