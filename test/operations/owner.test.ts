import { chmod } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requireOwner, requireOwnerAbove } from '#src/operations/owner.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

test('only the user that the data belong to may open them', async () => {
  const directory = await temporaryDirectory();
  requireOwner(directory);
  expect(() => requireOwner(directory, userInfo().uid + 1)).toThrow('run it as that one');
  expect(() => requireOwner(join(directory, 'absent'))).toThrow('cannot be read');
});

test('another user may make a directory where everyone may, and only there', async () => {
  const directory = await temporaryDirectory();
  const other = userInfo().uid + 1;
  requireOwnerAbove(directory);
  for (const mode of [0o700, 0o777, 0o1770]) {
    await chmod(directory, mode);
    expect(() => requireOwnerAbove(directory, other)).toThrow('run it as that one');
  }
  await chmod(directory, 0o1777);
  requireOwnerAbove(directory, other);
  expect(() => requireOwnerAbove(join(directory, 'absent'), other)).toThrow('cannot be read');
});
