import { describe, expect, test } from 'vitest';
import { hintFactsOf } from '#src/insight/go-live-hints.ts';
import {
  checkIds,
  DNS_CHECK_MAX_AGE,
  dmarcPolicyOf,
  type GoLiveFacts,
  goLiveChecks,
  isReachableByAll,
  remainingOf,
} from '#src/insight/rules.ts';
import { wordsIn } from '#src/insight/words.ts';
import { memberLanguages } from '#src/kernel/language.ts';
import { said } from '#src/kernel/say.ts';
import { checkOf, NOW, ready, record } from '#test/insight/facts.ts';

const failing = checkOf([record({ status: 'multiple' })]);
const mxOnApex = {
  purpose: 'apex_mx',
  type: 'MX',
  name: ready.host,
  found: ['10 mail.example.com'],
  hint: said('Remove it.'),
} as const;

const spoiled: readonly (readonly [name: string, spoil: Partial<GoLiveFacts>, remaining: string[]])[] = [
  ['nothing', {}, []],
  ['no street', { legal: { ...ready.legal, street: null } }, ['legal']],
  ['no privacy URL', { legal: { ...ready.legal, privacy_url: null } }, ['legal']],
  ['a domain that is not verified yet', { pendingDomain: 'neu.example.org' }, ['sending_domain']],
  ['a managed host, whatever was checked', { kind: 'managed', lastCheck: null }, []],
  ['a custom domain that was never checked', { lastCheck: null }, ['dns_records']],
  ['a record that is wrong', { lastCheck: { checkedAt: NOW, check: failing } }, ['dns_records']],
  [
    'an MX on the apex',
    { lastCheck: { checkedAt: NOW, check: checkOf([], { conflicts: [mxOnApex] }) } },
    ['dns_records'],
  ],
  [
    'an optional record that is wrong',
    { lastCheck: { checkedAt: NOW, check: checkOf([record({ required: false, status: 'missing' })]) } },
    [],
  ],
  ['a check as old as may be', { lastCheck: { checkedAt: NOW - DNS_CHECK_MAX_AGE, check: checkOf([]) } }, []],
  [
    'a check older than that',
    { lastCheck: { checkedAt: NOW - DNS_CHECK_MAX_AGE - 1, check: checkOf([]) } },
    ['dns_records'],
  ],
  ['an origin by http', { publicOrigin: 'http://mail.example.com' }, ['public_origin']],
  ['no upstream that delivers', { deliveringUpstreams: [] }, ['upstream', 'test_message']],
  ['no owner', { activeOwners: 0 }, ['owner']],
  ['no mail relayed', { relayedBy: [] }, ['test_message']],
  ['mail only kept', { relayedBy: ['capture'] }, ['test_message']],
  ['mail relayed and kept', { relayedBy: ['capture', 'relay'] }, []],
  ['no approval on the plan that needs it', { isApproved: false }, ['approval']],
  ['no approval for who is held', { plan: 'supporter', isHeld: true, isApproved: false }, ['approval']],
  ['no approval on another plan', { plan: 'supporter', isApproved: false }, []],
];

describe('the checks that remain before going live', () => {
  test.each(spoiled)('%s', (_, spoil, remaining) => {
    const checks = goLiveChecks({ ...ready, ...spoil }, NOW);
    expect(remainingOf(checks)).toEqual(remaining);
  });

  test('each required check is failed by some row', () => {
    const covered = new Set(spoiled.flatMap(([, , remaining]) => remaining));
    const required = goLiveChecks(ready, NOW).filter((check) => check.required);
    expect(required.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([]);
  });
});

describe('advice', () => {
  const adviceOf = (facts: Partial<GoLiveFacts>): string[] =>
    goLiveChecks({ ...ready, ...facts }, NOW).flatMap(({ id, ok, required }) =>
      required ? [] : `${id} ${ok ? 'ok' : 'open'}`,
    );
  const dmarc = (policy: string) =>
    record({ purpose: 'dmarc', name: `_dmarc.${ready.host}`, found: [`v=DMARC1; p=${policy}`] });
  const all = checkOf([dmarc('Reject'), record({ purpose: 'bimi', required: false })], {
    inbound: [record({ purpose: 'inbound_mx', type: 'MX', required: false })],
  });
  const cases: readonly (readonly [name: string, facts: Partial<GoLiveFacts>, advice: string[]])[] = [
    [
      'a custom domain with the least',
      {},
      ['dmarc_policy open', 'bimi open', 'inbound open', 'second_owner open'],
    ],
    [
      'a custom domain with all',
      { activeOwners: 2, lastCheck: { checkedAt: NOW, check: all } },
      ['dmarc_policy ok', 'bimi ok', 'inbound ok', 'second_owner ok'],
    ],
    [
      'p=none',
      { lastCheck: { checkedAt: NOW, check: checkOf([dmarc('none')]) } },
      ['dmarc_policy open', 'bimi open', 'inbound open', 'second_owner open'],
    ],
    ['a managed host', { kind: 'managed', lastCheck: null }, ['second_owner open']],
  ];
  test.each(cases)('for %s', (_, facts, advice) => {
    expect(adviceOf(facts)).toEqual(advice);
  });
});

const origins: readonly (readonly [origin: string, reachable: boolean])[] = [
  ['https://mail.example.com', true],
  ['https://mail.example.com:8443', true],
  ['https://127.example.com', true],
  ['http://mail.example.com', false],
  ['https://localhost:8080', false],
  ['https://app.localhost', false],
  ['https://127.0.0.1', false],
  ['https://127.9.9.9', false],
  ['https://[::1]', false],
];
test.each(origins)('everyone reaches %s: %s', (origin, reachable) => {
  expect(isReachableByAll(origin)).toBe(reachable);
});

const policies: readonly (readonly [found: string[], policy: string | null])[] = [
  [['v=DMARC1; p=quarantine; aspf=r'], 'quarantine'],
  [['v=DMARC1;p=REJECT'], 'reject'],
  [['v=DMARC1; aspf=r'], 'none'],
  [[], null],
  [['v=DMARC1; p=none', 'v=DMARC1; p=reject'], null],
];
test.each(policies)('the DMARC policy in %j is %s', (found, policy) => {
  expect(dmarcPolicyOf(checkOf([record({ purpose: 'dmarc', found })]))).toBe(policy);
});

describe('the words', () => {
  test.each(memberLanguages)('in %s each check has a title and says what to do', (language) => {
    for (const id of checkIds) {
      const { title, hint } = wordsIn(language).goLive[id];
      expect(title).not.toBe('');
      expect(hint(hintFactsOf({ ...ready, lastCheck: null }, NOW)), id).toMatch(/^\S.*\.$/s);
    }
  });

  const said: readonly (readonly [
    id: (typeof checkIds)[number],
    facts: Partial<GoLiveFacts>,
    part: string,
  ])[] = [
    ['legal', { legal: { street: null, city: null, privacy_url: 'https://a.example' } }, 'street, city'],
    ['dns_records', { lastCheck: { checkedAt: NOW, check: failing } }, `TXT ${ready.host} (multiple)`],
    [
      'dns_records',
      { lastCheck: { checkedAt: NOW, check: checkOf([], { conflicts: [mxOnApex] }) } },
      `MX ${ready.host} (conflict)`,
    ],
    ['dns_records', { lastCheck: null }, 'have not been checked within 48 hours'],
    ['sending_domain', { pendingDomain: 'neu.example.org' }, 'neu.example.org'],
    ['public_origin', { publicOrigin: 'http://localhost:1' }, 'http://localhost:1'],
    ['inbound', {}, `in.${ready.host}`],
  ];
  test.each(said)('%s with %j names %s', (id, facts, part) => {
    expect(wordsIn('en').goLive[id].hint(hintFactsOf({ ...ready, ...facts }, NOW))).toContain(part);
  });

  test('only the first of many records are named', () => {
    const many = Array.from({ length: 9 }, (_, number) =>
      record({ name: `n${number}.example.org`, status: 'missing' }),
    );
    const facts = { ...ready, lastCheck: { checkedAt: NOW, check: checkOf(many) } };
    expect(wordsIn('en').goLive.dns_records.hint(hintFactsOf(facts, NOW))).toMatch(
      /n4\.example\.org \(missing\), …\./,
    );
  });
});
