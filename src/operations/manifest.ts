// What a backup says of itself, in `manifest.json` beside the files: enough to tell whether each of them is what it was, and what a
// restore must find in it. It is written last, so a directory without it is no backup.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DataError } from '#src/kernel/db/data-error.ts';

export const MANIFEST_NAME = 'manifest.json';
/** The path of a tenant's file, below a data directory or a backup. */
export const tenantFile = (id: string): string => join('tenants', id, 'tenant.db');

/** The form of a backup. A reader knows it and all before it. */
export const FORMAT = 1;

const whole = z.int().min(0);

const backupFile = z.object({
  bytes: whole,
  /** The hash of all bytes of the file, in hexadecimal digits. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The numbers in its first page. */
  schema: z.object({ version: whole, hash: z.int() }),
  /** What the rooms counted in it, by the names that they gave. */
  counts: z.record(z.string(), z.union([whole, z.string()])),
  /**
   * The file that it was copied from, as it was before; while that one is the same, the next backup need not read it. Null
   * where that cannot be known: a WAL was beside it.
   */
  source: z.object({ inode: z.string(), bytes: whole, changed_ns: z.string() }).nullable(),
});

const manifest = z.object({
  format: z.literal(FORMAT),
  /** The version of the program that made it. */
  program: z.string(),
  began_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  /** Fingerprint of the key without which the sealed values cannot be read. The key is not in the backup. */
  master_key: z.string(),
  /** That of the former one, where the key was being changed: some of the values may be sealed under it alone. */
  former_master_key: z.string().nullable().default(null),
  platform: backupFile,
  tenants: z.array(backupFile.extend({ id: z.uuid(), slug: z.string() })),
  /** Tenants whose files could not be read. */
  missing: z.array(z.object({ id: z.uuid(), slug: z.string(), reason: z.string() })),
});

export type BackupFile = z.infer<typeof backupFile>;
export type BackupTenant = z.infer<typeof manifest>['tenants'][number];
export type Manifest = z.infer<typeof manifest>;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** `directory` is one backup. Throws DataError where it has no manifest, or one that this program cannot read. */
export const readManifest = async (directory: string): Promise<Manifest> => {
  const path = join(directory, MANIFEST_NAME);
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new DataError(`${directory} is no backup: ${path} cannot be read (${error.message})`, {
      cause: error,
    });
  });
  const content = parsed(text);
  const { data: format } = z.object({ format: whole }).safeParse(content);
  if (format !== undefined && format.format > FORMAT)
    throw new DataError(`${path} was made by a newer version of the program: use that one`);
  const { data, error } = manifest.safeParse(content);
  if (data === undefined) throw new DataError(`${path} is damaged: use another backup`, { cause: error });
  return data;
};
