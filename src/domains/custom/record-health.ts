// Decides when owners are notified about a record and when its host is checked next. A record is bad when two checks in
// a row, some time apart, find it wrong. Failing lookups count only after a day, because most are temporary and not the
// owner's mistake. Owners get one mail when a record goes bad and one when it recovers. Only records that are required
// or were right before are watched. Pure.

import { DAY, jitter, MINUTE } from '#src/kernel/time.ts';
import type { CheckedRecord, DnsConflict, RecordStatus } from '../records/host-check.ts';

/** What is stored about a record from check to check; times in ms. */
export interface RecordHealth {
  readonly wasOk: boolean;
  /** When the record was first found wrong, since it was last right. */
  readonly badSince: number | null;
  /** Since when lookups have failed. */
  readonly errorSince: number | null;
  /** When the owners were notified. */
  readonly notifiedAt: number | null;
}

/** A wanted record, or one that must not exist. */
export type WatchedRecord = Pick<
  CheckedRecord,
  'type' | 'name' | 'priority' | 'required' | 'status' | 'found'
> & {
  readonly purpose: CheckedRecord['purpose'] | DnsConflict['purpose'];
  /** Null: no record must be there. */
  readonly value: string | null;
};

/** Keyed by `recordKey`. */
export type HealthByRecord = Readonly<Record<string, RecordHealth>>;

export interface HealthVerdict {
  readonly health: HealthByRecord;
  /** Records that the owners must be notified about. */
  readonly wentBad: readonly WatchedRecord[];
  /** Records that the owners were notified about and that are right again. */
  readonly recovered: readonly WatchedRecord[];
}

const UNKNOWN: RecordHealth = { wasOk: false, badSince: null, errorSince: null, notifiedAt: null };
/**
 * An earlier second check would see what the first one saw: resolvers cache, and people need time to correct a record.
 */
const SECOND_CHECK_MS = 10 * MINUTE;
const ERROR_LASTS_MS = DAY;

/** Time to the next check if a change is expected. */
export const SOON_MS = 15 * MINUTE;
/** After this time no one waits for the result any more. */
const PENDING_SOON_FOR_MS = 30 * DAY;
/** Spreads the checks of hosts that were verified together. */
const JITTER = 0.1;

export const recordKey = ({ purpose, type, name }: WatchedRecord): string => `${purpose} ${type} ${name}`;

const isFailing = ({ badSince, errorSince }: RecordHealth): boolean =>
  badSince !== null || errorSince !== null;

const afterCheck = (before: RecordHealth, { status, value }: WatchedRecord, now: number): RecordHealth => {
  switch (status) {
    case 'ok':
      return { ...UNKNOWN, wasOk: true };
    case 'error':
      // A failed lookup of a record that must not exist says nothing.
      return value === null ? before : { ...before, errorSince: before.errorSince ?? now };
    case 'missing':
    case 'mismatch':
    case 'multiple':
    case 'proxied':
      return { ...before, badSince: before.badSince ?? now, errorSince: null };
    default:
      return status satisfies never;
  }
};

const isLasting = (status: RecordStatus, { badSince, errorSince }: RecordHealth, now: number): boolean =>
  status === 'error'
    ? errorSince !== null && now - errorSince >= ERROR_LASTS_MS
    : badSince !== null && now - badSince >= SECOND_CHECK_MS;

/** Records that are no longer wanted are dropped. */
export const judgeHealth = (
  before: HealthByRecord,
  records: readonly WatchedRecord[],
  now: number,
): HealthVerdict => {
  const health: Record<string, RecordHealth> = {};
  const wentBad: WatchedRecord[] = [];
  const recovered: WatchedRecord[] = [];
  for (const record of records) {
    const key = recordKey(record);
    const earlier = before[key] ?? UNKNOWN;
    const current = afterCheck(earlier, record, now);
    const isWatched = record.required || current.wasOk;
    const notifies = isWatched && current.notifiedAt === null && isLasting(record.status, current, now);
    if (notifies) wentBad.push(record);
    if (record.status === 'ok' && earlier.notifiedAt !== null) recovered.push(record);
    health[key] = notifies ? { ...current, notifiedAt: now } : current;
  }
  return { health, wentBad, recovered };
};

/** Whether something is wrong that the owners were not yet notified about. */
const hasUnnotified = (health: HealthByRecord, records: readonly WatchedRecord[]): boolean =>
  records.some((record) => {
    const current = health[recordKey(record)] ?? UNKNOWN;
    return (record.required || current.wasOk) && isFailing(current) && current.notifiedAt === null;
  });

/** The last check of the host in use. */
export interface LastFindings {
  readonly at: number;
  readonly health: HealthByRecord;
  readonly records: readonly WatchedRecord[];
}

export interface HostsToCheck {
  /** The domain that waits to be verified, and when it was asked for. */
  readonly pending: { readonly attachedAt: number } | null;
  /** The custom domain in use. `last` is null if it was never checked. */
  readonly inUse: { readonly last: LastFindings | null } | null;
}

const waitAfter = ({ health, records }: LastFindings): number =>
  hasUnnotified(health, records) ? SOON_MS : DAY;

/**
 * Whether the host in use is checked together with the pending one. A pending domain makes checks far more frequent.
 */
export const isInUseDue = ({ inUse }: HostsToCheck, now: number): boolean =>
  inUse !== null && (inUse.last === null || now - inUse.last.at >= waitAfter(inUse.last) * (1 - JITTER));

/**
 * Null if there is nothing to check, because the practice sends from its managed host. `random` is in [0, 1).
 */
export const nextCheckAt = ({ pending, inUse }: HostsToCheck, now: number, random: number): number | null => {
  const daily = now + jitter(DAY, JITTER, random);
  const times: number[] = [];
  if (pending !== null) times.push(now - pending.attachedAt < PENDING_SOON_FOR_MS ? now + SOON_MS : daily);
  if (inUse !== null) {
    const isSoon = inUse.last === null || hasUnnotified(inUse.last.health, inUse.last.records);
    times.push(isSoon ? now + SOON_MS : daily);
  }
  return times.length === 0 ? null : Math.min(...times);
};
