// When owners are told of a record, and when its host is looked at next. A record counts as gone bad when two looks in a
// row, some time apart, find it wrong; the DNS not answering counts only once it has lasted a day, for that is mostly
// nobody's mistake and passes. Each is told once, and once more when it is right again. Only records that are required or
// have been right before are watched. Pure.

import { DAY, jitter, MINUTE } from '#src/kernel/time.ts';
import type { CheckedRecord, DnsConflict, RecordStatus } from '../records/host-check.ts';

/** What is remembered of a record from look to look; times in ms. */
export interface RecordHealth {
  readonly wasOk: boolean;
  /** When it was first found wrong, since it was last right. */
  readonly badSince: number | null;
  /** Since when nothing can be found out. */
  readonly errorSince: number | null;
  /** When the owners were told. */
  readonly notifiedAt: number | null;
}

/** A record, or something that should not be there. */
export type WatchedRecord = Pick<
  CheckedRecord,
  'type' | 'name' | 'priority' | 'required' | 'status' | 'found'
> & {
  readonly purpose: CheckedRecord['purpose'] | DnsConflict['purpose'];
  /** Null: nothing is to stand there. */
  readonly value: string | null;
};

/** By `recordKey`. */
export type HealthByRecord = Readonly<Record<string, RecordHealth>>;

export interface HealthVerdict {
  readonly health: HealthByRecord;
  /** The owners are to be told that these are wrong. */
  readonly wentBad: readonly WatchedRecord[];
  /** They had been told of these, which are right again. */
  readonly recovered: readonly WatchedRecord[];
}

const UNKNOWN: RecordHealth = { wasOk: false, badSince: null, errorSince: null, notifiedAt: null };
/** A second look sooner than this sees what the first one saw: resolvers and people need a moment. */
const SECOND_CHECK_MS = 10 * MINUTE;
const ERROR_LASTS_MS = DAY;

/** How soon a host is looked at again where something is expected to change. */
export const SOON_MS = 15 * MINUTE;
/** After so long without success nobody is waiting at the screen any more. */
const PENDING_SOON_FOR_MS = 30 * DAY;
/** Hosts verified at one time are not all looked at together for ever. */
const JITTER = 0.1;

export const recordKey = ({ purpose, type, name }: WatchedRecord): string => `${purpose} ${type} ${name}`;

const isFailing = ({ badSince, errorSince }: RecordHealth): boolean =>
  badSince !== null || errorSince !== null;

const afterCheck = (before: RecordHealth, { status, value }: WatchedRecord, now: number): RecordHealth => {
  switch (status) {
    case 'ok':
      return { ...UNKNOWN, wasOk: true };
    case 'error':
      // Of what should not be there nothing is missed while it cannot be asked for.
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

/** What is remembered of records that are not wanted any more is dropped. */
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

/** Whether something is wrong that the owners have not been told of. */
const hasUnnotified = (health: HealthByRecord, records: readonly WatchedRecord[]): boolean =>
  records.some((record) => {
    const current = health[recordKey(record)] ?? UNKNOWN;
    return (record.required || current.wasOk) && isFailing(current) && current.notifiedAt === null;
  });

/** What was last found of the host in use. */
export interface LastFindings {
  readonly at: number;
  readonly health: HealthByRecord;
  readonly records: readonly WatchedRecord[];
}

export interface HostsToCheck {
  /** The domain that waits to be verified: when it was asked for. */
  readonly pending: { readonly attachedAt: number } | null;
  /** The custom domain in use. `last` is null where it was not looked at yet. */
  readonly inUse: { readonly last: LastFindings | null } | null;
}

const waitAfter = ({ health, records }: LastFindings): number =>
  hasUnnotified(health, records) ? SOON_MS : DAY;

/** Whether the host in use is to be looked at beside the pending one, which has the practice looked at far more often. */
export const isInUseDue = ({ inUse }: HostsToCheck, now: number): boolean =>
  inUse !== null && (inUse.last === null || now - inUse.last.at >= waitAfter(inUse.last) * (1 - JITTER));

/** Null where there is nothing to look at: mail goes out from the managed host. `random` is in [0, 1). */
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
