// Closes a run with what was left out for missing Debian packages, what the tests cost, and one plain line,
// `N passed, N failed, N skipped`, for a reader of the end of the log.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { Reporter, TestModule } from 'vitest/node';
import { INSTALL, missingFor } from './debian.ts';
import type { FileCost } from './file-cost.ts';
import { aboveLimitAlone, LIMIT_CPU_SECONDS, type NamedCost } from './file-limit.ts';
import { cpuSeconds } from './process.ts';

/** Each file of the last run: CPU seconds, seconds of waiting, and its name, the most expensive first. */
const COSTS = 'node_modules/.cache/test-costs.tsv';
/** Set where a file runs for its cost only. */
const ALONE = 'TEST_COST_ALONE';

/** What it costs with nothing beside it; undefined where it does not get to its end. */
const costAlone = async (name: string): Promise<number | undefined> => {
  process.stdout.write(`\nOnce more alone, because it seems to cost too much: ${name}\n`);
  const rows = readFileSync(COSTS);
  const run = spawn(process.execPath, [...process.argv.slice(1, 2), 'run', name, '--maxWorkers=1'], {
    env: { ...process.env, [ALONE]: 'yes' },
    stdio: 'ignore',
  });
  await once(run, 'exit');
  const row = readFileSync(COSTS, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .find(([, , file]) => file === name);
  writeFileSync(COSTS, rows);
  return row && Number(row[0]);
};

export default class SummaryReporter implements Reporter {
  readonly #cpuBefore = cpuSeconds(process.pid);
  readonly #costs: (FileCost & NamedCost)[] = [];

  /** The list is there also where the run is broken off. */
  onTestModuleEnd(module: TestModule): void {
    const { cost } = module.meta();
    if (cost === undefined) return;
    this.#costs.push({ name: module.relativeModuleId, ...cost });
    const rows = this.#costs
      .toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)
      .map(({ name, cpuSeconds, wallSeconds }) => {
        const waiting = Math.max(0, wallSeconds - cpuSeconds);
        return `${cpuSeconds.toFixed(2)}\t${waiting.toFixed(2)}\t${name}\n`;
      });
    mkdirSync(path.dirname(COSTS), { recursive: true });
    writeFileSync(COSTS, rows.join(''));
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    // A file that does not load has no tests, and has failed all the same.
    const broken = modules.filter(
      (module) => module.state() === 'failed' && module.errors().length > 0,
    ).length;

    const leftOut = new Map<string, number>();
    for (const test of tests) {
      if (test.result().state !== 'skipped') continue;
      for (const name of missingFor(test.tags)) {
        const row = `${test.module.relativeModuleId}: needs the Debian package ${name}`;
        leftOut.set(row, (leftOut.get(row) ?? 0) + 1);
      }
    }
    if (leftOut.size > 0) {
      const rows = [...leftOut].map(([row, tests]) => `  ${row} (${tests} tests)\n`);
      process.stdout.write(`\nLeft out; \`${INSTALL}\` installs what is missing:\n${rows.join('')}`);
    }
    const failed = count('failed') + broken;
    await this.#printCosts();
    process.stdout.write(`\n${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped\n`);
  }

  /** Fails the run where a file costs too much, but in full length. */
  async #printCosts(): Promise<void> {
    const all = cpuSeconds(process.pid) - this.#cpuBefore;
    process.stdout.write(`\n${all.toFixed(0)} CPU seconds, of each file in ${COSTS}\n`);
    // What is written down for `mutate` costs CPU as well.
    const { SOAK, REACH, [ALONE]: isAlone } = process.env;
    if (SOAK === 'full' || REACH !== undefined || isAlone !== undefined) return;
    const expensive = await aboveLimitAlone(this.#costs, costAlone);
    if (expensive.length === 0) return;
    const rows = expensive.map(({ name, cpuSeconds }) => `  ${name}: ${cpuSeconds.toFixed(1)} CPU seconds\n`);
    process.stdout.write(
      `\nThese files cost too much, more than ${LIMIT_CPU_SECONDS} CPU seconds of a usual machine. Start less, or put the length into \`soak\`:\n${rows.join('')}`,
    );
    process.exitCode = 1;
  }
}
