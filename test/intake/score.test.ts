import { describe, expect, test } from 'vitest';
import { refusals } from '#src/app/refusals.ts';
import { type Assessment, combine } from '#src/content/assessment.ts';
import type { Draft } from '#src/intake/draft.ts';
import { type Facts, gateKinds } from '#src/intake/gate.ts';
import { runGates } from '#src/intake/gates.ts';
import { scoreAnswer, scoreOf } from '#src/intake/score.ts';
import { inEnglish, speakerOf } from '#src/kernel/say.ts';
import { DAY } from '#src/kernel/time.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { MESSAGE } from '#test/support/draft.ts';
import { factsFor, NOW } from '#test/support/facts.ts';

const CLEAN: Assessment = combine(
  { findings: [], promotional: [], promotionalScore: 0, linkHosts: [] },
  null,
);
const MARKETING: Partial<Facts> = {
  route: { id: 'r2', slug: 'broadcast', type: 'marketing' },
  unsubscribe: 'one_click',
};

const german = speakerOf('de', refusals('de'));
const score = (
  given: { draft?: Partial<Draft>; facts?: Partial<Facts>; content?: Partial<Assessment> } = {},
  language: 'de' | 'en' = 'en',
) => {
  const asked = { answerLanguage: language, speak: language === 'de' ? german : inEnglish };
  const content = { ...CLEAN, ...given.content };
  const draft = { ...MESSAGE, ...given.draft };
  const facts = factsFor(draft, { unsubscribe: 'one_click', ...given.facts, content });
  return scoreAnswer.parse(scoreOf(draft, facts, runGates(gateKinds, facts, draft, true), content, asked));
};

test('a message with nothing against it', () => {
  const { decisions, ...answer } = score();
  expect(answer).toEqual({
    score: 0,
    grade: 'A',
    inbox_risk: 'low',
    would_block: false,
    would_refuse: null,
    hint: null,
    reasons: [],
    warnings: [],
    recommendations: [],
    scanner: null,
    broadcast: null,
    impressum: null,
  });
  expect(decisions.every(({ verdict }) => verdict === 'passed')).toBe(true);
});

test('reasons come strongest first, in the language asked for, each advice once', () => {
  const findings = [
    { id: 'virus', weight: 100, detail: null },
    { id: 'scanner_unavailable', weight: 0, detail: 'rspamd' },
    { id: 'rspamd', weight: 40, detail: null },
    { id: 'listed_host', weight: 60, detail: null },
    { id: 'listed_host', weight: 20, detail: null },
  ];
  const content = { score: 100, block: 'virus', findings, unavailable: ['rspamd'] } as const;
  const [german, english] = (['de', 'en'] as const).map((language) => score({ content }, language));
  expect(german?.reasons.map(({ id, weight }) => [id, weight])).toEqual([
    ['virus', 100],
    ['listed_host', 60],
    ['rspamd', 40],
    ['listed_host', 20],
  ]);
  expect(german?.warnings.map(({ id }) => id)).toEqual(['scanner_unavailable']);
  const advice = [...(german?.reasons ?? []), ...(german?.warnings ?? [])].map((one) => one.advice);
  expect(german?.recommendations).toEqual([...new Set(advice)].filter((text) => text !== ''));
  expect(german).toMatchObject({ score: 100, grade: 'F', inbox_risk: 'high', would_block: true });
  for (const [index, reason] of (german?.reasons ?? []).entries())
    expect(reason.why).not.toBe(english?.reasons[index]?.why);
});

describe('readiness for marketing', () => {
  test('is shown for marketing routes only', () => {
    expect(score({ facts: MARKETING })).toMatchObject({
      broadcast: { eligible: true, missing: [] },
      impressum: { complete: true, missing: [] },
    });
  });

  test('names every code that refuses, and what the Impressum lacks', () => {
    const answer = score({
      facts: {
        ...MARKETING,
        legal: { street: null, city: '20095 Hamburg', privacy_url: null },
        dkimBroken: true,
        warmup: {
          startedAt: NOW,
          managedHost: 'a.send.example.com',
          planned: new Map([[Math.floor(NOW / DAY), 150]]),
        },
        consent: { entry: null },
      },
    });
    expect(answer.broadcast).toEqual({
      eligible: false,
      missing: [
        'impressum_incomplete',
        'dkim_not_verified',
        'warmup_not_ready',
        'consent_required',
        'warmup_cap_reached',
      ],
    });
    expect(answer.impressum).toEqual({ complete: false, missing: ['street', 'privacy_url'] });
    expect(answer).toMatchObject({
      would_refuse: 'impressum_incomplete',
      hint: expect.stringContaining('compliance'),
    });
  });

  test('does not count other refusals', () => {
    const answer = score({ facts: { ...MARKETING, pause: { reason: 'bounces', at: 0 } } });
    expect(answer.broadcast).toEqual({ eligible: true, missing: [] });
    expect(answer.would_refuse).toBe('tenant_paused');
  });
});

describe('warns', () => {
  const suppression = {
    id: 's',
    scope: 'team',
    project_id: null,
    route_id: null,
    reason: 'complaint',
  } as const;
  const two = ['a@x.org', 'b@x.org'].map((address) => ({ address: address as Address }));

  test.each([
    { name: 'of some suppressed recipients', count: 1, id: 'recipients_suppressed' },
    { name: 'of all recipients suppressed', count: 2, id: 'recipient_suppressed' },
  ])('$name', ({ count, id }) => {
    const suppressed = new Map(two.slice(0, count).map(({ address }) => [address, suppression]));
    const [german, english] = (['de', 'en'] as const).map((language) =>
      score({ draft: { to: two }, facts: { suppressed } }, language),
    );
    expect(english?.warnings.map((warning) => warning.id)).toEqual([id]);
    expect(german?.warnings[0]?.why).toContain('Sperrliste');
    expect(english?.recommendations).toEqual([english?.warnings[0]?.advice]);
  });

  test('of signs of advertising where they cause a refusal, and not elsewhere', () => {
    const content = { promotionalScore: 60, promotional: ['promo_discount', 'promo_offer'] };
    const answer = score({ content });
    expect(answer.would_refuse).toBe('promotional_on_transactional');
    expect(answer.warnings.map(({ id }) => id)).toEqual(['promo_discount', 'promo_offer']);
    expect(answer.warnings[0]?.why).toMatch(/price cuts/);
    expect(score({ content, facts: MARKETING }).warnings).toEqual([]);
  });

  test('of a day of the warm-up that is full', () => {
    const warmup = {
      startedAt: NOW,
      managedHost: 'a.send.example.com',
      planned: new Map([[Math.floor(NOW / DAY), 300]]),
    };
    expect(score({ facts: { warmup } }).warnings.map(({ id }) => id)).toEqual(['held']);
  });

  test('of a service without HTTPS, whose mail has no unsubscribe link', () => {
    expect(score({ facts: { unsubscribe: null } }).warnings.map(({ id }) => id)).toEqual(['no_way_out']);
  });
});

test('tracking of a delicate kind is warned of, in the language asked for', () => {
  const draft = { kind: 'recall', settings: { track_opens: true } } as const;
  const [german, english] = (['de', 'en'] as const).map((language) => score({ draft }, language));
  expect(german?.warnings).toMatchObject([
    { id: 'tracking_on_kind', why: expect.stringContaining('Vorsorge') },
  ]);
  expect(english?.warnings).toMatchObject([
    { id: 'tracking_on_kind', why: expect.stringContaining('check-up') },
  ]);
  expect(english?.recommendations).toHaveLength(1);
  expect(score({ draft: { kind: 'recall', settings: {} } }).warnings).toEqual([]);
});
