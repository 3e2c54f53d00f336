// The log: one JSON line per fact on standard output, by pino. Secrets never reach it: nothing logs headers or bodies.
//
// The lines of requests and submissions wait for each other, because a write to the output takes longer than the line. Any
// other line is written at once, behind those that wait: a crash loses the last requests, but nothing that says why.
import { type DestinationStream, type Logger, pino } from 'pino';

export interface Log extends Logger {
  /** How many lines there were at the level error or fatal. */
  readonly errorLines?: () => number;
}
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The messages of the line that each request leaves, and each submitted mail. */
export const REQUEST_LINE = 'request';
export const SUBMISSION_LINE = 'submission';
const waiting: ReadonlySet<string> = new Set([REQUEST_LINE, SUBMISSION_LINE]);
/** Shorter than anyone who watches the log notices. */
const GATHER_MS = 100;
/** What a container's log driver takes in one piece. */
const GATHER_CHARS = 16 * 1024;

/** `out`, with the lines that may wait written together. */
export const gatherLines = (out: DestinationStream): DestinationStream => {
  let lines = '';
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    out.write(lines);
    lines = '';
  };
  const stream = {
    /** Asks pino for `lastMsg`. */
    [Symbol.for('pino.metadata')]: true,
    lastMsg: '',
    write: (line: string): void => {
      lines += line;
      if (!waiting.has(stream.lastMsg) || lines.length >= GATHER_CHARS) flush();
      else timer ??= setTimeout(flush, GATHER_MS);
    },
  };
  return stream;
};

/** pino's number of the level; fatal is above. */
const LEVEL_ERROR = 50;

export const createLog = (level: LogLevel, destination?: DestinationStream): Log => {
  let errorLines = 0;
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        logMethod(given, write, itsLevel) {
          if (itsLevel >= LEVEL_ERROR) errorLines += 1;
          write.apply(this, given);
        },
      },
    },
    destination ?? gatherLines(pino.destination({ sync: false })),
  );
  return Object.assign(log, { errorLines: () => errorLines });
};
