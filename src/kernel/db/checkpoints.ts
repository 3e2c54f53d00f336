// When a file's WAL is brought into the database file. Both halves run on the maintenance thread: the first one copies what it can
// while writers go on; the second one, between two transactions, copies the rest and begins the WAL again.
import { SECOND } from '#src/kernel/time.ts';
import type { Disk } from './disk.ts';
import type { FaultKind } from './file-states.ts';
import type { Maintenance } from './maintenance.ts';

/** The wait after a checkpoint that failed. */
const RETRY_MS = 30 * SECOND;
/**
 * To cut the WAL off takes three quarters of the time that writers wait, and syncs what grows again takes longer. It grows by what is
 * written during each checkpoint.
 */
const TRUNCATED_FROM = 2;
/** A reader of another process (a backup) stays for a while. */
const HELD_RETRY_MS = 10 * SECOND;

export interface CheckpointsDeps {
  readonly path: string;
  /** Where it led when the file was opened. */
  readonly files: string;
  readonly wal: number;
  readonly disk: Disk;
  readonly maintenance: Maintenance;
  /** The WAL is checkpointed when it has grown to this. */
  readonly checkpointBytes: number;
  readonly onFault: (error: unknown, what: FaultKind) => void;
  /** See DurableFileOptions. */
  readonly onWal: (bytes: number) => void;
  /** The first half is done: `restart` is to be called when no one writes. */
  readonly onCopied: () => void;
}

export const createCheckpoints = (deps: CheckpointsDeps) => {
  const { path, files, wal, disk, maintenance, checkpointBytes, onFault, onWal, onCopied } = deps;
  /** The checkpoint in progress: set when the first half begins, until the WAL has been restarted. */
  let current: Promise<void> | null = null;
  let copied = false;
  let rewrites = false;
  let truncates = false;
  let againAt = 0;
  /** The size of the WAL when it was last begun again: what is in it up to there is written over. */
  let overwritten = 0;

  const failed = (error: unknown): void => {
    againAt = performance.now() + RETRY_MS;
    onFault(error, 'checkpoint failed');
  };
  /** 0 where it is unknown. */
  const size = (): number => {
    try {
      return disk.size(wal);
    } catch (error) {
      onFault(error, 'size of the WAL unknown');
      return 0;
    }
  };
  /** Where another process holds it, what is copied stays in the WAL, and later transactions go behind it. */
  const tried = (held: number, before: number): void => {
    const now = size();
    if (held === 0 && now <= before) overwritten = now;
    else if (now >= checkpointBytes) againAt = performance.now() + HELD_RETRY_MS;
    onWal(held);
  };
  const start = (): void => {
    current ??= maintenance.run({ verb: 'checkpoint', path, files }).then(
      () => {
        copied = true;
        onCopied();
      },
      (error) => {
        failed(error);
        current = null;
      },
    );
  };
  const restartOnce = async (): Promise<void> => {
    const before = size();
    const [rewriting, truncating] = [rewrites, truncates || before >= TRUNCATED_FROM * checkpointBytes];
    const command = { verb: 'restart', path, files, rewrites: rewriting, truncates: truncating } as const;
    await maintenance.run(command).then((held) => {
      if (rewriting) rewrites = false;
      if (truncating && held === 0) truncates = false;
      tried(held, before);
    }, failed);
  };
  return {
    start,
    /** The next one that ends leaves nothing in the WAL of what was written before; with `rewriting`, nor in the file. */
    emptyNext: (rewriting: boolean): void => {
      truncates = true;
      rewrites ||= rewriting;
    },
    willRewrite: (): boolean => rewrites,
    startWhenLarge: (): void => {
      if (current !== null || performance.now() < againAt) return;
      const now = size();
      if (now >= checkpointBytes && now > overwritten) start();
    },
    current: (): Promise<void> | null => current,
    hasCopied: (): boolean => copied,
    restart: async (): Promise<void> => {
      if (!copied) return;
      copied = false;
      const wasAsked = truncates;
      await restartOnce();
      // Who asked while it was on its way must not be told that it was done.
      if (truncates && !wasAsked) await restartOnce();
      current = null;
    },
  };
};
