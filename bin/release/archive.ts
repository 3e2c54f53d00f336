// The tarball: sorted, of one time and owner, compressed by Node's zlib, whose header has neither name nor time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { env } from 'node:process';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';

/** Writes `file` with the directory `name` of `parent`. `isDraft`: compressed quickly. */
export const writeTarball = async (
  parent: string,
  name: string,
  time: number,
  file: string,
  isDraft: boolean,
): Promise<void> => {
  const tar = spawn(
    'tar',
    [
      '--sort=name',
      '--format=gnu',
      `--mtime=@${time}`,
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '-C',
      parent,
      '-cf',
      '-',
      name,
    ],
    { env: { ...env, LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(tar, 'close');
  const level = isDraft ? constants.Z_BEST_SPEED : constants.Z_BEST_COMPRESSION;
  await pipeline(tar.stdout, createGzip({ level }), createWriteStream(file));
  const [status] = await ended;
  if (status !== 0) throw new Error(`tar ended with ${status}`);
};
