// Opens a connection up to the point where messages can be sent: TCP, greeting, EHLO, STARTTLS, AUTH. nodemailer's
// SMTPConnection does that, which is hard and not hot; then its socket is taken over and the connection object dropped.
// Once per connection and not per message.
import { isIPv6, type Socket } from 'node:net';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { parseReply } from '#src/mail/reply.ts';
import type { Phase, Transcript } from '#src/relay/upstream.ts';
import { type Extensions, parseExtensions } from './extensions.ts';
import type { SmtpOptions, SmtpTimeouts } from './options.ts';

export type Failure = Exclude<Transcript, { readonly result: 'accepted' }>;

/** A socket ready for MAIL. Nobody else listens on it any more. */
export interface Link {
  readonly socket: Socket;
  readonly secure: boolean;
  readonly extensions: Extensions;
  /** What arrived behind the last reply. */
  readonly leftover: Buffer;
}

export type ConnectResult = { readonly link: Link } | { readonly failure: Failure };

/** More than any honest greeting or EHLO answer. */
const MAX_RESPONSE_BYTES = 64 * 1024;
const SOCKET_EVENTS = {
  data: '_onSocketData',
  error: '_onSocketError',
  close: '_onSocketClose',
  end: '_onSocketEnd',
  timeout: '_onSocketTimeout',
} as const;

type Listener = (...args: unknown[]) => void;
const isListener = (value: unknown): value is Listener => typeof value === 'function';
const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const isLoopback = (address: string | undefined): boolean =>
  address !== undefined &&
  (isIPv6(address) ? /^(::1|::ffff:127\..*)$/i.test(address) : address.startsWith('127.'));

/** What was being waited for when it failed. The library names it for refusals only; for a broken connection the last
 * reply tells. */
const phaseOf = (connection: SMTPConnection, error: Error): Phase => {
  const command = String(Reflect.get(error, 'command') ?? '');
  if (command.startsWith('AUTH')) return 'auth';
  if (command === 'EHLO' || command === 'HELO') return 'ehlo';
  if (command === 'STARTTLS' || connection.upgrading) return 'starttls';
  if (connection.stage === 'init') return 'connect';
  const last = connection.lastServerResponse;
  // A refused greeting bears its reply; a refused EHLO is answered with HELO and does not.
  if (last === false || Reflect.has(error, 'response')) return 'greeting';
  return last.startsWith('250') ? 'starttls' : 'ehlo';
};

const toFailure = (error: Error, phase: Phase): Failure => {
  const response: unknown = Reflect.get(error, 'response');
  const lines = typeof response === 'string' ? response.split(/\r?\n/) : [];
  const reply = parseReply(lines);
  // Only a 4yz or 5yz refuses; anything else said at the wrong time is a broken conversation.
  if (reply.code >= 400 && reply.code < 600) return { result: 'refused', phase, reply };
  return { result: 'broken', phase, error: parseReply([error.message]).text };
};

/** Takes the socket away from the connection object: its listeners off, its buffered input along. The names are the
 * library's own and private; a version that renames them fails here, loudly, and not in a running transaction. */
const takeOver = (connection: SMTPConnection): Link => {
  const socket = connection._socket;
  const queue: unknown = Reflect.get(connection, '_responseQueue');
  const remainder: unknown = Reflect.get(connection, '_remainder');
  const ehlo: unknown = Reflect.get(connection, '_ehloLines') ?? [];
  if (!socket || !isStrings(queue) || typeof remainder !== 'string' || !isStrings(ehlo)) {
    throw new Error('nodemailer: SMTPConnection has changed its inside');
  }
  for (const [event, name] of Object.entries(SOCKET_EVENTS)) {
    const listener: unknown = Reflect.get(connection, name);
    if (!isListener(listener)) throw new Error(`nodemailer: SMTPConnection has no ${name}`);
    socket.removeListener(event, listener);
  }
  socket.setTimeout(0);
  // The input is kept there as Latin-1, one reply an entry. Emptied, because its next look into it is still to come.
  const pending = queue.splice(0).map((reply) => `${reply}\r\n`);
  return {
    socket,
    secure: connection.secure,
    extensions: parseExtensions(ehlo),
    leftover: Buffer.from(pending.join('') + remainder, 'latin1'),
  };
};

const attempt = (
  options: SmtpOptions,
  timeouts: SmtpTimeouts,
  signal: AbortSignal,
  starttls: boolean,
): Promise<ConnectResult> =>
  new Promise((resolve) => {
    const connection = new SMTPConnection({
      host: options.host,
      port: options.port,
      name: options.ehloName,
      secure: options.tls === 'implicit',
      ignoreTLS: !starttls,
      requireTLS: options.tls === 'required',
      opportunisticTLS: options.tls === 'opportunistic',
      tls: {
        minVersion: 'TLSv1.2',
        rejectUnauthorized: options.tls !== 'opportunistic',
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      },
      connectionTimeout: timeouts.connect,
      greetingTimeout: timeouts.connect,
      socketTimeout: timeouts.command,
      maxResponseSize: MAX_RESPONSE_BYTES,
      // A relay beside us in a machine without network is reachable over loopback alone.
      allowInternalNetworkInterfaces: true,
      logger: false,
    });

    const finish = (result: ConnectResult): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(result);
    };
    let signingIn = false;
    const fail = (error: Error) => {
      const failure = toFailure(error, signingIn ? 'auth' : phaseOf(connection, error));
      connection.close();
      finish({ failure });
    };
    const succeed = (): void => {
      try {
        finish({ link: takeOver(connection) });
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const abort = (): void => fail(new Error('the service is stopping'));
    const timer = setTimeout(() => fail(new Error('session setup timed out')), timeouts.setup);
    signal.addEventListener('abort', abort);

    connection.on('error', fail);
    connection.connect((error) => {
      if (error) return fail(error);
      const { user, password } = options;
      if (user === undefined || password === undefined) return succeed();
      signingIn = true;
      const socket = connection._socket;
      if (!connection.secure && !isLoopback(socket ? socket.remoteAddress : undefined)) {
        return fail(new Error('credentials are not sent without TLS'));
      }
      if (!connection.allowsAuth) return fail(new Error('credentials are configured, AUTH is not offered'));
      connection.login({ user, pass: password }, (refused) => (refused ? fail(refused) : succeed()));
    });
  });

/** Never rejects. `opportunistic` begins anew without TLS where the handshake itself fails. */
export const connect = async (
  options: SmtpOptions,
  timeouts: SmtpTimeouts,
  signal: AbortSignal,
): Promise<ConnectResult> => {
  const result = await attempt(options, timeouts, signal, options.tls !== 'none');
  const handshakeFailed = 'failure' in result && result.failure.phase === 'starttls';
  if (options.tls !== 'opportunistic' || !handshakeFailed || signal.aborted) return result;
  return attempt(options, timeouts, signal, false);
};
