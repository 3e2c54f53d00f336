// Asks ClamAV's daemon over TCP or a unix socket. Each decoded attachment, the text and the HTML is a stream of its own
// (clamd(8), INSTREAM): `zINSTREAM\0`, chunks of <length, 4 octets, big-endian><octets>, and a chunk of length 0. The answer
// ends with a NUL.
import { once } from 'node:events';
import net from 'node:net';
import type { ScannerReport } from '#src/kernel/scanner-report.ts';
import type { Content } from '../assessment.ts';
import type { Guard, Scanner } from './guard.ts';

type ClamdReport = ScannerReport['clamd'];

const CHUNK_BYTES = 64 * 1_024;
const LENGTH_BYTES = 4;
/** An answer is one line with the name of the virus. */
const MAX_ANSWER_BYTES = 4_096;
const MAX_NAME_CHARACTERS = 100;

/** `unreadable`: clamd works, but could not scan this content. */
type Verdict = { readonly kind: 'clean' | 'unreadable' } | { readonly kind: 'found'; readonly virus: string };

interface Part {
  /** Null for the text and the HTML of the message. */
  readonly attachment: string | null;
  readonly content: Uint8Array;
}

export const clamdOff: ClamdReport = { state: 'off', virus: null, attachment: null };

const connectOptions = (address: string): net.NetConnectOpts => {
  if (address.startsWith('/')) return { path: address };
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
};

const partsOf = ({ text, html, attachments }: Content): Part[] => [
  ...attachments.map(({ filename, content }) => ({ attachment: filename, content })),
  ...[html, text]
    .filter((body) => body !== null && body !== '')
    .map((body) => ({ attachment: null, content: Buffer.from(body ?? '') })),
];

/** @throws Error if it is not an answer to INSTREAM */
const readAnswer = (answer: string): Verdict => {
  if (answer === 'stream: OK') return { kind: 'clean' };
  const virus = /^stream: (.+) FOUND$/s.exec(answer)?.[1];
  if (virus !== undefined)
    return { kind: 'found', virus: virus.replace(/[^\w.:+-]/g, '_').slice(0, MAX_NAME_CHARACTERS) };
  // The content exceeds StreamMaxLength, or the engine gave up.
  if (answer.endsWith(' ERROR')) return { kind: 'unreadable' };
  throw new Error('an answer that is none');
};

/** clamd closes the connection during content over its limit, and the reset may arrive before the answer that says so. If
 * clamd is really gone, the next question fails to connect. */
const isCutOff = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

const answerFrom = async (socket: net.Socket): Promise<string> => {
  let answer = '';
  for await (const chunk of socket) {
    answer += chunk.toString('latin1');
    const end = answer.indexOf('\0');
    if (end !== -1) return answer.slice(0, end);
    if (answer.length > MAX_ANSWER_BYTES) throw new Error('an answer that is too long');
  }
  throw new Error('no answer');
};

const writeStream = async (socket: net.Socket, content: Uint8Array, signal: AbortSignal): Promise<void> => {
  const write = async (octets: Uint8Array): Promise<void> => {
    if (!socket.write(octets)) await once(socket, 'drain', { signal });
  };
  const lengthOf = (chunk: Uint8Array): Buffer => {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(chunk.length);
    return length;
  };
  await write(Buffer.from('zINSTREAM\0'));
  for (let start = 0; start < content.length; start += CHUNK_BYTES) {
    const chunk = content.subarray(start, start + CHUNK_BYTES);
    await write(lengthOf(chunk));
    await write(chunk);
  }
  await write(Buffer.alloc(LENGTH_BYTES));
};

/** `address` is `host:port`, `[::1]:port`, or the absolute path of a unix socket. */
export const createClamdScanner = (address: string, guard: Guard): Scanner<Content, ClamdReport> => {
  const options = connectOptions(address);
  const open = new Set<net.Socket>();

  const converse = async (
    speak: (socket: net.Socket) => Promise<void>,
    signal: AbortSignal,
  ): Promise<string> => {
    const socket = net.connect(options);
    const cut = () => socket.destroy(signal.reason);
    signal.addEventListener('abort', cut, { once: true });
    open.add(socket);
    try {
      // clamd may answer and close before all is written. The answer counts, not the failed write.
      speak(socket).catch(() => undefined);
      return await answerFrom(socket);
    } finally {
      signal.removeEventListener('abort', cut);
      open.delete(socket);
      socket.destroy();
    }
  };

  const look = async ({ content }: Part, signal: AbortSignal): Promise<Verdict> => {
    try {
      return readAnswer(await converse((socket) => writeStream(socket, content, signal), signal));
    } catch (error) {
      if (isCutOff(error)) return { kind: 'unreadable' };
      throw error;
    }
  };

  return {
    scan: async (content) => {
      const parts = partsOf(content);
      if (parts.length === 0) return { ...clamdOff, state: 'skipped' };
      const verdicts = await Promise.all(parts.map((part) => guard.ask((signal) => look(part, signal))));
      for (const [index, verdict] of verdicts.entries())
        if (verdict?.kind === 'found')
          return { state: 'ok', virus: verdict.virus, attachment: parts[index]?.attachment ?? null };
      const isWhole = verdicts.every((verdict) => verdict?.kind === 'clean');
      return { ...clamdOff, state: isWhole ? 'ok' : 'failed' };
    },
    probe: async () => {
      await guard.ask(async (signal) => {
        const speak = async (socket: net.Socket): Promise<void> => {
          socket.write('zPING\0');
        };
        const answer = await converse(speak, signal);
        if (answer !== 'PONG') throw new Error('an answer that is none');
      });
    },
    health: guard.health,
    stop: () => {
      for (const socket of open) socket.destroy();
    },
  };
};
