// The file of a practice that is frozen on a host, as a host takes it in.
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { BLOCK_BYTES, leavingFile } from '#src/accounts/moving/leaving-file.ts';

export interface ArrivingFile {
  readonly body: {
    readonly size: number;
    readonly blocks: readonly { readonly at: number; readonly data: string }[];
  };
  readonly digest: string;
}

/** `home`: of the app that has frozen it. */
export const readFrozen = async (home: string, practiceId: string): Promise<ArrivingFile> => {
  const content = await readFile(leavingFile(path.join(home, 'data'), practiceId));
  const pieces = Array.from({ length: Math.ceil(content.length / BLOCK_BYTES) }, (_, at) =>
    content.subarray(at * BLOCK_BYTES, (at + 1) * BLOCK_BYTES),
  );
  const blocks = pieces.map((piece, at) => ({ at, data: zstdCompressSync(piece).toString('base64') }));
  const hashes = pieces.map((piece) => hash('sha256', piece, 'buffer'));
  return {
    body: { size: content.length, blocks },
    digest: hash('sha256', Buffer.concat(hashes), 'base64'),
  };
};
