// Reads notices of failure and delay that have no standard form, as mail servers wrote them before RFC 3464 and some still
// do. The sender or the subject must show the product; the body alone is no proof, because a person may quote it. Only mail
// at a genuine return path is read. Pure; bounce-class.ts classifies the reply.
import { noticeForms } from './bounce-notice-forms.ts';
import { decodeWords } from './decode-text.ts';
import { type Field, fieldValue } from './field-block.ts';
import { parseReply, type Reply, replyInWords } from './reply.ts';

export interface BounceNotice {
  readonly action: 'failed' | 'delayed';
  /** The mail server's product, or `other`. */
  readonly product: string;
  /** In lower case; null if none was found. */
  readonly recipient: string | null;
  /** If the notice quotes no reply, the code is 0, the enhanced code is null and the text is that of the notice. */
  readonly reply: Reply;
}

/** UTF-16 code units. The reason is at the beginning; the returned message follows. */
const MAX_READ = 16_384;
const MAX_SUBJECT = 1_000;
const ADDRESS = /(?<![^\s<>()[\]"',;:=])[^\s<>()[\]"',;:=@]{1,64}@[a-z0-9.-]{1,253}[a-z0-9]/i;
/** The line between the notice and the returned message, of all products. */
const RETURNED =
  /^(?:-{2,} ?(?:below this line|(?:this|the following|here) is (?:a )?(?:the )?(?:copy|header)|(?:the )?(?:headers?|body|text) of the|original message|original-?nachricht|urspr(?:ü|ue)ngliche|returned message|message (?:text|header)|the attached|enclosed)|\|-{5,} ?message text follows|\*{3,} ?original|(?:received|return-path|dkim-signature|mime-version|message-id):|possibly truncated original message|(?:original message headers|urspr(?:ü|ue)ngliche nachrichtenkopfzeilen|urspr(?:ü|ue)ngliche nachrichtenkopfdaten):)/im;
/** A delay is stated in the subject or in one of these phrases. */
const DELAYED_SUBJECT =
  /^(?:warning: (?:message|could not send)|delayed mail|delivery delayed|delayed:|verz(?:ö|oe)gert|zustellung verz(?:ö|oe)gert|delivery status notification \(delay\))|\bdelayed \d{1,4} (?:hours|minutes)|\bstill being retried|\b(?:delivery|zustellung)\b.{0,40}\b(?:delayed|delay|verz(?:ö|oe)gert|verz(?:ö|oe)gerung)/i;
const DELAYED_WORDS =
  /this is a warning message only|has not yet been delivered|could not yet be delivered|delivery attempts will continue|will (?:keep|continue) trying|will continue to (?:try|attempt)|noch nicht zugestellt|noch nicht (?:ü|ue)bermittelt|wird weiterhin versuch|weitere zustellversuche/i;

const decoded = (fields: readonly Field[], name: string): string =>
  decodeWords((fieldValue(fields, name) ?? '').slice(0, MAX_SUBJECT));

/** Null if the mail is no such notice. `mailFrom` is its envelope sender, `words` its text for people. */
export const readBounceNotice = (
  fields: readonly Field[],
  words: string,
  mailFrom: string,
): BounceNotice | null => {
  const from = decoded(fields, 'from');
  const subject = decoded(fields, 'subject').trim();
  const all = words.slice(0, MAX_READ);
  const form = noticeForms.find(
    (one) =>
      (one.nullSender === undefined || mailFrom === '') &&
      (one.from?.test(from) ?? true) &&
      (one.subject?.test(subject) ?? true) &&
      (one.field === undefined || fieldValue(fields, one.field) !== null) &&
      (one.text?.test(all) ?? true),
  );
  if (form === undefined) return null;
  const own = all.slice(0, RETURNED.exec(all)?.index);
  const begin = form.after?.exec(own);
  const reason = begin ? own.slice(begin.index + begin[0].length) : own;
  const isDelay = DELAYED_SUBJECT.test(subject) || DELAYED_WORDS.test(own);
  const named = fieldValue(fields, 'x-failed-recipients') ?? reason;
  return {
    action: isDelay ? 'delayed' : 'failed',
    product: form.product,
    recipient: ADDRESS.exec(named)?.[0].toLowerCase() ?? null,
    reply: replyInWords(reason) ?? parseReply([reason]),
  };
};
