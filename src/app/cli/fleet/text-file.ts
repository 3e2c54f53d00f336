// Small text files: read with a plain refusal, written whole or not at all.
import { readFileSync } from 'node:fs';
import { chmod, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { disk } from '#src/kernel/db/disk.ts';
import { CommandError } from '../command.ts';

/** Throws CommandError. */
export const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
};

/** Undefined where there is no such file. */
export const readTextIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** The proxy's user reads it by its group. */
const NEW_MODE = 0o640;

/** On the disk when it resolves; its mode stays that of the file before. */
export const writeWhole = async (file: string, text: string): Promise<void> => {
  const mode = await stat(file).then(
    (before) => before.mode & 0o777,
    () => NEW_MODE,
  );
  const partial = `${file}.new`;
  const written = await open(partial, 'w', mode);
  try {
    await written.writeFile(text);
    await written.sync();
  } finally {
    await written.close();
  }
  await chmod(partial, mode);
  await rename(partial, file);
  await disk.syncDirectory(dirname(file));
};
