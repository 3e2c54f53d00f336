// An SMTP server for large mail, a process of its own: it looks for the end of the data by the native search. Postfix's smtp-sink
// reads letter by letter, some 7 ns each: of a mail of 1 MB that would be 10 ms of a core which the measured side shares.
import { createServer, type Socket } from 'node:net';
import process, { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { endProcess, freePort, spawnMortal, until, untilListening } from '#test/support/process.ts';
import { type SmtpSink, startSmtpSink } from '#test/support/smtp-sink.ts';

const END = Buffer.from('\r\n.\r\n');
const LARGE = 50_000;
const RECEIVE_TIMEOUT_MS = 120_000;

const replies: Readonly<Record<string, string>> = {
  EHLO: '250-sink.example\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 ENHANCEDSTATUSCODES\r\n',
  DATA: '354 go ahead\r\n',
  QUIT: '221 2.0.0 bye\r\n',
};

/** `taken` is called with each message. */
const serve = (socket: Socket, taken: () => void): void => {
  let line = '';
  /** The last octets of the data so far; null: a command is awaited. */
  let tail: Buffer | null = null;
  const command = (text: string): void => {
    const verb = text.slice(0, 4).toUpperCase();
    socket.write(replies[verb] ?? '250 2.0.0 ok\r\n');
    // The end may be the first line: what is before it ended one.
    if (verb === 'DATA') tail = Buffer.from('\r\n');
    if (verb === 'QUIT') socket.end();
  };
  const take = (chunk: Buffer): void => {
    if (tail !== null) {
      const seam = Buffer.concat([tail, chunk.subarray(0, END.length - 1)]);
      const atSeam = seam.indexOf(END);
      const end = atSeam >= 0 ? atSeam + END.length - tail.length : chunk.indexOf(END) + END.length;
      if (atSeam < 0 && end < END.length) {
        tail = Buffer.from((chunk.length < END.length ? seam : chunk).subarray(1 - END.length));
        return;
      }
      tail = null;
      socket.write('250 2.0.0 taken\r\n');
      taken();
      if (end < chunk.length) take(chunk.subarray(end));
      return;
    }
    const at = chunk.indexOf('\n');
    line += chunk.toString('latin1', 0, at < 0 ? chunk.length : at + 1);
    if (at < 0) return;
    const text = line;
    line = '';
    command(text);
    if (at + 1 < chunk.length) take(chunk.subarray(at + 1));
  };
  socket
    .setNoDelay(true)
    .on('data', take)
    .on('error', () => socket.destroy());
  socket.write('220 sink.example ESMTP\r\n');
};

export type CountingSink = Omit<SmtpSink, 'messages'>;

async function startReadingSink(): Promise<CountingSink> {
  const port = await freePort();
  const child = spawnMortal(execPath, [fileURLToPath(import.meta.url), String(port)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await untilListening({ host: '127.0.0.1', port }, child, () => said);
  const count = (): Promise<number> =>
    new Promise((resolve) => {
      child.once('message', (taken) => resolve(Number(taken)));
      child.send('count');
    });
  return {
    port,
    pid: child.pid ?? 0,
    count,
    received: async (wanted, timeoutMs = RECEIVE_TIMEOUT_MS) => {
      await until(`${wanted} messages at the sink`, async () => (await count()) >= wanted, timeoutMs);
    },
    stop: async () => {
      await endProcess(child);
    },
  };
}

/** For messages of that size, on every side the same. */
export const startSinkFor = (octets: number): Promise<CountingSink> =>
  octets < LARGE ? startSmtpSink() : startReadingSink();

if (import.meta.main) {
  let count = 0;
  createServer((socket) =>
    serve(socket, () => {
      count += 1;
    }),
  ).listen(Number(process.argv[2]), '127.0.0.1', 1_024);
  process.on('message', () => process.send?.(count));
  process.on('disconnect', () => process.exit());
}
