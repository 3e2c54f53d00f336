import { expect, test } from 'vitest';
import type { Outcome } from './run.ts';
import { shrink } from './shrink.ts';

const outcomeOf = (steps: readonly number[], failure: string | null): Outcome => ({
  ...{ seed: 1, failure, steps, trace: [], delivered: 0, digest: '' },
});
const all = Array.from({ length: 100 }, (_, index) => index + 1);

test('of a hundred steps those two stay without which it does not fail', async () => {
  const run = async (kept: ReadonlySet<number>): Promise<Outcome> =>
    outcomeOf(
      all.filter((step) => kept.has(step)),
      kept.has(17) && kept.has(63) ? 'Error: message 8 was lost' : null,
    );
  const least = await shrink(outcomeOf(all, 'Error: message 31 was lost'), run);
  expect(least.steps).toEqual([17, 63]);
});

test('another failure on the way is not taken for the one that was found', async () => {
  const run = async (kept: ReadonlySet<number>): Promise<Outcome> =>
    outcomeOf([...kept], kept.has(5) ? 'Error: message 8 was lost' : 'Error: the disk is full');
  const least = await shrink(outcomeOf(all.slice(0, 10), 'Error: message 31 was lost'), run);
  expect(least.steps).toEqual([5]);
});
