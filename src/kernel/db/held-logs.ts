// Write-ahead logs that a transaction of another process keeps from being emptied: a backup's, a monitoring query's, a shell's that
// was left open. SQLite may not begin a log again while anyone still reads from it, so it grows as long as that lasts. Nothing is
// damaged and nothing fails: it only takes space. Short ones are not worth a word.
import { type Clock, toIso } from '#src/kernel/time.ts';

/** A held log is reported when it has grown to this many times its bound, and again each time it has grown as many times since. */
const MUCH = 4;

export interface HeldLog {
  /** The transaction has lasted at least since then. */
  readonly since: number;
  readonly bytes: number;
}

/** A log is brought back to nothing when it has grown to `boundBytes`, where no one holds it. */
export const createHeldLogs = (
  clock: Clock,
  boundBytes: number,
  onHeld: (id: string, log: HeldLog | undefined) => void = () => undefined,
) => {
  const since = new Map<string, number>();
  const large = new Map<string, HeldLog>();
  const told = new Map<string, number>();
  return {
    /** Called after a try to empty the log of a file, with what is held of it, 0 where it is empty. */
    note: (id: string, bytes: number): void => {
      if (bytes === 0) {
        since.delete(id);
        large.delete(id);
        if (told.delete(id)) onHeld(id, undefined);
        return;
      }
      const log = { since: since.get(id) ?? clock.now(), bytes };
      since.set(id, log.since);
      if (bytes < MUCH * boundBytes) return;
      large.set(id, log);
      if (bytes < MUCH * (told.get(id) ?? boundBytes)) return;
      told.set(id, bytes);
      onHeld(id, log);
    },
    ids: (): string[] => [...large.keys()],
    /** The operator sees it. */
    facts: () => ({
      count: large.size,
      bytes: Math.max(0, ...[...large.values()].map(({ bytes }) => bytes)),
      since: large.size === 0 ? null : toIso(Math.min(...[...large.values()].map(({ since }) => since))),
    }),
  };
};
