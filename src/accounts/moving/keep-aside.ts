// The file of a tenant that has moved away is kept, closed, in a place where nothing takes it for one that works here.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { disk } from '#src/kernel/db/disk.ts';
import { movedDirectory } from './leaving-file.ts';

/** Harmless where it was done before. The registry says already that it has moved. */
export const keepAside = async (dataDirectory: string, id: string): Promise<void> => {
  const from = join(dataDirectory, 'tenants', id);
  if (!existsSync(from)) return;
  const to = movedDirectory(dataDirectory, id);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  // The file of a move before this one may be there.
  await rm(to, { recursive: true, force: true });
  await rename(from, to);
  await disk.syncDirectory(dirname(from));
  await disk.syncDirectory(dirname(to));
};

export const removeKept = (dataDirectory: string, id: string): Promise<void> =>
  rm(movedDirectory(dataDirectory, id), { recursive: true, force: true });
