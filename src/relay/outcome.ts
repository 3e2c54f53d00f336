// What a transcript means for the message and for the upstream. Pure.
//
// Whether a failure is the upstream's or the message's is decided by the phase first, then by the reply:
// - Before MAIL no message has been named: all that goes wrong there is the upstream's failure.
// - 421 closes the connection, whatever command it answers (RFC 5321 §3.8); replies about authentication, relaying, storage and
//   sending limits concern us as the upstream's client. Such a message is queued again and loses none of its attempts.
// - Any other 4yz is the message's own: try again later. Any other 5yz is final.
// - A connection that broke before the final dot left nothing behind: it is safe to repeat, and the upstream's failure. After
//   the dot no one knows (RFC 1047). The message is tried again with the same Message-ID (at least once), as one of its
//   own attempts: a message that makes the upstream fall over must run out of attempts, not shut the upstream for all.
import { type Classification, classifyBounce } from '#src/mail/bounce-class.ts';
import { formatReply, type Reply } from '#src/mail/reply.ts';
import type { Phase, Transcript } from './upstream.ts';

export type Outcome =
  | { readonly kind: 'accepted'; readonly reply: Reply; readonly dsnRequested: boolean }
  /** Try again later; costs one attempt. `reply` is null where the connection broke after the final dot. */
  | { readonly kind: 'deferred'; readonly reply: Reply | null; readonly diagnostic: string }
  | ({ readonly kind: 'bounced'; readonly reply: Reply } & Classification)
  /** Counts for the breaker; the message goes back to the queue and loses no attempt. */
  | { readonly kind: 'upstream_failure'; readonly reply: Reply | null; readonly diagnostic: string };

interface UpstreamRule {
  /** Absent: in every phase. */
  readonly phases?: readonly Phase[];
  readonly codes?: readonly number[];
  readonly enhanced?: RegExp;
  readonly text?: RegExp;
  readonly reason: string;
}

/** A rule matches when all that it names matches. */
const upstreamRules: readonly UpstreamRule[] = [
  {
    phases: ['connect', 'greeting', 'ehlo', 'starttls', 'auth'],
    reason: 'no message had been named yet',
  },
  { codes: [421], reason: 'the service is closing the connection (RFC 5321 §3.8)' },
  {
    codes: [432, 454, 530, 534, 535, 538],
    reason:
      'authentication or TLS is missing, refused or out of order (RFC 4954 §6, RFC 3207 §4); throttling at SES',
  },
  {
    phases: ['mail'],
    codes: [503],
    reason: 'bad sequence of commands: the session is not where it should be',
  },
  {
    phases: ['mail'],
    codes: [450, 451, 452],
    enhanced: /^4\.[34]\.\d+$/,
    reason: 'mail system or network status (RFC 3463 §3.4, §3.5): storage, load, configuration',
  },
  {
    phases: ['mail'],
    codes: [451, 452],
    enhanced: /^$/,
    reason: 'local error, insufficient storage (RFC 5321 §4.2.3), and no detail that says otherwise',
  },
  {
    phases: ['mail'],
    text: /\b(quota|rate|throttl\w*|suspended|too many|too much|limit (exceeded|reached))\b/i,
    reason: 'MAIL names only us: a limit there is the limit of our account',
  },
  {
    phases: ['rcpt', 'data', 'dot'],
    text: /\b(sending|outgoing|submission|daily|hourly|monthly|messages?)[ -]([\w-]+ )?(quota|limit|rate)\b.*\b(exceeded|reached)\b|\bthrottling failure\b|\bmaximum sending rate\b/i,
    reason: 'the sending limit of our account',
  },
  {
    phases: ['mail', 'rcpt'],
    text: /\brelay(ing)? (access )?(is )?(denied|not permitted|not allowed|prohibited)\b|\bunable to relay\b|\bnot permitted to relay\b/i,
    reason: 'a relay that does not relay for us: our credentials or address are unknown to it',
  },
];

const matches = (rule: UpstreamRule, phase: Phase, reply: Reply): boolean =>
  (rule.phases?.includes(phase) ?? true) &&
  (rule.codes?.includes(reply.code) ?? true) &&
  (rule.enhanced?.test(reply.enhanced ?? '') ?? true) &&
  (rule.text?.test(reply.text) ?? true);

const judgeRefusal = (phase: Phase, reply: Reply): Outcome => {
  const rule = upstreamRules.find((row) => matches(row, phase, reply));
  const said = `${formatReply(reply)} (to ${phase})`;
  if (rule !== undefined) return { kind: 'upstream_failure', reply, diagnostic: `${said}: ${rule.reason}` };
  if (reply.code < 500) return { kind: 'deferred', reply, diagnostic: said };
  const classification = classifyBounce(reply);
  // A reply to MAIL is about the sender, so it must never suppress the recipient.
  if (phase === 'mail' && classification.class === 'hard') {
    return { kind: 'bounced', class: 'soft', rule: 'sender_address', reply };
  }
  return { kind: 'bounced', ...classification, reply };
};

export const judge = (transcript: Transcript): Outcome => {
  switch (transcript.result) {
    case 'accepted':
      return { kind: 'accepted', reply: transcript.reply, dsnRequested: transcript.dsnRequested };
    case 'refused':
      return judgeRefusal(transcript.phase, transcript.reply);
    case 'broken': {
      const diagnostic = `${transcript.error} (waiting for ${transcript.phase})`;
      return { kind: transcript.phase === 'dot' ? 'deferred' : 'upstream_failure', reply: null, diagnostic };
    }
    default:
      return transcript satisfies never;
  }
};
