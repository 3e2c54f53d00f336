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

test('a record of the largest size matches no sender: reading a hundred of them would hold up the event loop', async () => {
  const senders = Array.from({ length: 4_300 }, (_, at) => `ip4:192.0.2.${at % 250}`).join(' ');
  const large = new Map([['large.example', `v=spf1 ${senders} +all`]]);
  const passes = async (record: string) => (await spfVerdict('a.example', record, large, OURS)).passes;
  expect(await passes('v=spf1 include:large.example -all')).toBe(false);
  expect(await passes(`v=spf1 include:large.example include:${OURS} -all`)).toBe(true);
});
