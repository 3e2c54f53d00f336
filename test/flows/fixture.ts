// What the tests of the whole daemon share: a practice to send from, many clients at once, and what came of it at the
// receiving end. A recipient's address names one message: the sink tells by it what came, and how often.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { ConfigFile, Daemon } from '#test/support/daemon.ts';
import { freePort, until } from '#test/support/process.ts';
import { type SmtpSink, startSmtpSink } from '#test/support/smtp-sink.ts';

/** For what takes some seconds on an idle machine; these tests share theirs. */
export const PATIENCE_MS = 300_000;
/** An SMTP upstream's `concurrency` as it follows from its connections: two calls each, and 32 in preparation. */
export const inFlightAtMost = (pool: number): number => 2 * pool + 32;

/** What is asked of a daemon, in a process of its own or in the test's. */
export type Service = Pick<Daemon, 'adminToken' | 'request' | 'createPractice' | 'createToken'>;

export interface Target<Of extends Service = Daemon> {
  readonly daemon: Of;
  readonly practiceId: string;
  readonly token: string;
}

/** What the clients were told, by recipient. */
export interface Tally {
  /** Answered 202: recipient to id. */
  readonly accepted: Map<string, string>;
  /** No answer came. */
  readonly unknown: Set<string>;
  /** Any other answer: recipient to status. */
  readonly refused: Map<string, number>;
}

export interface Arrival {
  readonly recipient: string;
  /** Without angle brackets. */
  readonly messageId: string;
  readonly at: number;
}

export interface HealthBody {
  readonly status: string;
  readonly databases: {
    readonly open: number;
    readonly limit: number;
    readonly broken: number;
    readonly states: Readonly<Record<string, number>>;
  };
  readonly queue: {
    readonly waiting_tenants: number;
    readonly in_flight: number;
    readonly next_due_at: string | null;
  };
  readonly upstreams: readonly {
    readonly name: string;
    readonly state: string;
    readonly retry_at: string | null;
    readonly sent: number;
  }[];
}

/** A loopback port that is closed until it is opened, and then leads to another. */
export interface Gate {
  readonly port: number;
  open(): Promise<void>;
  /** Also drops the connections through it. */
  close(): Promise<void>;
}

export const newTally = (): Tally => ({ accepted: new Map(), unknown: new Set(), refused: new Map() });

export const relayAt = (port: number, fields: ConfigFile = {}): ConfigFile => ({
  name: 'relay',
  kind: 'smtp',
  host: '127.0.0.1',
  port,
  tls: 'none',
  ...fields,
});

/** The plan with the highest cap. */
export async function openPractice<Of extends Service>(daemon: Of): Promise<Target<Of>> {
  const { id } = await daemon.createPractice({ plan: 'gruppe' });
  return { daemon, practiceId: id, token: await daemon.createToken(id) };
}

/** The same practice at a daemon that was started again. */
export const at = <Of extends Service>(daemon: Of, target: Target<Service>): Target<Of> => ({
  ...target,
  daemon,
});

/** Sends to each recipient, so many at a time, each client one after the other; a client whose connection broke ends. */
export async function sendTo(
  target: Target<Service>,
  recipients: Iterable<string>,
  clients: number,
  tally: Tally = newTally(),
): Promise<Tally> {
  const next = recipients[Symbol.iterator]();
  const work = async () => {
    for (let item = next.next(); !item.done; item = next.next()) {
      const answered = await sendOne(target, item.value, tally);
      if (!answered) return;
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  return tally;
}

async function sendOne(
  { daemon, practiceId, token }: Target<Service>,
  to: string,
  tally: Tally,
): Promise<boolean> {
  const body = { to, subject: `Termin von ${to}`, text: 'Guten Tag,\n\nwir freuen uns auf Sie.\n' };
  const answer = await daemon
    .request<{ id: string }>('POST', `/api/practices/${practiceId}/send`, body, token)
    .catch(() => undefined);
  if (answer === undefined) tally.unknown.add(to);
  else if (answer.status === 202) tally.accepted.set(to, answer.body.id);
  else tally.refused.set(to, answer.status);
  return answer !== undefined;
}

export const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}@example.org`);

export async function health(daemon: Service): Promise<HealthBody> {
  const { body } = await daemon.request<HealthBody>('GET', '/api/admin/health', undefined, daemon.adminToken);
  return body;
}

/** Resolves once nothing is queued and nothing is under way. */
export async function untilIdle(daemon: Service, timeoutMs: number = PATIENCE_MS): Promise<void> {
  const idle = async () => {
    const { queue } = await health(daemon);
    return queue.waiting_tenants === 0 && queue.in_flight === 0;
  };
  await until('the queue is empty', idle, timeoutMs);
}

export async function arrivals(sink: SmtpSink): Promise<Arrival[]> {
  return (await sink.messages()).map(({ rcpt, message, at }) => ({
    at,
    recipient: /<([^>]*)>/.exec(rcpt.join())?.[1] ?? '',
    messageId: /^Message-ID:\s*<([^>]*)>/im.exec(message.toString('latin1'))?.[1] ?? '',
  }));
}

/** Recipients that came more than once, with how often. */
export function repeated(came: readonly Arrival[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { recipient } of came) counts.set(recipient, (counts.get(recipient) ?? 0) + 1);
  return new Map([...counts].filter(([, count]) => count > 1));
}

/** The accepted ones that did not come. */
export function missing(tally: Tally, came: readonly Arrival[]): string[] {
  const recipients = new Set(came.map(({ recipient }) => recipient));
  return [...tally.accepted.keys()].filter((recipient) => !recipients.has(recipient));
}

/** What is deferred on it is done when the running test is over, be it by its time limit. */
export function untilTestEnds(): AsyncDisposableStack {
  const started = new AsyncDisposableStack();
  onTestFinished(() => started.disposeAsync());
  return started;
}

export async function temporaryDirectory(started: AsyncDisposableStack): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'flow-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** SIGTERM, and then as `endedWithin`. */
export async function endWithin(milliseconds: number, daemon: Daemon): Promise<void> {
  daemon.child.kill('SIGTERM');
  await endedWithin(milliseconds, daemon);
}

/** Throws where the daemon does not end by itself in that time, and with 0. */
export async function endedWithin(milliseconds: number, { child, output }: Daemon): Promise<void> {
  await until('the daemon has ended', () => child.exitCode !== null, milliseconds);
  if (child.exitCode !== 0) throw new Error(`the daemon ended with ${child.exitCode}: ${output()}`);
}

/** One that keeps what comes. */
export async function startKeepingSink(
  started: AsyncDisposableStack,
  options: { readonly delaySeconds?: number } = {},
): Promise<SmtpSink> {
  const sink = await startSmtpSink({ dump: await temporaryDirectory(started), ...options });
  started.defer(sink.stop);
  return sink;
}

export async function createGate(started: AsyncDisposableStack, targetPort: number): Promise<Gate> {
  const port = await freePort();
  const sockets = new Set<net.Socket>();
  const keep = (socket: net.Socket, other: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => other.destroy());
    socket.once('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const server = net.createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const far = net.connect({ port: targetPort, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    keep(near, far);
    keep(far, near);
    near.pipe(far).pipe(near);
  });
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  started.defer(close);
  return {
    port,
    open: async () => {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close,
  };
}
