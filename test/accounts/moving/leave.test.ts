// What may come between the steps of a tenant that leaves: whatever it is, either this host has it and works on, or has given it up.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLeave, type LeaveDeps } from '#src/accounts/moving/leave.ts';
import { leavingFile } from '#src/accounts/moving/leaving-file.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { keepManagedHost } from '#src/domains/custom/former-host.ts';
import { unavailable } from '#src/kernel/db/unavailable.ts';
import type { AppError } from '#src/kernel/errors.ts';
import { TenantMoved } from '#src/kernel/moved.ts';
import { inEnglish, say } from '#src/kernel/say.ts';
import { SECOND } from '#src/kernel/time.ts';
import { keysBy } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const NEW_HOST = {
  origin: 'https://neu.example',
  host: 'neu.example',
  mail: { host: 'neu.example', port: 25 },
};
const keys = keysBy(Buffer.alloc(32, 1));

/** A gate that is open until it is closed. */
const createGate = () => {
  let wait: Promise<void> = Promise.resolve();
  let open = (): void => undefined;
  return {
    close: () => {
      wait = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
    pass: () => wait,
  };
};

const setUp = async (overrides: Partial<LeaveDeps> = {}) => {
  const dataDirectory = await temporaryDirectory();
  const storage = await openTestStorage(dataDirectory);
  const id = await createSampleTenant(storage);
  const commit = createGate();
  const sealing = createGate();
  let failsAfter: 'write' | 'before' | null = null;
  const leave = createLeave({
    storage: {
      ...storage,
      platform: {
        ...storage.platform,
        write: async (work, within) => {
          await commit.pass();
          if (failsAfter === 'before') throw unavailable(say`The disk is full.`, null);
          const written = await storage.platform.write(work, within);
          if (failsAfter === 'write') throw unavailable(say`The sync failed.`, null);
          return written;
        },
      },
    },
    key: keys.key,
    tenantKeys: keys,
    clock: createTestClock(),
    dataDirectory,
    endWork: () => true,
    sealFile: () => sealing.pass(),
    followFile: () => undefined,
    keepManagedHost,
    forget: () => undefined,
    ...overrides,
  });
  onTestFinished(() => leave.stop());
  /** `works`, or how it is refused. */
  const state = (): Promise<string> =>
    storage.tenants.read(id, () => 'works').catch((error) => (error as AppError).code);
  return {
    ...{ dataDirectory, storage, id, commit, sealing, leave, state },
    failNext: (how: 'write' | 'before') => {
      failsAfter = how;
    },
  };
};

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error) => (error as AppError).code,
  );

describe('while the registry is told that it has moved', () => {
  test.each(['release', 'freeze'] as const)('%s answers conflict, and nothing opens it', async (verb) => {
    const { leave, id, commit, state, dataDirectory } = await setUp();
    const { freeze } = await leave.freeze(id, SECOND);
    commit.close();
    const moved = leave.moved(id, freeze, NEW_HOST);
    expect(await codeOf(verb === 'release' ? leave.release(id) : leave.freeze(id, SECOND))).toBe('conflict');
    expect(await state()).toBe('unavailable');
    commit.open();
    await moved;
    expect(await state()).toBe('not_found');
    expect(existsSync(join(dataDirectory, 'moved', id, 'tenant.db'))).toBe(true);
  });

  test('it is not given up where something else has taken it out of the registry', async () => {
    const { leave, id, storage } = await setUp();
    const { freeze } = await leave.freeze(id, SECOND);
    await storage.platform.write((db) => registryStore(db).deactivate(id));
    expect(await codeOf(leave.moved(id, freeze, NEW_HOST))).toBe('conflict');
    expect(await storage.platform.read((db) => registryStore(db).moved())).toEqual([]);
  });

  test.each([
    ['before', 'works', 'done'],
    ['write', 'not_found', 'conflict'],
  ] as const)(
    'a failure (%s it is written) is settled by what the registry says',
    async (how, after, answer) => {
      const { leave, id, state, failNext } = await setUp();
      const { freeze } = await leave.freeze(id, SECOND);
      failNext(how);
      expect(await codeOf(leave.moved(id, freeze, NEW_HOST))).toBe('unavailable');
      expect(await state()).toBe('unavailable');
      expect(await codeOf(leave.release(id))).toBe(answer);
      expect(await state()).toBe(after);
    },
  );
});

describe('freezing', () => {
  test('leaves alone what is being erased', async () => {
    const { leave, id, storage } = await setUp();
    storage.tenants.hold(id);
    expect(await codeOf(leave.freeze(id, SECOND))).toBe('conflict');
    await leave.release(id);
    expect(storage.tenants.mayBegin(id)).toBe(false);
  });

  test('ends where it is released meanwhile, and who releases it waits for that', async () => {
    const { leave, id, sealing, state, dataDirectory } = await setUp();
    sealing.close();
    const frozen = codeOf(leave.freeze(id, SECOND));
    await until('its file is being copied', () => existsSync(leavingFile(dataDirectory, id)));
    const released = codeOf(leave.release(id));
    expect(await state()).toBe('unavailable');
    sealing.open();
    expect([await frozen, await released]).toEqual(['conflict', 'done']);
    expect(await state()).toBe('works');
  });

  test('takes as long as the copy; half a minute begins when it is answered, and anew when somebody goes on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { leave, id, sealing, storage } = await setUp();
    sealing.close();
    const frozen = leave.freeze(id, SECOND);
    await vi.advanceTimersByTimeAsync(60 * SECOND);
    expect(storage.tenants.mayBegin(id)).toBe(false);
    sealing.open();
    const { freeze } = await frozen;
    await vi.advanceTimersByTimeAsync(29 * SECOND);
    leave.renew(id, freeze);
    await vi.advanceTimersByTimeAsync(29 * SECOND);
    expect(storage.tenants.mayBegin(id)).toBe(false);
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    expect(storage.tenants.mayBegin(id)).toBe(true);
    expect(() => leave.renew(id, freeze)).toThrow('moving it took too long');
  });
});

test('one that has moved is refused with where it is', async () => {
  const { leave, id, storage } = await setUp();
  await leave.moved(id, (await leave.freeze(id, SECOND)).freeze, NEW_HOST);
  const refusal = await storage.tenants.read(id, () => undefined).catch((error) => error);
  expect(refusal).toBeInstanceOf(TenantMoved);
  expect(inEnglish(refusal.text)).toContain('https://neu.example');
});
