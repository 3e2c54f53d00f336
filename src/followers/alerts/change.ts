// Makes, changes and removes chat alerts, each in the transaction that also writes the audit.

import { auditStore } from '#src/events/audit-store.ts';
import type { AlertEvent } from '#src/events/catalogue.ts';
import { followStore } from '#src/events/follow-store.ts';
import { active } from '#src/followers/disabling.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import { say } from '#src/kernel/say.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { AlertKind } from './rules.ts';
import { auditedAlert, openUrl, sealUrl } from './schema.ts';
import { disabled, removeGathered } from './settle.ts';
import { type AlertRow, alertStore } from './store.ts';

/** Each costs a look at every event. */
const MAX_ALERTS = 20;

/** The author of a change, its time, and the key that seals addresses. */
export interface ChangeContext {
  readonly change: Change;
  /** ms since the epoch. */
  readonly now: number;
  /** 32 bytes, derived for alerts alone. */
  readonly key: SealingKey;
}

export interface NewAlert {
  readonly name: string;
  readonly kind: AlertKind;
  readonly url: string;
  readonly events: readonly AlertEvent[];
  readonly language: MemberLanguage;
}

type Changes = {
  readonly [K in keyof Omit<NewAlert, 'kind'>]?: NewAlert[K] | undefined;
} & { readonly status?: AlertRow['status'] | undefined };

export const alertOf = (db: TenantDb, id: string): AlertRow => {
  const row = alertStore(db).byId(id);
  if (!row) throw new AppError('not_found', say`There is no such alert.`);
  return row;
};

const record = (
  db: TenantDb,
  { change, now, key }: ChangeContext,
  before: AlertRow | null,
  after: AlertRow | null,
): void => {
  const audited = (row: AlertRow | null) => (row === null ? null : auditedAlert(row, key));
  const target = { type: 'alert', id: before?.id ?? after?.id ?? '' };
  auditStore(db).record(change, { target, before: audited(before), after: audited(after) }, now);
};

/** The alert reports what happens from now on. Throws `conflict` where there is no room. */
export const createAlert = (db: TenantDb, wanted: NewAlert, context: ChangeContext): AlertRow => {
  const store = alertStore(db);
  if (store.all().length >= MAX_ALERTS)
    throw new AppError('conflict', say`A practice has at most ${MAX_ALERTS} alerts.`, {
      hint: say`Delete one that is not used any more, or let one report more events.`,
    });
  const id = newId();
  store.insert({
    id,
    name: wanted.name,
    kind: wanted.kind,
    sealed_url: sealUrl(context.key, id, wanted.url),
    events_json: JSON.stringify(wanted.events),
    language: wanted.language,
    ...active,
    failing_since: null,
    after_seq: followStore(db).last(),
    due_at: null,
    attempts: 0,
    last_sent_at: null,
    last_error: null,
    created_at: context.now,
  });
  const row = alertOf(db, id);
  record(db, context, null, row);
  return row;
};

/** Earlier failures say nothing about the new address or state: what was gathered is sent at once. */
const restarted = (row: AlertRow, now: number): AlertRow => ({
  ...row,
  attempts: 0,
  failing_since: null,
  last_error: null,
  due_at: row.due_at === null ? null : now,
});

const withStatus = (
  db: TenantDb,
  row: AlertRow,
  status: AlertRow['status'] | undefined,
  now: number,
): AlertRow => {
  if (status === undefined || status === row.status) return row;
  if (status === 'disabled') return disabled(row, 'manual', now);
  return {
    ...restarted(row, now),
    ...active,
    after_seq: followStore(db).last(),
  };
};

/**
 * A field that is absent stays as it is. Other events, or being enabled again, hold for what happens from now on: the log has
 * been read until here.
 */
export const changeAlert = (
  db: TenantDb,
  row: AlertRow,
  wanted: Changes,
  context: ChangeContext,
): AlertRow => {
  const { name = row.name, language = row.language, url, events, status } = wanted;
  const isMoved = url !== undefined && url !== openUrl(context.key, row);
  const moved = isMoved
    ? { ...restarted(row, context.now), sealed_url: sealUrl(context.key, row.id, url) }
    : row;
  const events_json = events === undefined ? row.events_json : JSON.stringify(events);
  const after_seq = events_json === row.events_json ? row.after_seq : followStore(db).last();
  const changed = { ...moved, name, language, events_json, after_seq };
  const after = withStatus(db, changed, status, context.now);
  alertStore(db).update(after);
  if (after.status === 'disabled') removeGathered(db, row.number);
  record(db, context, row, after);
  return after;
};

export const removeAlert = (db: TenantDb, row: AlertRow, context: ChangeContext): void => {
  alertStore(db).remove(row.number);
  record(db, context, row, null);
};
