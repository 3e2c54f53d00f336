// Request bodies: bytes off the connection within a limit, then JSON, text, or a form where the route takes one. Only routes
// that declare a body get here; what others are sent is never looked at. Refuses by the headers alone where they
// suffice, before a byte is read.
//
// express.json and its kin are not used: they keep every chunk as a buffer of its own, so that a body in chunks of one byte
// takes a hundred times its size, and they know the size of a body only once it is in memory.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '#src/kernel/errors.ts';
import type { FileFields } from '#src/kernel/fields.ts';
import { type Gathered, gather } from '#src/kernel/gathered.ts';
import { freeNow } from '#src/kernel/large-octets.ts';
import type { Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { FORM_TYPES, isFormType, parseForm } from './form.ts';
import { parseJson } from './json.ts';

/** A client that sends nothing for so long has gone; slow lines deliver something within it. */
const IDLE_TIMEOUT_MS = MINUTE / 2;
const RETRY_AFTER_SECONDS = 2;
/** A larger body is read only once there is room for all of it. */
const LARGE_FROM_BYTES = 262_144;

/** The client closed the connection before its request was whole: there is no one to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Whether a body follows the request's head (RFC 9112 §6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Whether nothing of the request is still on its way. The usual small body comes in one packet with the head: node has it
 * then, but calls the request complete a moment later.
 */
export const hasArrived = (request: IncomingMessage): boolean =>
  request.complete ||
  (request.headers['transfer-encoding'] === undefined &&
    request.readableLength === Number(request.headers['content-length'] ?? 0));

const JSON_TYPE = /^application\/json[\t ]*(?:;[\t ]*(?:charset="?utf-?8"?[\t ]*)?)?$/i;

const isJson = (type: string): boolean => type === 'application/json' || JSON_TYPE.test(type);

/** Whether it is one of the route's own types of text. Parameters are passed over: the reader of the bytes finds how they are written. */
const isText = (type: string, { textTypes }: BodyTerms): boolean =>
  textTypes.includes((type.split(';', 1)[0] ?? '').trim().toLowerCase());

const unsupported = ({ form, textTypes }: BodyTerms): AppError => {
  const types = [...new Set(['application/json', ...textTypes, ...(form ? FORM_TYPES : [])])];
  if (types.length === 1)
    return new AppError(
      'unsupported_media_type',
      say`The body is not declared as application/json in UTF-8.`,
    );
  const taken = `${types.slice(0, -1).join(', ')} or ${types.at(-1)}`;
  return new AppError('unsupported_media_type', say`The body is not declared as ${taken}.`, {
    hint: say`Send Content-Type: ${taken}, without Content-Encoding.`,
  });
};

const refuseByHead = ({ headers }: IncomingMessage, terms: BodyTerms): void => {
  const { limitBytes, form } = terms;
  const type = headers['content-type'] ?? '';
  if (!isJson(type) && !isText(type, terms) && !(form && isFormType(type))) throw unsupported(terms);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', say`Encoded bodies are not taken.`);
  }
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
};

const tooLarge = (limitBytes: number): AppError =>
  new AppError('body_too_large', say`The body is larger than ${limitBytes} bytes.`, {
    extra: { limit_bytes: limitBytes },
  });

const stalled = (): AppError =>
  new AppError('invalid_request', say`The body stopped arriving.`, {
    hint: say`Send the whole body without pauses.`,
    extra: { fields: [{ path: 'body', message: say`nothing arrived for ${IDLE_TIMEOUT_MS / 1000} s` }] },
  });

const tooSlow = (): AppError =>
  new AppError('unavailable', say`The body came too slowly while others waited for its room.`, {
    extra: { retry_after: RETRY_AFTER_SECONDS },
  });

const crowded = (): AppError =>
  new AppError('unavailable', say`Too many large requests are in flight.`, {
    extra: { retry_after: RETRY_AFTER_SECONDS },
  });

const clientGone = (): ClientGone => new ClientGone('The client closed the connection.');

/** Room for what is read. */
export interface Holding {
  /** Takes the room at once; false where there is none. */
  take(bytes: number): boolean;
  /** Resolves once there is room; with false where none came in time, or `gone` is aborted. */
  reserve(bytes: number, gone: AbortSignal): Promise<boolean>;
  /** Counts bytes that arrived. */
  received(bytes: number): void;
  /** Calls `giveWay` once they come too slowly while others wait for the room. Returns the function that ends the watch. */
  watch(giveWay: () => void): () => void;
}

/** What a route takes. */
export interface BodyTerms {
  readonly limitBytes: number;
  readonly form: Route['form'];
  readonly fileFields: FileFields;
  /** Media types in lower case whose bodies are text, handed on as bytes. */
  readonly textTypes: readonly string[];
  /** Gets a copy of the bytes as they came. */
  readonly copy?: ((bytes: Buffer) => void) | undefined;
}

/**
 * The value of the body, undefined where there is none; a form is a record of strings and files, also one without fields; text is
 * its bytes. There is room for every byte that is read before it is kept: a large body is not read before there is room for
 * all of it.
 */
export const readBody = async (
  request: IncomingMessage,
  response: ServerResponse,
  terms: BodyTerms,
  holding: Holding,
): Promise<unknown> => {
  const type = request.headers['content-type'] ?? '';
  const { form } = terms;
  const isForm = form !== undefined && isFormType(type);
  const nothing = isForm ? {} : undefined;
  if (!hasBody(request)) return nothing;
  refuseByHead(request, terms);
  const collected = hasArrived(request) ? null : await collect(request, response, terms, holding);
  let isKept = false;
  try {
    const bytes = collected?.bytes() ?? takeArrived(request, terms, holding);
    if (bytes.length === 0) return nothing;
    terms.copy?.(Buffer.from(bytes));
    if (isForm) return await parseForm(bytes, type, form === true ? [] : form.files);
    if (!isText(type, terms)) return parseJson(bytes, terms.fileFields);
    isKept = true;
    return bytes;
  } finally {
    if (!isKept) collected?.free();
  }
};

/** Takes what has arrived, without an event and a timer. */
const takeArrived = (
  request: IncomingMessage,
  { limitBytes }: BodyTerms,
  holding: Holding,
): Uint8Array<ArrayBuffer> => {
  if (request.readableLength > limitBytes) throw tooLarge(limitBytes);
  if (!holding.take(request.readableLength)) throw crowded();
  holding.received(request.readableLength);
  return (request.read() as Buffer<ArrayBuffer> | null) ?? new Uint8Array();
};

/** Given, because node would make an exception with a stack. */
const LEFT = 'left';

const collect = async (
  request: IncomingMessage,
  response: ServerResponse,
  terms: BodyTerms,
  holding: Holding,
): Promise<Gathered> => {
  if (request.destroyed) throw clientGone();
  const gone = new AbortController();
  const onClose = (): void => {
    // Every request ends so: only with one that is not whole a client has left.
    if (!request.complete) gone.abort(LEFT);
  };
  request.once('close', onClose);
  // 'error' stays attached: an aborted request emits it before 'close', and without a listener it would end the process.
  request.on('error', onClose);
  const declared = Number(request.headers['content-length'] ?? 0);
  const isLarge = declared > LARGE_FROM_BYTES;
  try {
    if (isLarge && !(await holding.reserve(declared, gone.signal)))
      throw gone.signal.aborted ? clientGone() : crowded();
    if (request.headers.expect !== undefined) response.writeContinue();
    return await readAll(
      request,
      response,
      terms,
      holding,
      { declared, room: isLarge ? declared : 0 },
      gone.signal,
    );
  } finally {
    request.off('close', onClose);
  }
};

/** `declared`: 0 where the head does not say it. `room`: bytes that are held already. */
const readAll = (
  request: IncomingMessage,
  response: ServerResponse,
  { limitBytes }: BodyTerms,
  holding: Holding,
  { declared, room: firstRoom }: { readonly declared: number; readonly room: number },
  gone: AbortSignal,
): Promise<Gathered> =>
  new Promise((resolve, reject) => {
    const whole = gather(declared);
    let room = firstRoom;
    let received = 0;
    const giveUp = (): void => {
      // The rest may come at any time, or never: the connection is of no more use.
      response.shouldKeepAlive = false;
      fail(stalled());
    };
    const giveWay = (): void => {
      response.shouldKeepAlive = false;
      fail(tooSlow());
    };
    let endWatch = holding.watch(giveWay);
    let idle = setTimeout(giveUp, IDLE_TIMEOUT_MS);

    /** A body without a declared length has become a large one. */
    const reserveRest = async (): Promise<void> => {
      request.pause();
      clearTimeout(idle);
      endWatch();
      const rest = limitBytes - room;
      if (!(await holding.reserve(rest, gone)) || gone.aborted) {
        fail(gone.aborted ? clientGone() : crowded());
        return;
      }
      room = limitBytes;
      // A timer that was cleared does not run again.
      idle = setTimeout(giveUp, IDLE_TIMEOUT_MS);
      endWatch = holding.watch(giveWay);
      request.resume();
    };
    const makeRoom = (bytes: number): boolean => {
      if (received <= room) return true;
      if (received > LARGE_FROM_BYTES) {
        void reserveRest();
        return true;
      }
      room += bytes;
      return holding.take(bytes);
    };
    const onData = (piece: Buffer): void => {
      received += piece.length;
      holding.received(piece.length);
      const refusal =
        received > limitBytes ? tooLarge(limitBytes) : makeRoom(piece.length) ? null : crowded();
      if (refusal) {
        fail(refusal);
        return;
      }
      whole.add(piece);
      // Node copied it out of the connection's memory for this one event.
      freeNow(piece);
      idle.refresh();
    };
    const onEnd = (): void => {
      detach();
      resolve(whole);
    };
    const onGone = (): void => fail(clientGone());
    const detach = (): void => {
      clearTimeout(idle);
      endWatch();
      request.off('data', onData).off('end', onEnd);
      gone.removeEventListener('abort', onGone);
    };
    const fail = (error: Error): void => {
      detach();
      whole.free();
      request.pause();
      reject(error);
    };

    gone.addEventListener('abort', onGone);
    request.on('end', onEnd).on('data', onData);
  });
