// What no server of ours would serve: loops, garbage, far too much of everything.
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkHost as check } from '#src/domains/check/check-host.ts';
import { createCheckLookup } from '#src/domains/check/check-lookup.ts';
import { readSpf } from '#src/domains/check/spf-record.ts';
import { branchesOf, walkSpf } from '#src/domains/check/spf-tree.ts';
import type { HostFacts } from '#src/domains/records/host-check.ts';
import { withAdvice } from '#src/domains/records/host-check.ts';
import { type DnsLookup, type Lookup, withPatience } from '#src/kernel/dns-lookup.ts';
import { inEnglish } from '#src/kernel/say.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';

/** With the advice in English. */
const checkHost = async (...given: Parameters<typeof check>) => {
  const { records, inbound, conflicts, ...rest } = await check(...given);
  return {
    ...rest,
    records: records.map((record) => withAdvice(inEnglish, record)),
    inbound: inbound.map((record) => withAdvice(inEnglish, record)),
    conflicts: conflicts.map((conflict) => withAdvice(inEnglish, conflict)),
  };
};

const none: Lookup<never> = { kind: 'none', nameExists: true };
const found = <T>(...records: T[]): Lookup<T> => ({ kind: 'found', records });

/** Answers by functions of the name, and counts. */
const answering = (
  answers: { [K in keyof DnsLookup]?: (name: string) => Awaited<ReturnType<DnsLookup[K]>> },
) => {
  const asked: string[] = [];
  let now = 0;
  let most = 0;
  const ask =
    <T>(type: string, answer: ((name: string) => Lookup<T>) | undefined) =>
    async (name: string): Promise<Lookup<T>> => {
      asked.push(`${type} ${name}`);
      now += 1;
      most = Math.max(most, now);
      await new Promise(setImmediate);
      now -= 1;
      return answer?.(name) ?? none;
    };
  const lookup: DnsLookup = {
    txt: ask('TXT', answers.txt),
    cname: ask('CNAME', answers.cname),
    mx: ask('MX', answers.mx),
    ns: ask('NS', answers.ns),
    addresses: ask('A', answers.addresses),
  };
  return { lookup, asked, most: () => most };
};

const facts: HostFacts = {
  host: 'news.praxis.example',
  kind: 'custom',
  serviceHost: 'mail.test',
  keys: ['t1', 't2', 't3'].map((selector) => ({ selector, record: 'v=DKIM1; p=', imported: false })),
  bimi: { logoUrl: null, certificateUrl: null },
};

describe('asking', () => {
  test('each question is asked once, and not too many at a time', async () => {
    const { lookup, asked, most } = answering({});
    await checkHost(lookup, facts);
    expect(asked.length).toBeGreaterThan(50);
    expect(new Set(asked).size).toBe(asked.length);
    expect(most()).toBe(24);
  });

  test('a question that rejects nothing is answered to all who wait for it', async () => {
    const { lookup, asked } = answering({ txt: (name) => found([name]) });
    const asking = createCheckLookup(lookup);
    const answers = await Promise.all(
      ['A.example', 'a.example', 'a.EXAMPLE'].map((name) => asking.texts(name)),
    );
    expect(asked).toEqual(['TXT a.example']);
    expect(new Set(answers.map(({ answer }) => JSON.stringify(answer))).size).toBe(1);
  });

  test.each<[string, (name: string) => string]>([
    ['an alias of itself', (name) => name],
    ['two aliases of each other', (name) => (name === 'a.example' ? 'b.example' : 'a.example')],
    ['a chain without end', (name) => `x${name}`],
  ])('%s ends', async (_says, next) => {
    const { lookup, asked } = answering({ cname: (name) => found(next(name)) });
    const { answer, aliases } = await createCheckLookup(lookup).texts('a.example');
    expect(answer.kind).toBe('none');
    expect(aliases.length).toBeLessThanOrEqual(10);
    expect(asked.length).toBeLessThan(30);
  });

  test('a slow name server that leads on and on is left after a while, and nothing is taken for missing', async () => {
    let now = 0;
    const slowly = <T>(answer: Lookup<T>): Lookup<T> => {
      now += 3_000;
      return answer;
    };
    const { lookup, asked } = answering({
      txt: (name) => slowly(found([`v=spf1 include:x${name.slice(0, 100)} -all`])),
      cname: (name) => slowly(found(`x${name.slice(0, 200)}`)),
    });
    const asking = createCheckLookup(withPatience(lookup, () => now));
    const tree = await walkSpf(asking, 'a.example', readSpf('v=spf1 include:b.example -all'));
    const aliases = await asking.aliases('c.example');
    expect(asked).toHaveLength(10);
    expect(aliases).toEqual([]);
    expect(branchesOf(tree).at(-1)?.failure?.reason).toBe('timeout');
  });

  test('no TXT at a name that may be an alias is not none', async () => {
    const cname = (name: string): Lookup<string> =>
      name === 'a.example' ? found('b.example') : { kind: 'failed', reason: 'servfail' };
    const { lookup } = answering({ cname });
    for (const name of ['a.example', 'b.example'])
      expect((await createCheckLookup(lookup).texts(name)).answer).toEqual({
        kind: 'failed',
        reason: 'servfail',
      });
  });

  test('aliases for everything are no records', async () => {
    const { lookup } = answering({ cname: (name) => found(`x${name.slice(0, 200)}`) });
    const check = await checkHost(lookup, facts);
    expect(check).toMatchObject({ ok: false, dkimVerified: false });
  });
});

describe('bounds', () => {
  test('an SPF record that includes without end is walked only so far', async () => {
    const { lookup, asked } = answering({
      txt: (name) =>
        found([
          `v=spf1 ${Array.from({ length: 50 }, (_, index) => `include:i${index}.${name.slice(0, 150)}`).join(' ')} -all`,
        ]),
    });
    const check = await checkHost(lookup, facts);
    const spf = check.records.find(({ purpose }) => purpose === 'spf');
    expect(spf?.status).toBe('mismatch');
    expect(spf?.hint).toMatch(/more than \d+ DNS lookups/);
    // 40 for each of apex, return path and the service's own, and what is asked for besides.
    expect(asked.length).toBeLessThan(250);
  });

  test('of several SPF records no more is walked than of one', async () => {
    const terms = (from: string) =>
      Array.from({ length: 40 }, (_, index) => `a:a${index}.${from}.victim.example`);
    const { lookup, asked } = answering({
      txt: () => found(...['r0', 'r1', 'r2', 'r3', 'r4'].map((from) => [`v=spf1 ${terms(from).join(' ')}`])),
    });
    const check = await checkHost(lookup, facts);
    expect(check.records.find(({ purpose }) => purpose === 'spf')?.status).toBe('multiple');
    expect(asked.filter((question) => question.endsWith('.victim.example')).length).toBeLessThanOrEqual(40);
  });

  test('what is found is cut and cleaned; hints and values are bounded', async () => {
    const { lookup } = answering({
      txt: () =>
        found(
          ...Array.from({ length: 60 }, (_, index) => [
            `v=spf1 \u0000\u001b[31m oops${'x'.repeat(3_000)} a:${index} ~all`,
          ]),
        ),
      mx: () =>
        found(
          ...Array.from({ length: 60 }, (_, index) => ({
            exchange: `m${index}\u0007.example`,
            preference: index,
          })),
          { exchange: 'mail.test', preference: 0 },
        ),
    });
    const check = await checkHost(lookup, facts);
    expect(check.conflicts).toHaveLength(2);
    for (const record of [...check.records, ...check.inbound, ...check.conflicts]) {
      expect(record.found.length).toBeLessThanOrEqual(10);
      for (const text of record.found) {
        expect(text.length).toBeLessThanOrEqual(1_000);
        expect(text).not.toMatch(/[\0-\x1f]/);
      }
      expect(record.hint.length).toBeLessThanOrEqual(2_000);
      const value = 'value' in record ? record.value : '';
      expect(value.length).toBeLessThanOrEqual(4_000);
      expect(record.hint + value).not.toMatch(/[\0-\x1f]/);
    }
  });

  const beginnings = [
    '',
    'v=spf1 ',
    'v=spf1',
    'v=DMARC1; ',
    'v=DMARC1',
    'v=DKIM1; p=',
    'v=BIMI1; l=',
    'v=TLSRPTv1; rua=',
  ];
  /** CPU, in microseconds, that records with so many characters take: the time would also be that of others. */
  const costOf = async (unit: string, characters: number): Promise<number> => {
    const filler = unit.repeat(characters / unit.length);
    const before = process.cpuUsage();
    for (const beginning of beginnings)
      for (const text of [`${beginning}${filler}x`, `${beginning}include:${filler} ~all`]) {
        const { lookup } = answering({ txt: () => found([text]) });
        const keys = [{ selector: 'own', record: 'v=DKIM1; p=', imported: true }];
        await checkHost(lookup, { ...facts, keys });
      }
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };

  test.each([
    ['white space', ' \t'],
    ['quotation marks', '"'],
    ['semicolons', ';'],
    ['equals signs', '='],
    ['percent signs', '%{'],
    ['commas', ', '],
    ['one word', 'a'],
    ['dots', 'a.'],
    ['terms', 'a '],
  ])('60,000 characters of %s are read in linear time', async (_says, unit) => {
    let [fewer, cost] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // Four times as many cost four times as much at most; where it is quadratic, sixteen times. What else the process does counts
    // too, so the least of some tries is taken.
    for (let tries = 0; tries < 5 && !(cost / fewer < 10); tries++) {
      fewer = Math.min(fewer, await costOf(unit, 15_000));
      cost = Math.min(cost, await costOf(unit, 60_000));
    }
    expect(cost / fewer).toBeLessThan(10);
  });

  test('a name that is too long for the DNS is said to be', async () => {
    const host = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(50)}.example`;
    const { lookup } = answering({ ns: () => ({ kind: 'none', nameExists: false }) });
    const check = await checkHost(lookup, {
      ...facts,
      host,
      keys: [{ selector: 't'.repeat(24), record: '', imported: false }],
    });
    expect(check.records[0]).toMatchObject({
      status: 'missing',
      hint: expect.stringContaining('longer than 253'),
    });
  });
});

describe('what the DNS should not have', () => {
  const statusOf = async (answers: Parameters<typeof answering>[0], purpose: string) =>
    (await checkHost(answering(answers).lookup, facts)).records.find((record) => record.purpose === purpose);

  test('an MX at a name that is an alias counts for nothing', async () => {
    const record = await statusOf(
      {
        cname: (name) => (name.startsWith('bounce.') ? found('site.example') : none),
        mx: () => found({ exchange: 'mail.test', preference: 10 }),
      },
      'mail_from_mx',
    );
    expect(record).toMatchObject({ status: 'mismatch', hint: expect.stringContaining('RFC 2181, 10.3') });
  });

  test.each(['servfail', 'refused', 'timeout', 'malformed'] as const)(
    '%s is an error for every record',
    async (reason) => {
      const failed = { kind: 'failed' as const, reason };
      const all = {
        txt: () => failed,
        cname: () => failed,
        mx: () => failed,
        ns: () => failed,
        addresses: () => failed,
      };
      const check = await checkHost(answering(all).lookup, facts);
      for (const record of [...check.records, ...check.inbound]) {
        expect(record.status).toBe('error');
        expect(record.hint).toContain('could not be found out');
      }
      expect(check.ok).toBe(false);
    },
  );

  test.each(['none', 'failed'] as const)(
    'of a managed host the operator has to put it right: %s',
    async (kind) => {
      const answer = () => (kind === 'none' ? none : { kind, reason: 'timeout' as const });
      const all = { txt: answer, cname: answer, mx: answer, ns: answer, addresses: answer };
      const check = await checkHost(answering(all).lookup, { ...facts, kind: 'managed' });
      for (const { hint } of [...check.records, ...check.inbound]) {
        expect(hint).toMatch(/operator.* there is nothing for you to do\.$/);
        expect(hint).not.toContain('add the');
      }
    },
  );

  test('a domain that does not exist is to be registered first', async () => {
    const answer = () => ({ kind: 'none' as const, nameExists: false });
    const all = { txt: answer, cname: answer, mx: answer, ns: answer, addresses: answer };
    const { records } = await checkHost(answering(all).lookup, facts);
    for (const { hint, required } of records)
      if (required) expect(hint).toContain('The domain itself is not in the DNS');
  });

  test('of a copy of DMARC is not known whether it is the same when the apex fails', async () => {
    const record = await statusOf(
      {
        txt: (name) =>
          name === '_dmarc.praxis.example'
            ? { kind: 'failed', reason: 'timeout' }
            : found(['v=DMARC1; p=reject; rua=mailto:a@b.example']),
      },
      'dmarc_subdomain',
    );
    expect(record).toMatchObject({ status: 'error', hint: expect.stringContaining('It is there.') });
  });

  test('what a copy should say is not known either: no weaker policy is shown for it', async () => {
    const record = await statusOf(
      { txt: (name) => (name === '_dmarc.praxis.example' ? { kind: 'failed', reason: 'timeout' } : none) },
      'dmarc_subdomain',
    );
    expect(record).toMatchObject({
      status: 'error',
      hint: expect.stringContaining('the same policy (p=) as _dmarc.praxis.example'),
    });
  });

  test('what is wrong with the copy itself is known all the same', async () => {
    const record = await statusOf(
      {
        txt: (name) =>
          name === '_dmarc.praxis.example'
            ? { kind: 'failed', reason: 'timeout' }
            : found(['v=DMARC1; p=reject; aspf=s; rua=mailto:a@b.example']),
      },
      'dmarc_subdomain',
    );
    expect(record?.status).toBe('mismatch');
  });
});

const record = dkimRecord(generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey, 'rsa-sha256');
test.each<[what: string, keys: readonly string[], published: readonly string[], isVerified: boolean]>([
  ['all keys are there', ['t1', 't2'], ['t1', 't2'], true],
  ['one of them is not', ['t1', 't2'], ['t1'], false],
  ['there is no key', [], ['t1'], false],
])('a host is proved by its keys: %s', async (_, keys, published, isVerified) => {
  const isThere = (name: string): boolean => published.some((selector) => name.startsWith(`${selector}.`));
  const { lookup } = answering({
    cname: (name) =>
      name.includes('._domainkey.') && isThere(name) ? found(`${name.slice(0, 2)}.dkim.mail.test`) : none,
    txt: (name) => (name.endsWith('.dkim.mail.test') && isThere(name) ? found([record]) : none),
  });
  const wanted = keys.map((selector) => ({ selector, record, imported: false }));
  expect((await checkHost(lookup, { ...facts, keys: wanted })).dkimVerified).toBe(isVerified);
});

test.each<[what: string, held: () => string, status: string]>([
  ['the same key', () => record, 'ok'],
  ['another key', () => 'v=DKIM1; k=rsa; p=AAAA', 'mismatch'],
])('an alias to a former host of the service, which holds %s', async (_, held, status) => {
  const { lookup } = answering({
    cname: (name) => (name.startsWith('t1._domainkey.') ? found('t1.dkim.mail.old.test') : none),
    txt: (name) => {
      if (name === 't1.dkim.mail.old.test') return found([held()]);
      return name === 't1.dkim.mail.test' ? found([record]) : none;
    },
  });
  const keys = [{ selector: 't1', record, imported: false }];
  const { records } = await checkHost(lookup, { ...facts, keys });
  const [dkim] = records.filter(({ purpose }) => purpose === 'dkim');
  expect(dkim).toMatchObject({ status, hint: expect.stringContaining('t1.dkim.mail.test') });
});
