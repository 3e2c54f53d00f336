// The order of the test files: what takes long begins first, so that at the end no core waits for the other. A new checkout has
// no times of an earlier run, and by size alone a short file that takes a minute would begin last.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { EXPENSIVE } from './file-limit.ts';

/** With a browser, or marked as slow, a file takes as long as others of three times its size. */
const SLOW_TIMES = 3;

const weightOf = ({ moduleId, project }: TestSpecification): number => {
  if (path.relative(project.config.root, moduleId) in EXPENSIVE) return Number.POSITIVE_INFINITY;
  const isSlow = /^\/\/ @module-tag (?:slow|soak|debian\/chromium-headless-shell)$/m.test(
    readFileSync(moduleId, 'utf8'),
  );
  return statSync(moduleId).size * (isSlow ? SLOW_TIMES : 1);
};

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weights = new Map(files.map((file) => [file, weightOf(file)]));
    const of = (file: TestSpecification): number => weights.get(file) ?? 0;
    return files.toSorted((a, b) => (of(a) === of(b) ? 0 : of(b) - of(a)));
  }
}
