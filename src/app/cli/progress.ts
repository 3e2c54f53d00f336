// How far a long command is: a bar on a terminal, else one line a minute, for a journal. Both go to standard error, so that what is
// printed at the end can be read by programs.
import { MINUTE } from '#src/kernel/time.ts';
import type { Terminal } from './terminal.ts';

export interface Progress {
  /** Bytes, unless `written` says otherwise. */
  readonly show: (done: number, total: number) => void;
  /** Takes the bar away. */
  readonly end: () => void;
}

const BAR_CHARACTERS = 30;
const BETWEEN_BARS_MS = 100;
const MIB = 1_024 * 1_024;
const REMOVE_LINE = '\r\x1b[K';

export const mebibytes = (bytes: number): string =>
  `${(bytes / MIB).toLocaleString('en', { maximumFractionDigits: bytes < 10 * MIB ? 1 : 0 })} MiB`;

/** `1 practice`, `1,200 practices` */
export const counted = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : `${one}s`}`;

const share = (done: number, total: number): number => (total === 0 ? 1 : Math.min(done / total, 1));

/** `what` begins the line: `backup`, `verify`. `written`: an amount as it is shown. */
export const createProgress = (
  { printError, isTerminal }: Pick<Terminal, 'printError' | 'isTerminal'>,
  what: string,
  now = () => performance.now(),
  written: (amount: number) => string = mebibytes,
): Progress => {
  const between = isTerminal ? BETWEEN_BARS_MS : MINUTE;
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : now();
  return {
    show: (done, total) => {
      if (now() - shownAt < between) return;
      shownAt = now();
      const part = share(done, total);
      const text = `${Math.floor(100 * part)} %, ${written(done)} of ${written(total)}`;
      const filled = Math.round(BAR_CHARACTERS * part);
      const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_CHARACTERS - filled)}]`;
      printError(isTerminal ? `${REMOVE_LINE}${what} ${bar} ${text}` : `${what}: ${text}\n`);
    },
    end: () => {
      if (isTerminal) printError(REMOVE_LINE);
    },
  };
};
