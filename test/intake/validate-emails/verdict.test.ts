import { describe, expect, test } from 'vitest';
import { meantProvider } from '#src/intake/validate-emails/providers.ts';
import { type AddressFacts, judge } from '#src/intake/validate-emails/verdict.ts';
import { addressDomain, needsSmtpUtf8, parseAddress } from '#src/mail/address.ts';

const facts = (typed: string, more: Partial<AddressFacts> = {}): AddressFacts => {
  const { address } = parseAddress(typed);
  return {
    address,
    domain: addressDomain(address),
    needsSmtpUtf8: needsSmtpUtf8(address),
    host: 'takes_mail',
    isDisposable: false,
    suppression: null,
    ...more,
  };
};

const suppressed = (reason: 'hard_bounce' | 'unsubscribe') =>
  ({ id: 's1', scope: 'team', project_id: null, route_id: null, reason }) as const;

describe('a verdict', () => {
  test.each([
    ['an ordinary address', facts('erika@example.org'), 'deliverable', [], null],
    [
      'a domain without a mail host',
      facts('erika@example.org', { host: 'none' }),
      'undeliverable',
      ['no_mail_host'],
      null,
    ],
    [
      'a domain that takes no mail',
      facts('erika@example.org', { host: 'null_mx' }),
      'undeliverable',
      ['null_mx'],
      null,
    ],
    [
      'a DNS that does not answer',
      facts('erika@example.org', { host: 'unknown' }),
      'unknown',
      ['dns_failed'],
      null,
    ],
    ['umlauts before the @', facts('jürgen@example.org'), 'undeliverable', ['smtputf8'], null],
    [
      'a hard bounce',
      facts('erika@example.org', { suppression: suppressed('hard_bounce') }),
      'undeliverable',
      ['suppressed'],
      null,
    ],
    [
      'an unsubscribed one',
      facts('erika@example.org', { suppression: suppressed('unsubscribe') }),
      'risky',
      ['suppressed'],
      null,
    ],
    [
      'a throw-away mailbox',
      facts('erika@example.org', { isDisposable: true }),
      'risky',
      ['disposable'],
      null,
    ],
    ['a role', facts('Info@example.org'), 'risky', ['role'], null],
    ['a role with a detail', facts('info+a@example.org'), 'risky', ['role'], null],
    ['a name that begins like a role', facts('informatik@example.org'), 'deliverable', [], null],
    ["a practice's own address", facts('praxis@example.org'), 'deliverable', [], null],
    [
      'a role, and a DNS that does not answer',
      facts('info@example.org', { host: 'unknown' }),
      'unknown',
      ['dns_failed', 'role'],
      null,
    ],
    ['a squatted name', facts('Erika.M@gmial.com'), 'risky', ['typo'], 'Erika.M@gmail.com'],
    [
      'a mistyped name of nobody',
      facts('erika@gmx.dee', { host: 'none' }),
      'undeliverable',
      ['no_mail_host', 'typo'],
      'erika@gmx.de',
    ],
  ] as const)('%s', (_, given, verdict, reasons, suggestion) => {
    expect(judge(given)).toEqual({ verdict, reasons, suggestion });
  });
});

describe('what a domain was meant to be', () => {
  test.each([
    ['gmial.com', 'gmail.com'],
    ['gamil.com', 'gmail.com'],
    ['gmail.con', 'gmail.com'],
    ['gmail.comm', 'gmail.com'],
    ['gmx.ed', 'gmx.de'],
    ['web.dee', 'web.de'],
    ['web.con', 'web.de'],
    ['t-onlien.de', 't-online.de'],
    ['tonline.de', 't-online.de'],
    ['freenett.de', 'freenet.de'],
    ['hotmial.de', 'hotmail.de'],
    ['outlokk.de', 'outlook.de'],
    ['example.org', null],
    ['praxis-am-markt.de', null],
    ['abc.de', null],
    [`${'a'.repeat(250)}.de`, null],
  ])('%s without a mail host: %s', (domain, meant) => {
    expect(meantProvider(domain, false)).toBe(meant);
  });

  test.each([
    ['gmial.com', 'gmail.com'],
    ['wed.de', 'web.de'],
    ['ymail.com', null],
    ['mail.com', null],
    ['email.com', null],
    ['gmx.at', null],
    ['gmx.dee', null],
    ['constructor', null],
  ])('%s with one: %s', (domain, meant) => {
    expect(meantProvider(domain, true)).toBe(meant);
  });
});
