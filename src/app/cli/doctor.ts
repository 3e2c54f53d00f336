// `sendwerk doctor` checks the installation and says what mends what is not right: beside a running daemon, without one, and before the
// first start. Exit code 0: nothing failed, warnings or not; 1: something failed; 2: the command line is wrong.
import { type Config, type LoadedConfig, loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { formatListen } from '#src/kernel/config/values.ts';
import { MINUTE, sleep } from '#src/kernel/time.ts';
import { ConfigError } from '#src/kernel/yaml-file.ts';
import {
  checkNumbers,
  counted,
  type Finding,
  skipped,
  tripNames,
  worstState,
} from '#src/operations/doctor/finding.ts';
import { configurationVerdicts } from '#src/operations/doctor/host-rules.ts';
import { isSshTarget } from '#src/operations/doctor/reach-ports.ts';
import type { Check } from '#src/operations/doctor/run.ts';
import { fromHere } from '../doctor/daemon-facts.ts';
import { diagnose } from '../doctor/diagnose.ts';
import { createAdminApi } from './admin-api.ts';
import { clean, json } from './admin-text.ts';
import { UsageError } from './command.ts';
import type { CommandResult } from './config.ts';

interface Values {
  readonly config: string;
  readonly only: string | undefined;
  readonly skip: string | undefined;
  readonly from: string | undefined;
  readonly 'round-trip': boolean;
  readonly json: boolean;
}

/** A look with messages that do not come back takes as long. */
const TRIPS_WITHIN_MS = 5 * MINUTE;
const POLL_MS = 500;

interface DaemonLook {
  readonly running: boolean;
  readonly findings: readonly Finding[];
}

/** The daemon sends the messages, because it alone hears what comes back: checks 20 and 21 are its findings. */
const tripsByDaemon = ({ http, admin }: Config): Check[] => {
  const look = async (signal: AbortSignal): Promise<readonly Finding[]> => {
    const { token } = admin;
    if (token === null) throw new Error('the daemon is asked with the admin token, and none is configured');
    const origin = `http://${formatListen(fromHere(http.listen))}`;
    const api = createAdminApi({ origin, token });
    await api.call('POST', '/api/admin/doctor', { round_trip: true });
    for (;;) {
      const { running, findings } = await api.call<DaemonLook>('GET', '/api/admin/doctor');
      if (!running) return findings;
      signal.throwIfAborted();
      await sleep(POLL_MS, signal);
    }
  };
  let found: Promise<readonly Finding[]> | undefined;
  return tripNames.map((name) => ({
    name,
    within: TRIPS_WITHIN_MS,
    run: async (signal) => {
      found ??= look(signal);
      const own = (await found).filter(({ number }) => number === checkNumbers[name]);
      return own.map(({ state, found: text, mend }) => ({ state, found: text, mend }));
    },
  }));
};

const notSent: readonly Check[] = tripNames.map((name) => ({
  name,
  run: async () => skipped('no message was sent: sendwerk doctor --round-trip does it'),
}));

const KNOWN: ReadonlySet<number> = new Set(Object.values(checkNumbers));

/** `3,16`, `8-10` */
const numbersIn = (option: string, text: string | undefined): number[] | undefined =>
  text?.split(',').flatMap((part) => {
    const [, first, last = first] = /^\s*(\d{1,3})(?:-(\d{1,3}))?\s*$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === undefined || !KNOWN.has(from) || !KNOWN.has(to) || to < from)
      throw new UsageError(`doctor: --${option} takes numbers of checks, such as 3,16 or 8-10, not ${part}`);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });

const MARKS = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL', skipped: '-   ' } as const;

const lineOf = ({ number, name, state, found, mend }: Finding): string => {
  const head = `${MARKS[state]} ${String(number).padStart(2)} ${name}: ${found}`;
  return `${clean(head)}\n${mend === null ? '' : `        -> ${clean(mend)}\n`}`;
};

const summary = (findings: readonly Finding[]): string => {
  const count = (state: Finding['state']): number => findings.filter((one) => one.state === state).length;
  return `\n${counted(count('fail'), 'failure')}, ${counted(count('warn'), 'warning')}, ${count('ok')} ok, ${count('skipped')} skipped\n`;
};

const resultOf = (findings: readonly Finding[], asJson: boolean): CommandResult => ({
  exitCode: worstState(findings) === 'fail' ? 1 : 0,
  output: asJson ? json(findings) : `${findings.map(lineOf).join('')}${summary(findings)}`,
});

export const doctor = async (values: Values, environment: Environment): Promise<CommandResult> => {
  const { config: file, from } = values;
  const choice = { only: numbersIn('only', values.only), skip: numbersIn('skip', values.skip) };
  if (from !== undefined && !isSshTarget(from))
    throw new UsageError(`doctor: --from takes what ssh connects to, such as user@host.example, not ${from}`);
  let loaded: LoadedConfig;
  try {
    loaded = loadConfig(file, environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const facts = { problem: error.message, warnings: [] };
    const [verdict] = configurationVerdicts(file, facts);
    const finding = verdict && { number: checkNumbers.configuration, name: 'configuration', ...verdict };
    return resultOf(finding ? [finding] : [], values.json);
  }
  const findings = await diagnose(loaded.config, {
    ...choice,
    from,
    trips: values['round-trip'] ? tripsByDaemon(loaded.config) : notSent,
    load: { file, read: () => loadConfig(file, environment) },
  });
  return resultOf(findings, values.json);
};
