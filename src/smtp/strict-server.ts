// smtp-server, made strict. Commands end in CRLF and nothing else, nothing is sent before it may be sent (RFC 2920 §3.1), every
// reply carries one enhanced status code (RFC 2034 §4), and a client that makes too many mistakes is sent away. What follows a
// bare CR or LF may be smuggled commands: the connection it came on is closed.
//
// The library parses many lines of a chunk at once, each with whatever line end it has. Here it gets them one by one while it
// reads commands; the content of a message it gets as it comes, and read-data.ts checks that.
//
// Where all places are taken, a newcomer gets that of another connection or TLS handshake (places.ts).
//
// This file alone knows the library's insides. There are five: `SMTPConnection._createParser`, where our parser comes in;
// `SMTPStream._dataMode`, true from 354 to the final dot; `SMTPStream._feedDataStream` with what it keeps between two chunks;
// `SMTPServer._acceptSocket`, where a TLS handshake begins; and `SMTPServer._pendingSockets`, the handshakes. The library offers no public way to any of them. Its version is pinned
// exactly, and test/smtp/strict-server.test.ts names what an upgrade has changed.
import type { Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { clientKey } from '#src/kernel/rate-limit.ts';
import { SECOND } from '#src/kernel/time.ts';
import { type Place, placeToGive } from './places.ts';

export type {
  SMTPServerAddress as SmtpPath,
  SMTPServerAuthentication as SmtpCredentials,
  SMTPServerDataStream as SmtpContent,
  SMTPServerSession as SmtpSession,
} from 'smtp-server';

const CR = 13;
const LF = 10;
const DOT = 46;
const LINE_WITH_DOT = Buffer.from('\n.');
const NOTHING = Buffer.alloc(0);
/** CRLF, dot, CRLF */
const LAST_LINE = 5;
/** RFC 5321 §4.5.3.1.4 asks for 512 octets; AUTH (RFC 4954 §4) for 12,288. */
const MAX_COMMAND_OCTETS = 12_288;
/** Commands after which a client must wait for the reply (RFC 2920 §3.1). */
const LAST_OF_A_GROUP = /^(?:DATA|EHLO|HELO)(?![!-~])/i;
const HAS_ENHANCED_CODE = /^[245]\.\d{1,3}\.\d{1,3} /;

interface Breach {
  readonly code: number;
  readonly text: string;
}

const bareLf: Breach = { code: 550, text: '5.5.2 bare <LF> received' };
const bareCr: Breach = { code: 550, text: '5.5.2 bare <CR> received' };
const nul: Breach = { code: 550, text: '5.5.2 NUL received' };
const tooEarly: Breach = { code: 554, text: '5.5.0 sent before the reply it must wait for' };

/** `line` is a piece of one line of commands, at most up to its LF; `before` the octet before it. */
const breachIn = (line: Buffer, before: number): Breach | null => {
  if (line.includes(0)) return nul;
  for (let at = 0; at < line.length; at += 1) {
    const previous = at === 0 ? before : line[at - 1];
    if (line[at] === LF && previous !== CR) return bareLf;
    if (line[at] !== LF && previous === CR) return bareCr;
  }
  return null;
};

/** How many of the last octets are a CRLF, or may become one. */
const lineEndOf = (chunk: Buffer): number => {
  if (chunk.at(-1) === CR) return 1;
  return chunk.at(-1) === LF && chunk.at(-2) === CR ? 2 : 0;
};

class StrictStream extends SMTPStream {
  readonly #refuse: (breach: Breach) => void;
  #before = 0;
  #line = '';
  /** Chunks that came after 354 was sent. */
  readonly #content = new WeakSet<Buffer>();

  constructor(refuse: (breach: Breach) => void) {
    super({ maxCommandLength: MAX_COMMAND_OCTETS });
    this.#refuse = refuse;
    // At its end the library would run the line that a client has left unfinished, unless the stream is closed.
    this.prependListener('finish', () => {
      this.isClosed = true;
    });
  }

  override write(chunk: Buffer): boolean {
    if (this._dataMode) this.#content.add(chunk);
    return super.write(chunk);
  }

  override _write(chunk: Buffer, encoding: BufferEncoding | 'buffer', next: (error?: Error | null) => void) {
    // The content waited here while the command before it was carried out.
    if (this._dataMode && !this.isClosed && chunk.length > 0 && !this.#content.has(chunk))
      return this.#refuse(tooEarly);
    if (this._dataMode || this.isClosed || chunk.length === 0) {
      this.#before = 0;
      this.#line = '';
      return super._write(chunk, encoding, next);
    }
    const end = chunk.indexOf(LF);
    const line = end === -1 ? chunk : chunk.subarray(0, end + 1);
    const rest = chunk.subarray(line.length);
    this.#line = (this.#line + line.toString('latin1')).slice(0, 16);
    const breach = breachIn(line, this.#before) ?? this.#tooEarly(rest);
    // The write never ends: nothing behind it is looked at.
    if (breach !== null) return this.#refuse(breach);
    this.#before = line.at(-1) ?? 0;
    if (end !== -1) {
      this.#before = 0;
      this.#line = '';
    }
    super._write(line, encoding, (error) => {
      if (error || rest.length === 0) next(error);
      // Thousands of short commands in one chunk neither nest nor keep others waiting.
      else setImmediate(() => this._write(rest, encoding, next));
    });
  }

  /**
   * The library looks at each octet of the content, and copies it. Here it gets no more than what begins with the end of a line before
   * a dot, and what may become that with the next chunk; all before it goes on as it is.
   */
  override _feedDataStream(chunk: Buffer, next: (error?: Error | null) => void): void {
    const stream = this._dataStream;
    const held = this._lastBytes || NOTHING;
    const dot = chunk.indexOf(LINE_WITH_DOT);
    // What comes in single octets is left to the library, with all that may begin before it.
    const end = chunk.length <= LAST_LINE ? 0 : dot === -1 ? chunk.length - lineEndOf(chunk) : dot - 1;
    const isStart = this._atDataStart && (held[0] ?? chunk[0]) === DOT;
    const isOneLine = held.at(-1) === LF && chunk[0] === DOT;
    if (!stream?.writable || isStart || end <= 0 || isOneLine || held.includes(LINE_WITH_DOT)) {
      super._feedDataStream(chunk, next);
      return;
    }
    this._lastBytes = false;
    this._countDataBytes(held.length + end);
    if (held.length > 0) stream.write(held);
    stream.write(chunk.subarray(0, end));
    const goOn = (): void => {
      if (end < chunk.length) super._feedDataStream(chunk.subarray(end), next);
      else next();
    };
    const waited = (): void => {
      stream.off('drain', waited);
      stream.off('close', waited);
      goOn();
    };
    if (stream.writableNeedDrain && !stream.destroyed) stream.once('drain', waited).once('close', waited);
    else goOn();
  }

  #tooEarly(rest: Buffer): Breach | null {
    return rest.length > 0 && LAST_OF_A_GROUP.test(this.#line) ? tooEarly : null;
  }
}

class StrictConnection extends SMTPConnection implements Place {
  readonly client = clientKey(this.remoteAddress);
  activeAt = performance.now();
  #mistakes = 0;
  #isSentAway = false;
  readonly #maxMistakes: number;

  constructor(
    server: SMTPServer,
    socket: Socket,
    options: SMTPConnectionOptions | null | undefined,
    maxMistakes: number,
  ) {
    super(server, socket, options ?? null);
    this.#maxMistakes = maxMistakes;
  }

  override _createParser(): SMTPStream {
    const { oncommand } = super._createParser();
    const parser = new StrictStream(({ code, text }) => {
      this.send(code, text);
      this.close();
    });
    parser.oncommand = oncommand;
    parser.on('error', (error) => this.send(421, `4.7.0 ${error.message}`));
    return parser;
  }

  /** Text that brings its enhanced status code is sent as it is. */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    const bringsCode = typeof data === 'string' && HAS_ENHANCED_CODE.test(data);
    super.send(code, data, bringsCode ? false : context);
    // What has no room here is no mistake: with more recipients than we take, the others may come again.
    if (code >= 400 && code !== 421 && code !== 452) this.#mistakes += 1;
    if (this.#mistakes <= this.#maxMistakes || this.#isSentAway) return;
    this.#isSentAway = true;
    super.send(421, '4.7.0 too many mistakes', false);
  }
}

export interface ServerBounds {
  /** Refused commands, after which a connection is closed. */
  readonly mistakes: number;
  /** Connections, and beside them TLS handshakes, of all clients. */
  readonly connections: number;
  /** TLS handshakes of one client address at a time. */
  readonly perClient: number;
  /** A handshake takes at most so long. */
  readonly handshakeMs: number;
}

/** Node crashes when a handshake is ended in the tick in which it began. */
const HANDSHAKE_BEGUN_MS = SECOND;

interface Handshake extends Place {
  readonly socket: Socket;
}

export class StrictServer extends SMTPServer {
  readonly #bounds: ServerBounds;
  readonly #handshakes = new Set<Handshake>();

  constructor(options: SMTPServerOptions, bounds: ServerBounds) {
    super({ ...options, maxClients: bounds.connections });
    this.#bounds = bounds;
  }

  #connection(id: string): StrictConnection | undefined {
    for (const one of this.connections) if (one.id === id) return one as StrictConnection;
    return undefined;
  }

  /** Sends a last reply on the connection of the session `id`, where it is still there, and closes it. */
  dismiss(id: string, code: number, text: string): void {
    const connection = this.#connection(id);
    connection?.send(code, text);
    connection?.close();
  }

  /** Notes when the session `id` last made progress; Infinity while it waits for our reply. */
  setActive(id: string, at: number): void {
    const connection = this.#connection(id);
    if (connection) connection.activeAt = at;
  }

  /** A client that never finishes its TLS handshake never becomes a session, and is counted nowhere else. */
  override _acceptSocket(socket: Socket, isHandshake: boolean): (() => void) | false {
    if (!isHandshake) return super._acceptSocket(socket, isHandshake);
    const now = performance.now();
    const client = clientKey((socket.remoteAddress ?? '').replace(/^::ffff:(?=[\d.]+$)/i, ''));
    const own = [...this.#handshakes].filter((one) => one.client === client).length;
    if (this.#handshakes.size >= this.#bounds.connections) {
      const begun = [...this.#handshakes].filter(({ activeAt }) => now - activeAt > HANDSHAKE_BEGUN_MS);
      const given = placeToGive(begun, client);
      if (given) this.#endHandshake(given);
    }
    const release = own < this.#bounds.perClient && super._acceptSocket(socket, isHandshake);
    if (release === false) {
      socket.on('error', () => undefined);
      socket.destroy();
      return false;
    }
    const handshake: Handshake = { client, activeAt: now, socket };
    this.#handshakes.add(handshake);
    const tooLate = setTimeout(() => this.#endHandshake(handshake), this.#bounds.handshakeMs).unref();
    const end = (): void => {
      clearTimeout(tooLate);
      this.#handshakes.delete(handshake);
      release();
    };
    socket.once('close', end);
    return end;
  }

  /** Ends it from above: node crashes when the socket below a handshake is destroyed. */
  #endHandshake(handshake: Handshake): void {
    this.#handshakes.delete(handshake);
    const topSocket = this._pendingSockets.get(handshake.socket);
    this._pendingSockets.delete(handshake.socket);
    topSocket?.destroy();
  }

  override connect(socket: Socket, socketOptions?: SMTPConnectionOptions | null): void {
    const connection = new StrictConnection(this, socket, socketOptions, this.#bounds.mistakes);
    if (this.connections.size >= this.#bounds.connections) {
      const given = placeToGive(this.connections as Set<StrictConnection>, connection.client);
      given?.send(421, '4.3.2 the place is needed for another client, try again later');
    }
    this.connections.add(connection);
    connection.on('error', (error) => this.emit('error', error));
    connection.init();
  }
}
