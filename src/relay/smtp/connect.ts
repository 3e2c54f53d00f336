// Opens a connection up to the point where messages can be sent: TCP, greeting, EHLO, STARTTLS, AUTH. nodemailer's
// SMTPConnection does that, because it is hard and happens once for a thousand messages. Then its socket is taken over and the
// connection object is left behind.
//
// Everything is done by the library's public options, events and methods, with one exception: `_socket`, which is in its type
// declarations, but not in its manual. STARTTLS makes a new socket, and the library hands it out in no other way.
import { isIPv6, type Socket } from 'node:net';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { parseReply } from '#src/mail/reply.ts';
import type { Phase, Transcript } from '#src/relay/upstream.ts';
import { type Extensions, parseExtensions } from './commands.ts';
import type { SmtpOptions, SmtpTimeouts } from './options.ts';

export type Failure = Exclude<Transcript, { readonly result: 'accepted' }>;

/** A socket ready for MAIL. No one else reads from it or writes to it any more. */
export interface Link {
  readonly socket: Socket;
  readonly secure: boolean;
  readonly extensions: Extensions;
}

/** Follows a conversation line by line; credentials are masked. */
export type Overhear = (side: 'client' | 'server', text: string) => void;

export type ConnectResult = { readonly link: Link } | { readonly failure: Failure };

/** More than any honest greeting or EHLO answer. */
const MAX_RESPONSE_BYTES = 64 * 1024;

const isLoopback = (address: string | undefined): boolean =>
  address !== undefined &&
  (isIPv6(address) ? /^(::1|::ffff:127\..*)$/i.test(address) : address.startsWith('127.'));

/** `response`: what the server said, where the library puts it into its error. */
const toFailure = (error: Error & { readonly response?: unknown }, phase: Phase): Failure => {
  const { message, response } = error;
  const reply = parseReply(typeof response === 'string' ? response.split(/\r?\n/) : []);
  // Only a 4yz or 5yz refuses; anything else said at the wrong time is a broken conversation.
  if (reply.code >= 400 && reply.code < 600) return { result: 'refused', phase, reply };
  return { result: 'broken', phase, error: parseReply([message]).text };
};

/** What the server is asked with a command, by the command's verb. */
const PHASE_OF_VERB: Readonly<Record<string, Phase>> = {
  EHLO: 'ehlo',
  HELO: 'ehlo',
  STARTTLS: 'starttls',
  AUTH: 'auth',
};

/** Follows the conversation by the library's transaction log, in which credentials are masked. */
const createDialogueLog = (overhear: Overhear | undefined) => {
  let asked: Phase | null = null;
  let ehlo = '';
  return {
    /** What the server was asked last; null before the first command. */
    asked: (): Phase | null => asked,
    /** The extensions of the last EHLO, which inside TLS replaces the one before it (RFC 3207 §4.2). */
    extensions: (): Extensions =>
      parseExtensions(
        ehlo
          .split(/\r?\n/)
          .slice(1)
          .map((line) => line.slice('250-'.length)),
      ),
    debug: ({ tnx }: { readonly tnx?: string }, text: string): void => {
      if (tnx === 'client' || tnx === 'server') overhear?.(tnx, text);
      if (tnx === 'client') asked = PHASE_OF_VERB[text.split(' ', 1)[0] ?? ''] ?? asked;
      if (tnx === 'server' && asked === 'ehlo') ehlo = text.startsWith('250') ? text : '';
    },
  };
};

/**
 * The library's listeners for errors and for the end stay: they close what is broken or closed already. Each write is a whole
 * group of commands or a whole message, so that none of it must wait for what comes next (Nagle's algorithm).
 */
const takeOver = (socket: Socket): Socket => {
  socket.removeAllListeners('data');
  socket.removeAllListeners('timeout');
  return socket.setTimeout(0).setNoDelay(true);
};

const attempt = (
  options: SmtpOptions,
  timeouts: SmtpTimeouts,
  signal: AbortSignal,
  starttls: boolean,
  overhear?: Overhear,
): Promise<ConnectResult> =>
  new Promise((resolve) => {
    const dialogue = createDialogueLog(overhear);
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
      logger: dialogue,
      transactionLog: true,
    });

    let isOver = false;
    let signingIn = false;
    /** Never `mail`: whatever fails here must not be taken for a refusal of the messages that wait. */
    const phaseNow = (): Phase =>
      signingIn ? 'auth' : (dialogue.asked() ?? (connection.stage === 'init' ? 'connect' : 'greeting'));
    const finish = (result: ConnectResult): void => {
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(result);
    };
    const fail = (error: Error): void => {
      if (isOver) return;
      finish({ failure: toFailure(error, phaseNow()) });
      connection.close();
    };
    const abort = (): void => fail(new Error('the service is stopping'));
    const timer = setTimeout(() => fail(new Error('session setup timed out')), timeouts.setup);
    signal.addEventListener('abort', abort);

    const succeed = () => {
      const { _socket: socket, secure } = connection;
      if (isOver) return;
      if (!socket) return fail(new Error('nodemailer: SMTPConnection has no _socket'));
      finish({ link: { socket: takeOver(socket), secure, extensions: dialogue.extensions() } });
    };
    const onReady = (): void => {
      // The connection is handed over after the immediate in which the library looks at what arrived behind the last reply, and
      // reports it.
      queueMicrotask(() => setImmediate(succeed));
    };

    connection.on('error', fail);
    // A 421 that answers nothing ends the connection without an error.
    connection.on('end', () =>
      fail(Object.assign(new Error('connection closed'), { response: connection.lastServerResponse })),
    );
    connection.connect((error) => {
      if (error) return fail(error);
      const { user, password } = options;
      if (user === undefined || password === undefined) return onReady();
      signingIn = true;
      const { _socket: socket } = connection;
      if (!connection.secure && !isLoopback(socket ? socket.remoteAddress : undefined))
        return fail(new Error('credentials are not sent without TLS'));
      if (!connection.allowsAuth) return fail(new Error('credentials are configured, AUTH is not offered'));
      connection.login({ user, pass: password }, (refused) => (refused ? fail(refused) : onReady()));
    });
  });

/** Never rejects. With `opportunistic`, a TLS handshake that fails is followed by a second connection without TLS. */
export const connect = async (
  options: SmtpOptions,
  timeouts: SmtpTimeouts,
  signal: AbortSignal,
  overhear?: Overhear,
): Promise<ConnectResult> => {
  const result = await attempt(options, timeouts, signal, options.tls !== 'none', overhear);
  const handshakeFailed = 'failure' in result && result.failure.phase === 'starttls';
  if (options.tls !== 'opportunistic' || !handshakeFailed || signal.aborted) return result;
  return attempt(options, timeouts, signal, false, overhear);
};
