// What a RCPT at one of a tenant's receiving hosts means for its mailbox. Pure.
import { isDotAtom, mailboxName } from '#src/mail/address.ts';
import type { InboundOptions, MailAction, MailboxMode } from './options.ts';

/** The options that apply to one recipient. */
export interface MailboxFor {
  /** False: it is the catch-all's. */
  readonly isNamed: boolean;
  readonly mode: MailboxMode;
  readonly forwardTo: string | null;
  readonly dmarcAction: MailAction;
  readonly spamAction: MailAction;
}

/** Whether a recipient is a return path, as it came or as it is stored: mailboxes are at `in.`. */
export const isReturnPath = (address: string): boolean =>
  address.startsWith('bounce.', address.lastIndexOf('@') + 1);

/**
 * A recipient as it is stored and shown: of a return path without its token, by which anyone who sees it could report bounces. The
 * local part left is `b`, as a mailbox that people write to.
 */
export const withoutToken = (address: string): string =>
  isReturnPath(address) ? `b${address.slice(address.lastIndexOf('@'))}` : address;

/** The plus-part; null if there is none. */
export const plusPart = (localPart: string): string | null => {
  const at = localPart.indexOf('+');
  return at === -1 ? null : localPart.slice(at + 1);
};

export const mailboxFor = (
  { addresses, catch_all, dmarc_action, spam_action }: InboundOptions,
  localPart: string,
): MailboxFor => {
  const name = mailboxName(localPart);
  const found = addresses.find(({ local_part }) => local_part === name);
  return {
    isNamed: found !== undefined,
    mode: (found ?? catch_all).mode,
    forwardTo: (found ?? catch_all).forward_to,
    dmarcAction: found?.dmarc_action ?? dmarc_action,
    spamAction: found?.spam_action ?? spam_action,
  };
};

/** Whether mail to it is kept, be it that someone must release it first. */
export const takesMail = (options: InboundOptions, localPart: string): boolean => {
  const { mode } = mailboxFor(options, localPart);
  return mode === 'accept' || mode === 'hold';
};

const USUAL_NAME = 'post';
const ASCII = /^[\x21-\x7e]+$/;

/**
 * The local part to which answers are sent where none is chosen: the usual one if its mail is kept, else the first of its own that is.
 * Names that not every server can write do not count.
 */
export const answersName = (options: InboundOptions): string | null =>
  [USUAL_NAME, ...options.addresses.map(({ local_part }) => local_part)].find(
    (name) => ASCII.test(name) && isDotAtom(name) && takesMail(options, name),
  ) ?? null;

/** Whether one of the addresses and domains means the sender. `address` is without angle brackets. */
export const namesSender = (list: readonly string[], address: string): boolean => {
  const wanted = address.normalize('NFC').toLowerCase();
  const domain = wanted.slice(wanted.lastIndexOf('@') + 1);
  return list.some((entry) =>
    entry.includes('@') ? entry === wanted : domain === entry || domain.endsWith(`.${entry}`),
  );
};
