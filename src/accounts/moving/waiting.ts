// What a host notes of a tenant that it has taken and that waits for the old host to give it up: beside its file in `arriving/` of the
// data directory. A tenant that comes back to a host which still hands on what comes for it is noted here alone: its row in the
// registry stays that of one that has moved, until it begins.
import { readFileSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { disk } from '#src/kernel/db/disk.ts';

const noteSchema = z.object({
  /** The freeze of the old host that it was taken in; null: no host keeps it, it comes from an export. */
  freeze: z.uuid().nullable(),
  /** Whether its file waits in `arriving/`, beside the row of one that has moved. */
  comes_back: z.boolean(),
});
export type WaitingNote = z.infer<typeof noteSchema>;

export const waitingNote = (dataDirectory: string, id: string): string =>
  join(dataDirectory, 'arriving', `${id}.json`);

/** Null: there is none. */
export const readWaiting = (dataDirectory: string, id: string): WaitingNote | null => {
  let text: string;
  try {
    text = readFileSync(waitingNote(dataDirectory, id), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return noteSchema.parse(JSON.parse(text));
};

/** On the disk when it resolves. */
export const noteWaiting = async (dataDirectory: string, id: string, note: WaitingNote): Promise<void> => {
  const path = waitingNote(dataDirectory, id);
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(note));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await disk.syncDirectory(dirname(path));
};

export const forgetWaiting = async (dataDirectory: string, id: string): Promise<void> => {
  const path = waitingNote(dataDirectory, id);
  rmSync(path, { force: true });
  await disk.syncDirectory(dirname(path)).catch((error) => {
    // Nothing ever arrived here.
    if (error.code !== 'ENOENT') throw error;
  });
};
