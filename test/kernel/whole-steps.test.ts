import { expect, test } from 'vitest';
import { sleep } from '#src/kernel/time.ts';
import { atWholeSteps } from '#src/kernel/whole-steps.ts';

const STEP = 40;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work().catch(() => undefined);
  return performance.now() - started;
};

test.each([
  { name: 'work that is quick', takes: 0, due: STEP },
  { name: 'work that takes longer than a step', takes: STEP + 5, due: 2 * STEP },
])('$name is answered at a whole step, not before', async ({ takes, due }) => {
  expect(await timed(() => atWholeSteps(STEP, () => sleep(takes)))).toBeGreaterThanOrEqual(due);
});

test('a refusal is answered as late as a success', async () => {
  const refused = () => Promise.reject(new Error('no'));
  expect(await timed(() => atWholeSteps(STEP, refused))).toBeGreaterThanOrEqual(STEP);
  await expect(atWholeSteps(STEP, refused)).rejects.toThrow('no');
  await expect(atWholeSteps(STEP, async () => 'yes')).resolves.toBe('yes');
});
