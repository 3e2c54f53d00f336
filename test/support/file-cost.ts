// Measures what each test file costs: the CPU of its worker, of what it started and still runs, and of what has ended
// since. Loading the sources is left out, because the first file of a worker does it for all others.
import process from 'node:process';
import { afterAll, beforeAll } from 'vitest';
import { cpuSeconds } from './process.ts';

export interface FileCost {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly hasBrowser: boolean;
}

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file whose tests ran. */
    cost?: FileCost;
  }
}

const BROWSER_TAG = 'debian/chromium-headless-shell';
let cpu = 0;
let begin = 0;

// The hooks of a setup file are around all hooks of the test file.
beforeAll(() => {
  cpu = cpuSeconds(process.pid);
  begin = performance.now();
});
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the pattern to see which fixtures a hook needs.
afterAll(({}, { file }) => {
  file.meta.cost = {
    cpuSeconds: cpuSeconds(process.pid) - cpu,
    wallSeconds: (performance.now() - begin) / 1_000,
    hasBrowser: file.tags?.includes(BROWSER_TAG) ?? false,
  };
});
