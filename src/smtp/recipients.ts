// The recipients of a transaction, each judged at its RCPT: what could be refused later would have to be sent back, to a sender that
// may be forged. What people write to a mailbox passes, in this order, the limit of its client, the block lists, the mailbox itself
// and the greylist. Reports at return paths are proven by their HMAC, and pass all of these; that a mail there is none shows its
// content, and then it passes the same, without the greylist, since its client has had mail of ours.

import { TenantMoved } from '#src/kernel/moved.ts';
import { clientKey, createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import type { AdmissionRefusal, MailboxRecipient, Receives } from '#src/mail/reception.ts';
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
import type { MovedRecipient } from './moved-recipients.ts';
import { sizeIn } from './receive.ts';
import type { SmtpSession } from './strict-server.ts';

/** A mailbox that has admitted the mail, or any other destination. */
export type Recipient =
  | Exclude<Destination, { kind: 'mailbox' | 'sending_host' }>
  | { readonly kind: 'mailbox'; readonly tenantId: string; readonly address: string }
  | MovedRecipient;

export type RecipientWork = Pick<
  Receives<never>,
  'returnPathStatus' | 'admit' | 'admitAnswers' | 'writeTo' | 'listing'
> & {
  /** Throws TenantMoved. */
  readonly requireHere: (tenantNumber: number) => void;
};

export interface RecipientFacts extends DestinationFacts {
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
  { returnPathStatus, admit, admitAnswers, writeTo, listing, requireHere }: RecipientWork,
) => {
  const { greylist, clientRate, now } = facts;
  const clients = createRateLimiter();
  const refused = Object.fromEntries(refusalReasons.map((reason) => [reason, 0])) as Record<
    RefusalReason,
    number
  >;
  /** The accepted recipients of each transaction, each under its plain address in lower case. */
  const accepted = new WeakMap<SmtpSession['envelope'], Map<string, Recipient>>();

  const takeRate = (clientAddress: string, cost: number): void => {
    const rate = clientRate();
    // The largest mail may come where the rate is small, too.
    if (!clients.take(clientKey(clientAddress), now(), rate, Math.min(cost, rate.burst)).allowed)
      throw new RecipientRefusal('too_many');
  };

  const requireUnlisted = async (clientAddress: string): Promise<void> => {
    const list = await listing(clientAddress);
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
    if (destination.kind === 'unsubscribe') requireHere(destination.target.tenantNumber);
    if (destination.kind === 'forward_report') requireHere(destination.copy.tenantNumber);
    if (destination.kind === 'report') {
      const status = await returnPathStatus(destination.target);
      if (status !== 'current') throw new RecipientRefusal(status);
    }
    return destination;
  };

  /** The tenant's own host judges mail for one that has moved. */
  const judgeHere = async (given: string, session: SmtpSession): Promise<Recipient> => {
    try {
      return await judge(given, session);
    } catch (error) {
      if (!(error instanceof TenantMoved)) throw error;
      return { kind: 'moved', address: plainAddress(given), newHost: error.newHost };
    }
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
        const recipient = await judgeHere(given, session);
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
