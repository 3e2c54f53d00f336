// What a refusal says about a recipient: does the address not exist (hard, suppress it) or is something else in the way
// (soft). The rules are tables: rows are tried in order, the first that matches in all it names decides. Enhanced status
// codes (RFC 3463, RFC 5248 registry) stand first, reply codes (RFC 5321 §4.2.3) next, bare text of well-known providers
// last. Pure. Whether to try again, and whose fault it is, is decided elsewhere (relay/outcome.ts, feedback/).
import { clearStatus } from './bounce-rules/clear-status.ts';
import { replyCode } from './bounce-rules/reply-code.ts';
import type { BounceRule } from './bounce-rules/rule.ts';
import { sharedStatus } from './bounce-rules/shared-status.ts';
import { wordsAlone } from './bounce-rules/words-alone.ts';
import type { Reply } from './reply.ts';

export type Classification = Pick<BounceRule, 'class' | 'rule'>;

/** Order is meaning: a code that is clear by itself, then codes that providers use for several things, told apart by
 * text, then those codes alone. */
export const bounceRules: readonly BounceRule[] = [
  ...clearStatus,
  ...sharedStatus,
  ...replyCode,
  ...wordsAlone,
];

/** A local part may be called `spam`, and what is quoted of the sender says nothing of the refusal. */
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

/** The reply code decides whether a refusal is final; without one the class of the enhanced code; without both (a notice
 * in plain text) it is final. */
const isFinal = (reply: Reply): boolean => {
  if (reply.code >= 400) return reply.code >= 500;
  return reply.enhanced === null || !reply.enhanced.startsWith('4');
};

/** The row that decides; undefined where none matches. `speaker`: name of the host whose words they are. */
export const findBounceRule = (reply: Reply, speaker: string | null = null): BounceRule | undefined => {
  const said = { ...reply, text: withoutAddresses(reply.text) };
  return bounceRules.find((row) => matches(row, said, speaker));
};

/** Classifies a 4yz or 5yz, from our own connection or from a report; `code` 0 where a report gave none. What is not
 * final is never hard: a passing "user unknown" of a broken directory must not suppress anybody. */
export const classifyBounce = (reply: Reply, speaker: string | null = null): Classification => {
  const rule = findBounceRule(reply, speaker);
  if (rule === undefined) return { class: 'soft', rule: 'unknown' };
  return { class: isFinal(reply) ? rule.class : 'soft', rule: rule.rule };
};
