// Closes a run with what was left out for missing Debian packages and one plain line, `N passed, N failed, N skipped`, for
// a reader of the end of the log.
import process from 'node:process';
import type { Reporter, TestModule } from 'vitest/node';
import { INSTALL, missingFor } from './debian.ts';

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
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
    process.stdout.write(`\n${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped\n`);
  }
}
