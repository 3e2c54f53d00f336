// Hands a request on to the host that its tenant has moved to, and the answer back, so that API clients, forms and links in mails
// need no change. The bytes pass through in both directions and are not kept. A session of this host means nothing there, and the
// operator's token must not leave: neither is forwarded.
//
// Each request has a connection of its own: one that is kept could be closed by the other side at the moment of its next use, and
// then it would be unknown whether a message was accepted.
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { SESSION_PREFIX } from '#src/kernel/credentials.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { NewHost } from '#src/kernel/moved.ts';
import { say } from '#src/kernel/say.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { hasBody } from './body.ts';
import type { Exchange } from './exchange.ts';

/** Fields that concern one connection, not a request on its way from end to end (RFC 9110 §7.6.1). */
const HOP_BY_HOP =
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  );
/** Fields that are written again for the other host, and those that are meant for this host alone. */
const NOT_PASSED_ON =
  'host expect content-length cookie x-csrf-token x-admin-token forwarded x-forwarded-for x-forwarded-host x-forwarded-proto via'.split(
    ' ',
  );
/** The name of any such host in the field Via (RFC 9110 §7.6.3). */
const PSEUDONYM = 'moved-practice';
const RETRY_AFTER_SECONDS = 5;
/** A host that sends nothing for so long has gone. */
const SILENT_MS = MINUTE;

/** The fields as they came, without those that are `dropped`, and those that the field Connection names. */
const passedOn = (
  { rawHeaders, headers }: IncomingMessage,
  dropped: readonly string[],
): Record<string, string[]> => {
  const named = headers.connection?.toLowerCase().split(/[\s,]+/) ?? [];
  const without = new Set([...HOP_BY_HOP, ...dropped, ...named]);
  const fields: Record<string, string[]> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (without.has(name)) continue;
    const values = fields[name] ?? [];
    values.push(rawHeaders[index + 1] as string);
    fields[name] = values;
  }
  return fields;
};

const unreachable = (cause: unknown): AppError =>
  new AppError('unavailable', say`The host that this practice has moved to does not answer.`, {
    extra: { retry_after: RETRY_AFTER_SECONDS },
    cause,
  });

/** Routes that anyone may call do not look at it. */
const BEARER_OF_SESSION = new RegExp(`^bearer +${SESSION_PREFIX}`, 'i');

const open = ({ request, clientAddress, bodyBytes }: Exchange, origin: string): ClientRequest => {
  const target = new URL(origin);
  const isSecure = target.protocol === 'https:';
  const isOfSession = BEARER_OF_SESSION.test(request.headers.authorization ?? '');
  const length = bodyBytes === null ? request.headers['content-length'] : String(bodyBytes.length);
  return (isSecure ? requestHttps : requestHttp)({
    agent: isSecure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false }),
    host: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port || (isSecure ? 443 : 80),
    method: request.method,
    path: request.originalUrl ?? request.url,
    timeout: SILENT_MS,
    headers: {
      ...passedOn(request, isOfSession ? [...NOT_PASSED_ON, 'authorization'] : NOT_PASSED_ON),
      host: target.host,
      via: `1.1 ${PSEUDONYM}`,
      'x-forwarded-for': clientAddress,
      ...(length === undefined ? {} : { 'content-length': length }),
    },
  });
};

const answerOf = (outgoing: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`nothing was heard for ${SILENT_MS} ms`)));
  });

const sendBody = ({ request, response, bodyBytes }: Exchange, outgoing: ClientRequest): void => {
  if (bodyBytes !== null || !hasBody(request)) {
    outgoing.end(bodyBytes ?? undefined);
    return;
  }
  if (request.headers.expect !== undefined) response.writeContinue();
  // What fails on either side is seen by the answer.
  pipeline(request, outgoing).catch(() => undefined);
};

/** Resolves with null where the answer has gone out, or no one waits for one any more. */
export const forward = async (exchange: Exchange, { origin }: NewHost): Promise<AppError | null> => {
  const { request, response } = exchange;
  // Two hosts of which each takes the other for the new one would pass it on for ever.
  if (request.headers.via?.includes(PSEUDONYM)) return unreachable(new Error('the request came back'));
  const outgoing = open(exchange, origin);
  response.once('close', () => outgoing.destroy());
  try {
    const answered = answerOf(outgoing);
    sendBody(exchange, outgoing);
    const answer = await answered;
    response.writeHead(answer.statusCode ?? 502, passedOn(answer, []));
    await pipeline(answer, response);
  } catch (error) {
    if (!response.headersSent && !response.destroyed) return unreachable(error);
    response.destroy();
  }
  return null;
};
