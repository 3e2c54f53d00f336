// Reads notices of failure and delay that have no standard form, as mail servers wrote them before RFC 3464 and some still
// do. The sender or the subject must show the product, or the null sender a server; the body alone is no proof, because a
// person may quote it. Only mail at a genuine return path is read. Pure; bounce-class.ts classifies the reply.
import { hasWordsOfRefusal } from './bounce-class.ts';
import { mailServer, noticeForms } from './bounce-notice-forms.ts';
import { wordsOf } from './bounce-rules/words.ts';
import { decodeWords } from './decode-text.ts';
import type { RecipientStatus } from './dsn.ts';
import { type Field, fieldValue } from './field-block.ts';
import { parseReply, replyInWords } from './reply.ts';
import { MAX_READ, withoutReturned, wordsAbout } from './words-about.ts';

export interface BounceNotice {
  readonly action: 'failed' | 'delayed';
  /** The mail server's product, or `other`. */
  readonly product: string;
  /** The address in lower case; null if none was found. */
  readonly recipient: string | null;
  /** Its own text, from the list of recipients on. */
  readonly reason: string;
  /** Whether it names a mail server as its author, or returns the mail. */
  readonly isProven: boolean;
}

const MAX_SUBJECT = 1_000;
const ADDRESS = /(?<![^\s<>()[\]"',;:=])[^\s<>()[\]"',;:=@]{1,64}@[a-z0-9.-]{1,253}[a-z0-9]/i;
/** A delay is stated in the subject or in one of these phrases. */
const DELAYED_SUBJECT =
  /^(?:warning: (?:message|could not send)|delayed mail|delivery delayed|delayed:|verz(?:ö|oe)gert|zustellung verz(?:ö|oe)gert|delivery status notification \(delay\))|\bdelayed \d{1,4} (?:hours|minutes)|\bstill being retried|\b(?:delivery|zustellung)\b.{0,40}\b(?:delayed|delay|verz(?:ö|oe)gert|verz(?:ö|oe)gerung)/i;
const DELAYED_WORDS =
  /this is a warning message only|has not yet been delivered|could not yet be delivered|delivery attempts will continue|will (?:keep|continue) trying|will continue to (?:try|attempt)|noch nicht zugestellt|noch nicht (?:ü|ue)bermittelt|wird weiterhin versuch|weitere zustellversuche/i;

/** The product of a notice that has no known form. Its first line is the subject. */
const UNKNOWN = 'unknown';
const SUCCESS =
  /\bsuccessful(?:ly)? (?:mail )?deliver(?:y|ed)|\b(?:delivery|message) (?:was |has been )?successful|\bwas delivered to\b|\berfolgreich (?:zugestellt|ausgeliefert)/i;
const DELAYED_ELSEWHERE = new RegExp(wordsOf('delayed'), 'iu');
const NOT_DELIVERED = new RegExp(wordsOf('not_delivered'), 'iu');

const decoded = (fields: readonly Field[], name: string): string =>
  decodeWords((fieldValue(fields, name) ?? '').slice(0, MAX_SUBJECT));

/** A confirmation in the form of a notice (class 2) reports no failure. */
const isSuccess = (subject: string, own: string): boolean =>
  SUCCESS.test(subject) || (SUCCESS.test(own) && !NOT_DELIVERED.test(own) && !quotesRefusal(own));

const noticeOf = (
  product: string,
  fields: readonly Field[],
  { words, own, reason }: { readonly words: string; readonly own: string; readonly reason: string },
): BounceNotice | null => {
  if (isSuccess(decoded(fields, 'subject'), own)) return null;
  const isDelay =
    DELAYED_SUBJECT.test(decoded(fields, 'subject').trim()) ||
    DELAYED_WORDS.test(own) ||
    DELAYED_ELSEWHERE.test(own);
  const named = fieldValue(fields, 'x-failed-recipients') ?? reason;
  return {
    action: isDelay ? 'delayed' : 'failed',
    product,
    recipient: ADDRESS.exec(named)?.[0].toLowerCase() ?? null,
    reason,
    isProven: mailServer.test(decoded(fields, 'from')) || own.length < Math.min(words.length, MAX_READ),
  };
};

/** Null if the mail has no known form of a notice. `words` is its text for people. */
export const readBounceNotice = (fields: readonly Field[], words: string): BounceNotice | null => {
  const from = decoded(fields, 'from');
  const subject = decoded(fields, 'subject').trim();
  const form = noticeForms.find(
    (one) =>
      (one.from?.test(from) ?? true) &&
      (one.subject?.test(subject) ?? true) &&
      (one.field === undefined || fieldValue(fields, one.field) !== null) &&
      (one.text?.test(words.slice(0, MAX_READ)) ?? true),
  );
  if (form === undefined) return null;
  const own = withoutReturned(words);
  const begin = form.after?.exec(own);
  const reason = begin ? own.slice(begin.index + begin[0].length) : own;
  return noticeOf(form.product, fields, { words, own, reason });
};

/** Whether a text quotes the reply of a server that refused a mail. A number alone may be that of a house or a telephone. */
const quotesRefusal = (text: string): boolean => {
  const reply = replyInWords(text);
  if (reply === null || reply.code === 0) return false;
  return reply.enhanced !== null || hasWordsOfRefusal(reply);
};

/** What is before a colon is the sender's own word; behind it is the subject of the mail that it answers. */
const isOfFailure = (subject: string): boolean => NOT_DELIVERED.test(subject.split(':', 1)[0] ?? '');

/** Whether an opening begins with the reply that refused a mail. */
export const beginsWithRefusal = (opening: string): boolean =>
  /^\s*[45]\d\d[ -]/m.test(opening) && quotesRefusal(opening);

/** Whether a mail says that another one was not delivered. */
export const reportsFailure = (fields: readonly Field[], opening: string): boolean =>
  NOT_DELIVERED.test(opening) && (quotesRefusal(opening) || isOfFailure(decoded(fields, 'subject')));

/** A notice of no known form: only for mail that has the null sender and no sign of an automatic reply. Null if it neither says
 * that a mail was not delivered nor quotes a refusal. */
export const readUnknownNotice = (fields: readonly Field[], words: string): BounceNotice | null => {
  const own = withoutReturned(words);
  const subject = decoded(fields, 'subject');
  return isOfFailure(subject) || NOT_DELIVERED.test(own) || quotesRefusal(own)
    ? noticeOf(UNKNOWN, fields, { words, own, reason: `${subject}\n${own}` })
    : null;
};

/** A notice of no known form must quote a refusal, or say near the recipient, or with proof, that a mail
 * failed. */
const isAbout = ({ reason, isProven }: BounceNotice, near: string, address: string): boolean => {
  if (quotesRefusal(near)) return true;
  const [subject = ''] = reason.split('\n', 1);
  return (
    (isProven || near.toLowerCase().includes(address)) && (isOfFailure(subject) || NOT_DELIVERED.test(near))
  );
};

/** What a notice says about a recipient, in the form of a report. Null if it says nothing about it. */
export const statusIn = (notice: BounceNotice, recipient: string): RecipientStatus | null => {
  const { action, product, reason } = notice;
  const address = recipient.toLowerCase();
  const near = wordsAbout(reason, [address]);
  if (product === UNKNOWN && !isAbout(notice, near, address)) return null;
  return {
    action,
    status: null,
    comment: null,
    finalRecipient: address,
    originalRecipient: null,
    remoteMta: null,
    diagnostic: replyInWords(near) ?? replyInWords(reason) ?? parseReply([near]),
  };
};
