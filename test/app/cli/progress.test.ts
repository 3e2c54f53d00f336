import { expect, test } from 'vitest';
import { createProgress } from '#src/app/cli/progress.ts';

const MIB = 1_024 * 1_024;

/** What is printed while 200 MiB are done, one each second. */
const printedTo = (isTerminal: boolean): string[] => {
  const printed: string[] = [];
  let now = 0;
  const progress = createProgress(
    { printError: (text) => printed.push(text), isTerminal },
    'backup',
    () => now,
  );
  for (let done = 0; done <= 200; done++) {
    progress.show(done * MIB, 200 * MIB);
    now += 1_000;
  }
  progress.end();
  return printed;
};

test('a journal gets one line a minute', () => {
  expect(printedTo(false)).toEqual([
    'backup: 30 %, 60 MiB of 200 MiB\n',
    'backup: 60 %, 120 MiB of 200 MiB\n',
    'backup: 90 %, 180 MiB of 200 MiB\n',
  ]);
});

test('a person sees a bar, which is taken away at the end', () => {
  const printed = printedTo(true);
  expect(printed).toHaveLength(202);
  expect(printed[100]).toBe('\r\x1b[Kbackup [###############...............] 50 %, 100 MiB of 200 MiB');
  expect(printed.at(-1)).toBe('\r\x1b[K');
});
