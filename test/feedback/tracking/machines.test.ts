// Each rule by its own examples, and the programs of people, which none may take for a machine.
import { describe, expect, test } from 'vitest';
import { agentRules, type HitKind, machineOf, type RequestFacts } from '#src/feedback/tracking/machines.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0';
const request = (facts: Partial<RequestFacts> = {}): RequestFacts => ({
  kind: 'open',
  method: 'GET',
  userAgent: FIREFOX,
  purposes: [],
  ...facts,
});
const bothKinds: readonly HitKind[] = ['open', 'click'];

const examples = agentRules.flatMap(({ id, kind, examples }) =>
  examples.flatMap((agent) => (kind ? [kind] : bothKinds).map((does) => ({ id, kind: does, agent }))),
);

/** Opens and follows, where it is not said otherwise. */
const people: readonly {
  readonly name: string;
  readonly agent: string;
  readonly kinds?: readonly HitKind[];
}[] = [
  { name: 'Firefox', agent: FIREFOX },
  {
    name: 'Chrome on Android',
    agent:
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  },
  {
    name: 'a telephone whose maker ends in bot',
    agent:
      'Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36',
  },
  {
    name: 'Safari on a telephone',
    agent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1',
  },
  {
    name: 'Apple Mail without the relay',
    agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
  },
  {
    name: 'Edge of today',
    agent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
  },
  {
    name: 'Thunderbird',
    agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.5.0',
  },
  {
    name: 'Outlook that shows a mail',
    agent: 'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17928; Pro)',
  },
  { name: 'Outlook of old', agent: 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)' },
  { name: 'Outlook on a telephone', agent: 'Outlook-iOS/709.2226530.prod.iphone (3.24.1)' },
  {
    name: 'Gmail, which loads what somebody opens',
    agent: 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  },
  {
    name: 'Yahoo likewise',
    agent: 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
  },
  {
    name: 'the browser inside of an app',
    agent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/470.0.0.40.107]',
  },
  { name: 'a mail program that shows images', agent: 'okhttp/4.12.0', kinds: ['open'] },
  { name: 'another', agent: 'MailApp/3.2 CFNetwork/1410.0.3 Darwin/22.6.0', kinds: ['open'] },
];

describe('a machine', () => {
  test.each(examples)('by the rule $id: $kind by $agent', ({ id, kind, agent }) => {
    expect(machineOf(request({ kind, userAgent: agent }))).toBe(id);
  });

  test.each<[string, Partial<RequestFacts>, string]>([
    ['HEAD', { method: 'HEAD' }, 'no_get'],
    ['Chrome loads ahead', { purposes: ['prefetch'] }, 'prefetch'],
    ['Chrome renders ahead', { purposes: ['prefetch;prerender'] }, 'prefetch'],
    ['Chrome loads ahead by a proxy', { purposes: ['prefetch;anonymous-client-ip'] }, 'prefetch'],
    ['Safari shows it small', { purposes: ['preview'] }, 'prefetch'],
  ])('by what it asks: %s', (_, facts, id) => {
    expect(machineOf(request({ kind: 'click', ...facts }))).toBe(id);
  });

  test('has one name', () => {
    expect(new Set(agentRules.map(({ id }) => id)).size).toBe(agentRules.length);
  });
});

describe('a person', () => {
  test.each(people)('with $name', ({ agent: userAgent, kinds = bothKinds }) => {
    for (const kind of kinds) expect(machineOf(request({ kind, userAgent }))).toBeNull();
  });

  test('whose browser says something else of its purpose', () => {
    expect(machineOf(request({ purposes: ['', 'navigation'] }))).toBeNull();
  });
});
