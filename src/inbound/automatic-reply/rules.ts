// Whether a mail received gets the practice's automatic reply (RFC 3834): one that a person wrote to a mailbox of the practice, and
// whose envelope sender is proved: a reply to a forged one would go to someone who did not write. Pure.
import type { MailAuth, MailSpam } from '#src/inbound/mail.ts';
import { isReturnPath } from '#src/inbound/recipient-rules.ts';
import { addressDomain, addressKey, mailboxOf } from '#src/mail/address.ts';
import { autoSubmitted, isAutoReply } from '#src/mail/auto-reply.ts';
import { parseEmail } from '#src/mail/email.ts';
import { type Field, fieldValue } from '#src/mail/field-block.ts';
import type { Address } from '#src/mail/mailbox.ts';

export interface ReplyFacts {
  readonly mailFrom: string;
  /** The address in From; null where it has none. */
  readonly author: string | null;
  /** RCPT TO, those of this tenant. */
  readonly recipients: readonly string[];
  /** Addresses in To and Cc. */
  readonly named: readonly string[];
  readonly fields: readonly Field[];
  readonly auth: MailAuth;
  readonly spam: MailSpam;
  /** Hosts of the tenant and of the service, without those below them. */
  readonly ownHosts: readonly string[];
}

/** Who is answered, and for which mailbox. */
export interface Answer {
  readonly sender: Address;
  readonly mailbox: Address;
}

/** RFC 3834 §2, RFC 2142, RFC 2919, and addresses that no person reads. */
const OF_A_PROGRAM =
  /^(?:mailer-daemon|mail-?daemon|postmaster|hostmaster|abuse|owner-.*|.*-(?:request|owner|bounces?)|bounces?(?:[+=-].*)?|list-?serv|majordomo|(?:do-?)?no(?:t|n)?[._-]?reply.*|srs[01][=+-].*|prvs=.*)$/i;
const OF_A_LIST = ['list-id', 'list-unsubscribe', 'list-post', 'list-help', 'mailing-list', 'feedback-id'];

const isOfAPerson = (fields: readonly Field[]): boolean =>
  [null, 'no'].includes(autoSubmitted(fields)) &&
  !/^(?:bulk|list|junk)/i.test(fieldValue(fields, 'precedence') ?? '') &&
  OF_A_LIST.every((name) => fieldValue(fields, name) === null) &&
  !/^multipart\/report\b/i.test(fieldValue(fields, 'content-type') ?? '') &&
  !isAutoReply(fields);

/** Whether SPF proves the sender, or a DMARC that has proved the same address in From: that of another says nothing about the envelope. */
const isProved = (sender: Address, { author, auth }: Pick<ReplyFacts, 'author' | 'auth'>): boolean =>
  auth.spf.result === 'pass' ||
  (auth.dmarc.result === 'pass' && author !== null && author.toLowerCase() === addressKey(sender));

/** Null where it gets none. Without its mailbox in To or Cc the mail was not written to it (RFC 3834 §2). */
export const answerTo = (facts: ReplyFacts): Answer | null => {
  const { mailFrom, recipients, named, fields, auth, spam, ownHosts } = facts;
  const sender = parseEmail(mailFrom)?.email as Address | undefined;
  if (!sender || OF_A_PROGRAM.test(sender.slice(0, sender.lastIndexOf('@')))) return null;
  const domain = addressDomain(sender);
  if (ownHosts.some((host) => domain === host || domain.endsWith(`.${host}`))) return null;
  if (!isProved(sender, facts) || auth.dmarc.result === 'fail') return null;
  if (spam.verdict === 'spam' || spam.verdict === 'virus' || !isOfAPerson(fields)) return null;
  const mailboxes = new Set(named.map(mailboxOf));
  const mailbox = recipients.find((address) => !isReturnPath(address) && mailboxes.has(mailboxOf(address)));
  return mailbox === undefined ? null : { sender, mailbox: mailboxOf(mailbox) as Address };
};
