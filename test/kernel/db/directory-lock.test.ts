import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { lockDirectory } from '#src/kernel/db/directory-lock.ts';
import { endProcess } from '#test/support/process.ts';
import { openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const IN_USE = /is in use by another process/;

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

/** Resolves when another process holds the lock. */
const lockElsewhere = async (): Promise<ChildProcess> => {
  const script = `
    import { lockDirectory } from '#src/kernel/db/directory-lock.ts';
    const unlock = lockDirectory(${JSON.stringify(directory)});
    process.stdin.resume().on('end', unlock);
    process.stdout.write('locked');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    await endProcess(child, 'SIGKILL');
  });
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('it ended without the lock'))),
  ]);
  return child;
};

test('a second process is refused, and the lock ends with the first, however that dies', async () => {
  const holder = await lockElsewhere();
  expect(() => lockDirectory(directory)).toThrow(IN_USE);
  await expect(openTestStorage(directory)).rejects.toThrow(IN_USE);
  await endProcess(holder, 'SIGKILL');
  const storage = await openTestStorage(directory);
  await storage.close();
});

test('a second opening of the same data in one process is refused, and leaves the first at work', async () => {
  const first = await openTestStorage(directory);
  await expect(openTestStorage(directory)).rejects.toThrow(`${directory} is in use`);
  await first.platform.write(() => undefined);
  await first.close();
  await (await openTestStorage(directory)).close();
});

test('who gives the lock back can take it again', () => {
  lockDirectory(directory)();
  lockDirectory(directory)();
});
