// Request bodies: bytes off the connection within a limit, then JSON, or a form where the route takes one. Only routes
// that declare a body get here; what others are sent is never looked at. Refuses by the headers alone where they
// suffice, before a byte is read.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '#src/kernel/errors.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { FORM_TYPES, isFormType, parseForm } from './form.ts';
import { parseJson } from './json.ts';

/** A client that sends nothing for so long has gone; slow lines deliver something within it. */
const IDLE_TIMEOUT_MS = MINUTE / 2;
const RETRY_AFTER_SECONDS = 2;
/** Chunks may hold one byte each, a hundred times smaller than what holds it: so many at most wait to be joined. */
const MAX_PIECES = 1024;
/** Of the bytes held: whoever sends slowly shuts out himself, not the other practices. Two of the largest bodies fit. */
const OWNER_SHARE = 0.4;

/** The bytes of bodies held by all requests at once. */
export interface BodyBudget {
  /** False, and nothing taken, where it does not fit, or one `owner` would hold more than its share. */
  take(owner: string, bytes: number): boolean;
  release(owner: string, bytes: number): void;
}

export const createBodyBudget = (limitBytes: number): BodyBudget => {
  let held = 0;
  const heldBy = new Map<string, number>();
  return {
    take(owner, bytes) {
      const own = (heldBy.get(owner) ?? 0) + bytes;
      if (held + bytes > limitBytes || own > limitBytes * OWNER_SHARE) return false;
      held += bytes;
      heldBy.set(owner, own);
      return true;
    },
    release(owner, bytes) {
      held -= bytes;
      const own = (heldBy.get(owner) ?? 0) - bytes;
      if (own > 0) heldBy.set(owner, own);
      else heldBy.delete(owner);
    },
  };
};

/** The client closed the connection before its request was whole: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Whether a body follows the request's head (RFC 9112 §6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const JSON_TYPE = /^application\/json[\t ]*(?:;[\t ]*(?:charset="?utf-?8"?[\t ]*)?)?$/i;

const isJson = (type: string): boolean => type === 'application/json' || JSON_TYPE.test(type);

const unsupported = (takesForms: boolean): AppError => {
  if (!takesForms)
    return new AppError('unsupported_media_type', 'The body is not declared as application/json in UTF-8.');
  const taken = `application/json, ${FORM_TYPES.join(' or ')}`;
  return new AppError('unsupported_media_type', `The body is not declared as ${taken}, in UTF-8.`, {
    hint: `Send Content-Type: ${taken}, without Content-Encoding.`,
  });
};

const refuseByHead = ({ headers }: IncomingMessage, { limitBytes, takesForms }: BodyTerms): void => {
  const type = headers['content-type'] ?? '';
  if (!isJson(type) && !(takesForms && isFormType(type))) throw unsupported(takesForms);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'Encoded bodies are not taken.');
  }
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
};

const tooLarge = (limitBytes: number): AppError =>
  new AppError('body_too_large', `The body is larger than ${limitBytes} bytes.`, {
    extra: { limit_bytes: limitBytes },
  });

const stalled = (): AppError =>
  new AppError('invalid_request', 'The body stopped arriving.', {
    hint: 'Send the whole body without pauses.',
    extra: { fields: [{ path: 'body', message: `nothing arrived for ${IDLE_TIMEOUT_MS / 1000} s` }] },
  });

const crowded = (): AppError =>
  new AppError('unavailable', 'Too many large requests are under way.', {
    extra: { retry_after: RETRY_AFTER_SECONDS },
  });

/** Whether `bytes` more may be taken in: undefined, or why not. */
type Admit = (bytes: number) => AppError | undefined;

/** What a route takes. */
export interface BodyTerms {
  readonly limitBytes: number;
  readonly takesForms: boolean;
}

/**
 * The value of the body, undefined where there is none; a form is a record of strings, also one without fields. Every
 * byte taken in is told to `hold` first.
 */
export const readBody = async (
  request: IncomingMessage,
  response: ServerResponse,
  terms: BodyTerms,
  hold: (bytes: number) => boolean,
): Promise<unknown> => {
  const { limitBytes } = terms;
  const type = request.headers['content-type'] ?? '';
  const isForm = terms.takesForms && isFormType(type);
  const nothing = isForm ? {} : undefined;
  if (!hasBody(request)) return nothing;
  refuseByHead(request, terms);
  let received = 0;
  const admit: Admit = (bytes) => {
    received += bytes;
    if (received > limitBytes) return tooLarge(limitBytes);
    return hold(bytes) ? undefined : crowded();
  };
  // The usual small body came in one packet with the head and lies ready: no events, no timer.
  const bytes = request.complete ? takeReady(request, admit) : await collect(request, response, admit);
  if (bytes.length === 0) return nothing;
  return isForm ? parseForm(bytes, type) : parseJson(bytes);
};

const takeReady = (request: IncomingMessage, admit: Admit): Uint8Array<ArrayBuffer> => {
  const refusal = admit(request.readableLength);
  if (refusal) throw refusal;
  return (request.read() as Buffer<ArrayBuffer> | null) ?? new Uint8Array();
};

const collect = (
  request: IncomingMessage,
  response: ServerResponse,
  admit: Admit,
): Promise<Uint8Array<ArrayBuffer>> =>
  new Promise((resolve, reject) => {
    if (request.destroyed) {
      reject(new ClientGone('The client closed the connection.'));
      return;
    }
    const whole: Buffer[] = [];
    let pieces: Buffer[] = [];
    const idle = setTimeout(() => {
      // The rest may come at any time, or never: the connection is of no more use.
      response.shouldKeepAlive = false;
      fail(stalled());
    }, IDLE_TIMEOUT_MS);

    const onData = (piece: Buffer): void => {
      const refusal = admit(piece.length);
      if (refusal) {
        fail(refusal);
        return;
      }
      pieces.push(piece);
      if (pieces.length === MAX_PIECES) {
        whole.push(Buffer.concat(pieces));
        pieces = [];
      }
      idle.refresh();
    };
    const onEnd = (): void => {
      detach();
      resolve(Buffer.concat([...whole, ...pieces]));
    };
    const onGone = (): void => fail(new ClientGone('The client closed the connection.'));
    const detach = (): void => {
      clearTimeout(idle);
      request.off('data', onData).off('end', onEnd).off('close', onGone);
    };
    const fail = (error: Error): void => {
      detach();
      whole.length = 0;
      pieces = [];
      request.pause();
      reject(error);
    };

    if (request.headers.expect !== undefined) response.writeContinue();
    // 'error' stays attached: an aborted request emits it before 'close', and unheard it would end the process.
    request.on('error', onGone).on('close', onGone).on('end', onEnd).on('data', onData);
  });
