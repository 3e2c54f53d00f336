// Which events chat alerts report, how they are summed up, and what follows from an attempt to send the sum. Pure.
import {
  type AlertEvent,
  alertFactsOf,
  type EventType,
  eventCatalogue,
  eventTypes,
} from '#src/events/catalogue.ts';
import type { EventData } from '#src/events/store.ts';
import { failureOf, type OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import { DAY, jitter } from '#src/kernel/time.ts';
import { maskAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';

export const alertKinds = ['slack', 'teams'] as const;
export type AlertKind = (typeof alertKinds)[number];

export const isAlertEvent = (name: string): name is AlertEvent =>
  name in eventCatalogue && 'alert' in eventCatalogue[name as EventType];

export const alertEvents = eventTypes.filter(isAlertEvent) as [AlertEvent, ...AlertEvent[]];

/** The events of an alert that names none. */
export const defaultEvents: readonly AlertEvent[] = alertEvents.filter(
  (name) => alertFactsOf(name).byDefault,
);

/** A counted event as a message shows it. Chat tools are third parties: no subject, no content, no whole address. */
export interface Sample {
  /** Masked; null where it is about no single recipient. */
  readonly who: string | null;
  /** Enhanced status or reply code, and the rules that decided. */
  readonly why: readonly string[];
}

export interface Count {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly samples: readonly Sample[];
}

const MAX_SAMPLES = 5;
const MAX_WHY = 4;
/** Characters; names of rules and codes have fewer. */
const MAX_WORD = 60;

export interface ReportedEvent {
  readonly type: AlertEvent;
  readonly at: number;
  readonly recipient: string | null;
  readonly data: EventData;
}

/** What the event is counted as by itself. */
export const countOf = ({ type, at, recipient, data }: ReportedEvent): Count => {
  const { enhanced_code, smtp_code, rule, content_reasons = [] } = data;
  const code = enhanced_code ?? smtp_code ?? null;
  const why = [code === null ? [] : String(code), rule ?? [], content_reasons].flat(2);
  const sample = {
    who: recipient === null ? null : maskAddress(recipient as Address),
    why: why.slice(0, MAX_WHY).map((word) => word.slice(0, MAX_WORD)),
  };
  const says = sample.who !== null || sample.why.length > 0;
  return { count: 1, firstAt: at, lastAt: at, samples: alertFactsOf(type).samples && says ? [sample] : [] };
};

/** Blocked content fires two events of one mail: an alert that reports the one does not count the other. */
export const isCountedAsBlocked = ({ type, data }: ReportedEvent, events: ReadonlySet<string>): boolean =>
  type === 'message.failed' && data.content_reasons !== undefined && events.has('message.content_blocked');

const isSame = (a: Sample, b: Sample): boolean => a.who === b.who && a.why.join() === b.why.join();

export const add = (a: Count | undefined, b: Count): Count => {
  if (a === undefined) return b;
  const isFull = a.samples.length >= MAX_SAMPLES;
  const fresh = isFull ? [] : b.samples.filter((one) => !a.samples.some((other) => isSame(one, other)));
  return {
    count: a.count + b.count,
    firstAt: Math.min(a.firstAt, b.firstAt),
    lastAt: Math.max(a.lastAt, b.lastAt),
    samples: fresh.length === 0 ? a.samples : [...a.samples, ...fresh].slice(0, MAX_SAMPLES),
  };
};

export interface AlertPolicy {
  /** ms from the first event to the one message for all of them. */
  readonly gather: number;
  /** ms before the second, third, ... attempt; the last one holds for all after it. */
  readonly waits: readonly number[];
  /** Share by which each is spread. */
  readonly jitter: number;
  /** ms of failures without a success in between. */
  readonly disableAfter: number;
}

/** When to try again after attempt number `attempt` (from 1), if its outcome is never stored. */
export const nextAttemptAt = (
  attempt: number,
  now: number,
  { waits, jitter: share }: AlertPolicy,
  random: number,
): number => now + jitter(waits[attempt - 1] ?? waits.at(-1) ?? 0, share, random);

/** A chat tool may ask for a longer time. */
const LONGEST_HOLD_MS = DAY;

/** The longest time between two attempts. */
export const longestWait = ({ waits, jitter: share }: AlertPolicy): number =>
  Math.max(LONGEST_HOLD_MS, Math.ceil(Math.max(...waits) * (1 + share)));

type Answered = Extract<OutboundOutcome, { kind: 'answered' }>;

export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly error: string /** ms */; readonly notBefore: number }
  /** The chat tool says that the webhook, its channel or its workspace is gone. */
  | { readonly kind: 'gone'; readonly error: string };

/**
 * What Slack answers, in the whole body, where the webhook, its channel or its workspace is no more. A 404 without such a word
 * may come from a proxy that has lost its way for a moment.
 */
const SAYS_GONE: ReadonlySet<string> = new Set([
  'no_service',
  'no_service_id',
  'no_team',
  'channel_not_found',
  'channel_is_archived',
]);

const isGone = ({ status, excerpt }: Answered): boolean =>
  status === 410 || (status >= 400 && status < 500 && SAYS_GONE.has(excerpt));

/**
 * The most characters of the chat tool's own words that are kept: `invalid_token` says more than a number, a whole page does
 * not.
 */
const MAX_OWN_WORDS = 200;

export const errorOf = (outcome: OutboundOutcome): string | null => {
  const failure = failureOf(outcome);
  if (failure === null || outcome.kind === 'failed' || outcome.status < 400) return failure;
  const own = [...outcome.excerpt].slice(0, MAX_OWN_WORDS).join('');
  return own === '' || own.startsWith('<') ? failure : `${failure}: ${own}`;
};

export const verdictOf = (outcome: OutboundOutcome): Verdict => {
  const error = errorOf(outcome);
  if (error === null) return { kind: 'delivered' };
  if (outcome.kind === 'failed') return { kind: 'retry', error, notBefore: 0 };
  if (isGone(outcome)) return { kind: 'gone', error };
  return { kind: 'retry', error, notBefore: outcome.retryAfter ?? 0 };
};

/** Whether it has failed for too long. `since`: the first failure after the last success. */
export const isFailingTooLong = (since: number, now: number, { disableAfter }: AlertPolicy): boolean =>
  now - since >= disableAfter;
