// Around each test file, where REACH is set: see reach.ts.
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll } from 'vitest';
import { beginReach, writeReach } from './reach.ts';

if (process.env.REACH !== undefined) {
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the pattern to see which fixtures a hook needs.
  beforeAll(({}, { file }) => beginReach(path.relative(process.cwd(), file.filepath)));
  afterAll(writeReach);
}
