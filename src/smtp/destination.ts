// What a RCPT at the inbound listener means. Nothing is accepted that is not processed to its end, and nothing is sent back
// later: an unknown recipient is refused at once, so that no backscatter arises. Pure.
import { type Behaviour, behaviourOf } from '#src/feedback/simulator.ts';
import { domainName } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { looksLikeReturnPath, type ReturnPathTarget } from '#src/mail/verp.ts';
import { SmtpRefusal } from './read-data.ts';

export type Destination =
  | { readonly kind: 'report'; readonly target: ReturnPathTarget }
  | {
      readonly kind: 'simulator';
      readonly behaviour: Behaviour;
      readonly recipient: Address;
      readonly returnPath: Address;
    }
  /** Reports of complaints (RFC 6449). */
  | { readonly kind: 'complaint' }
  /** Each host has a person who answers for it (RFC 5321 §4.5.1, RFC 2142 §4). */
  | { readonly kind: 'operator'; readonly recipient: string };

export interface DestinationFacts {
  readonly serviceHost: string;
  readonly simulatorDomain: string;
  /** Null for an address that no key of this installation has made. */
  readonly decodeReturnPath: (address: string) => ReturnPathTarget | null;
  /** Whether `bounce.<host>` is one of the names that mail is received for. */
  readonly isSendingHost: (host: string) => boolean;
}

/** Why a recipient is refused, with the reply. The reply does not reveal what is wrong with a return path. */
const refusals = {
  /** This service receives no mail for the host. */
  relaying: '5.7.1 relaying denied',
  no_mailbox: '5.1.1 no such mailbox',
  /** The simulator answers only mail of this service. */
  stranger: '5.7.1 the simulator answers mail of this service only',
  /** It has the form of a return path, but none of our keys has made it. */
  forged: '5.1.1 no such mailbox',
  /** It is genuine, but its recipient does not exist (any more). */
  unknown: '5.1.1 no such mailbox',
  /** It is genuine, but the mail that carries it was never sent. */
  replayed: '5.1.1 no such mailbox',
  /** It is genuine, but the mail was sent too long ago. */
  expired: '5.1.1 no such mailbox',
} as const;
export type RefusalReason = keyof typeof refusals;
export const refusalReasons = Object.keys(refusals) as RefusalReason[];

export class RecipientRefusal extends SmtpRefusal {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(550, refusals[reason]);
    this.reason = reason;
  }
}

const COMPLAINTS = 'fbl';
const OPERATORS = new Set(['postmaster', 'abuse']);
const BOUNCE = 'bounce.';

/** `local@domain` with the domain in A-labels; smtp-server shows it in Unicode. */
export const plainAddress = (address: string): string => {
  const at = address.lastIndexOf('@');
  if (at === -1) return address.toLowerCase();
  const domain = address.slice(at + 1);
  return `${address.slice(0, at)}@${domainName(domain) ?? domain.toLowerCase()}`;
};

/** Throws RecipientRefusal. Both as in the commands, without angle brackets; `mailFrom` is empty for the null sender. */
export const destinationOf = (given: string, mailFrom: string, facts: DestinationFacts): Destination => {
  const address = plainAddress(given);
  const at = address.lastIndexOf('@');
  const localPart = at === -1 ? address : address.slice(0, at);
  const host = at === -1 ? facts.serviceHost : address.slice(at + 1);
  const target = facts.decodeReturnPath(address);
  if (target) return { kind: 'report', target };
  const bounceOf = host.startsWith(BOUNCE) ? host.slice(BOUNCE.length) : null;
  const isOurs =
    host === facts.serviceHost ||
    host === facts.simulatorDomain ||
    (bounceOf !== null && facts.isSendingHost(bounceOf));
  if (!isOurs) throw new RecipientRefusal('relaying');
  const name = localPart.toLowerCase();
  if (OPERATORS.has(name)) return { kind: 'operator', recipient: address };
  if (name === COMPLAINTS && host === facts.serviceHost) return { kind: 'complaint' };
  if (bounceOf !== null && looksLikeReturnPath(localPart)) throw new RecipientRefusal('forged');
  const behaviour = host === facts.simulatorDomain ? behaviourOf(localPart) : null;
  if (behaviour === null) throw new RecipientRefusal('no_mailbox');
  const returnPath = plainAddress(mailFrom);
  // A simulator that answered strangers could be abused to write to anyone.
  if (facts.decodeReturnPath(returnPath) === null) throw new RecipientRefusal('stranger');
  return {
    kind: 'simulator',
    behaviour,
    recipient: address as Address,
    returnPath: returnPath as Address,
  };
};
