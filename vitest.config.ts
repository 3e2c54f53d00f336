import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { debianTags } from './test/support/debian.ts';
import LongestFirst from './test/support/sequence.ts';
import { directoryForTests } from './test/support/temporary.ts';

/** Counts what callers share when they meet: with other tests on the same cores, fewer of them do. */
const ALONE = ['test/budget.test.ts'];
const LONG = process.env.SOAK === 'full' ? [] : ['test/**/*.full.test.ts'];
const DAEMONS = process.env.QUICK === undefined ? [] : ['test/{flows,app,dashboard}/**'];

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'beside each other',
          include: ['test/**/*.test.ts'],
          exclude: [...LONG, ...DAEMONS, ...ALONE],
          sequence: { groupOrder: 1 },
        },
      },
    ],
    tags: [
      ...debianTags(),
      { name: 'soak', description: 'has a full length: npm run soak' },
      { name: 'slow', description: 'takes some seconds alone: left out of npm run test:quick' },
    ],
    // Daemons of tests load the sources from it: half of the CPU of their start.
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/node-compile', TMPDIR: directoryForTests() },
    // Files share a process: loading the sources costs more than most files' tests. A file that changes something of the
    // process (a fake timer, a variable) puts it back.
    pool: 'forks',
    isolate: false,
    // Most flows wait for servers: four keep both cores of the smallest machine busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Whole daemons and real servers share two cores with each other, and these may be busy with something else.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    setupFiles: ['./test/support/file-cost.ts', './test/support/reach-setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
  },
});
