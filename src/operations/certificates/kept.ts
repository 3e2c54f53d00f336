// Certificates and the account's key in the data directory, `certificates/`: each file sealed under a key of the master key, written
// whole or not at all. What cannot be opened counts as not being there: it is asked for again.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '#src/kernel/log.ts';
import { type SealingKey, seal, unseal } from '#src/kernel/seal.ts';

const FOLDER = 'certificates';
const SEALED = '.sealed';
// No host has such a name.
const ACCOUNT = '_account';

export const keptCertificate = z.object({
  name: z.string(),
  /** The authority's address: a certificate of another one is not renewed but replaced. */
  directory: z.string(),
  cert: z.string(),
  key: z.string(),
  /** Times, ms. */
  from: z.number(),
  to: z.number(),
  renewAt: z.number(),
});
export type KeptCertificate = z.infer<typeof keptCertificate>;

export const keptAccount = z.object({ directory: z.string(), key: z.string(), url: z.string().nullable() });
export type KeptAccount = z.infer<typeof keptAccount>;

export const writeWhole = async (path: string, content: string | Buffer): Promise<void> => {
  const next = `${path}.next`;
  await rm(next, { force: true });
  const file = await open(next, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
};

export const createKeep = (dataDirectory: string, key: SealingKey, log: Log) => {
  const folder = join(dataDirectory, FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  const read = <T>(file: string, schema: z.ZodType<T>): T | null => {
    try {
      const plain = unseal(key, readFileSync(join(folder, file + SEALED)), `${FOLDER}/${file}`);
      return schema.parse(JSON.parse(plain.toString()));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        log.warn({ file, err: error }, 'a kept certificate or account cannot be read: it is asked for again');
      return null;
    }
  };
  const write = (file: string, value: unknown): Promise<void> =>
    writeWhole(
      join(folder, file + SEALED),
      seal(key, Buffer.from(JSON.stringify(value)), `${FOLDER}/${file}`),
    );
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(SEALED))
    .map((file) => file.slice(0, -SEALED.length));

  return {
    folder,
    /** Those of the start. */
    certificates: names
      .filter((name) => name !== ACCOUNT)
      .flatMap((name) => read(name, keptCertificate) ?? []),
    account: (): KeptAccount | null => (names.includes(ACCOUNT) ? read(ACCOUNT, keptAccount) : null),
    writeCertificate: (kept: KeptCertificate) => write(kept.name, kept),
    writeAccount: async (account: KeptAccount) => {
      await write(ACCOUNT, account);
      names.push(ACCOUNT);
    },
    forgetAccount: () => rm(join(folder, ACCOUNT + SEALED), { force: true }),
    remove: (name: string) => rm(join(folder, name + SEALED), { force: true }),
  };
};
