// What an open or click is worth (decisions 4): who did it, and whether it is kept. Pure.
import type { HeardEvent } from '#src/events/store.ts';
import { SECOND } from '#src/kernel/time.ts';
import type { HitKind } from './machines.ts';

/** One pixel loaded, or one link followed. */
export interface Hit {
  readonly kind: HitKind;
  readonly at: number;
  /** Without its last part; null where it is not known. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** Of a click. */
  readonly url: string | null;
  /** Which machine it was, by the id of a rule; null: a person, as far as is known. */
  readonly machine: string | null;
}

/** Of each kind and recipient, machines included: nobody fills a practice's file by calling one link again and again. */
export const MAX_KEPT = 100;

/**
 * People need longer from the hand-over to here: mail has to arrive, be noticed and read. What comes sooner is a filter on
 * the way that looks at the mail as a browser would.
 */
const TOO_SOON_MS: Readonly<Record<HitKind, number>> = { open: 5 * SECOND, click: 10 * SECOND };

/** So many different links of one mail within `BURST_MS`: a filter opens all there are. */
export const BURST_LINKS = 3;
export const BURST_MS = 2 * SECOND;

/**
 * Of an attempt whose end nobody knew, a hand-over is written down with the first that tells of the mail, at that time: when
 * it was is not known.
 */
const isKnownTime = (sent: HeardEvent, events: readonly HeardEvent[]): boolean =>
  !events.some(({ own, at }) => !own && at === sent.at);

/** The event may be written after the mail has been handed on: what came just before it is as suspicious. */
export const isTooSoon = ({ kind, at }: Hit, events: readonly HeardEvent[]): boolean =>
  events.some(
    (one) =>
      one.type === 'message.sent' && Math.abs(at - one.at) < TOO_SOON_MS[kind] && isKnownTime(one, events),
  );

/** `clicks` of one recipient's mail, within `BURST_MS`. */
export const isBurst = (clicks: readonly Pick<Hit, 'url'>[]): boolean =>
  new Set(clicks.map(({ url }) => url)).size >= BURST_LINKS;

export interface CopyFacts {
  /** That were written down. */
  readonly attempts: number;
  /** With the one under way; null where it is queued no more. */
  readonly queuedAttempts: number | null;
  /** Whether it was taken out of the queue for another reason than an attempt. */
  readonly isEnded: boolean;
}

/** Whether anybody can have the copy: else its links were read in the API, in its source. */
export const canBeRead = ({ attempts, queuedAttempts, isEnded }: CopyFacts): boolean =>
  queuedAttempts === null ? attempts > 0 || !isEnded : queuedAttempts > 0;

/** Of a copy that is still to be sent. */
export interface WaitingCopy {
  /** Attempts that have ended, or died with their process. */
  readonly ended: number;
  /** Those that were refused for now, or came to no upstream. */
  readonly turnedAway: number;
  readonly events: readonly HeardEvent[];
}

/**
 * Whether it can have arrived all the same: an attempt ended of which nobody knows how, or somebody has told of the mail.
 * Else who looks at it is a filter that reads mail before its server answers. Taken for a person, it would be the last that
 * is events of a mail that was turned away: it would not be sent again.
 */
export const canHaveArrived = ({ ended, turnedAway, events }: WaitingCopy): boolean =>
  ended > turnedAway || events.some(({ own }) => !own);
