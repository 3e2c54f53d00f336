import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requireOwner } from '#src/operations/owner.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

test('only the user that the data belong to may open them', async () => {
  const directory = await temporaryDirectory();
  requireOwner(directory);
  expect(() => requireOwner(directory, userInfo().uid + 1)).toThrow('run it as that one');
  expect(() => requireOwner(join(directory, 'absent'))).toThrow('cannot be read');
});
