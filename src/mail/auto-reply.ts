// Writes automatic replies (RFC 3834), and distinguishes them from mail that a person wrote. Pure.
import { type AutoReplyRule, autoReplyRules } from './auto-reply-rules.ts';
import { beginsWithRefusal, reportsFailure } from './bounce-notice.ts';
import { decodeWords } from './decode-text.ts';
import { type Field, fieldValue } from './field-block.ts';
import { encodeUnstructured } from './header-field.ts';
import { beforeQuotation } from './quotation.ts';
import { headFields, type ReportHead } from './report.ts';

/** UTF-16 code units of the text and of the opening. */
const MAX_TEXT = 4_000;
const MAX_OPENING = 600;
/** UTF-16 code units of a field. */
const MAX_VALUE = 1_000;
/** Mail to subscribers and bounces may have the signs of an automatic reply. */
const OF_A_LIST = ['list-id', 'list-unsubscribe', 'list-post'];
const OF_A_SERVER = /(?:^|[<\s])(?:mailer-daemon|postmaster|mail-?daemon)@/i;

/** The first word of Auto-Submitted (RFC 3834 §5) in lower case; null if there is none. */
export const autoSubmitted = (fields: readonly Field[]): string | null =>
  /^[a-z-]+/.exec(fieldValue(fields, 'auto-submitted')?.toLowerCase() ?? '')?.[0] ?? null;

/** The beginning of what its author wrote. */
const ownBeginning = (text: string): string => beforeQuotation(text.slice(0, MAX_TEXT)).slice(0, MAX_OPENING);

/** The beginning of a text, up to the first quotation. */
export const openingOf = (text: string): string =>
  ownBeginning(text)
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim();

const isOther = (fields: readonly Field[]): boolean =>
  (OF_A_LIST.some((name) => fieldValue(fields, name) !== null) && autoSubmitted(fields) !== 'auto-replied') ||
  fieldValue(fields, 'x-failed-recipients') !== null ||
  /^multipart\/report\b/i.test(fieldValue(fields, 'content-type') ?? '') ||
  OF_A_SERVER.test(fieldValue(fields, 'from') ?? '');

/** The rule that recognizes a mail as an automatic reply; null if none does. `text` is that of its first part. A mail that begins
 * with a refusal is none, and servers mark their notices like automatic replies; but people who are away may write of a mail
 * that was not delivered. */
export const autoReplyRuleOf = (fields: readonly Field[], text = ''): AutoReplyRule | null => {
  const before = ownBeginning(text);
  if (isOther(fields) || beginsWithRefusal(before)) return null;
  const opening = openingOf(text);
  const matches = (name: string, pattern: RegExp): boolean => {
    const value = fieldValue(fields, name);
    return value !== null && pattern.test(decodeWords(value.slice(0, MAX_VALUE)));
  };
  const isMet = (rule: AutoReplyRule): boolean =>
    (rule.opening?.test(opening) ?? true) &&
    Object.entries(rule.fields ?? {}).every(([name, pattern]) => matches(name, pattern));
  const met = autoReplyRules.filter(isMet);
  const isOfAbsence = met.some(({ rule }) => rule.includes('absence'));
  return isOfAbsence || !reportsFailure(fields, before) ? (met[0] ?? null) : null;
};

export const isAutoReply = (fields: readonly Field[], text = ''): boolean =>
  autoReplyRuleOf(fields, text) !== null;

/** `inReplyTo` has its angle brackets, null if the message had no Message-ID; `text` is ASCII with CRLF line ends. */
export const writeAutoReply = (head: ReportHead, inReplyTo: string | null, text: string): Buffer =>
  Buffer.from(
    [
      headFields(head),
      inReplyTo === null ? '' : encodeUnstructured('In-Reply-To', inReplyTo),
      inReplyTo === null ? '' : encodeUnstructured('References', inReplyTo),
      'Auto-Submitted: auto-replied\r\n',
      'Content-Type: text/plain; charset=us-ascii\r\n\r\n',
      `${text}\r\n`,
    ].join(''),
    'latin1',
  );
