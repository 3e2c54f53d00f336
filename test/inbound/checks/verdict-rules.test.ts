import { describe, expect, test } from 'vitest';
import {
  type MailVerdict,
  placementsOf,
  type RecipientVerdict,
  tooLarge,
  verdictOf,
} from '#src/inbound/checks/verdict-rules.ts';
import type { AuthResult, CheckedMail, MailAuth, MailSpam } from '#src/inbound/mail.ts';
import { initialOptions, type MailAction, type MailboxMode } from '#src/inbound/options.ts';

interface Case {
  readonly authors?: readonly string[];
  readonly auth?: Partial<MailAuth>;
  readonly spam?: MailSpam['verdict'];
  readonly isDeferred?: boolean;
  readonly allow?: readonly string[];
  readonly block?: readonly string[];
  readonly mode?: MailboxMode;
  readonly dmarc?: MailAction;
  readonly spamAction?: MailAction;
}

const checked = ({ authors = ['erika@example.org'], auth, spam, isDeferred = false }: Case): CheckedMail => ({
  authors,
  auth: {
    spf: { result: 'none', domain: null },
    dkim: [],
    dmarc: { result: 'none', domain: 'example.org', policy: null },
    arc: { result: 'none' },
    iprev: { result: 'pass', name: 'mx.example.org' },
    ...auth,
  },
  spam: { verdict: spam ?? 'clean', score: null, reasons: [] },
  isDeferred,
  authenticationResults: '',
});

const verdict = (given: Case): MailVerdict =>
  verdictOf(
    checked(given),
    { ...initialOptions.senders, allow: [...(given.allow ?? [])], block: [...(given.block ?? [])] },
    {
      mode: given.mode ?? 'accept',
      dmarcAction: given.dmarc ?? 'quarantine',
      spamAction: given.spamAction ?? 'quarantine',
    },
  );

/** `inbox`, `quarantined: spam`, `550 5.7.1 spam` */
const inShort = (one: MailVerdict): string => {
  if (one.to === 'inbox') return 'inbox';
  if (one.to !== 'refused') return `${one.to}: ${one.reason}`;
  return `${one.code} ${one.text.split(' ', 1)[0]} ${one.reason}`;
};

const dmarc = (
  result: 'pass' | 'fail' | 'none' | 'permerror' | 'temperror',
  policy: 'none' | 'reject' | null,
) => ({
  dmarc: { result, domain: 'example.org', policy },
});
const spf = (domain: string, result: AuthResult = 'pass') => ({ spf: { result, domain } });
const dkim = (domain: string, result: AuthResult = 'pass') => ({ dkim: [{ result, domain, selector: 's' }] });

const cases: readonly (readonly [string, Case, string])[] = [
  ['a clean mail', {}, 'inbox'],
  ['a mailbox that holds', { mode: 'hold' }, 'held: mode'],
  ['spam', { spam: 'spam' }, 'quarantined: spam'],
  ['spam at a mailbox that refuses it', { spam: 'spam', spamAction: 'reject' }, '550 5.7.1 spam'],
  ['spam at a mailbox that takes it', { spam: 'spam', spamAction: 'accept' }, 'inbox'],
  ['spam at a mailbox that holds', { spam: 'spam', mode: 'hold' }, 'quarantined: spam'],
  ['a virus', { spam: 'virus' }, 'quarantined: virus'],
  ['a virus at a mailbox that refuses spam', { spam: 'virus', spamAction: 'reject' }, '550 5.7.1 virus'],
  ['a virus at a mailbox that takes spam', { spam: 'virus', spamAction: 'accept' }, 'quarantined: virus'],
  ['nothing scanned', { spam: 'not_scanned' }, 'inbox'],
  ['a scanner that must be asked', { isDeferred: true }, '451 4.7.1 scanner_unavailable'],
  ['DMARC fails, p=reject', { auth: dmarc('fail', 'reject') }, 'quarantined: dmarc'],
  ['the same, refused', { auth: dmarc('fail', 'reject'), dmarc: 'reject' }, '550 5.7.26 dmarc'],
  ['the same, taken', { auth: dmarc('fail', 'reject'), dmarc: 'accept' }, 'inbox'],
  [
    'the same, taken, but spam',
    { auth: dmarc('fail', 'reject'), dmarc: 'accept', spam: 'spam' },
    'quarantined: spam',
  ],
  ['DMARC fails, p=none', { auth: dmarc('fail', 'none'), dmarc: 'reject' }, 'inbox'],
  ['DMARC cannot be found out', { auth: dmarc('temperror', null), dmarc: 'reject' }, '451 4.7.1 dns'],
  ['the same, of a mailbox that quarantines', { auth: dmarc('temperror', null) }, '451 4.7.1 dns'],
  ['the same, of a policy that is known', { auth: dmarc('temperror', 'reject') }, '451 4.7.1 dns'],
  ['the same, taken', { auth: dmarc('temperror', 'reject'), dmarc: 'accept' }, 'inbox'],
  ['the same, of a domain that asks for nothing', { auth: dmarc('temperror', 'none') }, 'inbox'],
  ['From of two domains', { auth: dmarc('permerror', null), dmarc: 'reject' }, '550 5.7.26 dmarc'],
  ['a blocked domain', { block: ['example.org'] }, '550 5.7.1 blocked_sender'],
  ['a blocked address', { block: ['erika@example.org'] }, '550 5.7.1 blocked_sender'],
  ['another address of the domain is blocked', { block: ['otto@example.org'] }, 'inbox'],
  [
    'a blocked one is the second author',
    { authors: ['a@b.test', 'erika@example.org'], block: ['example.org'] },
    '550 5.7.1 blocked_sender',
  ],
  ['allowed, nothing proved', { spam: 'spam', allow: ['example.org'] }, 'quarantined: spam'],
  ['allowed, DMARC passes', { spam: 'spam', allow: ['example.org'], auth: dmarc('pass', 'reject') }, 'inbox'],
  [
    'allowed, SPF passes for the domain',
    { spam: 'spam', allow: ['example.org'], auth: spf('example.org') },
    'inbox',
  ],
  [
    'allowed, SPF passes for a host below',
    { spam: 'spam', allow: ['example.org'], auth: spf('bounce.example.org') },
    'inbox',
  ],
  [
    'allowed, SPF passes for another',
    { spam: 'spam', allow: ['example.org'], auth: spf('evil.test') },
    'quarantined: spam',
  ],
  [
    'allowed, DKIM passes for the domain',
    { spam: 'spam', allow: ['example.org'], auth: dkim('example.org') },
    'inbox',
  ],
  [
    'allowed, DKIM passes for another',
    { spam: 'spam', allow: ['example.org'], auth: dkim('evil.test') },
    'quarantined: spam',
  ],
  [
    'allowed, SPF and DKIM fail for the domain',
    {
      spam: 'spam',
      allow: ['example.org'],
      auth: { ...spf('example.org', 'fail'), ...dkim('example.org', 'fail') },
    },
    'quarantined: spam',
  ],
  [
    'without an author, nothing is allowed',
    { authors: [], spam: 'spam', allow: ['example.org'] },
    'quarantined: spam',
  ],
  [
    'allowed, SPF passes, but DMARC does not',
    { spam: 'spam', allow: ['example.org'], auth: { ...spf('example.org'), ...dmarc('fail', 'none') } },
    'quarantined: spam',
  ],
  [
    'allowed, SPF passes, another author beside',
    {
      authors: ['erika@example.org', 'x@example.org.evil.test'],
      spam: 'spam',
      allow: ['example.org'],
      auth: spf('example.org'),
    },
    'quarantined: spam',
  ],
  [
    'a neighbour under a public suffix is not the same',
    { authors: ['a@one.co.uk'], spam: 'spam', allow: ['one.co.uk'], auth: spf('two.co.uk') },
    'quarantined: spam',
  ],
  [
    'allowed, but a virus',
    { spam: 'virus', allow: ['example.org'], auth: dmarc('pass', 'reject') },
    'quarantined: virus',
  ],
  [
    'allowed, but DMARC fails',
    { allow: ['example.org'], auth: dmarc('fail', 'reject') },
    'quarantined: dmarc',
  ],
];

describe('where a mail goes', () => {
  test.each(cases)('%s', (_, given, expected) => {
    expect(inShort(verdict(given))).toBe(expected);
  });
});

const at = (tenantId: string, recipient: string, given: Case): RecipientVerdict => ({
  tenantId,
  recipient,
  verdict: verdict(given),
});
const REFUSE = { block: ['example.org'] };
const SPAM = { spam: 'spam', spamAction: 'reject' } as const;

describe('several recipients', () => {
  test('all refuse: refused', () => {
    expect(placementsOf([at('a', 'x', REFUSE), at('b', 'y', REFUSE)])).toMatchObject({
      to: 'refused',
      code: 550,
    });
  });
  test('one takes it: those that refuse it for what was found have it in the quarantine', () => {
    expect(placementsOf([at('a', 'x', {}), at('a', 'y', SPAM), at('b', 'z', SPAM)])).toEqual([
      { tenantId: 'a', state: 'inbox', reason: null, recipients: ['x'] },
      { tenantId: 'a', state: 'quarantined', reason: 'spam', recipients: ['y'] },
      { tenantId: 'b', state: 'quarantined', reason: 'spam', recipients: ['z'] },
    ]);
  });
  test('one has closed its mailbox to it: for all', () => {
    expect(placementsOf([at('a', 'x', {}), at('b', 'y', REFUSE)])).toMatchObject({ code: 550 });
    const large = { ...at('b', 'y', {}), verdict: tooLarge };
    expect(placementsOf([at('a', 'x', { isDeferred: true }), large])).toMatchObject({ code: 552 });
  });
  test('recipients of one tenant with one state share a row', () => {
    expect(placementsOf([at('a', 'x', {}), at('a', 'y', {}), at('b', 'z', { mode: 'hold' })])).toEqual([
      { tenantId: 'a', state: 'inbox', reason: null, recipients: ['x', 'y'] },
      { tenantId: 'b', state: 'held', reason: 'mode', recipients: ['z'] },
    ]);
  });
  test('it must come again for one: for all', () => {
    const later = at('a', 'x', { isDeferred: true });
    expect(placementsOf([at('b', 'y', SPAM), later])).toMatchObject({ code: 451 });
    expect(placementsOf([{ ...later, verdict: { to: 'inbox' } }, later])).toMatchObject({ code: 451 });
  });
});
