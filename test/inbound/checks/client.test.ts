// SPF and iprev, by a DNS of the tests.
import { describe, expect, test } from 'vitest';
import { CLIENT, mailOf, useScene } from './scene.ts';

const scene = useScene();
const spf = async (envelope = {}) => (await scene.check(mailOf(), envelope)).auth.spf;

describe('SPF', () => {
  test.each([
    ['v=spf1 ip4:192.0.2.10 -all', 'pass'],
    ['v=spf1 -all', 'fail'],
    ['v=spf1 ~all', 'softfail'],
    ['v=spf1 ?all', 'neutral'],
    ['v=spf1 a:client.example.org -all', 'pass'],
    ['v=spf1 ptr:example.org -all', 'pass'],
    ['v=spf1 exists:%{ir}.%{v}._spf.example.org -all', 'fail'],
    ['v=spf1 include:nowhere.test -all', 'permerror'],
    ['v=spf1 ip4:boom -all', 'permerror'],
    [`v=spf1 ${'ip4:192.0.2.10 '.repeat(400)}-all`, 'none'],
    ['no record', 'none'],
  ])('%.40s: %s', async (record, result) => {
    scene.zone.set('example.org', 'TXT', 'something else', record);
    expect(await spf()).toEqual({ result, domain: 'example.org' });
  });

  test('two records are an error', async () => {
    scene.zone.set('example.org', 'TXT', 'v=spf1 -all', 'v=spf1 +all');
    expect(await spf()).toMatchObject({ result: 'permerror' });
  });

  test.each(['SERVFAIL', 'REFUSED', 'silence'] as const)(
    'a DNS that answers %s is a temporary error',
    async (how) => {
      scene.zone.fail('example.org', how);
      try {
        expect(await spf()).toMatchObject({ result: 'temperror' });
      } finally {
        scene.zone.fail('example.org', null);
      }
    },
  );

  test('of HELO for the null sender, and of nothing where that is no name', async () => {
    scene.zone.set('client.example.org', 'TXT', 'v=spf1 a -all');
    expect(await spf({ mailFrom: '' })).toEqual({ result: 'pass', domain: 'client.example.org' });
    expect(await spf({ mailFrom: '', helo: '[192.0.2.10]' })).toEqual({ result: 'none', domain: null });
  });

  test('of an international domain, by its A-labels', async () => {
    scene.zone.set('xn--mller-kva.example.org', 'TXT', 'v=spf1 ip4:192.0.2.10 -all');
    expect(await spf({ mailFrom: 'erika@müller.example.org' })).toEqual({
      result: 'pass',
      domain: 'xn--mller-kva.example.org',
    });
  });

  test('of IPv6', async () => {
    scene.zone.set('example.org', 'TXT', 'v=spf1 ip6:2001:db8::/32 -all');
    expect(await spf({ clientAddress: '2001:db8::1' })).toMatchObject({ result: 'pass' });
  });

  test('a mail of the same client and domain asks nothing again for a minute', async () => {
    scene.zone.set('example.org', 'TXT', 'v=spf1 a:client.example.org -all');
    const check = scene.checks();
    await check(mailOf());
    const asked = scene.zone.asked.length;
    const { auth } = await check(mailOf(), { mailFrom: 'otto@example.org' });
    expect(auth.spf.result).toBe('pass');
    expect(scene.zone.asked).toHaveLength(asked);
    scene.zone.set('example.org', 'TXT', 'v=spf1 -all');
    scene.clock.set(scene.clock.now() + 61_000);
    expect((await check(mailOf())).auth.spf.result).toBe('fail');
  });

  test('a temporary error counts for seconds only', async () => {
    const check = scene.checks();
    scene.zone.fail('example.org', 'SERVFAIL');
    expect((await check(mailOf())).auth).toMatchObject({ spf: { result: 'temperror' } });
    scene.zone.fail('example.org', null);
    scene.zone.set('example.org', 'TXT', 'v=spf1 ip4:192.0.2.10 -all');
    scene.clock.set(scene.clock.now() + 6_000);
    expect((await check(mailOf())).auth).toMatchObject({
      spf: { result: 'pass' },
      iprev: { result: 'pass' },
    });
  });

  test('a record that names the local part is asked for each sender', async () => {
    scene.zone.set('example.org', 'TXT', 'v=spf1 exists:%{l}._ok.example.org -all');
    scene.zone.set('erika._ok.example.org', 'A', '127.0.0.2');
    const check = scene.checks();
    expect((await check(mailOf())).auth.spf.result).toBe('pass');
    expect((await check(mailOf(), { mailFrom: 'otto@example.org' })).auth.spf.result).toBe('fail');
    expect((await check(mailOf())).auth.spf.result).toBe('pass');
  });
});

describe('the name of the client', () => {
  const iprev = async (envelope = {}) => (await scene.check(mailOf(), envelope)).auth.iprev;

  test('leads back to it', async () => {
    expect(await iprev()).toEqual({ result: 'pass', name: 'client.example.org' });
  });
  test('leads back to an IPv6 address, however that is written', async () => {
    const name = `1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`;
    scene.zone.set(name, 'PTR', 'six.example.org');
    scene.zone.set('six.example.org', 'AAAA', '2001:db8:0:0:0:0:0:1');
    expect(await iprev({ clientAddress: '2001:db8::1' })).toEqual({
      result: 'pass',
      name: 'six.example.org',
    });
  });
  test('leads elsewhere', async () => {
    scene.zone.set('client.example.org', 'A', '192.0.2.11');
    expect(await iprev()).toEqual({ result: 'fail', name: null });
  });
  test('does not exist', async () => {
    expect(await iprev({ clientAddress: '192.0.2.99' })).toEqual({ result: 'permerror', name: null });
  });
  test('cannot be found out', async () => {
    scene.zone.fail('in-addr.arpa', 'SERVFAIL');
    expect(await iprev({ clientAddress: CLIENT })).toEqual({ result: 'temperror', name: null });
    scene.zone.fail('in-addr.arpa', null);
    scene.zone.fail('client.example.org', 'SERVFAIL');
    expect(await iprev()).toEqual({ result: 'temperror', name: null });
    scene.zone.fail('client.example.org', null);
  });
  test('is one of several', async () => {
    scene.zone.set('10.2.0.192.in-addr.arpa', 'PTR', 'not a name', 'other.test', 'client.example.org');
    expect(await iprev()).toEqual({ result: 'pass', name: 'client.example.org' });
  });
});
