// When Litestream is started again, and what it still knows then. Litestream itself is in replica.full.test.ts.
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runLitestream } from '#src/operations/replica/run-litestream.ts';
import { until } from '#test/support/process.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

/** Writes what it was started with, and ends when it is told to. */
const played = (log: string): string => `#!/bin/sh
trap 'exit 0' TERM
echo "$(cat "$3")" >> "${log}"
while :; do sleep 0.05; done
`;

const scene = async () => {
  const home = await temporaryDirectory();
  const [program, log, path] = [join(home, 'litestream'), join(home, 'log'), join(home, 'tenant.db')];
  await writeFile(program, played(log), { mode: 0o755 });
  await writeFile(log, '');
  await writeFile(path, 'a database');
  const state = join(home, '.tenant.db-litestream');
  let text = 'first';
  const run = () => {
    const end = new AbortController();
    const config = () => ({ text, databases: [path, join(home, 'absent.db')] });
    const ended = runLitestream({
      ...{ program, file: join(home, 'litestream.yml'), config },
      ...{ signal: end.signal, everyMs: 20 },
    });
    const stop = async (): Promise<void> => {
      end.abort();
      await ended;
    };
    onTestFinished(stop);
    return stop;
  };
  const starts = async (count: number): Promise<string[]> => {
    let lines: string[] = [];
    await until(`it was started ${count} times`, async () => {
      lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
      return lines.length >= count;
    });
    return lines;
  };
  return {
    ...{ path, state, run, starts },
    change: (to: string): void => {
      text = to;
    },
    replace: async (): Promise<void> => {
      await cp(path, `${path}.new`);
      await rename(`${path}.new`, path);
    },
    knows: () => existsSync(join(state, 'generation')),
    learn: () => writeFile(join(state, 'generation'), 'of the file that was there'),
  };
};

test('it goes on where it was when the configuration changes, and when it is started again', async () => {
  const { run, starts, change, knows, learn } = await scene();
  const stop = run();
  await starts(1);
  await learn();
  change('second');
  expect(await starts(2)).toEqual(['first', 'second']);
  await stop();
  run();
  expect(await starts(3)).toEqual(['first', 'second', 'second']);
  expect(knows()).toBe(true);
});

test('a file that was put in the place of another begins anew, also where that was while it did not run', async () => {
  const { run, starts, replace, knows, learn } = await scene();
  const stop = run();
  await starts(1);
  await learn();
  await replace();
  await starts(2);
  expect(knows()).toBe(false);
  await learn();
  await stop();
  await replace();
  run();
  await starts(3);
  expect(knows()).toBe(false);
});

test('what Litestream knows of a file, and nobody noted which one it was, counts for nothing', async () => {
  const { run, starts, state, knows, learn } = await scene();
  await mkdir(state);
  await learn();
  run();
  await starts(1);
  expect(knows()).toBe(false);
});

test('a file that is not there is no other file', async () => {
  const { path, run, starts, change, knows, learn } = await scene();
  run();
  await starts(1);
  await learn();
  await rm(path);
  change('second');
  await starts(2);
  expect(knows()).toBe(true);
});
