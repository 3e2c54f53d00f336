// What a gate is: a pure function over a snapshot of the tenant's state and, where its kind says so, the message. Its
// verdict is kept with the message, together with the facts it used.

import type { LegalBlock } from '#src/accounts/tenants/legal.ts';
import type { Plan } from '#src/accounts/tenants/rules.ts';
import type { Assessment } from '#src/content/assessment.ts';
import type { BrakeFacts } from '#src/feedback/brake/rules.ts';
import type { Settings } from '#src/kernel/config/config.ts';
import type { AppError, ErrorCode } from '#src/kernel/errors.ts';
import type { Limits } from '#src/kernel/limits.ts';
import type { Text } from '#src/kernel/say.ts';
import type { Stream } from '#src/kernel/stream.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Address, Mailbox } from '#src/mail/mailbox.ts';
import { defaultKind, delicateKinds, type Kind, kinds } from '#src/messages/kinds.ts';
import type { MessageFooter } from '#src/messages/settings.ts';
import type { SuppressionFacts } from '#src/messages/suppression-rules.ts';
import type { Draft } from './draft.ts';

/**
 * What a gate asks about. Callers name the kinds they run:
 * `sender`: whether this practice may send such a message at all. `request`: what the request sets beside the content.
 * `recipients`: who may get it. `plan`: the mails of the month. `time`: when it leaves. `volume`: the mails of the day on
 * which it leaves. `token`: whether the token by which it comes is in its usual range. `content`: what it says and carries.
 */
export const gateKinds = [
  'sender',
  'request',
  'recipients',
  'plan',
  'time',
  'volume',
  'token',
  'content',
] as const;
export type GateKind = (typeof gateKinds)[number];
/** Their gates also run for a message that is stored already: they look at no draft. */
export type DepartureKind = 'time' | 'volume';

/** What the gates know about the time at which a message leaves. */
export interface DepartureFacts {
  /** ms since the epoch. */
  readonly now: number;
  readonly limits: Limits;
  readonly stream: Stream;
  /** ms since the epoch; null: at once. */
  readonly scheduledAt: number | null;
  /** Mails that count: one for each recipient, without the suppressed ones and the simulator. */
  readonly mails: number;
  /** The warm-up of the domain in From; null where it is not warmed up. */
  readonly warmup: {
    readonly startedAt: number;
    /** The host of the same practice that needs no warm-up. */
    readonly managedHost: string;
    /** Mails of this message's stream that are planned, by UTC day, from today on. */
    readonly planned: ReadonlyMap<number, number>;
  } | null;
}

/** What the gates know of the tenant, read in the transaction that stores the message. */
export interface Facts extends DepartureFacts {
  readonly config: Settings;
  readonly kind: Kind;
  readonly pause: { readonly reason: string; readonly at: number } | null;
  readonly safeMode: boolean;
  readonly simulatorDomain: string;
  /** Whether recipients' addresses may have letters beyond ASCII. */
  readonly takesUtf8: boolean;
  /** Hosts that may be in From. */
  readonly sendingHosts: readonly string[];
  /** A custom domain whose DKIM has not been verified. */
  readonly pendingDomain: string | null;
  readonly from: Mailbox;
  readonly route: { readonly id: string; readonly slug: string; readonly type: Stream };
  readonly practiceName: string;
  readonly legal: Pick<LegalBlock, 'street' | 'city' | 'privacy_url'> & Partial<LegalBlock>;
  /** Whether the last check of the From host's DKIM records found them wrong or missing. */
  readonly dkimBroken: boolean;
  /** The recipient asked for this mail by a form: it waits where others are refused for now. */
  readonly isAskedFor: boolean;
  /** Whether the sender may learn numbers of the whole practice. */
  readonly seesPractice: boolean;
  /** Null: nothing is capped. */
  readonly plan: {
    readonly name: Plan;
    /** Mails a UTC month. */
    readonly cap: number;
    readonly used: number;
    /** ms since the epoch. */
    readonly resetsAt: number;
    /** What is refused at the cap. */
    readonly refuses: 'all' | 'marketing';
    /** The highest share, in per cent, of which the owners were notified this month. */
    readonly notified: number;
    /** The cap is that of managed hosts, not the plan's. */
    readonly managedHost: boolean;
  } | null;
  /** The API token by which it comes; null: it comes by none. */
  readonly brake: BrakeFacts | null;
  /** The suppressions that keep mail from a recipient, by recipient. */
  readonly suppressed: ReadonlyMap<Address, SuppressionFacts>;
  /** The entry of the consent ledger that allows a send to a list, null where none does; null where it is no such send. */
  readonly consent: { readonly entry: string | null } | null;
  /** Null: the content was not checked, because the mail is the service's own. */
  readonly content: Assessment | null;
  /** The header fields by which relays take orders: see `controlsOf`. */
  readonly controls: readonly string[];
  /** How recipients unsubscribe from this mail. */
  readonly unsubscribe: MessageFooter['unsubscribe'];
}

export interface Verdict {
  readonly gate: string;
  /**
   * `suppressed`: some recipients get nothing, the others do. `held`: it goes out later. `warned`: it goes out, and its
   * sender should know of something. `blocked`: it is kept as failed. `refused`: nothing is kept.
   */
  readonly verdict: 'passed' | 'suppressed' | 'held' | 'warned' | 'blocked' | 'refused';
  readonly facts: Readonly<Record<string, unknown>>;
}

/** What a gate finds; without any of the optional fields the message passes. */
export interface Finding<C extends ErrorCode = ErrorCode> {
  readonly facts: Verdict['facts'];
  readonly refusal?: AppError<C>;
  /** The content must not leave. */
  readonly blocks?: true;
  /** Something that a sender should know and that does not keep the message from leaving. */
  readonly warns?: true;
  /** These recipients get nothing. */
  readonly suppresses?: readonly Address[];
  /** The first attempt waits until then, ms. */
  readonly holdsUntil?: number;
  /** The same, because the token by which it comes is slowed: a person may lift that. */
  readonly slowsUntil?: number;
}

export interface Gate<K extends GateKind = GateKind, C extends ErrorCode = ErrorCode> {
  readonly name: string;
  /** What it looks at, for people. */
  readonly title: Text;
  readonly kind: K;
  /** All codes that it refuses or blocks with: routes that send declare them. */
  readonly errors: readonly C[];
  /** Its refusal says what a practice lacks for marketing. */
  readonly isForMarketing?: true;
  readonly check: K extends DepartureKind
    ? (facts: DepartureFacts) => Finding<NoInfer<C>>
    : (facts: Facts, draft: Draft) => Finding<NoInfer<C>>;
}

/** Checks that the gate refuses with no code that it does not declare. */
export const defineGate = <K extends GateKind, C extends ErrorCode>(gate: Gate<K, C>): Gate<K, C> => gate;

export const kindOf = (draft: Pick<Draft, 'kind'>, route: { readonly type: Stream }): Kind =>
  draft.kind ?? defaultKind[route.type];

export const recipientsOf = ({ to, cc, bcc }: Pick<Draft, 'to' | 'cc' | 'bcc'>): Mailbox[] => [
  ...to,
  ...cc,
  ...bcc,
];

/** The part of the facts that follows from the draft and what was read for it. */
export const factsOfDraft = (
  draft: Draft,
  { route, suppressed, simulatorDomain }: Pick<Facts, 'route' | 'suppressed' | 'simulatorDomain'>,
): Pick<Facts, 'kind' | 'stream' | 'scheduledAt' | 'mails'> => {
  const kind = kindOf(draft, route);
  const counts = ({ address }: Mailbox): boolean =>
    !suppressed.has(address) && addressDomain(address) !== simulatorDomain;
  return {
    kind,
    stream: kinds[kind].stream,
    scheduledAt: draft.scheduledAt,
    mails: recipientsOf(draft).filter(counts).length,
  };
};

/** When it is to leave, ms: now where its time has passed. */
export const leavesAt = ({ scheduledAt, now }: Pick<DepartureFacts, 'scheduledAt' | 'now'>): number =>
  Math.max(scheduledAt ?? now, now);

// Whether opens and clicks are tracked. The settings of the message or its template come first; else its route decides, for
// kinds that may be tracked by default. The service's own mail is never tracked. Pure.

interface Tracking {
  readonly track_opens: boolean;
  readonly track_clicks: boolean;
}

export const trackingOf = (
  given: Draft['settings'],
  kind: Kind,
  route: { readonly track_opens: 0 | 1; readonly track_clicks: 0 | 1 },
  source: string,
): Tracking => {
  if (source === 'system') return { track_opens: false, track_clicks: false };
  const asRoute = (flag: 0 | 1): boolean => kinds[kind].tracking === 'as its route' && flag === 1;
  return {
    track_opens: given.track_opens ?? asRoute(route.track_opens),
    track_clicks: given.track_clicks ?? asRoute(route.track_clicks),
  };
};

export const isDelicate = ({ track_opens, track_clicks }: Draft['settings'], kind: Kind): boolean =>
  (track_opens === true || track_clicks === true) && delicateKinds.has(kind);

export const TRACKING_GATE = 'tracking';
export const warnsOfTracking = (verdicts: readonly Verdict[]): boolean =>
  verdicts.some(({ gate, verdict }) => gate === TRACKING_GATE && verdict === 'warned');

/** The id of the warning about that. */
export const DELICATE_TRACKING = 'tracking_on_kind';
