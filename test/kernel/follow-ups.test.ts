import { expect, test } from 'vitest';
import { createFollowUps } from '#src/kernel/follow-ups.ts';

test('calls that overlap are one for each key, and one more after it', async () => {
  const begun: string[] = [];
  const gates: (() => void)[] = [];
  const { run, stop } = createFollowUps(
    async (key) => {
      begun.push(key);
      await new Promise<void>((resolve) => gates.push(resolve));
    },
    () => undefined,
  );
  run('a');
  for (let call = 0; call < 5; call++) run('a');
  run('b');
  expect(begun).toEqual(['a', 'b']);
  const stopped = stop();
  for (const open of gates) open();
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['a', 'b', 'a']);
  gates.at(-1)?.();
  await stopped;
  run('a');
  expect(begun).toEqual(['a', 'b', 'a', 'a']);
});

test('a run that fails is reported, and the next call tries again', async () => {
  const errors: unknown[] = [];
  let calls = 0;
  const { run, stop } = createFollowUps(
    async () => {
      calls += 1;
      if (calls === 1) throw new Error('no disk');
    },
    (error, key) => errors.push([String(error), key]),
  );
  run('a');
  await stop();
  run('a');
  await stop();
  expect([calls, errors]).toEqual([2, [['Error: no disk', 'a']]]);
});
