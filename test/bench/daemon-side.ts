// Our side: the daemon as a child process, fed over kept connections by HTTP or SMTP, with one SMTP upstream.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execPath } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Figures, Side } from '#test/bench/harness.ts';
import type { Installation } from '#test/bench/installation.ts';
import type { LoadOptions, LoadReport, LoadSender } from '#test/bench/load.ts';
import { startSinkFor } from '#test/bench/reading-sink.ts';
import { type Load, STRAY_MS, timedRun } from '#test/bench/timed-run.ts';
import type { ConfigFile, Daemon } from '#test/support/daemon.ts';
import { freePort } from '#test/support/process.ts';
import { type SmtpSink, startSmtpSink } from '#test/support/smtp-sink.ts';

const GENERATOR = fileURLToPath(new URL('./load.ts', import.meta.url));
const GENERATOR_TIMEOUT_MS = 3_600_000;
const UPSTREAM_CONNECTIONS = 10;

export interface SendingOptions {
  readonly installation: Installation;
  /** `http` where absent. */
  readonly protocol?: LoadOptions['protocol'];
  /** Of each message's text. */
  readonly bytes: number;
  /** Of a file that each message carries. */
  readonly fileBytes?: number;
  /** Kept connections. */
  readonly clients: number;
  readonly config?: ConfigFile;
  readonly env?: Readonly<Record<string, string>>;
}

export interface DaemonSideOptions extends SendingOptions {
  readonly name: string;
  readonly share?: number;
  /** Further figures, when a run has ended. */
  readonly more?: (daemon: Daemon) => Promise<Figures>;
}

export interface Sending {
  readonly daemon: Daemon;
  /** Of all practices in turn. */
  send(messages: number, changes?: Partial<LoadOptions>): Promise<Load>;
  /** Throws where the daemon does not end as it should. */
  stop(): Promise<void>;
}

export const daemonSide = (options: DaemonSideOptions): Side => ({
  name: options.name,
  share: options.share ?? 1,
  start: async () => {
    await using started = new AsyncDisposableStack();
    const sink = await startSinkFor(options.bytes + (options.fileBytes ?? 0));
    started.defer(sink.stop);
    const { daemon, send, stop } = await startSending(options, sink.port);
    started.defer(stop);
    const owned = started.move();
    return {
      run: async (messages) => ({
        ...(await timedRun(messages, { sink, services: [daemon.pid], generate: () => send(messages) })),
        ...(await options.more?.(daemon)),
      }),
      stop: () => owned.disposeAsync(),
    };
  },
});

/**
 * Sends so many messages through a daemon of its own into a sink that keeps them, and throws where any of them did
 * not come or came twice. The timed runs only count, because keeping costs speed.
 */
export async function checkEachComesOnce(options: SendingOptions, messages: number): Promise<void> {
  await using started = new AsyncDisposableStack();
  const dump = await mkdtemp(path.join(tmpdir(), 'sink-dump-'));
  started.defer(() => rm(dump, { recursive: true }));
  const sink = await startSmtpSink({ dump });
  started.defer(sink.stop);
  const { send, stop } = await startSending(options, sink.port);
  started.defer(stop);
  await send(messages);
  await sink.received(messages);
  await pause(STRAY_MS);
  await throwUnlessOnce(sink, messages);
}

export async function throwUnlessOnce(sink: SmtpSink, messages: number): Promise<void> {
  const recipients = (await sink.messages()).map(({ rcpt }) => rcpt.join());
  const distinct = new Set(recipients).size;
  if (recipients.length === messages && distinct === messages) return;
  throw new Error(
    `of ${messages} messages the sink got ${distinct}, and ${recipients.length - distinct} twice`,
  );
}

/** The configuration of the one way out. */
export const upstreamAt = (port: number): ConfigFile => ({
  upstreams: [
    { name: 'sink', kind: 'smtp', host: '127.0.0.1', port, tls: 'none', pool: UPSTREAM_CONNECTIONS },
  ],
});

export async function startSending(options: SendingOptions, upstreamPort: number): Promise<Sending> {
  const { installation, protocol = 'http', bytes, fileBytes = 0, clients: connections, env = {} } = options;
  await using started = new AsyncDisposableStack();
  const submission = protocol === 'smtp' ? await freePort() : null;
  const listener = submission === null ? {} : { smtp: { submission: { listen: `127.0.0.1:${submission}` } } };
  const config = { ...options.config, ...listener, ...upstreamAt(upstreamPort) };
  const daemon = await installation.start({ config, env });
  started.defer(daemon.remove);
  const senders: LoadSender[] = [];
  for (const { id: practiceId, default_from: from } of installation.practices)
    senders.push({ practiceId, from, token: await daemon.createToken(practiceId) });
  const port = submission ?? Number(new URL(daemon.origin).port);
  const load = { protocol, port, senders, connections, bytes, fileBytes };
  const owned = started.move();
  owned.defer(async () => {
    const exitCode = await daemon.stop();
    if (exitCode !== 0) throw new Error(`the daemon ended with ${exitCode}: ${daemon.output()}`);
  });
  return {
    daemon,
    send: (messages, changes) => runGenerator({ ...load, messages, ...changes }),
    stop: () => owned.disposeAsync(),
  };
}

export async function runGenerator(load: LoadOptions): Promise<Load> {
  const options = { timeout: GENERATOR_TIMEOUT_MS };
  const { stdout } = await promisify(execFile)(execPath, [GENERATOR, JSON.stringify(load)], options);
  const { start, end, p50Ms, p99Ms }: LoadReport = JSON.parse(stdout);
  const { timeOrigin } = performance;
  return { start: start - timeOrigin, end: end - timeOrigin, latencies: { p50Ms, p99Ms } };
}
