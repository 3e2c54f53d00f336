// The upstream by SMTP, to a smarthost: it joins connections, pool and transactions, and describes their state.
import type { Log } from '#src/kernel/log.ts';
import { SECOND } from '#src/kernel/time.ts';
import type { Transcript, Upstream } from '#src/relay/upstream.ts';
import type { Extensions } from './commands.ts';
import { connect, type Failure, type Link } from './connect.ts';
import { defaultTimeouts, type SmtpOptions } from './options.ts';
import { createPool } from './pool.ts';
import { probe } from './probe.ts';
import { createTransaction } from './transaction.ts';

/** Calls of `transmit` for each connection: one in flight, one ready to ride behind it. */
const CALLS_PER_CONNECTION = 2;
/**
 * Messages that are composed and signed meanwhile, so that no connection waits for one: those that the server takes in a tenth
 * of a second. An urgent message that comes later waits behind them, so there are no more where the server is slow.
 */
const PREPARED_MS = SECOND / 10;
const PREPARED = { min: 32, max: 128 };
/** The server's pace is that of the last quarter of a second. */
const PACE_MS = SECOND / 4;

/** Counts the messages that a server has taken; `prepared` is how many of the next may be in preparation. */
export const createPace = (now: () => number) => {
  let began = now();
  let taken = 0;
  let prepared = PREPARED.min;
  return {
    prepared: (): number => prepared,
    count: (): void => {
      taken += 1;
      const passed = now() - began;
      if (passed < PACE_MS) return;
      const wanted = Math.ceil((taken / passed) * PREPARED_MS);
      prepared = Math.min(Math.max(wanted, PREPARED.min), PREPARED.max);
      began += passed;
      taken = 0;
    },
  };
};

/** Where a rate is set, it prepares the messages of one second, for the same reason. */
const concurrencyOf = ({ pool, rate }: SmtpOptions, prepared: number): number =>
  rate === undefined
    ? pool * CALLS_PER_CONNECTION + prepared
    : Math.max(1, Math.min(pool * CALLS_PER_CONNECTION, Math.ceil(rate)));

export const createSmtpUpstream = (options: SmtpOptions, log: Log): Upstream => {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  let newest: Pick<Link, 'secure'> | null = null;
  /** The extensions that the newest connection, or a look, was offered. */
  let offered: Extensions | null = null;
  let learning: Promise<void> | null = null;
  let lastFailure: Failure | null = null;
  let sent = 0;
  const pace = createPace(() => performance.now());

  const pool = createPool({
    size: options.pool,
    rate: options.rate,
    requestDsn: options.deliveredOn === 'dsn',
    timeouts,
    connect: (signal) => connect(options, timeouts, signal),
    onOpened: (link) => {
      newest = link;
      offered = link.extensions;
      lastFailure = null;
      log.debug({ upstream: options.name, tls: link.secure }, 'upstream connection opened');
    },
    onOpenFailed: (failure) => {
      lastFailure = failure;
      log.warn({ upstream: options.name, failure }, 'upstream connection failed');
    },
  });

  const look = (signal?: AbortSignal) =>
    probe(options, signal, (extensions) => {
      offered = extensions;
    });
  return {
    name: options.name,
    kind: 'smtp',
    address: `${options.host}:${options.port}`,
    probe: look,
    get smtpUtf8() {
      return offered?.smtpUtf8 ?? null;
    },
    learn: async () => {
      if (offered !== null) return;
      learning ??= look().then(() => {
        learning = null;
      });
      await learning;
    },
    get concurrency() {
      return concurrencyOf(options, pace.prepared());
    },
    transmit: (envelope, message) =>
      new Promise<Transcript>((resolve) => {
        const done = (transcript: Transcript): void => {
          if (transcript.result === 'accepted') {
            sent += 1;
            pace.count();
          }
          resolve(transcript);
        };
        pool.add(createTransaction(envelope, message, done));
      }),
    describe: () => ({
      ...pool.counts(),
      sent,
      dsn: offered?.dsn ?? null,
      // What the newest connection was offered; null before the first one.
      tls: newest?.secure ?? null,
      pipelining: offered?.pipelining ?? null,
      smtp_utf8: offered?.smtpUtf8 ?? null,
      size: offered?.size ?? null,
      last_failure: lastFailure,
    }),
    stop: () => pool.stop(),
  };
};
