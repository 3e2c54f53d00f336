// When a file's WAL is brought into the database file. Both halves run on the maintenance thread: the first one copies what it can
// while writers go on; the second one, between two transactions, copies the rest and begins the WAL again.
import { SECOND } from '#src/kernel/time.ts';
import type { Disk } from './disk.ts';
import type { FaultKind } from './file-states.ts';
import type { Maintenance } from './maintenance.ts';

/** The wait after a checkpoint that failed. */
const RETRY_MS = 30 * SECOND;
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
  let againAt = 0;

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
  /** What is copied stays in the WAL, and later transactions go behind it, until the other process has ended its own. */
  const tried = (held: number): void => {
    if (size() >= checkpointBytes) againAt = performance.now() + HELD_RETRY_MS;
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
  return {
    start,
    /** The next one that ends rewrites the file. */
    rewriteNext: (): void => {
      rewrites = true;
    },
    willRewrite: (): boolean => rewrites,
    startWhenLarge: (): void => {
      if (current === null && performance.now() >= againAt && size() >= checkpointBytes) start();
    },
    current: (): Promise<void> | null => current,
    hasCopied: (): boolean => copied,
    restart: async (): Promise<void> => {
      if (!copied) return;
      copied = false;
      const rewriting = rewrites;
      await maintenance.run({ verb: 'restart', path, files, rewrites: rewriting }).then((held) => {
        if (rewriting) rewrites = false;
        tried(held);
      }, failed);
      current = null;
    },
  };
};
