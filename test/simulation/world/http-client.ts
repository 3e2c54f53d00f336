// A client of HTTP/1.1 for the people of the simulation: one request at a time on a kept connection, and no more of the protocol than
// the service's answers use.
import { Cut, type Reply } from '../scene.ts';
import { connectFromOutside, type SimSocket } from './sockets.ts';
import { OUTSIDE, world } from './world.ts';

const HEAD_END = '\r\n\r\n';

interface Waiting {
  readonly method: string;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/** The answer at the beginning of what has come, with its length; null while it is not whole. `isOver`: no more will come. */
const readReply = (
  bytes: Buffer,
  method: string,
  isOver: boolean,
): { reply: Reply; length: number } | null => {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const [first = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  const status = Number(first.split(' ')[1]);
  const begin = headEnd + HEAD_END.length;
  const found = bodyOf(
    bytes.subarray(begin),
    headers,
    method === 'HEAD' || status === 204 || status === 304,
    isOver,
  );
  if (found === null) return null;
  const text = found.body.toString('utf8');
  const isJson = headers['content-type']?.includes('json') ?? false;
  return {
    reply: { status, headers, text, body: isJson ? JSON.parse(text) : text },
    length: begin + found.length,
  };
};

const bodyOf = (
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
  isEmpty: boolean,
  isOver: boolean,
): { body: Buffer; length: number } | null => {
  if (isEmpty) return { body: Buffer.alloc(0), length: 0 };
  if (headers['content-length'] !== undefined) {
    const length = Number(headers['content-length']);
    return bytes.length < length ? null : { body: bytes.subarray(0, length), length };
  }
  if (headers['transfer-encoding'] !== 'chunked')
    return isOver ? { body: bytes, length: bytes.length } : null;
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const begin = lineEnd + 2;
    if (bytes.length < begin + size + 2) return null;
    if (size === 0) return { body: Buffer.concat(chunks), length: begin + 2 };
    chunks.push(bytes.subarray(begin, begin + size));
    at = begin + size + 2;
  }
};

export interface HttpClient {
  ask(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer | null,
    leaveAfter?: number,
  ): Promise<Reply>;
  isIdle(): boolean;
  end(): void;
}

export const createHttpClient = (port: number): HttpClient => {
  let socket: SimSocket | null = null;
  let waiting: Waiting | null = null;
  let bytes: Buffer = Buffer.alloc(0);

  const settle = (isOver: boolean): void => {
    if (waiting === null) return;
    const read = readReply(bytes, waiting.method, isOver);
    if (read === null) {
      if (!isOver) return;
      const { reject } = waiting;
      waiting = null;
      reject(new Cut('the connection ended before the answer'));
      return;
    }
    bytes = bytes.subarray(read.length);
    const { resolve } = waiting;
    waiting = null;
    if (read.reply.headers.connection === 'close') end();
    resolve(read.reply);
  };
  /** What has come of an answer that goes on. */
  const leave = ({ resolve, reject }: Waiting): void => {
    waiting = null;
    const [head = '', ...rest] = bytes.toString('utf8').split(HEAD_END);
    end();
    const status = Number(head.split(' ')[1]);
    if (Number.isNaN(status)) {
      reject(new Cut('no answer had begun'));
      return;
    }
    const text = rest.join(HEAD_END);
    resolve({ status, headers: {}, text, body: text });
  };
  const end = (): void => {
    socket?.destroy();
    socket = null;
    bytes = Buffer.alloc(0);
    const left = waiting;
    waiting = null;
    left?.reject(new Cut('the process ended before the answer'));
  };
  const connection = (): SimSocket => {
    if (socket !== null && !socket.destroyed && socket.writable) return socket;
    const made = connectFromOutside({ host: '127.0.0.1', port });
    bytes = Buffer.alloc(0);
    made.on('data', (chunk: Buffer) => {
      if (socket !== made) return;
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      settle(false);
    });
    made.on('error', () => undefined);
    made.on('close', () => {
      if (socket !== made) return;
      socket = null;
      settle(true);
    });
    made.on('end', () => made.destroy());
    socket = made;
    return made;
  };
  return {
    ask: (method, path, headers, body, leaveAfter) =>
      new Promise((resolve, reject) => {
        const mine: Waiting = { method, resolve, reject };
        waiting = mine;
        if (leaveAfter !== undefined)
          world().post(OUTSIDE, world().now + leaveAfter, () => {
            if (waiting === mine) leave(mine);
          });
        const all = {
          Host: `127.0.0.1:${port}`,
          ...headers,
          ...(body ? { 'Content-Length': `${body.length}` } : {}),
        };
        const head = `${method} ${path} HTTP/1.1\r\n${Object.entries(all)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')}\r\n`;
        connection().write(body ? Buffer.concat([Buffer.from(head), body]) : head);
      }),
    isIdle: () => waiting === null,
    end,
  };
};
