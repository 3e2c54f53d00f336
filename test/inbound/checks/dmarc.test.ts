// DMARC: whose mail it is, which record applies (RFC 9989 §4.10), and what aligns.
import { describe, expect, test } from 'vitest';
import { from, mailOf, signed, useScene } from './scene.ts';

const scene = useScene();
/** `fail reject example.org` */
const dmarc = async (mail: Buffer, envelope = {}): Promise<string> => {
  const { result, policy, domain } = (await scene.check(mail, envelope)).auth.dmarc;
  return `${result} ${policy} ${domain}`;
};
const publish = (name: string, ...records: readonly string[]): void =>
  scene.zone.set(`_dmarc.${name}`, 'TXT', ...records);

describe('which record applies', () => {
  test.each<[string, Record<string, string | string[]>, string, string]>([
    ['none', {}, 'a@example.org', 'none null example.org'],
    [
      'that of the domain',
      { 'example.org': 'v=DMARC1; p=reject' },
      'a@example.org',
      'fail reject example.org',
    ],
    [
      'as RFC 7489 had them',
      { 'example.org': 'v=DMARC1; p=quarantine; pct=100; rf=afrf; ri=86400' },
      'a@example.org',
      'fail quarantine example.org',
    ],
    [
      'for a test: one step less',
      { 'example.org': 'v=DMARC1; p=reject; t=y' },
      'a@example.org',
      'fail quarantine example.org',
    ],
    [
      'that of the domain above',
      { 'example.org': 'v=DMARC1; p=reject' },
      'a@x.y.example.org',
      'fail reject x.y.example.org',
    ],
    [
      'its policy for hosts below',
      { 'example.org': 'v=DMARC1; p=none; sp=reject' },
      'a@client.example.org',
      'fail reject client.example.org',
    ],
    [
      'its policy for hosts that do not exist',
      { 'example.org': 'v=DMARC1; p=none; sp=none; np=reject' },
      'a@gone.example.org',
      'fail reject gone.example.org',
    ],
    [
      'the host’s own',
      { 'example.org': 'v=DMARC1; p=reject', 'x.example.org': 'v=DMARC1; p=none' },
      'a@x.example.org',
      'fail none x.example.org',
    ],
    [
      'that of a public suffix',
      { org: 'v=DMARC1; p=reject; psd=y' },
      'a@example.org',
      'fail reject example.org',
    ],
    [
      'of a name of more than eight labels',
      { 'e.f.g.h.i.example.org': 'v=DMARC1; p=reject' },
      'a@a.b.c.d.e.f.g.h.i.example.org',
      'fail reject a.b.c.d.e.f.g.h.i.example.org',
    ],
    [
      'two are none',
      { 'example.org': ['v=DMARC1; p=reject', 'v=DMARC1; p=none'] },
      'a@example.org',
      'none null example.org',
    ],
    [
      'a broken one is none',
      { 'example.org': 'v=DMARC2; p=reject' },
      'a@example.org',
      'none null example.org',
    ],
    [
      'one without a policy, but with reports',
      { 'example.org': 'v=DMARC1; rua=mailto:a@example.org' },
      'a@example.org',
      'fail none example.org',
    ],
  ])('%s', async (_, records, author, expected) => {
    for (const [name, record] of Object.entries(records)) publish(name, ...[record].flat());
    expect(await dmarc(from(author), { mailFrom: 'x@evil.test' })).toBe(expected);
  });

  test('it cannot be found out', async () => {
    scene.zone.fail('_dmarc.example.org', 'SERVFAIL');
    expect(await dmarc(mailOf())).toMatch(/^temperror /);
    scene.zone.fail('_dmarc.example.org', null);
  });
});

describe('what aligns', () => {
  const REJECT = 'v=DMARC1; p=reject';
  test('SPF of the domain or a host below it, not of another', async () => {
    publish('example.org', REJECT);
    for (const name of ['example.org', 'bounce.example.org', 'evil.test'])
      scene.zone.set(name, 'TXT', 'v=spf1 ip4:192.0.2.10 -all');
    expect(await dmarc(mailOf())).toBe('pass reject example.org');
    expect(await dmarc(mailOf(), { mailFrom: 'b@bounce.example.org' })).toBe('pass reject example.org');
    expect(await dmarc(mailOf(), { mailFrom: 'x@evil.test' })).toBe('fail reject example.org');
  });
  test('strictly: the domain only', async () => {
    publish('example.org', `${REJECT}; aspf=s; adkim=s`);
    scene.zone.set('bounce.example.org', 'TXT', 'v=spf1 ip4:192.0.2.10 -all');
    expect(await dmarc(mailOf(), { mailFrom: 'b@bounce.example.org' })).toBe('fail reject example.org');
    expect(await dmarc(await signed(mailOf()), { mailFrom: 'b@bounce.example.org' })).toBe(
      'pass reject example.org',
    );
  });
  test('a signature of the domain, not of another, and not one of a part of the body', async () => {
    publish('example.org', REJECT);
    publish('evil.test', 'v=DMARC1; p=none');
    const envelope = { mailFrom: 'x@evil.test' };
    expect(await dmarc(await signed(mailOf()), envelope)).toBe('pass reject example.org');
    const mail = await signed(mailOf(), { maxBodyLength: 5 });
    expect(await dmarc(mail, envelope)).toBe('fail reject example.org');
  });
  test('a sibling whose own record makes it a domain of its own does not', async () => {
    publish('example.org', REJECT);
    publish('a.example.org', 'v=DMARC1; p=reject; psd=n');
    scene.zone.set('a.example.org', 'TXT', 'v=spf1 ip4:192.0.2.10 -all');
    expect(await dmarc(mailOf(), { mailFrom: 'x@a.example.org' })).toBe('fail reject example.org');
  });
  test('what could not be found out, but would align, is a temporary error', async () => {
    publish('example.org', REJECT);
    scene.zone.fail('bounce.example.org', 'SERVFAIL');
    scene.zone.fail('evil.test', 'SERVFAIL');
    expect(await dmarc(mailOf(), { mailFrom: 'b@bounce.example.org' })).toBe('temperror reject example.org');
    expect(await dmarc(mailOf(), { mailFrom: 'x@evil.test' })).toBe('fail reject example.org');
    const isSigned = await signed(mailOf());
    expect(await dmarc(isSigned, { mailFrom: 'b@bounce.example.org' })).toBe('pass reject example.org');
    scene.zone.fail('bounce.example.org', null);
    scene.zone.fail('evil.test', null);
  });
});

describe('whose mail it is', () => {
  test.each([
    ['Erika <erika@example.org>', 'pass'],
    ['"ceo@bank.test" <erika@example.org>', 'pass'],
    ['erika@example.org, Otto <otto@example.org>', 'pass'],
    ['Team: erika@example.org, otto@example.org;', 'pass'],
    ['erika@EXAMPLE.org (ceo)', 'pass'],
    ['Erika @ Praxis <erika@example.org>', 'pass'],
    ['erika@example.org, ceo@bank.test', 'permerror'],
    ['ceo@bank.test <erika@example.org>', 'pass'],
    ['<erika@example.org> <ceo@bank.test>', 'permerror'],
    ['erika@example.org\r\nFrom: ceo@bank.test', 'permerror'],
    ['erika@example.org\r\nFROM : erika@example.org', 'permerror'],
    ['Erika', 'permerror'],
    ['', 'permerror'],
  ])('From: %j: %s', async (value, result) => {
    publish('example.org', 'v=DMARC1; p=reject');
    scene.zone.set('example.org', 'TXT', 'v=spf1 ip4:192.0.2.10 -all');
    const { auth } = await scene.check(from(value));
    expect(auth.dmarc.result).toBe(result);
  });

  test('a header that has more than is read may have another From', async () => {
    const valid = from('erika@example.org').toString();
    const many = 'X: y\r\n'.repeat(1_100);
    scene.zone.set('example.org', 'TXT', 'v=spf1 ip4:192.0.2.10 -all');
    for (const mail of [
      `${many}${valid}`,
      valid.replace('\r\n\r\n', `\r\n${many}From: ceo@bank.test\r\n\r\n`),
    ])
      expect((await scene.check(Buffer.from(mail))).auth.dmarc.result).toBe('permerror');
  });
  test('an international domain', async () => {
    publish('xn--mller-kva.test', 'v=DMARC1; p=reject');
    expect(await dmarc(from('a@müller.test'), { mailFrom: '' })).toBe('fail reject xn--mller-kva.test');
  });
  test('the authors, for the rules on senders', async () => {
    const { authors } = await scene.check(from('Erika <Erika@Example.org>, b@c.test'));
    expect(authors).toEqual(['erika@example.org', 'b@c.test']);
  });
});
