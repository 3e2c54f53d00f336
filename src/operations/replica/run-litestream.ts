// Runs Litestream on all files there are. It reads its configuration only when it starts: where tenants came or went, the
// configuration is written again and Litestream is started again, which goes on where it was.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { DataError } from '#src/kernel/db/data-error.ts';
import { SECOND, sleep } from '#src/kernel/time.ts';

/** A new practice is in the replica after at most this and the time of a start. */
const LOOK_MS = 10 * SECOND;

export interface RunOptions {
  readonly program: string;
  /** The file with its configuration, which is written here. */
  readonly file: string;
  /** Null: there is no registry yet. */
  readonly config: () => string | null;
  readonly signal: AbortSignal;
}

/** Who reads it finds the former text or the new one. */
export const writeWhole = async (file: string, text: string): Promise<void> => {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
};

const start = async (program: string, file: string): Promise<ChildProcess> => {
  const child = spawn(program, ['replicate', '-config', file], { stdio: 'inherit' });
  await once(child, 'spawn');
  return child;
};

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** It writes what is still to be written to the replica before it ends. */
const end = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
};

/** Resolves once `signal` is aborted and Litestream has ended. Throws DataError where it ends by itself. */
export const runLitestream = async ({ program, file, config, signal }: RunOptions): Promise<void> => {
  if (!existsSync(program))
    throw new DataError(`${program} does not exist: docs/operate/replica.md says how to get Litestream`);
  let child: ChildProcess | undefined;
  let written: string | null = null;
  try {
    while (!signal.aborted) {
      const wanted = config();
      if (wanted !== null && wanted !== written) {
        if (child) await end(child);
        await writeWhole(file, wanted);
        written = wanted;
        child = await start(program, file);
      }
      const ended =
        child && !hasEnded(child) ? once(child, 'exit', { signal }).catch(() => undefined) : undefined;
      await Promise.race([sleep(LOOK_MS, signal), ended ?? sleep(LOOK_MS, signal)]);
      if (child && hasEnded(child) && !signal.aborted)
        throw new DataError(`Litestream ended with ${child.exitCode ?? child.signalCode}`);
    }
  } finally {
    if (child) await end(child);
  }
};
