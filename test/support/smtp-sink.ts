// Postfix's smtp-sink on a free loopback port: an SMTP server that takes everything, as fast as one can be had.
// It prints a running total (`-c`), which goes to a file and is read when asked for, so that counting costs the
// measuring process nothing. With `dump` it keeps every message with its envelope in a file of its own.
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { endProcess, freePort, spawnMortal, until, untilListening } from '#test/support/process.ts';

const PROGRAM = '/usr/sbin/smtp-sink';
/** Waiting connections; more than any test opens. */
const BACKLOG = '1024';
/** Simultaneous connections taken. */
const MAX_CONNECTIONS = '512';
/** One counter line is at most this long: four names and four numbers of ten digits. */
const COUNTER_LINE_BYTES = 80;
const RECEIVE_TIMEOUT_MS = 120_000;

export interface SmtpSinkOptions {
  /** Whole seconds (smtp-sink knows no less) before the final dot is answered. */
  readonly delaySeconds?: number;
  /** An existing directory that gets one file per message, which costs speed. */
  readonly dump?: string;
}

interface SunkMessage {
  readonly helo: string;
  /** The arguments of MAIL after `FROM:`, such as `<a@example.org> SIZE=100`. */
  readonly mail: string;
  /** The arguments of each RCPT after `TO:`. */
  readonly rcpt: readonly string[];
  /** The message as it was sent, dots unstuffed, lines ending in CRLF, no header of the sink's in front. */
  readonly message: Buffer;
  /** When it was whole, ms. */
  readonly at: number;
}

export interface SmtpSink {
  readonly port: number;
  readonly pid: number;
  /** Messages answered with 250 after the final dot so far. */
  count(): Promise<number>;
  /** Resolves once `count` messages have come in; throws after `timeoutMs` (default two minutes). */
  received(count: number, timeoutMs?: number): Promise<void>;
  /** What came in, in no particular order; with `dump` only. Call when nothing is under way. */
  messages(): Promise<SunkMessage[]>;
  stop(): Promise<void>;
}

export async function startSmtpSink(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const { dump, delaySeconds } = options;
  const port = await freePort();
  const directory = await mkdtemp(path.join(tmpdir(), 'smtp-sink-'));
  const counterFile = path.join(directory, 'counter');
  const counter = openSync(counterFile, 'w');
  const args = ['-c', '-m', MAX_CONNECTIONS];
  if (delaySeconds !== undefined) args.push('-W', `.:${delaySeconds}`);
  if (dump !== undefined) args.push('-d', path.join(dump, 'message.'));
  // Root has to name the user to become. It stays who it is: `dump` is the caller's directory.
  if (userInfo().uid === 0) args.push('-u', 'root');
  const child = spawnMortal(PROGRAM, [...args, `127.0.0.1:${port}`, BACKLOG], {
    stdio: ['ignore', counter, 'pipe'],
  });
  closeSync(counter);
  let said = '';
  child.on('error', (error) => {
    said += error.message;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await untilListening({ host: '127.0.0.1', port }, child, () => said);

  const count = () => readCounter(counterFile);
  return {
    port,
    pid: child.pid ?? 0,
    count,
    received: async (wanted, timeoutMs = RECEIVE_TIMEOUT_MS) => {
      await until(`${wanted} messages at the sink`, async () => (await count()) >= wanted, timeoutMs);
    },
    messages: () => {
      if (dump === undefined) throw new Error('the sink was started without a dump directory');
      return readDump(dump);
    },
    stop: async () => {
      await endProcess(child);
      await rm(directory, { recursive: true });
    },
  };
}

/** Lines of `sess=1 quit=1 mesg=20 max=1` that end in CR; the last whole one holds. */
async function readCounter(file: string): Promise<number> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, 2 * COUNTER_LINE_BYTES);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const last = buffer.toString('latin1').split('\r').at(-2);
    return Number(/mesg=(\d+)/.exec(last ?? '')?.[1] ?? 0);
  } finally {
    await handle.close();
  }
}

async function readDump(directory: string): Promise<SunkMessage[]> {
  const messages: SunkMessage[] = [];
  for (const name of await readdir(directory)) {
    const file = path.join(directory, name);
    messages.push({ ...parseDump(await readFile(file, 'latin1')), at: (await stat(file)).mtimeMs });
  }
  return messages;
}

/** smtp-sink(1), "DUMP FILE FORMAT": X- lines, a Received field of three lines, the message, an empty line. */
function parseDump(text: string): Omit<SunkMessage, 'at'> {
  const received = /^Received: .*\n\t.*\n\t.*\n/m.exec(text);
  if (received === null) throw new Error('not a dump of smtp-sink');
  const envelope = text.slice(0, received.index);
  const argument = (name: string) =>
    [...envelope.matchAll(new RegExp(`^X-${name}-Args: (.*)$`, 'gm'))].map((match) => match[1] ?? '');
  const message = text.slice(received.index + received[0].length, -1).replaceAll('\n', '\r\n');
  return {
    helo: argument('Helo')[0] ?? '',
    mail: argument('Mail')[0] ?? '',
    rcpt: argument('Rcpt'),
    message: Buffer.from(message, 'latin1'),
  };
}
