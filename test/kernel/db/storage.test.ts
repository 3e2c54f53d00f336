import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { disk } from '#src/kernel/db/disk.ts';
import { openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const run = promisify(execFile);
/** A process whose threads or timers are left behind never ends. */
const END_TIMEOUT_MS = 10_000;

describe('where a file cannot be closed', () => {
  test('that is told, and the directory is free for the next', async () => {
    const directory = await temporaryDirectory();
    const failing = { ...disk, close: () => Promise.reject(new Error('EIO')) };
    const storage = await openTestStorage(directory, { disk: failing });
    await expect(storage.close()).rejects.toThrow('EIO');
    await (await openTestStorage(directory)).close();
  });

  test.each([
    { name: 'its descriptor cannot be closed', close: 'Promise.reject(new Error("EIO"))', breakFirst: false },
    { name: 'its disk fails for good', close: 'disk.close(descriptor)', breakFirst: true },
  ])('the process ends by itself: $name', async ({ close, breakFirst }) => {
    const script = `
      import { disk } from '#src/kernel/db/disk.ts';
      import { openStorage } from '#src/kernel/db/storage.ts';
      let fails = false;
      const storage = await openStorage({
        dataDirectory: ${JSON.stringify(await temporaryDirectory())},
        maxOpenTenants: 4,
        checkpointBytes: 1_000_000,
        disk: {
          ...disk,
          syncData: (descriptor) => fails ? Promise.reject(new Error('EIO')) : disk.syncData(descriptor),
          close: (descriptor) => ${close},
        },
        onFault: () => undefined,
      });
      fails = ${breakFirst};
      if (fails) await storage.platform.write(() => undefined).catch(() => undefined);
      await storage.close().catch(() => undefined);
      process.stdout.write('closed');`;
    const { stdout } = await run(process.execPath, ['-e', script], { timeout: END_TIMEOUT_MS });
    expect(stdout).toBe('closed');
  });
});
