// The load generator, a process of its own so that its CPU time can be told apart: keep-alive connections on bare
// sockets, one request at a time on each, as cheap as can be. Prints one JSON line with times and latencies.
import net from 'node:net';
import { argv } from 'node:process';

export interface HttpLoad {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly messages: number;
  readonly connections: number;
  /** Of each message's text. */
  readonly bytes: number;
}

export interface HttpLoadReport {
  /** Milliseconds since the epoch, with fractions. */
  readonly start: number;
  readonly end: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const ACCEPTED = 'HTTP/1.1 202';
/** ASCII, so that a character is a byte and quoted-printable changes nothing, as with the peer's text. */
const LINE = 'Your appointment on Monday at 10:30 is confirmed, please come in time.';
const HEAD_END = '\r\n\r\n';

export async function generate(load: HttpLoad): Promise<HttpLoadReport> {
  // No white space at its end: it would have to be encoded, unlike anything in the peer's text.
  const text = `${LINE}\n`
    .repeat(Math.ceil(load.bytes / (LINE.length + 1)))
    .slice(0, load.bytes)
    .trimEnd();
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => connect(load.port)));
  const latencies: number[] = [];
  let next = 0;
  const start = now();
  const work = async (socket: net.Socket) => {
    while (next < load.messages) {
      const bytes = request(load, next++, text);
      const sent = performance.now();
      const answer = await exchange(socket, bytes);
      latencies.push(performance.now() - sent);
      if (!answer.startsWith(ACCEPTED)) throw new Error(`refused: ${answer}`);
    }
  };
  await Promise.all(sockets.map(work));
  const end = now();
  for (const socket of sockets) socket.destroy();
  latencies.sort((a, b) => a - b);
  const quantile = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? Number.NaN;
  return { start, end, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

const now = () => performance.timeOrigin + performance.now();

export function connect(port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    socket.setEncoding('latin1');
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}

function request(load: HttpLoad, index: number, text: string): string {
  const body = JSON.stringify({ to: `${index}@example.net`, subject: `Appointment ${index}`, text });
  return `POST ${load.path} HTTP/1.1\r
Host: 127.0.0.1:${load.port}\r
Authorization: Bearer ${load.token}\r
Content-Type: application/json\r
Content-Length: ${body.length}\r
\r
${body}`;
}

/** One request, one whole answer of known length. */
export function exchange(socket: net.Socket, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const ended = () => reject(new Error(`the connection ended after: ${answer}`));
    const take = (chunk: string) => {
      answer += chunk;
      const head = answer.indexOf(HEAD_END);
      if (head < 0) return;
      const length = /^content-length: (\d+)/im.exec(answer)?.[1];
      if (length === undefined) throw new Error(`no Content-Length: ${answer}`);
      if (answer.length < head + HEAD_END.length + Number(length)) return;
      socket.off('data', take);
      socket.off('close', ended);
      resolve(answer);
    };
    socket.on('data', take);
    socket.once('close', ended);
    socket.write(bytes, 'latin1');
  });
}

if (import.meta.main) {
  const load: HttpLoad = JSON.parse(argv[2] ?? '');
  console.log(JSON.stringify(await generate(load)));
}
