// What is said in the place of a server's reply: why it refused a mail, in words for an office, and what can be done about it, by the
// rule that classified the reply, or by its enhanced status code (RFC 3463) where none is known; and what this service itself replied. Pure.
import type { words } from './words/de.ts';

/** The last one of a server. */
export interface Reply {
  readonly smtp_code: number | null;
  readonly enhanced_code: string | null;
  readonly diagnostic: string | null;
}

export type ReplyWords = typeof words;
type Refusals = ReplyWords['refusals'];
type Own = keyof ReplyWords['own'];

/** What the service stores where no server replied. */
const own: Readonly<Record<string, Own>> = {
  'captured: kept locally, not delivered': 'captured',
  'cancelled before it was due': 'cancelled',
  'the campaign was cancelled': 'campaignCancelled',
  'the relay cannot be used at the moment': 'outOfUse',
  'The message could not be composed.': 'uncomposed',
  'discarded after a restore; whether it left before is not known': 'restored',
  'discarded: a person found that the token which sent it was misused': 'misused',
};

export const ownReply = (diagnostic: string | null): Own | undefined =>
  diagnostic === null || !Object.hasOwn(own, diagnostic) ? undefined : own[diagnostic];

/** Rules that say the same to an office. */
const alike: Readonly<Record<string, keyof Refusals>> = {
  disabled_unexplained: 'disabled',
  expired: 'network',
  relaying_denied: 'policy',
};

/** Each is tried in turn. */
const byCode: readonly (readonly [RegExp, keyof Refusals])[] = [
  [/^\d\.1\.[1346]$|^5\.1\.10$/, 'unknown_address'],
  [/^\d\.1\.2$/, 'unknown_domain'],
  [/^\d\.2\.2$/, 'mailbox_full'],
  [/^\d\.2\.1$/, 'disabled'],
  [/^\d\.(?:2\.3|3\.4)$/, 'too_large'],
  [/^\d\.4\.\d+$/, 'network'],
  [/^\d\.7\.2[0-9]$/, 'auth_policy'],
  [/^\d\.7\.\d+$/, 'policy'],
];

const byWords: readonly (readonly [RegExp, keyof Refusals])[] = [
  [/greylist/i, 'greylisted'],
  [/\b(?:spam|virus|malware)\b/i, 'content'],
  [/\b(?:rate|throttl\w*|too many|try again later)\b/i, 'throttled'],
];

const reasonOf = (
  refusals: Refusals,
  { enhanced_code, diagnostic }: Omit<Reply, 'smtp_code'>,
  rule: string | null | undefined,
): keyof Refusals => {
  const known = alike[rule ?? ''] ?? rule;
  const found =
    Object.keys(refusals).find((one) => one === known) ??
    byWords.find(([pattern]) => pattern.test(diagnostic ?? ''))?.[1] ??
    byCode.find(([pattern]) => pattern.test(enhanced_code ?? ''))?.[1];
  return (found as keyof Refusals | undefined) ?? 'unexplained';
};

const refused: ReadonlySet<string> = new Set(['delivery_delayed', 'soft_bounced', 'hard_bounced', 'failed']);

/** An enhanced status code in a reply that is kept as text alone. */
const CODE = /\b[245]\.\d{1,3}\.\d{1,3}\b/;

/** In the words of a language. */
export const repliesIn = ({ refusals, own: said }: ReplyWords) => {
  /** `rule`: of the event, where there was one. */
  const whyOf = (reply: Omit<Reply, 'smtp_code'>, rule: string | null | undefined) => {
    const { why, advice } = refusals[reasonOf(refusals, reply, rule)];
    return { why, advice };
  };
  return {
    own: said,
    whyOf,
    /** A sentence in the place of a reply; null where the status says all. */
    textOf: (
      status: string,
      { enhanced_code, diagnostic }: Partial<Reply>,
      rule: string | null = null,
    ): string | null => {
      const ours = ownReply(diagnostic ?? null);
      if (ours !== undefined) return said[ours];
      if (!refused.has(status) || !(diagnostic || rule)) return null;
      const reply = {
        enhanced_code: enhanced_code ?? CODE.exec(diagnostic ?? '')?.[0] ?? null,
        diagnostic: diagnostic ?? null,
      };
      return `${whyOf(reply, rule).why}.`;
    },
    ownOf: ownReply,
  };
};
export type Replies = ReturnType<typeof repliesIn>;
