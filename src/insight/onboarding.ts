// The wizard leads a new practice to its first real mail: ordered steps, each with the API call that completes it. Pure.
import type { z } from 'zod';
import { missingLegal } from '#src/accounts/tenants/legal.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import type { PracticeFacts } from './facts.ts';
import { dnsTrouble } from './rules.ts';
import type { onboardingSchema } from './schema.ts';
import { wordsIn } from './words.ts';

type Method = 'GET' | 'POST' | 'PATCH';

interface Step {
  readonly id: z.infer<typeof onboardingSchema>['steps'][number]['id'];
  readonly isDone: (facts: PracticeFacts, now: number) => boolean;
  readonly optional?: true;
  readonly action: readonly [Method, string];
}

const steps: readonly Step[] = [
  {
    id: 'practice',
    isDone: () => true,
    action: ['GET', ''],
  },
  {
    id: 'legal',
    isDone: (facts) => missingLegal(facts).length === 0,
    action: ['PATCH', '/compliance'],
  },
  {
    id: 'domain',
    isDone: ({ kind, pendingDomain }) => kind === 'custom' || pendingDomain !== null,
    optional: true,
    action: ['POST', '/custom-domain'],
  },
  {
    id: 'dns',
    isDone: (facts, now) => facts.pendingDomain === null && dnsTrouble(facts, now) === null,
    action: ['POST', '/check-dns'],
  },
  {
    id: 'token',
    isDone: ({ hasToken }) => hasToken,
    action: ['POST', '/api-tokens'],
  },
  {
    id: 'test_message',
    isDone: ({ relayedBy }) => relayedBy.length > 0,
    action: ['POST', '/send'],
  },
  {
    id: 'team',
    isDone: ({ members }) => members > 1,
    optional: true,
    action: ['POST', '/members'],
  },
  {
    id: 'go_live',
    isDone: ({ practice }) => practice.safe_mode === 0,
    action: ['POST', '/cutover'],
  },
];

/** `current` is the first required step that is not done. */
export const onboardingOf = (
  facts: PracticeFacts,
  language: MemberLanguage,
  now: number,
): z.infer<typeof onboardingSchema> => {
  const { onboarding } = wordsIn(language);
  const presented = steps.map(({ id, isDone, optional = false, action: [method, path] }) => {
    const { title, hint } = onboarding[id];
    return {
      id,
      done: isDone(facts, now),
      optional,
      title,
      hint,
      action: { method, path: `/api/practices/${facts.practice.id}${path}` },
    };
  });
  const current = presented.find(({ done, optional }) => !done && !optional)?.id ?? null;
  return { steps: presented, current, complete: current === null };
};
