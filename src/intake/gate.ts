// What a gate is: a pure function over a message and a snapshot of its tenant's state, named after what it looks at. Its
// verdict, with the facts it used, is kept with the message.

import type { Plan } from '#src/accounts/tenants/rules.ts';
import type { Assessment } from '#src/intake/content/assessment.ts';
import type { AppError } from '#src/kernel/errors.ts';
import type { Stream } from '#src/kernel/stream.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Address, Mailbox } from '#src/mail/mailbox.ts';
import { defaultKind, type Kind, kinds } from '#src/messages/kinds.ts';
import type { MessageFooter } from '#src/messages/settings.ts';
import type { SuppressionFacts } from '#src/messages/suppression-rules.ts';
import type { Draft } from './draft.ts';

/** What the gates know of the tenant, read in the transaction that stores the message. */
export interface Facts {
  /** ms since the epoch. */
  readonly now: number;
  readonly pause: { readonly reason: string; readonly at: number } | null;
  readonly safeMode: boolean;
  /** Addresses, or domains with a leading `@`, in lower case. */
  readonly safeModeAllowed: readonly string[];
  readonly simulatorDomain: string;
  /** Hosts that may be in From. */
  readonly sendingHosts: readonly string[];
  /** A custom domain whose DKIM has not been verified. */
  readonly pendingDomain: string | null;
  readonly from: Mailbox;
  readonly route: { readonly id: string; readonly slug: string; readonly type: Stream };
  readonly practiceName: string;
  readonly legal: {
    readonly street: string | null;
    readonly city: string | null;
    readonly privacy_url: string | null;
  };
  /** Whether the last look at the From host's DKIM records found them wrong or gone. */
  readonly dkimBroken: boolean;
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
    /** The highest share, in per cent, that the owners were told of this month. */
    readonly told: number;
    /** The cap is that of managed hosts, not the plan's. */
    readonly managedHost: boolean;
  } | null;
  /** Of the custom domain in use; null where there is none to warm up. */
  readonly warmup: {
    readonly startedAt: number;
    /** Mails of this message's stream that are planned, by UTC day, from today on. */
    readonly planned: ReadonlyMap<number, number>;
  } | null;
  /** By recipient, those that a suppression keeps mail from. */
  readonly suppressed: ReadonlyMap<Address, SuppressionFacts>;
  /** Recipients of a list send who have given no consent to it; null where it is no list send. */
  readonly withoutConsent: readonly Address[] | null;
  /** Null: nobody has looked, because the mail is the service's own. */
  readonly content: Assessment | null;
  /** How recipients get out of this mail. */
  readonly unsubscribe: MessageFooter['unsubscribe'];
}

export interface Verdict {
  readonly gate: string;
  /**
   * `suppressed`: some recipients get nothing, the others do. `held`: it goes out later. `warned`: it goes out, but.
   * `blocked`: it is kept as failed. `refused`: nothing is kept.
   */
  readonly verdict: 'passed' | 'suppressed' | 'held' | 'warned' | 'blocked' | 'refused';
  readonly facts: Readonly<Record<string, unknown>>;
}

/** What a gate finds; without any of the optional fields the message passes. */
export interface Finding {
  readonly facts: Verdict['facts'];
  readonly refusal?: AppError;
  /** The content must not leave. */
  readonly blocks?: true;
  /** Something a sender should know of, that keeps nothing from leaving. */
  readonly warns?: true;
  /** These recipients get nothing. */
  readonly suppresses?: readonly Address[];
  /** Not to be tried before, ms. */
  readonly holdsUntil?: number;
}

export interface Gate {
  readonly name: string;
  readonly check: (draft: Draft, facts: Facts) => Finding;
}

export const kindOf = (draft: Draft, facts: Pick<Facts, 'route'>): Kind =>
  draft.kind ?? defaultKind[facts.route.type];

export const streamOf = (draft: Draft, facts: Pick<Facts, 'route'>): Stream =>
  kinds[kindOf(draft, facts)].stream;

export const recipientsOf = ({ to, cc, bcc }: Draft): Mailbox[] => [...to, ...cc, ...bcc];

/** When it is to leave, ms: now where it is for a time that has passed. */
export const goesOutAt = ({ scheduledAt }: Pick<Draft, 'scheduledAt'>, { now }: Pick<Facts, 'now'>): number =>
  Math.max(scheduledAt ?? now, now);

/** Mails that count: one a recipient, without the suppressed ones and the simulator. */
export const countedMails = (draft: Draft, { suppressed, simulatorDomain }: Facts): number =>
  recipientsOf(draft).filter(
    ({ address }) => !suppressed.has(address) && addressDomain(address) !== simulatorDomain,
  ).length;
