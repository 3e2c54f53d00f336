// Our side: the daemon as a child process with one SMTP upstream, fed over keep-alive HTTP connections.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execPath } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Side } from '#test/bench/harness.ts';
import type { HttpLoad, HttpLoadReport } from '#test/bench/http-load.ts';
import { type Load, STRAY_MS, timedRun } from '#test/bench/timed-run.ts';
import { type ConfigFile, type Daemon, startDaemon } from '#test/support/daemon.ts';
import { type SmtpSink, startSmtpSink } from '#test/support/smtp-sink.ts';

const GENERATOR = fileURLToPath(new URL('./http-load.ts', import.meta.url));
const GENERATOR_TIMEOUT_MS = 300_000;
const UPSTREAM_CONNECTIONS = 10;
/** The one with the highest monthly cap, 100,000: more than a benchmark sends. */
const PLAN = 'gruppe';

export interface DaemonSideOptions {
  readonly name: string;
  /** Of each message's text. */
  readonly bytes: number;
  /** Keep-alive connections. */
  readonly clients: number;
  readonly config?: ConfigFile;
}

interface Started {
  readonly daemon: Daemon;
  send(messages: number): Promise<Load>;
  /** Throws where the daemon does not end as it should. */
  stop(): Promise<void>;
}

export async function startDaemonSide(options: DaemonSideOptions): Promise<Side> {
  await using started = new AsyncDisposableStack();
  const sink = await startSmtpSink();
  started.defer(sink.stop);
  const { daemon, send, stop } = await start(options, sink);
  started.defer(stop);
  const owned = started.move();
  return {
    name: options.name,
    run: (messages) => timedRun(messages, { sink, services: [daemon.pid], generate: () => send(messages) }),
    stop: () => owned.disposeAsync(),
  };
}

/**
 * Sends so many messages through a daemon of its own into a sink that keeps them, and throws where any of them did
 * not come or came twice. The timed runs only count, because keeping costs speed.
 */
export async function checkEachComesOnce(options: DaemonSideOptions, messages: number): Promise<void> {
  await using started = new AsyncDisposableStack();
  const dump = await mkdtemp(path.join(tmpdir(), 'sink-dump-'));
  started.defer(() => rm(dump, { recursive: true }));
  const sink = await startSmtpSink({ dump });
  started.defer(sink.stop);
  const { send, stop } = await start(options, sink);
  started.defer(stop);
  await send(messages);
  await sink.received(messages);
  await pause(STRAY_MS);
  const recipients = (await sink.messages()).map(({ rcpt }) => rcpt.join());
  const distinct = new Set(recipients).size;
  if (recipients.length === messages && distinct === messages) return;
  throw new Error(
    `of ${messages} messages the sink got ${distinct}, and ${recipients.length - distinct} twice`,
  );
}

async function start(options: DaemonSideOptions, sink: SmtpSink): Promise<Started> {
  const relay = { name: 'sink', kind: 'smtp', host: '127.0.0.1', port: sink.port, tls: 'none' };
  const upstreams = [{ ...relay, pool: UPSTREAM_CONNECTIONS }];
  await using started = new AsyncDisposableStack();
  const daemon = await startDaemon({ config: { ...options.config, upstreams } });
  started.defer(daemon.remove);
  const { id } = await daemon.createPractice({ plan: PLAN });
  const load = {
    port: Number(new URL(daemon.origin).port),
    path: `/api/practices/${id}/send`,
    token: await daemon.createToken(id),
    connections: options.clients,
    bytes: options.bytes,
  };
  const owned = started.move();
  owned.defer(async () => {
    const exitCode = await daemon.stop();
    if (exitCode !== 0) throw new Error(`the daemon ended with ${exitCode}: ${daemon.output()}`);
  });
  return {
    daemon,
    send: (messages) => runGenerator({ ...load, messages }),
    stop: () => owned.disposeAsync(),
  };
}

async function runGenerator(load: HttpLoad): Promise<Load> {
  const options = { timeout: GENERATOR_TIMEOUT_MS };
  const { stdout } = await promisify(execFile)(execPath, [GENERATOR, JSON.stringify(load)], options);
  const { start, end, p50Ms, p99Ms }: HttpLoadReport = JSON.parse(stdout);
  const { timeOrigin } = performance;
  return { start: start - timeOrigin, end: end - timeOrigin, latencies: { p50Ms, p99Ms } };
}
