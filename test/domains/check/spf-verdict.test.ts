import { expect, test } from 'vitest';
import { spfVerdict } from '#src/domains/check/spf-verdict.ts';

const OURS = 'spf.mail.test';
const included = new Map([
  ['ours.example', `v=spf1 include:${OURS} -all`],
  ['others.example', 'v=spf1 ip4:192.0.2.0/24 -all'],
]);

test.each<[record: string, passes: boolean]>([
  [`v=spf1 include:${OURS} -all`, true],
  [`v=spf1 a mx ptr exists:%{i}.a.example include:${OURS} -all`, true],
  ['v=spf1 include:others.example include:ours.example -all', true],
  [`v=spf1 redirect=${OURS}`, true],
  ['v=spf1 redirect=ours.example', true],
  ['v=spf1 +all', true],
  [`v=spf1 ip4:0.0.0.0/0 include:${OURS} -all`, true],
  ['v=spf1 include:others.example -all', false],
  [`v=spf1 -all include:${OURS}`, false],
  [`v=spf1 -include:${OURS} ~all`, false],
  [`v=spf1 ?include:${OURS} ~all`, false],
  [`v=spf1 ip4:192.0.2.0/24 -all redirect=${OURS}`, false],
  ['v=spf1 include:unknown.example ~all', false],
])('%s lets the service pass: %s', async (record, passes) => {
  expect(await spfVerdict('praxis.example', record, included, OURS)).toEqual({ passes, invalid: null });
});

test.each(['ip4:192.0.2.01', 'ip4:192.0.2.0/08', 'a:%{c}.example', 'exists:%{t}.example'])(
  '%s makes the record invalid, wherever it is',
  async (term) => {
    const { passes, invalid } = await spfVerdict(
      'a.example',
      `v=spf1 include:${OURS} ${term}`,
      included,
      OURS,
    );
    expect(passes).toBe(false);
    expect(invalid).toMatch(/\w/);
  },
);

test('records of the largest size, included a hundred times, do not hold up the event loop', async () => {
  const senders = Array.from({ length: 4_300 }, (_, at) => `ip4:192.0.2.${at % 250}`).join(' ');
  const names = Array.from({ length: 40 }, (_, at) => `large${at}.example`);
  const large = new Map(names.map((name) => [name, `v=spf1 ${senders} ?all`]));
  const terms = Array.from({ length: 98 }, (_, at) => `include:${names[at % names.length]}`).join(' ');
  const began = performance.now();
  expect(await spfVerdict('a.example', `v=spf1 ${terms} include:${OURS} -all`, large, OURS)).toEqual({
    passes: true,
    invalid: null,
  });
  expect(performance.now() - began).toBeLessThan(300);
});
