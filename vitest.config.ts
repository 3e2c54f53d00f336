import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { debianTags } from './test/support/debian.ts';
import LongestFirst from './test/support/sequence.ts';
import { directoryForTests } from './test/support/temporary.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: process.env.SOAK === 'full' ? [] : ['test/**/*.full.test.ts'],
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
