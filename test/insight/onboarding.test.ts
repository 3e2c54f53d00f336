import { describe, expect, test } from 'vitest';
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import type { PracticeFacts } from '#src/insight/facts.ts';
import { onboardingOf } from '#src/insight/onboarding.ts';
import { newId } from '#src/kernel/id.ts';
import { NOW, ready } from '#test/insight/facts.ts';

const practice: PracticeRow = {
  id: newId(),
  number: 1,
  name: 'Praxis am Markt',
  slug: 'praxis',
  managed_host: 'praxis.send.example.com',
  custom_domain: null,
  custom_verified_at: null,
  pending_domain: null,
  plan: 'praxis',
  purpose: 'practice',
  safe_mode: 1,
  pause_reason: null,
  pause_by: null,
  paused_at: null,
  legal_street: null,
  legal_city: null,
  legal_privacy_url: null,
  legal_email: null,
  legal_phone: null,
  legal_represented_by: null,
  legal_register: null,
  legal_vat_id: null,
  legal_authority: null,
  legal_imprint_url: null,
  reply_address: null,
  adds_reply_to: 1,
  warmup_started_at: null,
  approved_at: null,
  safe_mode_held: 0,
  bimi_logo_url: null,
  bimi_certificate_url: null,
  resumed_at: null,
  pause_told: 1,
  pause_facts_json: null,
  keep_bodies: null,
  keep_attachments: null,
  keep_events: null,
  keep_messages: null,
  keep_consent_ip: null,
  keep_consent_user_agent: null,
  created_at: 0,
};
const live: PracticeFacts = {
  ...ready,
  practice: { ...practice, safe_mode: 0 },
  hasToken: true,
  members: 2,
};
const stepsLeft = (facts: Partial<PracticeFacts>) => {
  const { steps, current, complete } = onboardingOf({ ...live, ...facts }, 'en', NOW);
  return { left: steps.filter(({ done }) => !done).map(({ id }) => id), current, complete };
};

describe('the wizard', () => {
  const cases: readonly (readonly [
    name: string,
    facts: Partial<PracticeFacts>,
    left: string[],
    current: string | null,
  ])[] = [
    ['all is done', {}, [], null],
    ['a managed host', { kind: 'managed', lastCheck: null }, ['domain'], null],
    ['no one is invited', { members: 1 }, ['team'], null],
    ['a pending domain', { pendingDomain: 'neu.example.org' }, ['dns'], 'dns'],
    ['records never checked', { lastCheck: null }, ['dns'], 'dns'],
    ['in safe mode', { practice }, ['go_live'], 'go_live'],
    [
      'at the start',
      {
        legal: { street: null, city: null, privacy_url: null },
        kind: 'managed',
        lastCheck: null,
        hasToken: false,
        relayedBy: [],
        members: 1,
        practice,
      },
      ['legal', 'domain', 'token', 'test_message', 'team', 'go_live'],
      'legal',
    ],
    ['mail only kept counts here', { relayedBy: ['capture'] }, [], null],
  ];
  test.each(cases)('%s', (_, facts, left, current) => {
    expect(stepsLeft(facts)).toEqual({ left, current, complete: current === null });
  });

  test('speaks both languages and names the call of each step', () => {
    const german = onboardingOf(live, 'de', NOW).steps;
    const english = onboardingOf(live, 'en', NOW).steps;
    for (const [index, step] of english.entries()) {
      expect(step.title).not.toBe(german[index]?.title);
      expect(step.hint).toMatch(/\.$/);
    }
    expect(english.find(({ id }) => id === 'legal')?.action).toEqual({
      method: 'PATCH',
      path: `/api/practices/${practice.id}/compliance`,
    });
  });
});
