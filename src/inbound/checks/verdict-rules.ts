// Where a mail goes: for one recipient, by what the checks found and what its mailbox wants, and for all recipients together,
// because DATA has one reply. Pure.

import { domainName } from '#src/mail/address.ts';
import type { AuthorProof } from '#src/mail/domain-report.ts';
import { organizationalDomain } from '#src/mail/organizational-domain.ts';
import type { MailRefusalReason } from '#src/mail/reception.ts';
import type { CheckedMail, MailAuth } from '../mail.ts';
import type { InboundOptions, MailAction } from '../options.ts';
import { type MailboxFor, namesSender } from '../recipient-rules.ts';

/** Why a mail is not in the inbox. */
export type VerdictReason =
  | 'blocked_sender'
  | 'virus'
  | 'dmarc'
  | 'spam'
  | 'scanner_unavailable'
  | 'mode'
  | 'too_large';

export type MailVerdict =
  | { readonly to: 'inbox' }
  | { readonly to: 'held' | 'quarantined'; readonly reason: VerdictReason }
  | {
      readonly to: 'refused';
      readonly code: 451 | 550 | 552;
      /** Begins with the enhanced status code (RFC 3463). */
      readonly text: string;
      readonly reason: MailRefusalReason;
    };
type Refusal = Extract<MailVerdict, { to: 'refused' }>;

type LaterReason = Extract<MailRefusalReason, 'scanner_unavailable' | 'dns'>;

const refusals: Readonly<Record<'blocked_sender' | 'virus' | 'dmarc' | 'spam', string>> = {
  blocked_sender: '5.7.1 the recipient does not take mail of this sender',
  virus: '5.7.1 the mail has a virus',
  // RFC 7372 §3.3: the checks of the author's domain did not pass.
  dmarc: '5.7.26 the mail is not authenticated as the DMARC policy of its author requires',
  spam: '5.7.1 the mail looks like spam',
};
const refused = (reason: keyof typeof refusals): Refusal => ({
  to: 'refused',
  code: 550,
  text: refusals[reason],
  reason,
});
const laterBecause = (reason: LaterReason, what: string): Refusal => ({
  to: 'refused',
  code: 451,
  text: `4.7.1 ${what} at the moment, try again later`,
  reason,
});
const UNSCANNED = laterBecause('scanner_unavailable', 'the mail cannot be scanned');
const UNPROVED = laterBecause('dns', 'it cannot be found out whether the mail is of its author');

/** Over the largest mail that the mailbox takes. */
export const tooLarge: Refusal = {
  to: 'refused',
  code: 552,
  text: '5.3.4 the message is larger than the recipient takes',
  reason: 'too_large',
};

/** Also where only the envelope names the sender. */
export const blockedSender: Refusal = refused('blocked_sender');

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** Relaxed alignment (RFC 9989 §4.10.2) for domains without a record. */
const isSameOwner = (one: string, other: string): boolean =>
  one === other || (organizationalDomain(one) ?? one) === (organizationalDomain(other) ?? other);

/** Whose mail it is by SPF and DKIM. */
export const provenDomains = ({ spf, dkim }: Pick<MailAuth, 'spf' | 'dkim'>): readonly string[] => [
  ...(spf.result === 'pass' && spf.domain !== null ? [spf.domain] : []),
  ...dkim.filter(({ result, domain }) => result === 'pass' && domain !== '').map(({ domain }) => domain),
];

/** Whether SPF or DKIM proves that the mail is of its author's domain. */
const isProved = ({ authors, auth }: Pick<CheckedMail, 'authors' | 'auth'>): boolean => {
  if (auth.dmarc.result !== 'none') return auth.dmarc.result === 'pass';
  const proved = provenDomains(auth);
  return authors.every((author) => proved.some((domain) => isSameOwner(domain, domainOf(author))));
};

export const authorProof = ({ authors, auth }: Pick<CheckedMail, 'authors' | 'auth'>): AuthorProof => {
  const [author = '', ...others] = authors;
  const domain = others.length === 0 && isProved({ authors, auth }) ? domainName(domainOf(author)) : null;
  return {
    domain,
    isSigned: auth.dkim.some(
      ({ result, domain: signer }) => result === 'pass' && domain !== null && isSameOwner(signer, domain),
    ),
    isUncertain: [auth.dmarc, auth.spf, ...auth.dkim].some(({ result }) => result === 'temperror'),
  };
};

const isAllowed = (mail: CheckedMail, { allow }: InboundOptions['senders']): boolean =>
  mail.authors.length > 0 && mail.authors.every((author) => namesSender(allow, author)) && isProved(mail);

/** Null: the mail is taken all the same. */
const acted = (action: MailAction, reason: 'dmarc' | 'spam'): MailVerdict | null => {
  if (action === 'reject') return refused(reason);
  return action === 'quarantine' ? { to: 'quarantined', reason } : null;
};

/** Null: no policy speaks against the mail. */
const dmarcVerdict = (
  { result, policy }: CheckedMail['auth']['dmarc'],
  action: MailAction,
): MailVerdict | null => {
  // A mail whose From does not say whose it is cannot pass any author's policy.
  if (result === 'permerror') return acted(action, 'dmarc');
  if (policy === 'none') return null;
  if (result === 'fail') return acted(action, 'dmarc');
  // Later there is an answer: a quarantine would keep honest mail from its reader for each moment in which the DNS fails.
  return result === 'temperror' && action !== 'accept' ? UNPROVED : null;
};

export const verdictOf = (
  mail: CheckedMail,
  senders: InboundOptions['senders'],
  { mode, dmarcAction, spamAction }: Pick<MailboxFor, 'mode' | 'dmarcAction' | 'spamAction'>,
): MailVerdict => {
  const { authors, auth, spam, isDeferred } = mail;
  if (authors.some((author) => namesSender(senders.block, author))) return blockedSender;
  if (spam.verdict === 'virus')
    return spamAction === 'reject' ? refused('virus') : { to: 'quarantined', reason: 'virus' };
  if (isDeferred) return UNSCANNED;
  const byDmarc = dmarcVerdict(auth.dmarc, dmarcAction);
  if (byDmarc !== null) return byDmarc;
  const isSpam = spam.verdict === 'spam' && !isAllowed(mail, senders);
  const bySpam = isSpam ? acted(spamAction, 'spam') : null;
  if (bySpam !== null) return bySpam;
  return mode === 'hold' ? { to: 'held', reason: 'mode' } : { to: 'inbox' };
};

export interface RecipientVerdict {
  readonly tenantId: string;
  /** The address of RCPT TO. */
  readonly recipient: string;
  readonly verdict: MailVerdict;
}

/** One row to store. */
export interface Placement {
  readonly tenantId: string;
  readonly state: 'inbox' | 'held' | 'quarantined';
  readonly reason: VerdictReason | null;
  readonly recipients: readonly string[];
}

/** What a practice has closed off. */
const isClosed = ({ reason }: Refusal): boolean => reason === 'blocked_sender' || reason === 'too_large';

/**
 * The mail is refused where all recipients refuse it, where it must come again for one of them, and where one of them has closed
 * its mailbox to its sender or size. Such a mail is never stored there, since a stranger could bring it beside a recipient that takes
 * everything; nor may it be dropped after 250. So it is refused for all, and its sender's server says so to the sender. Otherwise it is
 * stored for all: those that refuse what the checks found have it in the quarantine.
 */
export const placementsOf = (verdicts: readonly RecipientVerdict[]): readonly Placement[] | Refusal => {
  const refusing = verdicts.flatMap(({ verdict }) => (verdict.to === 'refused' ? [verdict] : []));
  const closed = refusing.find(isClosed);
  if (closed !== undefined) return closed;
  const later = refusing.find(({ code }) => code === 451);
  if (later !== undefined) return later;
  const [first] = refusing;
  if (first !== undefined && refusing.length === verdicts.length) return first;
  const rows = new Map<string, Placement>();
  for (const { tenantId, recipient, verdict } of verdicts) {
    const state = verdict.to === 'refused' ? 'quarantined' : verdict.to;
    // Mail that is to come again is not stored, so that is no reason here.
    const reason = verdict.to === 'inbox' || verdict.reason === 'dns' ? null : verdict.reason;
    const key = JSON.stringify([tenantId, state]);
    const row = rows.get(key) ?? { tenantId, state, reason, recipients: [] };
    rows.set(key, { ...row, recipients: [...row.recipients, recipient] });
  }
  return [...rows.values()];
};
