// Why a server refused a mail, in words for an office, and what can be done about it: by the rule that classified the reply, or by
// its enhanced status code (RFC 3463) where none is known. Pure.
import type { words } from './words/de.ts';

/** The last one of a server. */
export interface Reply {
  readonly smtp_code: number | null;
  readonly enhanced_code: string | null;
  readonly diagnostic: string | null;
}

type Refusals = typeof words.refusals;

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

/** `rule`: of the event, where there was one. */
export const whyOf = (
  refusals: Refusals,
  { enhanced_code, diagnostic }: Reply,
  rule: string | null | undefined,
): Refusals[keyof Refusals] => {
  const known = alike[rule ?? ''] ?? rule;
  const found =
    Object.keys(refusals).find((one) => one === known) ??
    byWords.find(([pattern]) => pattern.test(diagnostic ?? ''))?.[1] ??
    byCode.find(([pattern]) => pattern.test(enhanced_code ?? ''))?.[1];
  return refusals[(found as keyof Refusals | undefined) ?? 'unexplained'];
};
