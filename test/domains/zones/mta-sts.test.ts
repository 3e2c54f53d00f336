import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type MtaStsSettings, policyRecord, policyText, servesPolicy } from '#src/domains/zones/mta-sts.ts';

const WEEK = 604_800_000;

describe('the policy', () => {
  test.each<[sentence: string, settings: MtaStsSettings, lines: string[]]>([
    [
      'testing',
      { mode: 'testing', maxAge: WEEK },
      ['version: STSv1', 'mode: testing', 'mx: post.example', 'max_age: 604800'],
    ],
    [
      'enforce',
      { mode: 'enforce', maxAge: 86_400_000 },
      ['version: STSv1', 'mode: enforce', 'mx: post.example', 'max_age: 86400'],
    ],
    ['none names no MX', { mode: 'none', maxAge: WEEK }, ['version: STSv1', 'mode: none', 'max_age: 604800']],
    [
      'parts of a second are left out',
      { mode: 'testing', maxAge: 86_400_999 },
      ['version: STSv1', 'mode: testing', 'mx: post.example', 'max_age: 86400'],
    ],
  ])('%s', (_sentence, settings, lines) =>
    expect(policyText('post.example', settings)).toBe(lines.map((line) => `${line}\r\n`).join('')),
  );

  test('its id is of the form of RFC 8461 §3.1, and that of its text', () => {
    const settings = { mode: 'testing', maxAge: WEEK } as const;
    const text = policyRecord('post.example', settings);
    expect(text).toMatch(/^v=STSv1; id=[A-Za-z0-9]{1,32}$/);
    const hash = createHash('sha256').update(policyText('post.example', settings)).digest('hex');
    expect(text.endsWith(hash.slice(0, 32))).toBe(true);
  });
});

describe('the names under which it is served', () => {
  const kinds: Readonly<Record<string, 'managed' | 'custom'>> = {
    'berg.praxis.example': 'managed',
    'mta-sts.praxis.example': 'managed',
    'praxis-berg.de': 'custom',
    'in.kette.de': 'custom',
  };
  const facts = { serviceHost: 'post.example', kindOf: (name: string) => kinds[name] ?? null };
  test.each<[host: string, served: boolean]>([
    ['mta-sts.post.example', true],
    ['mta-sts.in.berg.praxis.example', true],
    ['mta-sts.bounce.berg.praxis.example', true],
    ['mta-sts.in.praxis-berg.de', true],
    ['mta-sts.bounce.praxis-berg.de', true],
    ['mta-sts.in.in.kette.de', true],
    // A managed host receives nothing, and the mail of a custom domain's owner goes elsewhere.
    ['mta-sts.berg.praxis.example', false],
    ['mta-sts.mta-sts.praxis.example', false],
    ['mta-sts.praxis-berg.de', false],
    ['mta-sts.in.kette.de', false],
    ['mta-sts.praxis.example', false],
    ['mta-sts.in.post.example', false],
    ['mta-sts.www.praxis-berg.de', false],
    ['mta-sts.in.bounce.praxis-berg.de', false],
    ['mta-sts.in.example.org', false],
    ['mta-sts.in.', false],
    ['mta-sts.', false],
    ['post.example', false],
    ['berg.praxis.example', false],
    ['in.praxis-berg.de', false],
    ['', false],
  ])('%s: %s', (host, served) => expect(servesPolicy(host, facts)).toBe(served));
});
