// Leaves out steps of a failing simulation as long as it fails in the same way: first halves of them, then smaller parts.
import type { Outcome } from './run.ts';

/** Two failures are one where their first lines say the same but for names and numbers. */
const kindOf = ({ failure }: Outcome): string =>
  (failure ?? '').split('\n', 1)[0]?.replace(/[0-9a-f-]{36}|[\w.+-]+@[\w.-]+|\d+/g, '#') ?? '';

const MAX_RUNS = 100;

/** `run` does the steps that it is given. The smallest outcome that was found. */
export const shrink = async (
  outcome: Outcome,
  run: (steps: ReadonlySet<number>) => Promise<Outcome>,
): Promise<Outcome> => {
  const kind = kindOf(outcome);
  let least = outcome;
  let runs = 0;
  for (let parts = 2; least.steps.length > 1 && runs < MAX_RUNS; ) {
    const size = Math.ceil(least.steps.length / parts);
    let isSmaller = false;
    for (let at = 0; at < least.steps.length && runs < MAX_RUNS; at += size) {
      const kept = [...least.steps.slice(0, at), ...least.steps.slice(at + size)];
      runs += 1;
      const tried = await run(new Set(kept));
      if (kindOf(tried) !== kind) continue;
      least = tried;
      isSmaller = true;
      break;
    }
    if (isSmaller) parts = Math.max(2, parts - 1);
    else if (size === 1) break;
    else parts = Math.min(least.steps.length, parts * 2);
  }
  return least;
};
