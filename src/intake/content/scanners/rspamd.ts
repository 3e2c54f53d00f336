// rspamd over HTTP: the whole message, unsigned, to its normal worker (POST /checkv2), as mail that leaves. What only
// makes sense for mail that comes in (SPF, DKIM, DMARC, lists of addresses, greylisting) is to be disabled in its
// settings with the id `outbound`.
import http from 'node:http';
import https from 'node:https';
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import { newId } from '#src/kernel/id.ts';
import type { Content, ScannerReport } from '../assessment.ts';
import type { Guard } from './guard.ts';
import { readRspamdAnswer, rspamdOff } from './rspamd-answer.ts';

/** Content with what scanners of whole messages need. */
export interface ScannedContent extends Content {
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly tenantId: string;
  /** The message as it would leave, without signatures; called only where a scanner asks for it. */
  readonly composed: () => Buffer;
}

const SETTINGS_ID = 'outbound';
/** An answer is some kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;
/** A message from that size on is composed only when it is its turn: it stands in memory several times. */
const LARGE_BYTES = 2 * 1_048_576;
const LARGE_AT_ONCE = 2;

export interface RspamdOptions {
  /** Of its normal worker; a path is kept. */
  readonly url: string;
  /** Name of this host, as it says EHLO. */
  readonly ehloName: string;
  readonly guard: Guard;
}

export interface RspamdScanner {
  /** Never rejects but with `unavailable`. */
  scan(content: ScannedContent): Promise<ScannerReport['rspamd']>;
  /** Finds out whether it is there. */
  probe(): Promise<void>;
  stop(): void;
}

interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A field's value carries octets: UTF-8 goes as it is (RFC 6532 addresses). */
const octets = (text: string): string => Buffer.from(text).toString('latin1');

const readBounded = async (response: http.IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('an answer that is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const sizeOf = ({ attachments, text, html }: ScannedContent): number =>
  attachments.reduce((sum, { content }) => sum + content.length, (text?.length ?? 0) + (html?.length ?? 0));

export const createRspamdScanner = ({ url, ehloName, guard }: RspamdOptions): RspamdScanner => {
  const base = new URL(url.endsWith('/') ? url : `${url}/`);
  const { request, Agent } = base.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 4 });
  const large = limitConcurrency(LARGE_AT_ONCE);

  const send = ({ method, path, headers, body }: Question, signal: AbortSignal): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(new URL(path, base), {
        method,
        agent,
        signal,
        headers: { ...headers, 'Content-Length': body.length },
      });
      sent.on('response', (response) => {
        readBounded(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
      });
      sent.on('error', (error) => {
        // It may have closed a connection that was kept, in the moment it was used again: nothing was read of it.
        if (sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET' && !signal.aborted)
          send({ method, path, headers, body }, signal).then(resolve, reject);
        else reject(error);
      });
      sent.end(body);
    });

  const composedOrNull = ({ composed }: ScannedContent): Buffer | null => {
    try {
      return composed();
    } catch {
      return null;
    }
  };

  const check = async (content: ScannedContent, signal: AbortSignal): Promise<ScannerReport['rspamd']> => {
    const headers = {
      From: octets(content.sender),
      Rcpt: content.recipients.map(octets),
      User: content.tenantId,
      Ip: '127.0.0.1',
      Helo: ehloName,
      'Queue-Id': newId(),
      'Settings-ID': SETTINGS_ID,
    };
    const body = composedOrNull(content);
    // The message's fault, not the scanner's: whoever sends what can never leave must not switch it off for all.
    if (body === null) return { ...rspamdOff, state: 'skipped' };
    const { status, text } = await send({ method: 'POST', path: 'checkv2', headers, body }, signal);
    if (status !== 200) throw new Error(`HTTP status ${status}`);
    return readRspamdAnswer(text);
  };

  return {
    scan: async (content) => {
      const ask = () => guard.ask((signal) => check(content, signal));
      const report = await (sizeOf(content) < LARGE_BYTES ? ask() : large(ask));
      return report ?? { ...rspamdOff, state: 'failed' };
    },
    probe: async () => {
      await guard.ask(async (signal) => {
        const question = { method: 'GET', path: 'ping', headers: {}, body: Buffer.alloc(0) } as const;
        const { status } = await send(question, signal);
        if (status !== 200) throw new Error(`HTTP status ${status}`);
      });
    },
    stop: () => agent.destroy(),
  };
};
