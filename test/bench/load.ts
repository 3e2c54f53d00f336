// The load generator, a process of its own so that its CPU time can be told apart: kept connections on bare sockets, one
// message at a time on each, as cheap as can be, by HTTP or by SMTP. Prints one JSON line with times and latencies.
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { argv } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

/** Messages are sent by each of them in turn. */
export interface LoadSender {
  readonly practiceId: string;
  readonly token: string;
  readonly from: string;
}

export interface LoadOptions {
  readonly protocol: 'http' | 'smtp';
  readonly port: number;
  readonly senders: readonly LoadSender[];
  readonly messages: number;
  readonly connections: number;
  /** Of each message's text. */
  readonly bytes: number;
  /** Of a file that each message carries, by HTTP. */
  readonly fileBytes?: number;
  /**
   * Messages a second, each begun at its time, whatever became of those before, and its latency counted from that time. Where
   * absent, a connection sends its next message when the one before has been answered.
   */
  readonly rate?: number;
  /** The latencies of so many at the beginning are those of this process, which is being compiled: they are left out. */
  readonly uncounted?: number;
}

export interface LoadReport {
  /** Milliseconds since the epoch, with fractions. */
  readonly start: number;
  readonly end: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** ASCII, so that a character is a byte and quoted-printable changes nothing, as with the peer's text. */
const LINE = 'Your appointment on Monday at 10:30 is confirmed, please come in time.';
/** The service looks at the beginning of a file. */
const PDF_HEAD = Buffer.from('%PDF-1.7\n');
const HEAD_END = '\r\n\r\n';

interface Dialect {
  /** Before the time is taken. */
  greet(socket: net.Socket, sender: LoadSender): Promise<void>;
  /** Throws where the message is refused. */
  send(socket: net.Socket, sender: LoadSender, index: number): Promise<void>;
}

export async function generate(load: LoadOptions): Promise<LoadReport> {
  const { connections, messages, rate, uncounted = 0 } = load;
  const dialect = dialects[load.protocol](load);
  const senderOf = (index: number) => load.senders[index % load.senders.length] as LoadSender;
  const clients = await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const socket = await connect(load.port);
      // By SMTP a connection belongs to who signed in on it.
      await dialect.greet(socket, senderOf(index));
      return { socket, sender: load.protocol === 'smtp' ? () => senderOf(index) : senderOf };
    }),
  );
  const latencies: number[] = [];
  let next = 0;
  const begin = performance.now();
  const work = async ({ socket, sender }: (typeof clients)[number]) => {
    while (next < messages) {
      const index = next++;
      const due = rate === undefined ? performance.now() : begin + (index / rate) * 1_000;
      const wait = due - performance.now();
      if (wait > 0) await pause(wait);
      await dialect.send(socket, sender(index), index);
      if (index >= uncounted) latencies.push(performance.now() - due);
    }
  };
  await Promise.all(clients.map(work));
  const end = performance.now();
  for (const { socket } of clients) socket.destroy();
  latencies.sort((a, b) => a - b);
  const quantile = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? Number.NaN;
  const { timeOrigin } = performance;
  return { start: timeOrigin + begin, end: timeOrigin + end, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

/** Without white space at its end: that would have to be encoded, unlike anything in the peer's text. */
const textOf = (bytes: number, lineEnd: string): string =>
  (LINE + lineEnd)
    .repeat(Math.ceil(bytes / (LINE.length + lineEnd.length)))
    .slice(0, bytes)
    .trimEnd();

const dialects: Readonly<Record<LoadOptions['protocol'], (load: LoadOptions) => Dialect>> = {
  http: ({ port, bytes, fileBytes = 0 }) => {
    const text = JSON.stringify(textOf(bytes, '\n'));
    const file = {
      filename: 'letter.pdf',
      content_type: 'application/pdf',
      content: Buffer.concat([PDF_HEAD, randomBytes(fileBytes)]).toString('base64'),
    };
    // What all messages have is written as it is, like the peer's generator does: to join it anew for each costs more than to send it.
    const content = Buffer.from(
      fileBytes === 0 ? `"text":${text}}` : `"text":${text},"attachments":[${JSON.stringify(file)}]}`,
      'latin1',
    );
    return {
      greet: async () => undefined,
      send: async (socket, { practiceId, token }, index) => {
        const own = `{"to":"${index}@example.net","subject":"Appointment ${index}",`;
        const request =
          `POST /api/practices/${practiceId}/send HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${own.length + content.length}\r\n\r\n${own}`;
        const answer = await exchange(socket, request, isWholeAnswer, content);
        if (!answer.startsWith('HTTP/1.1 202')) throw new Error(`refused: ${answer}`);
      },
    };
  },
  smtp: ({ bytes }) => {
    const text = textOf(bytes, '\r\n');
    const command = async (socket: net.Socket, line: string, code: number) => {
      const reply = await exchange(socket, line, isWholeReply);
      if (!reply.startsWith(`${code}`)) throw new Error(`refused: ${reply}`);
    };
    return {
      greet: async (socket, { token }) => {
        await command(socket, '', 220);
        await command(socket, 'EHLO client.example.org\r\n', 250);
        const credentials = Buffer.from(`\0api\0${token}`).toString('base64');
        await command(socket, `AUTH PLAIN ${credentials}\r\n`, 235);
      },
      send: async (socket, { from }, index) => {
        await command(socket, `MAIL FROM:<${from}>\r\n`, 250);
        await command(socket, `RCPT TO:<${index}@example.net>\r\n`, 250);
        await command(socket, 'DATA\r\n', 354);
        const head = `From: <${from}>\r\nTo: <${index}@example.net>\r\nSubject: Appointment ${index}`;
        await command(socket, `${head}${HEAD_END}${text}\r\n.\r\n`, 250);
      },
    };
  },
};

export function connect(port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    socket.setEncoding('latin1');
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}

/** Of known length. */
const isWholeAnswer = (answer: string): boolean => {
  const head = answer.indexOf(HEAD_END);
  if (head < 0) return false;
  const length = /^content-length: (\d+)/im.exec(answer)?.[1];
  if (length === undefined) throw new Error(`no Content-Length: ${answer}`);
  return answer.length >= head + HEAD_END.length + Number(length);
};
const isWholeReply = (reply: string): boolean => /^\d{3} [^\n]*\n$/m.test(reply);

/** One request, one whole answer. */
export function exchange(
  socket: net.Socket,
  bytes: string,
  isWhole = isWholeAnswer,
  rest?: Buffer,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const ended = () => reject(new Error(`the connection ended after: ${answer}`));
    const take = (chunk: string) => {
      answer += chunk;
      if (!isWhole(answer)) return;
      socket.off('data', take);
      socket.off('close', ended);
      resolve(answer);
    };
    socket.on('data', take);
    socket.once('close', ended);
    if (rest !== undefined) socket.cork();
    if (bytes !== '') socket.write(bytes, 'latin1');
    if (rest === undefined) return;
    socket.write(rest);
    socket.uncork();
  });
}

if (import.meta.main) {
  const load: LoadOptions = JSON.parse(argv[2] ?? '');
  console.log(JSON.stringify(await generate(load)));
}
