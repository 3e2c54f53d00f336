// @module-tag slow
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createRunner, type Job } from '#src/kernel/job.ts';
import { createLog } from '#src/kernel/log.ts';

/** Cron with seconds: the tests wait for the next one or two. */
const EVERY_SECOND = '* * * * * *';

const deferred = () => {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
};

const collectLog = () => {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, log: createLog('debug', destination) };
};

/** A job whose runs can be awaited: `ran(n)` resolves when the n-th has begun. */
const countingJob = (name: string, work: (signal: AbortSignal) => Promise<void>) => {
  let runs = 0;
  const waiting = new Map<number, () => void>();
  const job: Job = {
    name,
    schedule: EVERY_SECOND,
    run: (signal) => {
      runs += 1;
      waiting.get(runs)?.();
      return work(signal);
    },
  };
  const ran = (count: number): Promise<void> => {
    const { promise, resolve } = deferred();
    waiting.set(count, resolve);
    return promise;
  };
  return { job, ran, runs: () => runs };
};

test('a job that still runs is not started again, the others go on, and the end waits for it', async () => {
  const release = deferred();
  let aborted = false;
  let ended = false;
  const slow = countingJob('slow', async (signal) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    await release.promise;
    ended = true;
  });
  const quick = countingJob('quick', async () => {});
  const { log } = collectLog();
  const runner = createRunner([slow.job, quick.job], log);
  const third = quick.ran(3);
  runner.start();
  await third;
  expect(slow.runs()).toBe(1);

  let stopped = false;
  const stopping = runner.stop().then(() => {
    stopped = true;
  });
  expect(aborted).toBe(true);
  // Every turn of the event loop that could let it end early.
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  release.resolve();
  await stopping;
  expect(ended).toBe(true);
  expect(slow.runs()).toBe(1);
});

test.each([
  ['rejects', () => Promise.reject(new Error('no disk'))],
  [
    'throws before it has begun',
    (): Promise<void> => {
      throw new Error('no disk');
    },
  ],
])('a job that %s is logged and runs again at its next time', async (_, work) => {
  const failing = countingJob('failing', work);
  const { log, lines } = collectLog();
  const runner = createRunner([failing.job], log);
  const second = failing.ran(2);
  runner.start();
  await second;
  await runner.stop();
  const [line] = lines.filter((text) => text.includes('job failed'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({ job: 'failing', err: { message: 'no disk' } });
});

test('nothing runs before the start', async () => {
  const job = countingJob('idle', async () => {});
  await createRunner([job.job], collectLog().log).stop();
  expect(job.runs()).toBe(0);
});

test('a job can be run at once; a second call meanwhile waits for that run', async () => {
  const release = deferred();
  const job = countingJob('slow', () => release.promise);
  const runner = createRunner([job.job], collectLog().log);
  const both = [runner.runNow('slow'), runner.runNow('slow')];
  release.resolve();
  await Promise.all(both);
  expect(job.runs()).toBe(1);
  await runner.runNow('slow');
  expect(job.runs()).toBe(2);
  await expect(runner.runNow('no such')).rejects.toThrow('no such');
});
