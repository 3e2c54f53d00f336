// Decides when a host's DKIM keys change their role. A rotation lets the waiting RSA key (`next`) sign. The keys that
// signed become `retiring`: they stay published until the mail that they signed has arrived or was given up. Then their
// tokens get new keys, so the key behind a selector never changes while mail with it is in flight. Ed25519 has one
// token, so RSA signs alone until the new Ed25519 key has been published for a while. Pure.
import { DAY, HOUR } from '#src/kernel/time.ts';
import type { DkimKeyRow } from '../store.ts';

export type KeyFacts = Omit<DkimKeyRow, 'sealed_key'>;

/** All in milliseconds. */
export interface KeySettings {
  /** How long a key stays published after it stopped signing. */
  readonly keepOld: number;
  /** How long a key signs. */
  readonly rotateAfter: number;
}

/**
 * `pending`: no mail is sent from it yet. `retired`: not in use since then; its mail may still be in flight.
 */
export type HostUse =
  | { readonly kind: 'in_use' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'retired'; readonly since: number };

export const nextSteps = ['activate', 'retire', 'renew', 'remove'] as const;
/** `renew`: the token gets a new key. `remove`: the key is removed with its token. */
export type NextStep = (typeof nextSteps)[number];

/** The next step of a key, and its time; both null if nothing happens by itself. */
export interface Plan {
  readonly step: NextStep | null;
  readonly at: number | null;
}

/** Longer than resolvers cache: records of keys live five minutes. */
export const SETTLE_MS = HOUR;
/**
 * How long a withdrawn key is shown as withdrawn. What it signed fails in any case, and its host needs the token.
 */
export const REVOKED_MS = DAY;
/** Mail on its way and its bounces last longer than the use of a host; 30 days is the longest time in the queue. */
export const HOST_KEPT_MS = 60 * DAY;
/** Added to the longest time in the queue, so that the last attempt can still be verified. */
const AFTER_QUEUE_MS = DAY;
/** Spreads the rotations of practices that were created on one day over a tenth of the time. */
const SPREAD = 0.1;
const ID_TAIL_DIGITS = 4;

/** `giveUps`: how long messages of each lane are tried. */
export const keepOldOf = (keepOld: number, giveUps: readonly number[]): number =>
  Math.max(keepOld, Math.max(...giveUps) + AFTER_QUEUE_MS);

/**
 * The time to the next rotation: at most `rotateEvery`, and always the same for a tenant, as the end of its id (UUIDv7) is
 * random.
 */
export const rotateAfterOf = (rotateEvery: number, tenantId: string): number => {
  const share = Number.parseInt(tenantId.slice(-ID_TAIL_DIGITS), 16) / 16 ** ID_TAIL_DIGITS;
  return Math.round(rotateEvery * (1 - SPREAD * share));
};

const isRsa = ({ algorithm }: KeyFacts): boolean => algorithm === 'rsa-sha256';
const isActive = ({ role }: KeyFacts): boolean => role === 'active';
const isOver = ({ role }: KeyFacts): boolean => role === 'retiring' || role === 'revoked';

/** Whether another token has replaced this one: the domain was lost and claimed again. */
export const isReplaced = (row: KeyFacts, rows: readonly KeyFacts[]): boolean =>
  row.position > 0 &&
  isOver(row) &&
  rows.some(
    (other) =>
      other.position === row.position &&
      other.token !== row.token &&
      (other.created_at > row.created_at || (other.created_at === row.created_at && !isOver(other))),
  );

const isGoing = (row: KeyFacts, rows: readonly KeyFacts[]): boolean =>
  row.position === 0 || isReplaced(row, rows);

const overAt = (row: KeyFacts, { keepOld }: KeySettings): number =>
  (row.retired_at ?? row.created_at) + (row.role === 'revoked' && row.position > 0 ? REVOKED_MS : keepOld);

const settledAt = ({ published_at }: KeyFacts): number | null =>
  published_at === null ? null : published_at + SETTLE_MS;

/** When the key can take over; Infinity if that is not known yet. */
const readyAt = (row: KeyFacts, rows: readonly KeyFacts[], settings: KeySettings): number => {
  if (row.role === 'next') return settledAt(row) ?? Infinity;
  return isOver(row) && !isGoing(row, rows) ? overAt(row, settings) + SETTLE_MS : Infinity;
};

const spareAt = (rows: readonly KeyFacts[], settings: KeySettings): number =>
  Math.min(...rows.filter((row) => isRsa(row) && !isActive(row)).map((row) => readyAt(row, rows, settings)));

/** When the keys that sign for a host are replaced. */
const rotationAt = (rows: readonly KeyFacts[], settings: KeySettings): number => {
  const signing = rows.filter((row) => isRsa(row) && isActive(row));
  const since = Math.min(...signing.map(({ activated_at, created_at }) => activated_at ?? created_at));
  return Math.max(since + settings.rotateAfter, spareAt(rows, settings));
};

const hasSigned = ({ activated_at }: KeyFacts): boolean => activated_at !== null;

/** Keys that have never signed come first. */
const spares = <R extends KeyFacts>(rows: readonly R[]): R[] =>
  rows
    .filter((row) => isRsa(row) && row.role === 'next')
    .toSorted((a, b) => Number(hasSigned(a)) - Number(hasSigned(b)) || a.position - b.position);

const step = (name: NextStep, at: number | null): Plan => ({
  step: name,
  at: at === Infinity ? null : at,
});
const NOTHING: Plan = { step: null, at: null };

const planOf = (row: KeyFacts, rows: readonly KeyFacts[], use: HostUse, settings: KeySettings): Plan => {
  const rotation = use.kind === 'in_use' ? rotationAt(rows, settings) : Infinity;
  switch (row.role) {
    case 'retiring':
    case 'revoked':
      return step(isGoing(row, rows) ? 'remove' : 'renew', overAt(row, settings));
    case 'active':
      return use.kind === 'in_use' ? step('retire', rotation) : NOTHING;
    case 'next': {
      const others = rows.some((other) => isActive(other) && other.algorithm === row.algorithm);
      if (!others) return step('activate', settledAt(row));
      const isNext = isRsa(row) && use.kind === 'in_use' && spares(rows)[0] === row;
      return isNext ? step('activate', rotation) : NOTHING;
    }
    default:
      return row.role satisfies never;
  }
};

/** The next step of each of a host's keys, in their order. */
export const planKeys = (rows: readonly KeyFacts[], use: HostUse, settings: KeySettings): Plan[] =>
  rows.map((row) =>
    use.kind === 'retired' ? step('remove', use.since + HOST_KEPT_MS) : planOf(row, rows, use, settings),
  );

export type Rotation<R> =
  | { readonly kind: 'rotation'; readonly activate: R; readonly retire: readonly R[] }
  /** `readyAt`: when a key can take over; null if none is coming. */
  | { readonly kind: 'no_successor'; readonly readyAt: number | null }
  | { readonly kind: 'nothing_signs' };

/**
 * Which key takes over from those that sign. If these are compromised, a key that was published a moment ago or that
 * has retired before is good enough: its record is in the DNS, and no one else has it.
 */
export const rotationOf = <R extends KeyFacts>(
  rows: readonly R[],
  settings: KeySettings,
  now: number,
  { compromised }: { readonly compromised: boolean },
): Rotation<R> => {
  const retire = rows.filter(isActive);
  if (retire.length === 0) return { kind: 'nothing_signs' };
  const published = spares(rows).filter(({ published_at }) => published_at !== null);
  const settled = published.filter((row) => (settledAt(row) ?? Infinity) <= now);
  const again = rows
    .filter(
      (row) => isRsa(row) && row.role === 'retiring' && row.published_at !== null && !isReplaced(row, rows),
    )
    .toSorted((a, b) => b.position - a.position);
  const [activate] = compromised ? [...settled, ...again, ...published] : settled;
  if (activate) return { kind: 'rotation', activate, retire };
  const at = spareAt(rows, settings);
  return { kind: 'no_successor', readyAt: at === Infinity ? null : at };
};
