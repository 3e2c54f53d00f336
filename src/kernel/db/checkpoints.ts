// When a file's WAL is brought into the database file. Both halves run on the maintenance thread: the first one copies what it can
// while writers go on; the second one, between two transactions, copies the rest and begins the WAL again.
import type { Disk } from './disk.ts';
import type { FaultKind } from './file-states.ts';
import type { Maintenance } from './maintenance.ts';

/** After a checkpoint that failed: a foreign reader (a backup) stays for a while, a full disk longer. */
const CHECKPOINT_RETRY_MS = 30_000;

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
  /** The first half is done: `restart` is to be called when no one writes. */
  readonly onCopied: () => void;
}

export const createCheckpoints = (deps: CheckpointsDeps) => {
  const { path, files, wal, disk, maintenance, checkpointBytes, onFault, onCopied } = deps;
  /** From the first half on until the WAL has been restarted. */
  let current: Promise<void> | null = null;
  let copied = false;
  let rewrites = false;
  let againAt = 0;

  const failed = (error: unknown): void => {
    againAt = performance.now() + CHECKPOINT_RETRY_MS;
    onFault(error, 'checkpoint failed');
  };
  const isLarge = (): boolean => {
    try {
      return disk.size(wal) >= checkpointBytes;
    } catch (error) {
      onFault(error, 'size of the WAL unknown');
      return false;
    }
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
      if (current === null && performance.now() >= againAt && isLarge()) start();
    },
    current: (): Promise<void> | null => current,
    hasCopied: (): boolean => copied,
    restart: async (): Promise<void> => {
      if (!copied) return;
      copied = false;
      const rewriting = rewrites;
      await maintenance.run({ verb: 'restart', path, files, rewrites: rewriting }).then(() => {
        if (rewriting) rewrites = false;
      }, failed);
      current = null;
    },
  };
};
