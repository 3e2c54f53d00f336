import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { catalogue } from '#src/kernel/catalogue.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

test('words are found also where the program lies in a directory with blanks and other signs', async () => {
  const room = join(await temporaryDirectory(), 'Büro 50% #2');
  await mkdir(join(room, 'words'), { recursive: true });
  await writeFile(join(room, 'words/de.ts'), "export const words = { hello: 'Guten Tag' };\n");
  const wordsIn = catalogue<{ hello: string }>(pathToFileURL(join(room, 'words.ts')).href, './words/*.ts');
  expect(wordsIn('de').hello).toBe('Guten Tag');
});
