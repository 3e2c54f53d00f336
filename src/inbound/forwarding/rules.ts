// Whether a mail received may be forwarded, in which bytes, and what an attempt means for its copy. Pure.
import { isAscii } from 'node:buffer';
import type { Limits } from '#src/kernel/limits.ts';
import { MINUTE } from '#src/kernel/time.ts';
import type { Field } from '#src/mail/field-block.ts';
import { formatReply } from '#src/mail/reply.ts';
import { givesUp, type RetryPolicy, retryWait } from '#src/messages/queue/rules.ts';
import type { Outcome } from '#src/relay/outcome.ts';
import type { TargetStatus } from './target-store.ts';

/** Half of what a server accepts (RFC 5321 §6.3): those behind the target add their own. */
const MAX_HOPS = 50;
const TRANSACTIONAL = 0;
/** Until a relay that takes nothing at the moment is asked again. */
export const NO_UPSTREAM_WAIT_MS = MINUTE;

const bare = (address: string): string => address.replace(/^<|>$/g, '').toLowerCase();

/** The mail has been at that address of ours before, or at too many servers. */
export const isLoop = (fields: readonly Field[], recipient: string): boolean =>
  fields.filter(({ name }) => name === 'received').length > MAX_HOPS ||
  fields.some(({ name, value }) => name === 'delivered-to' && bare(value) === recipient.toLowerCase());

export interface CopyFacts {
  /** Undefined where no mailbox forwards there any more. */
  readonly target: TargetStatus | undefined;
  readonly isSuppressed: boolean;
  /** Safe mode keeps mail from that address. */
  readonly isStranger: boolean;
  /** Asked for where nothing else refuses it: these read more. */
  readonly isTooMany: () => boolean;
  readonly isLoop: () => boolean;
}

export interface Refusal {
  readonly status: 'failed' | 'suppressed';
  readonly diagnostic: string;
}

/**
 * Copies of a practice in a day. Those that leave under its managed host share the reputation of all practices there: a day has no
 * more of them than a month has of its mails.
 */
export const mostInADay = (
  { forwards_per_practice_per_day: most, managed_host_mails }: Limits,
  isManagedHost: boolean,
): number => (isManagedHost ? Math.min(most, managed_host_mails) : most);

/** Why the copy is not sent; null where it may be. */
export const refusalOf = (facts: CopyFacts): Refusal | null => {
  const failed = (diagnostic: string): Refusal => ({ status: 'failed', diagnostic });
  if (facts.target !== 'confirmed') return failed('The forwarding has been ended.');
  if (facts.isSuppressed) return { status: 'suppressed', diagnostic: 'The address is suppressed.' };
  if (facts.isStranger) return failed('Not forwarded: safe mode keeps mail from that address.');
  if (facts.isTooMany())
    return failed(
      'Not forwarded: too many in an hour or a day to that address, or in a day of the practice.',
    );
  if (facts.isLoop()) return failed('Not forwarded: the mail goes round in a loop.');
  return null;
};

/**
 * The bytes as received, with what was written on top of them at their reception: it is the trace of this hop. Only the return
 * path of then is left out (RFC 5321 §4.4), and by Delivered-To the mail is known again. What is on top breaks no signature.
 */
export const forwardedSource = (stored: Buffer, recipient: string): Buffer => {
  const returnPath = /^Return-Path:[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*/i.exec(
    stored.toString('latin1', 0, 2_048),
  );
  return Buffer.concat([
    Buffer.from(`Delivered-To: ${recipient}\r\n`),
    stored.subarray(returnPath?.[0].length ?? 0),
  ]);
};

/** What the transaction must announce (RFC 6152, RFC 6531). */
export const needsOf = (source: Buffer): readonly ('8BITMIME' | 'SMTPUTF8')[] => {
  if (isAscii(source)) return [];
  const head = source.indexOf('\r\n\r\n');
  return isAscii(source.subarray(0, head === -1 ? source.length : head))
    ? ['8BITMIME']
    : ['8BITMIME', 'SMTPUTF8'];
};

/** What an attempt means. */
export type Result =
  /** `gone`: the target does not exist. */
  | { readonly kind: 'sent' | 'failed' | 'gone'; readonly diagnostic: string }
  /** `isOwn`: it counts as one of the attempts. */
  | { readonly kind: 'later'; readonly diagnostic: string; readonly isOwn: boolean };

export const resultOf = (outcome: Outcome | null): Result => {
  if (outcome === null) return { kind: 'later', diagnostic: 'No relay is free at the moment.', isOwn: false };
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'sent', diagnostic: formatReply(outcome.reply) };
    case 'bounced':
      return { kind: outcome.class === 'hard' ? 'gone' : 'failed', diagnostic: formatReply(outcome.reply) };
    case 'deferred':
      return { kind: 'later', diagnostic: outcome.diagnostic, isOwn: true };
    case 'upstream_failure':
      return { kind: 'later', diagnostic: outcome.diagnostic, isOwn: false };
    default:
      return outcome satisfies never;
  }
};

/** No attempt is due later than that after the one before; the clock was set back where one seems to be. */
export const longestWait = ({ waits, thenEvery, jitter: share }: RetryPolicy): number =>
  Math.max(NO_UPSTREAM_WAIT_MS, Math.ceil(Math.max(thenEvery, ...waits) * (1 + share)));

/** When attempt number `attempts` is followed by the next; it is written before that attempt. */
export const nextAttemptAt = (policy: RetryPolicy, attempts: number, now: number, random: number): number =>
  now + retryWait(policy, attempts, random);

/** When it is tried again; null where it is given up. `planned`: as it was written with the claim. */
export const laterAt = (
  policy: RetryPolicy,
  {
    isOwn,
    planned,
    createdAt,
  }: { readonly isOwn: boolean; readonly planned: number; readonly createdAt: number },
  now: number,
): number | null => {
  const at = isOwn ? planned : now + NO_UPSTREAM_WAIT_MS;
  return givesUp(policy, TRANSACTIONAL, createdAt, at) ? null : at;
};
