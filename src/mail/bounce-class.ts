// Classifies refusals: the address does not exist (hard, suppress it), or something else is wrong (soft). The rules are
// tables. Their rows are tried in order, and the first row that matches decides: enhanced status codes first (RFC 3463,
// RFC 5248 registry), then reply codes (RFC 5321 §4.2.3), then the words alone. Words of any other reason take a hard verdict
// back. Retries and blame are decided elsewhere (relay/outcome.ts, feedback/). Pure.
import { clearStatus } from './bounce-rules/clear-status.ts';
import { replyCode } from './bounce-rules/reply-code.ts';
import type { BounceRule } from './bounce-rules/rule.ts';
import { sharedStatus } from './bounce-rules/shared-status.ts';
import { wordsAlone } from './bounce-rules/words-alone.ts';
import type { Reply } from './reply.ts';

export type Classification = Pick<BounceRule, 'class' | 'rule'>;

export const bounceRules: readonly BounceRule[] = [
  ...clearStatus,
  ...sharedStatus,
  ...replyCode,
  ...wordsAlone,
];

/** The names of the hosts that speak. Those of block lists stay. */
const SPEAKERS =
  /(?<=\b(?:host|server)) [\w-]{1,63}(?:\.[\w-]{1,63}){1,10}|(?<![\w.-])[\w-]{1,63}(?:\.[\w-]{1,63}){1,10}(?=\[\d)/gi;

/** Addresses, hosts and the paths of links say nothing about the refusal: a local part may be `spam`, a page about policies. */
const withoutNames = (text: string): string =>
  text
    .replace(SPEAKERS, '')
    .replace(/[^\s<>()[\]"';,]+/g, (word) =>
      word.includes('@')
        ? word.replace(/(?<![^:])[^:]*@[^:]*/, '@')
        : word.replace(/^(https?:\/\/[^/]{1,255}).*$/i, '$1'),
    );

const matchesEnhanced = (patterns: readonly string[], enhanced: string): boolean => {
  const anyClass = `x${enhanced.slice(1)}`;
  return patterns.includes(enhanced) || patterns.includes(anyClass);
};

const matches = (rule: BounceRule, { code, enhanced, text }: Reply, speaker: string | null): boolean => {
  if (rule.enhanced !== undefined && (enhanced === null || !matchesEnhanced(rule.enhanced, enhanced)))
    return false;
  if (rule.code !== undefined && !rule.code.includes(code)) return false;
  if (rule.speaker !== undefined && (speaker === null || !rule.speaker.test(speaker))) return false;
  return rule.text === undefined || rule.text.test(text);
};

/** The reply code decides whether a refusal is final, and a detail of class 4 contradicts it. A notice without both is final. */
const isFinal = ({ code, enhanced }: Reply): boolean =>
  (code < 400 || code >= 500) && !(enhanced?.startsWith('4') ?? false);

const cleaned = (reply: Reply): Reply => ({ ...reply, text: withoutNames(reply.text) });

/** The row that decides; undefined if none matches. `speaker` is the name of the host that replied. */
export const findBounceRule = (reply: Reply, speaker: string | null = null): BounceRule | undefined => {
  const words = cleaned(reply);
  return bounceRules.find((row) => matches(row, words, speaker));
};

/** Whether words say why, whatever the code says. */
export const hasWordsOfRefusal = (reply: Reply): boolean => {
  const words = cleaned(reply);
  return bounceRules.some((row) => row.text !== undefined && matches(row, words, null));
};

/** Words that contradict the verdict that the address does not exist, whatever the codes say. */
const doubts = wordsAlone.filter((row) => row.class === 'soft');
/** RFC 5321 §4.2.2: a fault in the command. Such a reply with words of a domain is about the greeting or the sender. */
const SYNTAX = new Set([500, 501, 502, 503, 504]);

const doubtAbout = (rule: BounceRule, reply: Reply): BounceRule | undefined => {
  if (rule.rule === 'unknown_domain' && SYNTAX.has(reply.code))
    return doubts.find(({ rule: name }) => name === 'sender_address');
  const words = cleaned(reply);
  return doubts.find((row) => matches(row, words, null));
};

/** Classifies a 4yz or 5yz reply from our own connection or from a report; `code` is 0 if a report gave none. Hard only if codes
 * and words agree: a suppressed address that lives gets no mail from the whole tenant, and a bounce that was taken as soft
 * comes again. A temporary refusal is never hard, because a broken directory may answer "user unknown" for a while. */
export const classifyBounce = (reply: Reply, speaker: string | null = null): Classification => {
  const found = findBounceRule(reply, speaker);
  if (found === undefined) return { class: 'soft', rule: 'unknown' };
  const rule = (found.class === 'hard' && doubtAbout(found, reply)) || found;
  return { class: isFinal(reply) ? rule.class : 'soft', rule: rule.rule };
};
