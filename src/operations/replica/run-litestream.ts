// Runs Litestream on all files there are. It reads its configuration only when it starts: where tenants came or went, the
// configuration is written again and Litestream is started again, which goes on where it was.
//
// It opens each file once. Where a restore has put another file in its place, it would copy from the former one, and would read the
// log of the other one as that of the former: what a replica says then is malformed. So which file each path leads to is looked at
// too, and is noted in the directory that Litestream keeps beside the file. Where it is another one, Litestream is ended and that
// directory is removed: a new generation begins, with a whole copy.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DataError } from '#src/kernel/db/data-error.ts';
import { disk } from '#src/kernel/db/disk.ts';
import { SECOND, sleep } from '#src/kernel/time.ts';

/** A new practice, or a restored one, is in the replica after at most this and the time of a start. */
const LOOK_MS = 10 * SECOND;

export interface RunOptions {
  readonly program: string;
  /** The file with its configuration, which is written here. */
  readonly file: string;
  /** The text of its configuration, and the databases in it. Null: there is no registry yet. */
  readonly config: () => { readonly text: string; readonly databases: readonly string[] } | null;
  readonly signal: AbortSignal;
  readonly everyMs?: number;
}

/** The note in Litestream's directory of the file that its content was made from. */
const NOTE = 'sendwerk-file';
/** What Litestream keeps beside a database. */
const stateOf = (path: string): string => join(dirname(path), `.${basename(path)}-litestream`);

/** Null: there is none at this moment. */
const identify = (path: string): string | null => {
  try {
    return disk.identifyForGood(path);
  } catch {
    return null;
  }
};

/** What Litestream knows of another file than the one that is there is removed. It must not run. */
const forgetOthers = async (files: ReadonlyMap<string, string | null>): Promise<void> => {
  for (const [path, identity] of files) {
    if (identity === null) continue;
    const [state, note] = [stateOf(path), join(stateOf(path), NOTE)];
    if ((await readFile(note, 'utf8').catch(() => null)) === identity) continue;
    await rm(state, { recursive: true, force: true });
    await mkdir(state, { mode: 0o700 });
    await writeFile(note, identity, { mode: 0o600 });
  }
};

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

/** Litestream writes what is still to be written to the replica before it ends. */
const end = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
};

/** Ends early where Litestream ends. It leaves no listener behind, since there is one of these every few seconds. */
const pause = async (child: ChildProcess | undefined, milliseconds: number, signal: AbortSignal) => {
  if (child && hasEnded(child)) return;
  const ended = new AbortController();
  const wake = (): void => ended.abort();
  child?.once('exit', wake);
  signal.addEventListener('abort', wake);
  if (!signal.aborted) await sleep(milliseconds, ended.signal);
  child?.off('exit', wake);
  signal.removeEventListener('abort', wake);
};

/** Resolves once `signal` is aborted and Litestream has ended. Throws DataError where it ends by itself. */
export const runLitestream = async (options: RunOptions): Promise<void> => {
  const { program, file, config, signal, everyMs = LOOK_MS } = options;
  if (!existsSync(program))
    throw new DataError(`${program} does not exist: docs/operate/replica.md says how to get Litestream`);
  let child: ChildProcess | undefined;
  let written: string | null = null;
  let known: ReadonlyMap<string, string | null> = new Map();
  try {
    while (!signal.aborted) {
      const wanted = config();
      const found = new Map(wanted?.databases.map((path) => [path, identify(path)]));
      const isReplaced = [...found].some(
        ([path, identity]) => identity !== null && identity !== known.get(path),
      );
      if (wanted !== null && (wanted.text !== written || isReplaced)) {
        if (child) await end(child);
        await forgetOthers(found);
        await writeWhole(file, wanted.text);
        [written, known] = [wanted.text, found];
        child = await start(program, file);
      }
      await pause(child, everyMs, signal);
      if (child && hasEnded(child) && !signal.aborted)
        throw new DataError(`Litestream ended with ${child.exitCode ?? child.signalCode}`);
    }
  } finally {
    if (child) await end(child);
  }
};
