// How far a report of abuse has come. Pure.
export const stages = ['open', 'investigating', 'closed'] as const;
export type Stage = (typeof stages)[number];

/** A flood fills no disk: more is taken once the operator has looked at some. */
export const MAX_OPEN = 10_000;
/** Whoever types another's address makes us write to it so often and no oftener. */
export const MAX_OPEN_PER_REPORTER = 50;

const next: Readonly<Record<Stage, Stage | null>> = {
  open: 'investigating',
  investigating: 'closed',
  closed: null,
};

/** `unchanged`: it is there already, as after a repeated request; nobody is told again. No stage is left out. */
export const moveTo = (from: Stage, to: Stage): 'reached' | 'unchanged' | 'refused' => {
  if (from === to) return 'unchanged';
  return next[from] === to ? 'reached' : 'refused';
};

/** The stage that follows; null after the last. */
export const stageAfter = (stage: Stage): Stage | null => next[stage];

/** Why no further report is taken; null where one is. */
export const whyFull = (open: number, openOfReporter: number): 'service' | 'reporter' | null => {
  if (open >= MAX_OPEN) return 'service';
  return openOfReporter >= MAX_OPEN_PER_REPORTER ? 'reporter' : null;
};
