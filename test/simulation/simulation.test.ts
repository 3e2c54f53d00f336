// The simulation as `npm run simulate` runs it: in a process of its own, whose clock, sockets and random numbers are replaced. Fresh seeds
// each time; one that fails is printed with its trace and the command that repeats it.
// @module-tag soak
// @module-tag slow
import { execFile } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { seed, soak } from '#test/support/soak.ts';
import { foundSeeds } from './found.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const HOUR_MS = 3_600_000;
const SEEDS = soak(30, 340);
const STEPS = soak(20, 300);

const simulate = (...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> =>
  new Promise((resolve) => {
    execFile(execPath, [MAIN, ...args], { maxBuffer: 64 * 1_024 * 1_024 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), said: stdout + stderr });
    });
  });

test('whatever a seed decides, all holds that people were promised', { timeout: HOUR_MS }, async () => {
  const { code, said } = await simulate('--seed', `${seed}`, '--seeds', `${SEEDS}`, '--steps', `${STEPS}`);
  expect(code, said).toBe(0);
});

test('a seed is the same run each time, whatever ran before it', async () => {
  const digests = ({ said }: { readonly said: string }) => said.match(/^seed \d+: held.*/gm) ?? [];
  const [both, second] = await Promise.all([
    simulate('--seed', '11', '--seeds', '2', '--steps', '20', '--digests'),
    simulate('--seed', '12', '--steps', '20', '--digests'),
  ]);
  expect(digests(both), both.said).toHaveLength(2);
  expect(digests(both)[1]).toBe(digests(second)[0]);
});

test('a fault in the source is found', async () => {
  const { code, said } = await simulate(
    '--plant',
    'claim-without-next-time',
    '--seed',
    '1',
    '--seeds',
    '20',
    '--no-shrink',
  );
  expect(code, said).toBe(1);
  expect(said).toMatch(/^seed \d+ failed after .*each attempt has its next time/m);
});

test.each(foundSeeds)('what a seed once found stays mended: $found', async ({ args }) => {
  const { code, said } = await simulate(...args);
  expect(code, said).toBe(0);
});
