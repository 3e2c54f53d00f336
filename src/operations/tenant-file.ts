// A tenant in one file, encrypted by age (age-encryption.org/v1) to a passphrase or to keys: it is worth all secrets of the practice.
// Inside there is one line of JSON, then the tenant's database, compressed by Zstandard (RFC 8878). The sealed values in it are sealed
// under a key of this file, which the first line has, so that another host can seal them under its own; so are the lasting keys of
// the tenant. Nothing of the master key and of other tenants is in it.
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { Decrypter, Encrypter } from 'age-encryption';
import { z } from 'zod';
import { DataError } from '#src/kernel/db/data-error.ts';
import { disk } from '#src/kernel/db/disk.ts';

/** The form of such a file. A reader knows it and all before it. */
const FORMAT = 1;

const headSchema = z.object({
  format: z.literal(FORMAT),
  program: z.string(),
  made_at: z.iso.datetime(),
  id: z.uuid(),
  slug: z.string(),
  name: z.string(),
  /** The service host that it comes from. */
  host: z.string(),
  /** Numbers in the first page of the database. */
  schema: z.object({ version: z.int(), hash: z.int() }),
  bytes: z.int().positive(),
  /** Under keys derived from these 32 bytes the sealed values are sealed. */
  key: z.base64().length(44),
});
export type TenantHead = z.infer<typeof headSchema>;

/** One of both. */
export interface Secrets {
  readonly passphrase?: string | undefined;
  /** `age1…` to write, `AGE-SECRET-KEY-…` to read. */
  readonly keys?: readonly string[] | undefined;
}

type Bytes = ReadableStream<Uint8Array>;
export type ShowBytes = (bytes: number) => void;

/** Longer first lines are none of ours. */
const MAX_HEAD = 65_536;
const LINE_END = 10;
const PARTIAL = '.partial-';

async function* counted(
  from: AsyncIterable<Buffer>,
  show: ShowBytes,
  mostBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of from) {
    bytes += chunk.length;
    // A small file can unpack to more than any disk has.
    if (bytes > mostBytes) throw new Error('it has more bytes than it says');
    show(bytes);
    yield chunk;
  }
}

async function* payload(head: TenantHead, database: string, show: ShowBytes): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(head)}\n`);
  const compressed = createZstdCompress();
  const fed = pipeline(Readable.from(counted(createReadStream(database), show)), compressed);
  fed.catch(() => undefined);
  yield* compressed;
  await fed;
}

/** `to` has the whole file when it resolves, or what it had before. Throws DataError where a key is none of age's. */
export const writeTenantFile = async (
  to: string,
  database: string,
  head: Omit<TenantHead, 'format' | 'bytes'>,
  { passphrase, keys = [] }: Secrets,
  show: ShowBytes,
): Promise<void> => {
  const encrypter = new Encrypter();
  try {
    if (passphrase !== undefined) encrypter.setPassphrase(passphrase);
    for (const key of keys) encrypter.addRecipient(key);
  } catch (error) {
    throw new DataError(`the key cannot be used: ${(error as Error).message}`, { cause: error });
  }
  const { size: bytes } = await stat(database);
  const partial = join(dirname(to), PARTIAL + basename(to));
  try {
    const plain = Readable.from(payload({ format: FORMAT, bytes, ...head }, database, show), {
      objectMode: false,
    });
    const sealed = await encrypter.encrypt(
      Readable.toWeb(plain) as unknown as globalThis.ReadableStream<Uint8Array>,
    );
    // What another one that was killed has left; one that someone else put there is not followed.
    await rm(partial, { force: true });
    await pipeline(
      Readable.fromWeb(sealed as unknown as Bytes),
      createWriteStream(partial, { mode: 0o600, flags: 'wx' }),
    );
    const file = await open(partial, 'r+');
    await file.sync().finally(() => file.close());
    await rename(partial, to);
    await disk.syncDirectory(dirname(to));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
};

const headOf = (line: Buffer, from: string): TenantHead => {
  let content: unknown = null;
  try {
    content = JSON.parse(line.toString());
  } catch {
    // Said below.
  }
  const { data: format } = z.object({ format: z.int() }).safeParse(content);
  if (format !== undefined && format.format > FORMAT)
    throw new DataError(`${from} was made by a newer version of the program: update this one first`);
  const { data, error } = headSchema.safeParse(content);
  if (data === undefined) throw new DataError(`${from} is no exported practice`, { cause: error });
  return data;
};

/** The rest of the bytes, after the first line. */
const afterHead = async (
  bytes: AsyncIterator<Buffer>,
  from: string,
): Promise<{ readonly head: TenantHead; readonly rest: () => AsyncGenerator<Buffer> }> => {
  let begun = Buffer.alloc(0);
  while (!begun.includes(LINE_END)) {
    const { value, done } = await bytes.next();
    if (done || begun.length > MAX_HEAD) throw new DataError(`${from} is no exported practice`);
    begun = Buffer.concat([begun, value]);
  }
  const end = begun.indexOf(LINE_END);
  return {
    head: headOf(begun.subarray(0, end), from),
    rest: async function* () {
      yield begun.subarray(end + 1);
      for (let next = await bytes.next(); !next.done; next = await bytes.next()) yield next.value;
    },
  };
};

/**
 * Calls `accept` with what the file says of itself; where that resolves with a path, the database is there, and on the disk, when this
 * resolves. Throws DataError where the file cannot be read by the secret, is none, or is damaged or cut off.
 */
export const readTenantFile = async (
  from: string,
  { passphrase, keys = [] }: Secrets,
  accept: (head: TenantHead) => Promise<string>,
  show: ShowBytes,
): Promise<TenantHead> => {
  const decrypter = new Decrypter();
  try {
    if (passphrase !== undefined) decrypter.addPassphrase(passphrase);
    for (const key of keys) decrypter.addIdentity(key);
  } catch (error) {
    throw new DataError(`the key cannot be used: ${(error as Error).message}`, { cause: error });
  }
  const file = Readable.toWeb(createReadStream(from)) as unknown as globalThis.ReadableStream<Uint8Array>;
  const plain = await decrypter.decrypt(file).catch((error: Error) => {
    throw new DataError(
      `${from} does not open by this ${passphrase === undefined ? 'key' : 'passphrase'}, or is no file of age: ${error.message}`,
      { cause: error },
    );
  });
  const source = Readable.fromWeb(plain as unknown as Bytes);
  const damaged = (error: NodeJS.ErrnoException): never => {
    // What the disk says has a code of the system; age and Zstandard say what they read.
    if (error instanceof DataError || error.syscall !== undefined) throw error;
    throw new DataError(`${from} is damaged or cut off: ${error.message}`, { cause: error });
  };
  try {
    const { head, rest } = await afterHead(source[Symbol.asyncIterator](), from).catch(damaged);
    const to = await accept(head);
    await pipeline(
      rest,
      createZstdDecompress(),
      (chunks) => counted(chunks as AsyncIterable<Buffer>, show, head.bytes),
      createWriteStream(to, { mode: 0o600 }),
    ).catch(damaged);
    const { size } = await stat(to);
    if (size !== head.bytes) throw new DataError(`${from} is damaged or cut off`);
    const written = await open(to, 'r+');
    await written.sync().finally(() => written.close());
    return head;
  } finally {
    source.destroy();
  }
};
