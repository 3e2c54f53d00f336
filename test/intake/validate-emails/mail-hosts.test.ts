import { describe, expect, test } from 'vitest';
import { createMailHosts } from '#src/intake/validate-emails/mail-hosts.ts';
import type { DnsLookup, Lookup, MxAnswer } from '#src/kernel/dns-lookup.ts';

const found = <T>(...records: T[]): Lookup<T> => ({ kind: 'found', records });
const NO_RECORD: Lookup<never> = { kind: 'none', nameExists: true };
const NO_NAME: Lookup<never> = { kind: 'none', nameExists: false };
const FAILED: Lookup<never> = { kind: 'failed', reason: 'servfail' };
const mx = (...exchanges: string[]): Lookup<MxAnswer> =>
  found(...exchanges.map((exchange) => ({ exchange, preference: 10 })));

const scene = (
  answers: Partial<Record<'mx' | 'addresses', Lookup<never> | Lookup<MxAnswer> | Lookup<string>>> = {},
) => {
  const asked: string[] = [];
  let now = 0;
  const lookup = {
    mx: async (name: string) => {
      asked.push(name);
      return answers.mx ?? mx('mx.example.org');
    },
    addresses: async () => answers.addresses ?? NO_RECORD,
  } as Pick<DnsLookup, 'mx' | 'addresses'>;
  const hosts = createMailHosts({ lookup, clock: { now: () => now }, patienceMs: 60_000 });
  return {
    asked,
    hosts,
    pass: (ms: number) => {
      now += ms;
    },
  };
};

describe('a domain', () => {
  test.each([
    ['with an MX', { mx: mx('mx.example.org') }, 'takes_mail'],
    ['that says it takes none', { mx: mx('') }, 'null_mx'],
    ['that says so beside another', { mx: mx('', 'mx.example.org') }, 'takes_mail'],
    ['with an address alone', { mx: NO_RECORD, addresses: found('192.0.2.1') }, 'takes_mail'],
    ['with neither', { mx: NO_RECORD, addresses: NO_RECORD }, 'none'],
    ['that does not exist', { mx: NO_NAME, addresses: found('192.0.2.1') }, 'none'],
    ['whose server fails', { mx: FAILED }, 'unknown'],
    ['whose server fails at the address', { mx: NO_RECORD, addresses: FAILED }, 'unknown'],
  ] as const)('%s', async (_, answers, host) => {
    expect(await scene(answers).hosts.ask(['example.org'])).toEqual(new Map([['example.org', host]]));
  });

  test('is looked up once, also for several callers at a time, and again after ten minutes', async () => {
    const { hosts, asked, pass } = scene();
    await Promise.all([hosts.ask(['a.example', 'a.example']), hosts.ask(['a.example'])]);
    pass(599_000);
    await hosts.ask(['a.example']);
    expect(asked).toHaveLength(1);
    pass(2_000);
    await hosts.ask(['a.example']);
    expect(asked).toHaveLength(2);
  });

  test('whose lookup failed is looked up again at once', async () => {
    const { hosts, asked } = scene({ mx: FAILED });
    await hosts.ask(['a.example']);
    await hosts.ask(['a.example']);
    expect(asked).toHaveLength(2);
  });
});

test('a late answer is unknown, and a lookup that has not begun by then is left out', async () => {
  const asked: string[] = [];
  const pending: (() => void)[] = [];
  const lookup = {
    mx: (name: string) =>
      new Promise<Lookup<MxAnswer>>((resolve) => {
        asked.push(name);
        if (name === 'quick.example') resolve(mx('mx.example'));
        else pending.push(() => resolve(mx('mx.example')));
      }),
    addresses: async () => NO_RECORD,
  } as Pick<DnsLookup, 'mx' | 'addresses'>;
  const hosts = createMailHosts({ lookup, clock: { now: () => 0 }, patienceMs: 50 });
  const slow = Array.from({ length: 100 }, (_, number) => `slow-${number}.example`);
  const answers = await hosts.ask(['quick.example', ...slow]);
  expect(answers.get('quick.example')).toBe('takes_mail');
  expect(slow.map((name) => answers.get(name))).toEqual(slow.map(() => 'unknown'));
  for (const end of pending.splice(0)) end();
  await hosts.ask(['quick.example']);
  expect(asked).toHaveLength(33);
});

test('a lookup that one caller still waits for is made, though the first caller has given up', async () => {
  const pending: (() => void)[] = [];
  const lookup = {
    mx: (name: string) =>
      new Promise<Lookup<MxAnswer>>((resolve) => {
        if (name === 'late.example') resolve(mx('mx.example'));
        else pending.push(() => resolve(mx('mx.example')));
      }),
    addresses: async () => NO_RECORD,
  } as Pick<DnsLookup, 'mx' | 'addresses'>;
  const hosts = createMailHosts({ lookup, clock: { now: () => 0 }, patienceMs: 1_000 });
  const slow = Array.from({ length: 32 }, (_, number) => `slow-${number}.example`);
  const first = hosts.ask([...slow, 'late.example']);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const second = hosts.ask(['late.example']);
  expect((await first).get('late.example')).toBe('unknown');
  for (const end of pending.splice(0)) end();
  expect((await second).get('late.example')).toBe('takes_mail');
});
