// The command line of the simulation: seeds one after the other, and each that fails with its trace.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { loadFaulty } from './plant.ts';
import { plants } from './plants.ts';
import type { Outcome, SimulationOptions } from './run.ts';
import { realMs } from './world/real.ts';

const USAGE = `npm run simulate -- [--seed N] [--seeds COUNT] [--steps K] [--only STEP,STEP,…] [--trace] [--no-shrink] [--plant NAME]
  --seed N        the first seed; drawn where absent, and printed
  --seeds COUNT   so many seeds, beginning with that one (1)
  --steps K       steps of each (300)
  --only LIST     all other steps are left out
  --trace         prints who did what, in which order, also where nothing failed
  --no-shrink     a failing seed is printed as it is
  --go-on         goes on after a seed that fails
  --digests       prints a digest of what happened for each seed: the same seed has the same one
  --jobs N        so many processes share the seeds (1)
  --plant NAME    with a fault planted in the source; --plant list prints them
`;
const MAX_SEED = 2 ** 31;
const LINES_OF_TRACE = 400;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Memory where there is one: nothing here has to survive the machine. */
const workplace = (): string =>
  fs.mkdtempSync(join(fs.existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'simulation-'));

const numbersIn = (list: string): Set<number> => new Set(list.split(',').map(Number));

/** The same command in several processes, each with a part of the seeds. */
const share = async (
  args: readonly string[],
  first: number,
  count: number,
  jobs: number,
): Promise<number> => {
  const begun = realMs();
  const [node, main] = [process.execPath, process.argv[1] ?? ''];
  const codes = await Promise.all(
    Array.from({ length: jobs }, async (_, job) => {
      const [from, to] = [Math.floor((count * job) / jobs), Math.floor((count * (job + 1)) / jobs)];
      const own = ['--jobs', '1', '--seed', `${first + from}`, '--seeds', `${to - from}`];
      const child = spawn(node, [main, ...args, ...own], { stdio: 'inherit' });
      const [code] = await once(child, 'exit');
      return code === 0;
    }),
  );
  say(`${jobs} processes: ${((realMs() - begun) / 1_000).toFixed(1)} s`);
  return codes.every((isSound) => isSound) ? 0 : 1;
};

export const runCommand = async (args: readonly string[], drawn: number): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string', default: '1' },
      steps: { type: 'string', default: '300' },
      only: { type: 'string' },
      trace: { type: 'boolean', default: false },
      'no-shrink': { type: 'boolean', default: false },
      'go-on': { type: 'boolean', default: false },
      digests: { type: 'boolean', default: false },
      jobs: { type: 'string', default: '1' },
      plant: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    say(USAGE);
    return 0;
  }
  if (values.plant === 'list') {
    for (const { name, what } of plants) say(`${name}: ${what}`);
    return 0;
  }
  if (values.plant !== undefined) {
    const plant = plants.find(({ name }) => name === values.plant);
    if (plant === undefined) throw new Error(`there is no fault ${values.plant}: --plant list prints them`);
    loadFaulty(plant);
  }
  const first = values.seed === undefined ? Math.floor(drawn * MAX_SEED) : Number(values.seed);
  const count = Number(values.seeds);
  const steps = Number(values.steps);
  const only = values.only === undefined ? undefined : numbersIn(values.only);
  const jobs = Number(values.jobs);
  if (jobs > 1) return share(args, first, count, jobs);
  const home = workplace();
  const { preload } = await import('./preload.ts');
  await preload();
  const { followConnections } = await import('./world/disk.ts');
  followConnections();
  const { makeTemplate } = await import('./template.ts');
  const { simulate } = await import('./run.ts');
  const { shrink } = await import('./shrink.ts');
  try {
    const begun = realMs();
    const template = await makeTemplate(join(home, 'template'));
    const run = (options: SimulationOptions): Promise<Outcome> =>
      simulate(template, join(home, 'world'), options);
    let delivered = 0;
    let failed = 0;
    const started = realMs();
    const usedBefore = process.cpuUsage();
    for (let seed = first; seed < first + count; seed += 1) {
      const outcome = await run({ seed, steps, ...(only === undefined ? {} : { only }) });
      delivered += outcome.delivered;
      if (values.trace) for (const line of outcome.trace) say(line);
      if (outcome.failure === null) {
        if (count === 1 || values.digests)
          say(`seed ${seed}: held, ${outcome.delivered} completions, trace ${outcome.digest}`);
        continue;
      }
      failed += 1;
      say(`seed ${seed} failed after ${((realMs() - started) / 1_000).toFixed(1)} s: ${outcome.failure}`);
      if (!values['no-shrink'] && only === undefined) {
        const least = await shrink(outcome, (kept) => run({ seed, steps, only: kept }));
        for (const line of least.trace.slice(-LINES_OF_TRACE)) say(`  ${line}`);
        say(`  ${least.failure}`);
        say(`npm run simulate -- --seed ${seed} --steps ${steps} --only ${least.steps.join(',')}`);
      }
      if (!values['go-on']) break;
    }
    const seconds = (realMs() - started) / 1_000;
    const used = process.cpuUsage(usedBefore);
    const cpuSeconds = (used.user + used.system) / 1_000_000;
    say(
      `${count} seeds from ${first} of ${steps} steps, ${failed} failed: ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of CPU), ` +
        `${delivered} completions, template ${((started - begun) / 1_000).toFixed(1)} s`,
    );
    return failed === 0 ? 0 : 1;
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
};
