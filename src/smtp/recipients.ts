// The recipients of a transaction, each judged at its RCPT: what could be refused later would have to be sent back, to a sender that
// may be forged. What people write to a mailbox passes, in this order, the limit of its client, the block lists, the mailbox itself
// and the greylist. Reports at return paths are proven by their HMAC, and pass all of these; that a mail there is none shows its
// content, and then it passes the same, without the greylist, since its client has had mail of ours.

import type { MailboxRecipient } from '#src/inbound/admit.ts';
import type { Inbound } from '#src/inbound/open.ts';
import type { AdmissionRefusal } from '#src/inbound/recipient-rules.ts';
import { clientKey, createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import type { ClientLists } from './client-lists.ts';
import {
  type Destination,
  type DestinationFacts,
  destinationOf,
  isOperatorName,
  plainAddress,
  RecipientRefusal,
  type RefusalReason,
  refusalReasons,
} from './destination.ts';
import type { Greylist } from './greylist.ts';
import { sizeIn } from './receive.ts';
import type { SmtpSession } from './strict-server.ts';

/** Why a genuine return path cannot be used. */
export type PathFault = Extract<RefusalReason, 'unknown' | 'replayed' | 'expired'>;

/** A mailbox that has admitted the mail, or any other destination. */
export type Recipient =
  | Exclude<Destination, { kind: 'mailbox' | 'sending_host' }>
  | { readonly kind: 'mailbox'; readonly tenantId: string; readonly address: string };

export interface RecipientWork {
  /** Of a genuine return path. Rejects where it cannot be found out at the moment. */
  readonly returnPathStatus: (target: ReturnPathTarget) => Promise<'current' | PathFault>;
  readonly admit: Inbound['admit'];
  readonly admitAnswers: Inbound['admitAnswers'];
  readonly writeTo: Inbound['writeTo'];
}

export interface RecipientFacts extends DestinationFacts {
  readonly clientLists: ClientLists | null;
  readonly greylist: Greylist | null;
  /** Mails of one client to mailboxes, one for each recipient. */
  readonly clientRate: () => RateLimit;
  /** ms since the epoch. */
  readonly now: () => number;
}

const MIB = 1_024 * 1_024;

/** For these, postmaster and abuse are the operator's, who answers for the host. */
const NOT_THE_TENANTS: ReadonlySet<AdmissionRefusal> = new Set(['disabled', 'no_mailbox', 'unwanted']);

/** MAIL FROM with its domain in A-labels; empty for the null sender. */
export const senderOf = ({ envelope: { mailFrom } }: SmtpSession): string =>
  mailFrom === false || mailFrom.address === '' ? '' : plainAddress(mailFrom.address);

export const createRecipients = (
  facts: RecipientFacts,
  { returnPathStatus, admit, admitAnswers, writeTo }: RecipientWork,
) => {
  const { clientLists, greylist, clientRate, now } = facts;
  const clients = createRateLimiter();
  const refused = Object.fromEntries(refusalReasons.map((reason) => [reason, 0])) as Record<
    RefusalReason,
    number
  >;
  /** By transaction, each under its plain address in lower case. */
  const accepted = new WeakMap<SmtpSession['envelope'], Map<string, Recipient>>();

  const takeRate = (clientAddress: string, cost: number): void => {
    const rate = clientRate();
    // The largest mail may come where the rate is small, too.
    if (!clients.take(clientKey(clientAddress), now(), rate, Math.min(cost, rate.burst)).allowed)
      throw new RecipientRefusal('too_many');
  };

  const requireUnlisted = async (clientAddress: string): Promise<void> => {
    const list = await clientLists?.listing(clientAddress);
    if (list) throw new RecipientRefusal('listed', `: ${list}`);
  };

  const enter = async (
    mailbox: Extract<Destination, { kind: 'mailbox' }>,
    session: SmtpSession,
  ): Promise<Recipient> => {
    const { remoteAddress, envelope } = session;
    const { address, localPart, host } = mailbox;
    takeRate(remoteAddress, 1);
    await requireUnlisted(remoteAddress);
    const mailFrom = senderOf(session);
    const size = envelope.mailFrom === false ? 0 : sizeIn(envelope.mailFrom.args);
    const isOperators = isOperatorName(localPart);
    const admission = await admit({ host, localPart, named: isOperators }, { mailFrom, size });
    if ('refusal' in admission) {
      const { refusal } = admission;
      if (isOperators && NOT_THE_TENANTS.has(refusal)) return { kind: 'operator', recipient: address };
      throw new RecipientRefusal(refusal);
    }
    if (greylist?.passes(remoteAddress, mailFrom, address) === false)
      throw new RecipientRefusal('greylisted');
    return { kind: 'mailbox', tenantId: admission.tenantId, address };
  };

  const judge = async (given: string, session: SmtpSession): Promise<Recipient> => {
    const destination = destinationOf(given, senderOf(session), facts);
    if (destination.kind === 'mailbox') return enter(destination, session);
    if (destination.kind === 'sending_host') {
      takeRate(session.remoteAddress, 1);
      const address = await writeTo(destination.host);
      throw new RecipientRefusal('sending_host', address === null ? '' : `, write to ${address}`);
    }
    if (destination.kind === 'report') {
      const status = await returnPathStatus(destination.target);
      if (status !== 'current') throw new RecipientRefusal(status);
    }
    return destination;
  };

  const counting = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof RecipientRefusal) refused[error.reason] += 1;
      throw error;
    }
  };

  return {
    refused: refused as Readonly<Record<RefusalReason, number>>,
    /** Rejects with RecipientRefusal. */
    add: (given: string, session: SmtpSession): Promise<void> =>
      counting(async () => {
        const { envelope } = session;
        const recipient = await judge(given, session);
        const others = accepted.get(envelope) ?? new Map<string, Recipient>();
        accepted.set(envelope, others.set(plainAddress(given).toLowerCase(), recipient));
      }),
    /**
     * Who has a mail, once it is known whether it is a report: the mailboxes, and what is open of the return paths where it is none.
     * A client pays for each MiB that is stored. Rejects with RecipientRefusal.
     */
    readers: (
      mailboxes: readonly MailboxRecipient[],
      returnPaths: readonly Extract<Recipient, { kind: 'report' }>[],
      session: SmtpSession,
      bytes: number,
    ): Promise<readonly MailboxRecipient[]> =>
      counting(async () => {
        const answered = returnPaths.length === 0 ? [] : admitAnswers(returnPaths);
        if ('refusal' in answered) throw new RecipientRefusal(answered.refusal);
        const readers = [...mailboxes, ...answered];
        // Where some receive it, it is stored for those: the reply is one for all, and they are what its sender wanted to reach.
        if (returnPaths.length > 0 && readers.length === 0 && senderOf(session) !== '')
          throw new RecipientRefusal('disabled');
        const mib = Math.max(1, Math.ceil(bytes / MIB));
        // The mailboxes have paid for the first at RCPT.
        takeRate(session.remoteAddress, readers.length * mib - mailboxes.length);
        if (answered.length > 0) await requireUnlisted(session.remoteAddress);
        return readers;
      }),
    /** Those that were accepted in this transaction. */
    of: ({ envelope }: SmtpSession): Recipient[] => [...(accepted.get(envelope)?.values() ?? [])],
  };
};
