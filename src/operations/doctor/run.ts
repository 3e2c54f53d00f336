// Runs checks beside each other, each for a bounded time: one that does not end, or throws, is itself a finding.
import { SECOND } from '#src/kernel/time.ts';
import { type CheckName, checkNumbers, type Finding, inOrder, type Verdict, warn } from './finding.ts';

export interface Check {
  readonly name: CheckName;
  /** How long it may take, ms; half a minute where absent. */
  readonly within?: number;
  /** Several verdicts where each has something else to mend. `signal` aborts when its time is over. */
  readonly run: (signal: AbortSignal) => Promise<Verdict | readonly Verdict[]>;
}

export interface Choice {
  /** Only checks of these numbers; all where absent. */
  readonly only?: readonly number[] | undefined;
  readonly skip?: readonly number[] | undefined;
  /** Ends all of them. */
  readonly signal?: AbortSignal | undefined;
}

const WITHIN_MS = 30 * SECOND;

const lateVerdict = (within: number): Verdict =>
  warn(
    `it did not end within ${within / SECOND} s`,
    'sendwerk doctor, again when the machine or the network is less busy',
  );

const runOne = async (check: Check, stopping: AbortSignal | undefined): Promise<readonly Verdict[]> => {
  const within = check.within ?? WITHIN_MS;
  const over = AbortSignal.timeout(within);
  const signal = stopping === undefined ? over : AbortSignal.any([over, stopping]);
  const ended = Promise.withResolvers<readonly Verdict[]>();
  const end = (): void => ended.resolve([lateVerdict(within)]);
  signal.addEventListener('abort', end, { once: true });
  // Promise.race keeps what never ends from being waited for.
  const found = Promise.try(() => check.run(signal)).then(
    (told) => [told].flat(),
    (error: unknown) => [
      warn(
        `it could not be found out: ${error instanceof Error ? error.message : String(error)}`,
        'sendwerk doctor, as root or as the user of the service',
      ),
    ],
  );
  try {
    return await Promise.race([found, ended.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
};

export const isChosen = (number: number, { only, skip }: Choice): boolean =>
  (only === undefined || only.includes(number)) && !skip?.includes(number);

/** In the order of the numbers. Never rejects. */
export const runChecks = async (checks: readonly Check[], choice: Choice = {}): Promise<Finding[]> => {
  const chosen = checks.filter(({ name }) => isChosen(checkNumbers[name], choice));
  const found = await Promise.all(
    chosen.map(async (check) => {
      const verdicts = await runOne(check, choice.signal);
      return verdicts.map((verdict) => ({ number: checkNumbers[check.name], name: check.name, ...verdict }));
    }),
  );
  return inOrder(found.flat());
};
