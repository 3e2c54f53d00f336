// Asks rspamd over HTTP: the whole message goes to its normal worker (POST /checkv2). What is sent goes there unsigned, as
// outbound mail: checks that make sense only for incoming mail (SPF, DKIM, DMARC, address lists, greylisting) must be disabled
// in its settings with the id `outbound`. What is received goes there with its client, under rspamd's usual settings.
import http from 'node:http';
import https from 'node:https';
import { z } from 'zod';
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import { newId } from '#src/kernel/id.ts';
import type { ScannerReport } from '#src/kernel/scanner-report.ts';
import { type Content, rejections } from '../assessment.ts';
import type { Guard, Scanner } from './guard.ts';

/** Content with the facts that a scanner of whole messages needs. */
export interface ScannedContent extends Content {
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly tenantId: string;
  /** Composes the message as it would leave, without signatures. It is costly, and called only for a scanner. */
  readonly composed: () => Buffer;
}

/** A mail from the world. */
export interface ReceivedMail {
  /** MAIL FROM; empty: the null sender. */
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly source: Buffer;
  readonly clientAddress: string;
  /** The name that leads to that address and back; null if there is none. */
  readonly clientName: string | null;
  readonly helo: string;
}

type Scanned = ScannedContent | ReceivedMail;

const SETTINGS_ID = 'outbound';
/** A usual answer has some kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;
/** Composing needs a message's memory several times, so only a few messages of this size are composed at once. */
const LARGE_BYTES = 2 * 1_048_576;
const LARGE_AT_ONCE = 2;

export type RspamdScanner = Scanner<Scanned, ScannerReport['rspamd']>;

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

/** A header field's value is octets in Node, so UTF-8 is passed unchanged (addresses of RFC 6532). Node refuses control
 * characters, and a stranger's must not count as a failure of the scanner. */
const octets = (text: string): string => Buffer.from(text.replace(/\p{Cc}/gu, '?')).toString('latin1');

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

/** The size of what is composed; a mail that was received is in memory anyway. */
const sizeOf = (scanned: Scanned): number => {
  if ('source' in scanned) return 0;
  const { attachments, text, html } = scanned;
  return attachments.reduce(
    (sum, { content }) => sum + content.length,
    (text?.length ?? 0) + (html?.length ?? 0),
  );
};

type RspamdReport = ScannerReport['rspamd'];

/** The strongest symbols show the reason; an answer may have hundreds. */
const MAX_SYMBOLS = 10;
/** Symbols of an operator's own rules may have other names; they are not shown. */
const SYMBOL = /^[A-Z][A-Z0-9_]{1,63}$/;
/** Actions are one or two words; an operator may add own ones. */
const ACTION = /^[a-z][a-z ]{0,31}$/;

const answerSchema = z.object({
  is_skipped: z.boolean().optional(),
  score: z.number().optional(),
  required_score: z.number().optional(),
  action: z.string().regex(ACTION).optional(),
  symbols: z.record(z.string(), z.object({ score: z.number() })).optional(),
});

export const rspamdOff: RspamdReport = {
  state: 'off',
  action: null,
  score: null,
  required: null,
  symbols: [],
};

type Symbols = NonNullable<z.infer<typeof answerSchema>['symbols']>;

const strongest = (symbols: Symbols): string[] =>
  Object.entries(symbols)
    .filter(([name, { score }]) => score > 0 && SYMBOL.test(name))
    .sort(([, one], [, other]) => other.score - one.score)
    .slice(0, MAX_SYMBOLS)
    .map(([name]) => name);

/** Reads the answer to POST /checkv2 into a report without rspamd's addresses and settings. Throws if it is invalid. */
export const readRspamdAnswer = (text: string): RspamdReport => {
  const answer = answerSchema.parse(JSON.parse(text));
  // rspamd also says skipped for decisions it made before scanning, such as the rejection of the spam filters' test string.
  const isSkipped = answer.is_skipped === true && !rejections.has(answer.action ?? null);
  if (isSkipped) return { ...rspamdOff, state: 'skipped' };
  if (answer.action === undefined || answer.score === undefined)
    throw new Error('an answer without action or score');
  return {
    state: 'ok',
    action: answer.action,
    score: answer.score,
    required: answer.required_score ?? null,
    symbols: strongest(answer.symbols ?? {}),
  };
};

/** `url` is that of its normal worker, with a path where it has one; `ehloName` is the name that this host uses in EHLO. */
export const createRspamdScanner = (url: string, ehloName: string, guard: Guard): RspamdScanner => {
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
        // rspamd may close a kept connection at the moment it is reused. It has then read nothing, so a retry is safe.
        if (sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET' && !signal.aborted)
          send({ method, path, headers, body }, signal).then(resolve, reject);
        else reject(error);
      });
      sent.end(body);
    });

  const sourceOrNull = (scanned: Scanned): Buffer | null => {
    // Where the answer comes early, a socket may still send what its owner has freed.
    if ('source' in scanned) return Buffer.from(scanned.source);
    try {
      return scanned.composed();
    } catch {
      return null;
    }
  };

  const originOf = (scanned: Scanned): http.OutgoingHttpHeaders => {
    if (!('source' in scanned))
      return { User: scanned.tenantId, Ip: '127.0.0.1', Helo: ehloName, 'Settings-ID': SETTINGS_ID };
    const { clientAddress, clientName, helo } = scanned;
    return {
      Ip: clientAddress,
      Helo: octets(helo),
      ...(clientName === null ? {} : { Hostname: octets(clientName) }),
    };
  };

  const check = async (scanned: Scanned, signal: AbortSignal): Promise<ScannerReport['rspamd']> => {
    const headers = {
      From: octets(scanned.sender),
      Rcpt: scanned.recipients.map(octets),
      'Queue-Id': newId(),
      ...originOf(scanned),
    };
    const body = sourceOrNull(scanned);
    // The fault is one of the message: a sender must not make the scanner count as failed for all.
    if (body === null) return { ...rspamdOff, state: 'skipped' };
    const { status, text } = await send({ method: 'POST', path: 'checkv2', headers, body }, signal);
    if (status !== 200) throw new Error(`HTTP status ${status}`);
    return readRspamdAnswer(text);
  };

  return {
    scan: async (scanned) => {
      const ask = () => guard.ask((signal) => check(scanned, signal));
      const report = await (sizeOf(scanned) < LARGE_BYTES ? ask() : large(ask));
      return report ?? { ...rspamdOff, state: 'failed' };
    },
    probe: async () => {
      await guard.ask(async (signal) => {
        const question = { method: 'GET', path: 'ping', headers: {}, body: Buffer.alloc(0) } as const;
        const { status } = await send(question, signal);
        if (status !== 200) throw new Error(`HTTP status ${status}`);
      });
    },
    health: guard.health,
    stop: () => agent.destroy(),
  };
};
