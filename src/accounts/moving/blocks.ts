// A file as blocks of a fixed size: the receiver says the hash of each of its own, and gets those that differ. So nothing has to be
// remembered of a copy that was cut off, and what is sent last, while the tenant waits, is what has changed since the copy before.
import { hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { BLOCK_BYTES } from './leaving-file.ts';

const HASH_BYTES = 32;

/** Where the file of a tenant that arrives is built up. */
export const arrivingFile = (dataDirectory: string, id: string): string =>
  join(dataDirectory, 'arriving', id, 'tenant.db');

/** Read in one turn of the event loop. */
const AT_ONCE = 8;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export interface Block {
  /** Its number in the file. */
  readonly at: number;
  /** Compressed by Zstandard (RFC 8878), in base64. */
  readonly data: string;
}

/** The SHA-256 of each block, one behind the other; empty where there is no file. */
export const hashesOf = async (path: string, signal?: AbortSignal): Promise<Buffer> => {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    const buffer = Buffer.allocUnsafe(AT_ONCE * BLOCK_BYTES);
    const hashes: Buffer[] = [];
    for (let position = 0; ; ) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return Buffer.concat(hashes);
      for (let from = 0; from < bytesRead; from += BLOCK_BYTES)
        hashes.push(hash('sha256', buffer.subarray(from, Math.min(from + BLOCK_BYTES, bytesRead)), 'buffer'));
      position += bytesRead;
    }
  } finally {
    await file.close();
  }
};

/** Numbers of the blocks of `own` that `other` does not have at the same place. */
export const differing = (own: Buffer, other: Buffer): number[] => {
  const numbers: number[] = [];
  for (let at = 0; at * HASH_BYTES < own.length; at += 1) {
    const [from, to] = [at * HASH_BYTES, (at + 1) * HASH_BYTES];
    if (!own.subarray(from, to).equals(other.subarray(from, to))) numbers.push(at);
  }
  return numbers;
};

export const readBlocks = async (path: string, numbers: readonly number[]): Promise<Block[]> => {
  const file = await open(path, 'r');
  try {
    const blocks: Block[] = [];
    for (const at of numbers) {
      const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
      const { bytesRead } = await file.read(buffer, 0, BLOCK_BYTES, at * BLOCK_BYTES);
      blocks.push({ at, data: (await compress(buffer.subarray(0, bytesRead))).toString('base64') });
    }
    return blocks;
  } finally {
    await file.close();
  }
};

/** Makes the file `size` bytes long and puts the blocks into it; the disk has them when it resolves. Throws `invalid_request`. */
export const writeBlocks = async (path: string, size: number, blocks: readonly Block[]): Promise<void> => {
  const file = await open(path, 'a').then(async (made) => {
    await made.close();
    return open(path, 'r+');
  });
  try {
    await file.truncate(size);
    for (const { at, data } of blocks) {
      const most = Math.min(BLOCK_BYTES, size - at * BLOCK_BYTES);
      const bytes = await decompress(Buffer.from(data, 'base64'), { maxOutputLength: BLOCK_BYTES }).catch(
        () => null,
      );
      if (bytes === null || bytes.length !== most)
        throw new AppError('invalid_request', say`A block of the file is not what it must be.`, {
          extra: {
            fields: [
              { path: `body.blocks`, message: say`block ${at} has another length than the file needs` },
            ],
          },
        });
      await file.write(bytes, 0, bytes.length, at * BLOCK_BYTES);
    }
    await file.sync();
  } finally {
    await file.close();
  }
};
