// What a RCPT at the inbound listener means. Nothing is accepted that is not processed to its end, and nothing is sent back
// later: an unknown recipient is refused at once, so that no backscatter arises. Pure.

import { domainName, isDotAtom } from '#src/mail/address.ts';
import {
  admissionRefusals,
  type Receives,
  type ReturnPath,
  type SimulatedRecipient,
} from '#src/mail/reception.ts';
import type { ForwardedCopy } from '#src/mail/srs.ts';
import { COMPLAINTS, looksLikeReturnPath, type ReturnPathTarget } from '#src/mail/verp.ts';
import type { ExpectedMail } from './expected-mail.ts';
import { SmtpRefusal } from './read-data.ts';

export type Destination =
  /** The service waits for it: a look whether mail comes back through a relay. */
  | { readonly kind: 'expected'; readonly address: string }
  | ({ readonly kind: 'report' } & ReturnPath)
  /** Mail to it unsubscribes its sender (RFC 2369 §3.2). */
  | { readonly kind: 'unsubscribe'; readonly target: ReturnPathTarget }
  /** A report about mail that was forwarded. */
  | { readonly kind: 'forward_report'; readonly copy: ForwardedCopy }
  | ({ readonly kind: 'simulator' } & SimulatedRecipient)
  /** Reports of complaints (RFC 6449, RFC 9477). */
  | { readonly kind: 'complaint' }
  /** Reports of receivers about the domains of tenants (RFC 9990, RFC 8460). */
  | { readonly kind: 'domain_report'; readonly report: 'dmarc' | 'tls' }
  /** Mail to people at a receiving host. `host`: the sending host behind `in.`. */
  | { readonly kind: 'mailbox'; readonly host: string; readonly localPart: string; readonly address: string }
  /** A host that is in From and receives nothing, as `noreply@` there. */
  | { readonly kind: 'sending_host'; readonly host: string }
  /** Each host has a person who answers for it (RFC 5321 §4.5.1, RFC 2142 §4). */
  | { readonly kind: 'operator'; readonly recipient: string };

export interface DestinationFacts
  extends Pick<
      Receives<never>,
      | 'decodeReturnPath'
      | 'decodeUnsubscribeAddress'
      | 'decodeForwardPath'
      | 'isSendingHost'
      | 'requireHolderHere'
      | 'simulates'
    >,
    Pick<ExpectedMail, 'isExpected'> {
  readonly serviceHost: string;
  readonly simulatorDomain: string;
  /** The hosts below it are the service's own, and so are their postmasters. */
  readonly managedSuffix: string;
}

/** Why a recipient is refused, with the reply. The reply does not reveal what is wrong with a return path. */
const refusals = {
  /** This service receives no mail for the host. */
  relaying: [550, '5.7.1 relaying denied'],
  /** The simulator answers only mail of this service. */
  stranger: [550, '5.7.1 the simulator answers mail of this service only'],
  /** The address has the form of a return path, but none of our keys has made it. */
  forged: [550, '5.1.1 no such mailbox'],
  /** The return path is genuine, but its recipient does not exist (any more). */
  unknown: [550, '5.1.1 no such mailbox'],
  /** The return path is genuine, but the mail that carries it was never sent. */
  replayed: [550, '5.1.1 no such mailbox'],
  /** The return path is genuine, but the mail was sent too long ago. */
  expired: [550, '5.1.1 no such mailbox'],
  /** Mail comes from the host, and none goes there. */
  sending_host: [550, '5.1.1 this address takes no mail'],
  /** A DNS block list has the client. */
  listed: [554, '5.7.1 your address is on a block list'],
  greylisted: [451, '4.7.1 greylisted, try again later'],
  too_many: [450, '4.7.1 too many messages from your address, try again later'],
  ...admissionRefusals,
} as const satisfies Record<string, readonly [code: number, text: string]>;
export type RefusalReason = keyof typeof refusals;
export const refusalReasons = Object.keys(refusals) as RefusalReason[];

export class RecipientRefusal extends SmtpRefusal {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, more = '') {
    const [code, text] = refusals[reason];
    super(code, `${text}${more}`);
    this.reason = reason;
  }
}

const OPERATORS = new Set(['postmaster', 'abuse']);
export const isOperatorName = (localPart: string): boolean => OPERATORS.has(localPart.toLowerCase());
const DOMAIN_REPORTS: ReadonlyMap<string, 'dmarc' | 'tls'> = new Map([
  ['dmarc', 'dmarc'],
  ['tls-rpt', 'tls'],
]);
const BOUNCE = 'bounce.';
/** Never the sending host itself: its mail goes where its MX records lead. */
const RECEIVING = 'in.';

/** Quotes that change nothing are none (RFC 5321 §4.1.2). Others stay: no mailbox has such a name. */
const unquoted = (localPart: string): string => {
  const text = /^"(.*)"$/s.exec(localPart)?.[1]?.replace(/\\(.)/gs, '$1');
  return text !== undefined && isDotAtom(text) ? text : localPart;
};

/** `local@domain` with the domain in A-labels; smtp-server shows it in Unicode. */
export const plainAddress = (address: string): string => {
  const at = address.lastIndexOf('@');
  if (at === -1) return unquoted(address).toLowerCase();
  const domain = address.slice(at + 1);
  return `${unquoted(address.slice(0, at))}@${domainName(domain) ?? domain.toLowerCase()}`;
};

/** Throws RecipientRefusal and TenantMoved. Both as in the commands, without angle brackets; `mailFrom` is empty for the null sender. */
export const destinationOf = (given: string, mailFrom: string, facts: DestinationFacts): Destination => {
  const address = plainAddress(given);
  const at = address.lastIndexOf('@');
  const localPart = at === -1 ? address : address.slice(0, at);
  const host = at === -1 ? facts.serviceHost : address.slice(at + 1);
  const lowered = address.toLowerCase();
  if (facts.isExpected(lowered)) return { kind: 'expected', address: lowered };
  const target = facts.decodeReturnPath(address);
  if (target) return { kind: 'report', address, target };
  const unsubscribing = facts.decodeUnsubscribeAddress(address);
  if (unsubscribing) return { kind: 'unsubscribe', target: unsubscribing };
  // Only reports have the null sender. An automatic reply would be for the sender of the mail, and goes no further than here.
  const copy = mailFrom === '' ? facts.decodeForwardPath(address) : null;
  if (copy) return { kind: 'forward_report', copy };
  const sendingHost = (prefix: string): string | null => {
    const rest = host.startsWith(prefix) ? host.slice(prefix.length) : '';
    return rest !== '' && facts.isSendingHost(rest) ? rest : null;
  };
  const receivingOf = sendingHost(RECEIVING);
  if (receivingOf !== null) {
    if (/["\\]/.test(localPart)) throw new RecipientRefusal('no_mailbox');
    return { kind: 'mailbox', host: receivingOf, localPart, address };
  }
  const bounceOf = sendingHost(BOUNCE);
  // What the keys of this host do not read may be for mail that the new host of a practice has sent since.
  if (bounceOf !== null) facts.requireHolderHere(bounceOf);
  if (!host.startsWith(BOUNCE) && facts.isSendingHost(host)) {
    const isOperators = isOperatorName(localPart) && host.endsWith(`.${facts.managedSuffix}`);
    return isOperators ? { kind: 'operator', recipient: address } : { kind: 'sending_host', host };
  }
  const isOurs = host === facts.serviceHost || host === facts.simulatorDomain || bounceOf !== null;
  if (!isOurs) throw new RecipientRefusal('relaying');
  const name = localPart.toLowerCase();
  if (isOperatorName(name)) return { kind: 'operator', recipient: address };
  if (name === COMPLAINTS && (host === facts.serviceHost || bounceOf !== null)) return { kind: 'complaint' };
  if (host === facts.serviceHost) {
    const report = DOMAIN_REPORTS.get(name);
    if (report) return { kind: 'domain_report', report };
  }
  if (bounceOf !== null && looksLikeReturnPath(localPart)) throw new RecipientRefusal('forged');
  if (host !== facts.simulatorDomain || !facts.simulates(localPart)) throw new RecipientRefusal('no_mailbox');
  const returnPath = plainAddress(mailFrom);
  // A simulator that answered strangers could be abused to write to anyone.
  if (facts.decodeReturnPath(returnPath) === null) throw new RecipientRefusal('stranger');
  return { kind: 'simulator', recipient: address, returnPath };
};
