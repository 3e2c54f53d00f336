import { beforeEach, describe, expect, test } from 'vitest';
import { createGuard, type Guard } from '#src/content/scanners/guard.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createLog } from '#src/kernel/log.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const START = 1_700_000_000_000;
/** Longer than the longest pause with its spread. */
const PAUSE_MS = 30_000;

let clock: TestClock;
let lines: Record<string, unknown>[];
let guard: Guard;
const make = (options: { places?: number; timeout?: number } = {}): Guard =>
  createGuard({
    name: 'rspamd',
    places: options.places ?? 2,
    timeout: options.timeout ?? 10_000,
    clock,
    log: createLog('info', { write: (line) => lines.push(JSON.parse(line)) }),
  });
beforeEach(() => {
  clock = createTestClock(START);
  lines = [];
  guard = make();
});

const answers = () => guard.ask(async () => 'seen');
const fails = () => guard.ask(() => Promise.reject(new Error('connection refused')));
const failThrice = async () => {
  for (let failure = 0; failure < 3; failure += 1) expect(await fails()).toBeNull();
};

test('its answer is returned', async () => {
  expect(await answers()).toBe('seen');
  expect(guard.health()).toEqual({ name: 'rspamd', state: 'ok', failures: 0, last_failure_at: null });
});

describe('a scanner that fails', () => {
  test('returns null, and the failure is logged', async () => {
    expect(await fails()).toBeNull();
    expect(guard.health()).toEqual({
      name: 'rspamd',
      state: 'ok',
      failures: 1,
      last_failure_at: new Date(START).toISOString(),
    });
    expect(lines).toMatchObject([{ msg: 'scanner failed', scanner: 'rspamd' }]);
  });

  test('is not asked for some seconds after three failures in a row', async () => {
    await failThrice();
    let asked = 0;
    const ask = () =>
      guard.ask(async () => {
        asked += 1;
        return 'seen';
      });
    expect(await ask()).toBeNull();
    expect(asked).toBe(0);
    expect(guard.health()).toMatchObject({ state: 'failing', failures: 3 });
    clock.set(START + PAUSE_MS);
    expect(await ask()).toBe('seen');
    expect(guard.health()).toMatchObject({ state: 'ok', failures: 0 });
    expect(lines.at(-1)).toMatchObject({ msg: 'scanner is back' });
  });

  test('gets one question to show that it works again; the others are not asked meanwhile', async () => {
    await failThrice();
    clock.set(START + PAUSE_MS);
    const { promise, resolve } = Promise.withResolvers<string>();
    const probe = guard.ask(() => promise);
    expect(await answers()).toBeNull();
    resolve('seen');
    expect(await probe).toBe('seen');
    expect(await answers()).toBe('seen');
  });

  test('that answers sometimes is asked further', async () => {
    for (let round = 0; round < 5; round += 1) {
      await fails();
      await fails();
      expect(await answers()).toBe('seen');
    }
    expect(guard.health()).toMatchObject({ state: 'ok', failures: 0 });
  });
});

describe('time', () => {
  test('a question has a timeout, and then its signal aborts', async () => {
    guard = make({ timeout: 20 });
    let signal: AbortSignal | undefined;
    const asked = guard.ask((given) => {
      signal = given;
      return new Promise(() => undefined);
    });
    expect(await asked).toBeNull();
    expect(signal?.aborted).toBe(true);
    expect(guard.health().failures).toBe(1);
  });

  test('an answer in time leaves the signal alone', async () => {
    let signal: AbortSignal | undefined;
    await guard.ask(async (given) => {
      signal = given;
    });
    expect(signal?.aborted).toBe(false);
  });
});

describe('many at once', () => {
  test('a limited number is asked at a time, the others wait', async () => {
    let underWay = 0;
    let most = 0;
    const work = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      return 'seen';
    };
    const asked = await Promise.all(Array.from({ length: 18 }, () => guard.ask(work)));
    expect(new Set(asked)).toEqual(new Set(['seen']));
    expect(most).toBe(2);
  });

  test('more than may wait are refused until there is room', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const held = Array.from({ length: 18 }, () => guard.ask(() => promise));
    const refused = await answers().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    expect(refused).toMatchObject({ code: 'unavailable', extra: { retry_after: 2 } });
    resolve('seen');
    await Promise.all(held);
    expect(await answers()).toBe('seen');
  });

  test('questions that wait while it fails return without being asked', async () => {
    const { promise, reject } = Promise.withResolvers<string>();
    let asked = 0;
    guard = make({ places: 3 });
    const held = Array.from({ length: 20 }, () =>
      guard.ask(() => {
        asked += 1;
        return promise;
      }),
    );
    reject(new Error('reset'));
    expect(new Set(await Promise.all(held))).toEqual(new Set([null]));
    expect(asked).toBe(3);
  });
});
