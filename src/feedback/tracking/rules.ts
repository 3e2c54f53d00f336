// Whether an open or click is a person's, and whether it is stored: machines and repetitions change no status. Pure.
import type { HeardEvent } from '#src/events/store.ts';
import { SECOND } from '#src/kernel/time.ts';
import type { HitKind } from './machines.ts';

/** One pixel loaded, or one link followed. */
export interface Hit {
  readonly kind: HitKind;
  readonly at: number;
  /** The address without its host part; null if unknown. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** The target, for a click. */
  readonly url: string | null;
  /** Id of the rule that recognised a machine; null: a person, as far as known. */
  readonly machine: string | null;
}

/** Stored hits of each kind per recipient, machines included, so that repeated requests cannot fill a tenant's file. */
export const MAX_KEPT = 100;

/** People need longer after the hand-over: mail has to arrive, be noticed and read. A sooner hit is a filter's. */
const TOO_SOON_MS: Readonly<Record<HitKind, number>> = { open: 5 * SECOND, click: 10 * SECOND };

/** This many different links of one mail within `BURST_MS` are a filter's, which opens all of them. */
export const BURST_LINKS = 3;
export const BURST_MS = 2 * SECOND;

/**
 * For an attempt with an unknown end, the hand-over is stored with the first report about the mail and has its time. The
 * real time of such a hand-over is unknown.
 */
const isKnownTime = (sent: HeardEvent, events: readonly HeardEvent[]): boolean =>
  !events.some(({ own, at }) => !own && at === sent.at);

/** The event may be stored after the mail was handed over, so a hit just before it is as suspicious. */
export const isTooSoon = ({ kind, at }: Hit, events: readonly HeardEvent[]): boolean =>
  events.some(
    (one) =>
      one.type === 'message.sent' && Math.abs(at - one.at) < TOO_SOON_MS[kind] && isKnownTime(one, events),
  );

/** `clicks` of one recipient's mail, within `BURST_MS`. */
export const isBurst = (clicks: readonly Pick<Hit, 'url'>[]): boolean =>
  new Set(clicks.map(({ url }) => url)).size >= BURST_LINKS;

export interface CopyFacts {
  /** Attempts with a stored outcome. */
  readonly attempts: number;
  /** Includes an attempt in flight; null where the copy is no longer queued. */
  readonly queuedAttempts: number | null;
  /** Whether it left the queue for another reason than an attempt. */
  readonly isEnded: boolean;
}

/** Whether anyone can have the copy; otherwise its links were read in the source that the API shows. */
export const canBeRead = ({ attempts, queuedAttempts, isEnded }: CopyFacts): boolean =>
  queuedAttempts === null ? attempts > 0 || !isEnded : queuedAttempts > 0;

/**
 * Whether the copy can have arrived all the same: the end of an attempt is unknown, or there is a report about the mail.
 * Otherwise the reader is a filter that reads mail before its server answers. If it counted as a person, a deferred mail
 * would not be sent again. `ended`: attempts that have ended or died with their process; `turnedAway`: those that were deferred or
 * reached no upstream.
 */
export const canHaveArrived = (ended: number, turnedAway: number, events: readonly HeardEvent[]): boolean =>
  ended > turnedAway || events.some(({ own }) => !own);
