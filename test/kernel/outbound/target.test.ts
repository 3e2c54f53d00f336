import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Lookup } from '#src/kernel/dns-lookup.ts';
import { addressKind } from '#src/kernel/ip-address.ts';
import { createOutbound, type OutboundDeps } from '#src/kernel/outbound/create-outbound.ts';
import { createCheckedLookup } from '#src/kernel/outbound/target.ts';
import { inEnglish, said } from '#src/kernel/say.ts';
import { NAMES, TARGETS, type Verdict } from './targets.ts';

afterEach(() => void vi.useRealTimers());

const lookup = {
  addresses: async (name: string): Promise<Lookup<string>> => {
    const records = NAMES[name];
    return records ? { kind: 'found', records } : { kind: 'none', nameExists: false };
  },
};
const outboundWith = (deps: Partial<OutboundDeps> = {}) =>
  createOutbound({
    allow: () => [],
    allowHttp: () => false,
    timeout: () => 2_000,
    ownOrigin: 'https://mail.service.example.com',
    lookup,
    ...deps,
  });

const messages: Readonly<Record<Exclude<Verdict, 'public'>, RegExp>> = {
  internal: /^points to an internal network$/,
  port: /^uses a port that is not allowed$/,
  scheme: /^is not an https URL$/,
  user: /^contains a user name or password$/,
  fragment: /^contains a fragment$/,
  name: /^has a host name that cannot exist$/,
  form: /^is not a URL$/,
  long: /^has more than 2048 characters$/,
};

describe('where nothing is allowed', () => {
  const outbound = outboundWith();
  const verdicts = [...new Set(TARGETS.map(([, verdict]) => verdict))];
  const urlsOf = (wanted: Verdict) => TARGETS.flatMap(([url, verdict]) => (verdict === wanted ? [url] : []));

  test.each(verdicts)('what a URL is judged: %s', async (verdict) => {
    const wanted = verdict === 'public' ? /^usable$/ : messages[verdict];
    const wrong: Record<string, string> = {};
    for (const url of urlsOf(verdict)) {
      const message = inEnglish((await outbound.refusalOf(url))?.message ?? said('usable'));
      if (!wanted.test(message)) wrong[url] = message;
    }
    expect(wrong).toEqual({});
  });

  test.each(verdicts.filter((verdict) => verdict !== 'public'))(
    'nothing is sent to a URL that is refused: %s',
    async (verdict) => {
      const failure = new RegExp(`^the URL ${messages[verdict].source.replace(/^\^|\$$/g, '')}$`);
      for (const url of urlsOf(verdict)) {
        const outcome = await outbound.post({ url, headers: {}, body: '{}', owner: 'a' });
        expect(outcome, url).toEqual({
          kind: 'failed',
          timedOut: false,
          error: expect.stringMatching(failure),
        });
      }
    },
  );

  test('a refusal reveals nothing about where a name leads', async () => {
    for (const name of ['both', 'metadata', 'six']) {
      const refusal = await outbound.refusalOf(`https://${name}.example.com/`);
      const { message = said(''), hint = said('') } = refusal ?? {};
      expect(`${inEnglish(message)} ${inEnglish(hint)}`).not.toMatch(/\d|::/);
      expect(inEnglish(hint)).toContain('security.outbound_allow');
    }
  });

  test('the addresses of this machine are internal, whatever they are', async () => {
    const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map((one) => one.address));
    expect(own.length).toBeGreaterThan(0);
    for (const address of own) expect(addressKind(address, { allow: [], own }), address).toBe('internal');
    expect(addressKind('93.184.215.14', { allow: [], own: ['93.184.215.14'] })).toBe('internal');
    expect(addressKind('::ffff:93.184.215.14', { allow: [], own: ['93.184.215.14'] })).toBe('internal');
    expect(addressKind('2606:2800::1', { allow: [], own: ['2606:2800:0:0::1'] })).toBe('internal');
  });
});

describe('what is allowed', () => {
  test.each([
    [['127.0.0.0/8'], 'https://127.0.0.1:9000/', null],
    [['127.0.0.0/8'], 'https://127.9.9.9:22/', null],
    [['127.0.0.1'], 'https://127.0.0.1/', null],
    [['127.0.0.1'], 'https://127.0.0.2/', 'internal'],
    [['127.0.0.0/8'], 'https://[::ffff:127.0.0.1]/', null],
    [['127.0.0.0/8'], 'https://[64:ff9b::127.0.0.1]/', null],
    [['127.0.0.0/8'], 'https://[::1]/', 'internal'],
    [['127.0.0.0/8'], 'https://10.0.0.1/', 'internal'],
    [['127.0.0.0/8'], 'https://169.254.169.254/', 'internal'],
    [['127.0.0.0/8'], 'https://localhost:9000/', null],
    [['::1'], 'https://localhost:9000/', null],
    [['10.0.0.0/8'], 'https://localhost/', 'internal'],
    [['::1'], 'https://[::1]:9000/', null],
    [['::1'], 'https://127.0.0.1/', 'internal'],
    [['::/0'], 'https://127.0.0.1/', 'internal'],
    [['0.0.0.0/0'], 'https://127.0.0.1/', null],
    [['0.0.0.0/0'], 'https://[fd00::1]/', 'internal'],
    [['fd00::/8'], 'https://[fd00:ec2::254]:81/', null],
    [['::ffff:127.0.0.0/104'], 'https://[::ffff:127.0.0.1]/', null],
    [['10.0.0.0/8'], 'https://both.example.com/', null],
    [['10.0.0.0/8'], 'https://both.example.com:9000/', 'port'],
    [['127.0.0.0/8'], 'https://both.example.com/', 'internal'],
    [['127.0.0.0/8'], 'https://public.example.com:9000/', 'port'],
    [['127.0.0.0/8'], 'https://public.example.com/', null],
    [['127.0.0.0/8'], 'https://anything.internal/', null],
    [['127.0.0.0/8'], 'http://127.0.0.1/', 'scheme'],
    [['127.0.0.0/8'], 'https://a@127.0.0.1/', 'user'],
  ] as const)('%j: %s', async (allow, url, verdict) => {
    const refusal = await outboundWith({ allow: () => allow }).refusalOf(url);
    if (verdict === null) expect(refusal).toBeNull();
    else expect(inEnglish(refusal?.message ?? said(''))).toMatch(messages[verdict]);
  });

  test.each([
    ['http://public.example.com/', null],
    ['http://public.example.com:8080/', null],
    ['https://public.example.com/', null],
    ['http://public.example.com:443/', 'port'],
    ['http://127.0.0.1/', 'internal'],
    ['ftp://public.example.com/', 'scheme'],
  ] as const)('with http: %s', async (url, verdict) => {
    const refusal = await outboundWith({ allowHttp: () => true }).refusalOf(url);
    if (verdict === null) expect(refusal).toBeNull();
    else expect(inEnglish(refusal?.message ?? said(''))).toMatch(messages[verdict]);
  });

  test('is read again each time', async () => {
    const allow: string[] = [];
    const outbound = outboundWith({ allow: () => allow });
    const url = 'https://127.0.0.1/';
    expect(await outbound.refusalOf(url)).not.toBeNull();
    allow.push('127.0.0.1');
    expect(await outbound.refusalOf(url)).toBeNull();
  });

  test('a name that cannot be looked up at the moment is no reason to refuse', async () => {
    const failing = { addresses: async () => ({ kind: 'failed', reason: 'servfail' }) as const };
    expect(await outboundWith({ lookup: failing }).refusalOf('https://public.example.com/')).toBeNull();
  });
});

const OWN = '198.41.0.4';
const LATER_MS = 10_000;

test('the addresses of this machine stay known while the system has no descriptor left to list them', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let isListed = true;
  const checked = createCheckedLookup(
    () => [],
    lookup,
    () => {
      if (!isListed) throw new Error('uv_interface_addresses returned EMFILE');
      return { eth0: [{ address: OWN } as NetworkInterfaceInfo] };
    },
  );
  isListed = false;
  vi.advanceTimersByTime(LATER_MS);
  expect([checked.kindOf(OWN), checked.kindOf('198.41.0.5')]).toEqual(['internal', 'public']);
});
