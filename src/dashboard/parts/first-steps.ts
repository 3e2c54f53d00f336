// The way of a new practice to its first real mail, in the few steps that a person takes: what the API lists in more detail. How far
// it has come is known by the service alone.
import type { Onboarding } from '#api';

type Listed = Onboarding['steps'][number]['id'];

const firstStepIds = ['legal', 'test', 'domain', 'access', 'live'] as const;
export type FirstStepId = (typeof firstStepIds)[number];

/** One of these done is the step done. */
const parts: Readonly<Record<FirstStepId, readonly Listed[]>> = {
  legal: ['legal'],
  test: ['test_message'],
  domain: ['dns'],
  access: ['token', 'team'],
  live: ['go_live'],
};

export interface FirstStep {
  readonly id: FirstStepId;
  readonly isDone: boolean;
}

/** Where the service begins without safe mode, a practice is not on its way because of that alone. */
export const firstSteps = ({ steps }: Onboarding): readonly FirstStep[] => {
  const isListedDone = (ids: readonly Listed[]): boolean =>
    steps.some(({ id, done }) => done && ids.includes(id));
  const isReady = isListedDone(parts.legal) && isListedDone(parts.test);
  return firstStepIds.map((id) => ({ id, isDone: isListedDone(parts[id]) && (id !== 'live' || isReady) }));
};
