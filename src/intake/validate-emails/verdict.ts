// The verdict on an address, from what is known about it. Pure.

import type { Address } from '#src/mail/mailbox.ts';
import type { SuppressionFacts } from '#src/messages/suppression-rules.ts';
import type { MailHost } from './mail-hosts.ts';
import { meantProvider } from './providers.ts';

/** `risky`: mail may arrive, but perhaps not where it should. `unknown`: the DNS gave no answer now. */
export const verdicts = ['deliverable', 'risky', 'undeliverable', 'unknown'] as const;
export type EmailVerdict = (typeof verdicts)[number];

export const reasons = [
  'syntax',
  'smtputf8',
  'no_mail_host',
  'null_mx',
  'suppressed',
  'typo',
  'disposable',
  'role',
  'dns_failed',
] as const;
export type Reason = (typeof reasons)[number];

/** The verdict that each reason leads to; the most serious decides. That of a suppression depends on its own reason. */
const weights: Readonly<Record<Exclude<Reason, 'suppressed'>, EmailVerdict>> = {
  syntax: 'undeliverable',
  smtputf8: 'undeliverable',
  no_mail_host: 'undeliverable',
  null_mx: 'undeliverable',
  dns_failed: 'unknown',
  typo: 'risky',
  disposable: 'risky',
  role: 'risky',
};
const gravity: readonly EmailVerdict[] = ['undeliverable', 'unknown', 'risky'];

/** Mailboxes that several people read, or no one: RFC 2142, and the usual names in offices and practices. */
const roles: ReadonlySet<string> = new Set(
  (
    'abuse admin administrator anmeldung billing bewerbung buchhaltung buero contact datenschutz dns empfang ftp ' +
    'help hilfe hostmaster hr info it jobs kontakt mail mailer-daemon marketing news newsletter no-reply noc noreply ' +
    'office postmaster presse privacy rechnung rechnungen root sales security sekretariat service shop ' +
    'support team termine usenet uucp verwaltung vertrieb webmaster www zentrale'
  ).split(' '),
);

const isRole = (address: Address): boolean => {
  const [local = ''] = address.slice(0, address.lastIndexOf('@')).toLowerCase().split('+');
  return roles.has(local);
};

export interface AddressFacts {
  readonly address: Address;
  readonly domain: string;
  readonly needsSmtpUtf8: boolean;
  readonly host: MailHost;
  readonly isDisposable: boolean;
  /** The widest that the caller may see. */
  readonly suppression: SuppressionFacts | null;
}

export interface Judgement {
  readonly verdict: EmailVerdict;
  readonly reasons: readonly Reason[];
  /** The address that was probably meant. */
  readonly suggestion: string | null;
}

const hostReasons: Readonly<Record<MailHost, readonly Reason[]>> = {
  takes_mail: [],
  none: ['no_mail_host'],
  null_mx: ['null_mx'],
  unknown: ['dns_failed'],
};

const weightOf = (reason: Reason, suppression: SuppressionFacts | null): EmailVerdict => {
  if (reason !== 'suppressed') return weights[reason];
  return suppression?.reason === 'hard_bounce' ? 'undeliverable' : 'risky';
};

export const judge = (facts: AddressFacts): Judgement => {
  const { address, domain, host, suppression } = facts;
  const meant = meantProvider(domain, host === 'takes_mail' || host === 'unknown');
  const found: Reason[] = [
    ...(facts.needsSmtpUtf8 ? (['smtputf8'] as const) : []),
    ...hostReasons[host],
    ...(suppression === null ? [] : (['suppressed'] as const)),
    ...(meant === null ? [] : (['typo'] as const)),
    ...(facts.isDisposable ? (['disposable'] as const) : []),
    ...(isRole(address) ? (['role'] as const) : []),
  ];
  const weighed = found.map((reason) => weightOf(reason, suppression));
  return {
    verdict: gravity.find((verdict) => weighed.includes(verdict)) ?? 'deliverable',
    reasons: found,
    suggestion: meant === null ? null : `${address.slice(0, address.lastIndexOf('@'))}@${meant}`,
  };
};

export const unreadable: Judgement = { verdict: 'undeliverable', reasons: ['syntax'], suggestion: null };
