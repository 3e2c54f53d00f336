// The daemon's own look at itself: each hour, and when the operator asks. What is not right is in the log: a failure each hour, a warning
// when it comes, and what has ended. The messages through the relays are sent once a day, at an hour that does not depend on restarts.
import { createHash } from 'node:crypto';
import type { Base } from '#src/kernel/base.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Job } from '#src/kernel/job.ts';
import { say } from '#src/kernel/say.ts';
import { HOUR, SECOND } from '#src/kernel/time.ts';
import { checkNumbers, type Finding, inOrder, tripNames } from './finding.ts';

export interface CheckedFinding extends Finding {
  /** ms */
  readonly checkedAt: number;
}

export interface DoctorState {
  readonly isRunning: boolean;
  /** When the last run ended, ms; null: none has. */
  readonly endedAt: number | null;
  readonly findings: readonly CheckedFinding[];
}

export interface Asked {
  /** Sends messages through the relays. */
  readonly trips: boolean;
}

type Run = (asked: Asked, signal: AbortSignal) => Promise<readonly Finding[]>;

export const DOCTOR_JOB = 'look whether all is well';

/** A look costs connections to relays and name servers. */
const PAUSE_MS = 5 * SECOND;
const TRIPS: ReadonlySet<number> = new Set(tripNames.map((name) => checkNumbers[name]));
const HOURS = 24;

/** Not all installations of the world ask a time server, or wake their relays, in the same minute. */
const placeOf = (host: string): { readonly minute: number; readonly hour: number } => {
  const [first = 0, second = 0] = createHash('sha256').update(host).digest();
  return { minute: first % 60, hour: second % HOURS };
};

const keyOf = ({ number, state, found }: Finding): string =>
  // Amounts change all the while, and are no news.
  `${number} ${state} ${found.replace(/\d+/g, '0')}`;

export const createDoctorWatch = (
  { config, clock, log }: Pick<Base, 'config' | 'clock' | 'log'>,
  run: Run,
) => {
  const { minute, hour } = placeOf(config().service.host);
  const stopping = new AbortController();
  let findings: readonly CheckedFinding[] = [];
  let endedAt: number | null = null;
  let running: Promise<void> | null = null;
  let isTripping = false;
  let said = new Map<string, Finding>();

  const look = async (asked: Asked): Promise<void> => {
    const found = await run(asked, stopping.signal);
    if (stopping.signal.aborted) return;
    const checkedAt = clock.now();
    const seen = found.map((finding) => ({ ...finding, checkedAt }));
    // What a run without messages says of them is that it sent none: the last that were sent tell more.
    const kept = asked.trips ? [] : findings.filter(({ number }) => TRIPS.has(number));
    const isReplaced = ({ number }: Finding): boolean => kept.some((one) => one.number === number);
    findings = inOrder([...seen.filter((one) => !isReplaced(one)), ...kept]) as CheckedFinding[];
    endedAt = checkedAt;
  };

  /** Joins a run that does at least as much, and waits for one that does less. */
  const start = (asked: Asked): Promise<void> => {
    if (running !== null && (isTripping || !asked.trips)) return running;
    const before = running;
    isTripping = asked.trips;
    const mine: Promise<void> = (async () => {
      await before;
      await look(asked);
    })().finally(() => {
      if (running === mine) running = null;
    });
    running = mine;
    return mine;
  };

  const tell = (): void => {
    const now = new Map(findings.map((finding) => [keyOf(finding), finding]));
    for (const [key, { number, name, state, found, mend }] of now) {
      const isNews = !said.has(key);
      if (state === 'fail' || (state === 'warn' && isNews))
        log.warn({ check: number, name, state, found, mend }, 'doctor');
    }
    for (const [key, { number, name, state, found }] of said)
      if ((state === 'fail' || state === 'warn') && !now.has(key))
        log.info({ check: number, name, was: found }, 'doctor: this has ended');
    said = now;
  };

  const job: Job = {
    name: DOCTOR_JOB,
    schedule: `${minute} * * * *`,
    run: async () => {
      const isHour = Math.floor(clock.now() / HOUR) % HOURS === hour;
      await start({ trips: config().doctor.round_trip && isHour });
      tell();
    },
  };

  return {
    job,
    state: (): DoctorState => ({ isRunning: running !== null, endedAt, findings }),
    /** Throws `rate_limited` right after the end of another. */
    ask: (asked: Asked): void => {
      if (running === null && endedAt !== null && clock.now() - endedAt < PAUSE_MS)
        throw new AppError('rate_limited', say`The service has just been checked.`, {
          extra: { retry_after: PAUSE_MS / SECOND },
        });
      void start(asked).catch((error) => log.error({ err: error }, 'the service could not be checked'));
    },
    stop: async (): Promise<void> => {
      stopping.abort();
      await running?.catch(() => undefined);
    },
  };
};

export type DoctorWatch = ReturnType<typeof createDoctorWatch>;
