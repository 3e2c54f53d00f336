// Classifies refusals: the address does not exist (hard, suppress it), or something else is wrong (soft). The rules are
// tables. Their rows are tried in order, and the first row that matches decides: enhanced status codes first (RFC 3463,
// RFC 5248 registry), then reply codes (RFC 5321 §4.2.3), then the words alone. Retries and blame are decided elsewhere
// (relay/outcome.ts, feedback/). Pure.
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

/** Addresses say nothing about the refusal: a local part may be `spam`, and a reply may quote the sender. */
const withoutAddresses = (text: string): string =>
  text.replace(/[^\s<>()[\]"':;,]+/g, (word) => (word.includes('@') ? '@' : word));

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

/** The reply code decides whether a refusal is final, else the class of the enhanced code. A notice without both is final. */
const isFinal = (reply: Reply): boolean => {
  if (reply.code >= 400) return reply.code >= 500;
  return reply.enhanced === null || !reply.enhanced.startsWith('4');
};

/** The row that decides; undefined if none matches. `speaker` is the name of the host that replied. */
export const findBounceRule = (reply: Reply, speaker: string | null = null): BounceRule | undefined => {
  const cleaned = { ...reply, text: withoutAddresses(reply.text) };
  return bounceRules.find((row) => matches(row, cleaned, speaker));
};

/** Classifies a 4yz or 5yz reply from our own connection or from a report; `code` is 0 if a report gave none. A temporary
 * refusal is never hard, because a broken directory may answer "user unknown" for a while. */
export const classifyBounce = (reply: Reply, speaker: string | null = null): Classification => {
  const rule = findBounceRule(reply, speaker);
  if (rule === undefined) return { class: 'soft', rule: 'unknown' };
  return { class: isFinal(reply) ? rule.class : 'soft', rule: rule.rule };
};
