// A listener for SMTP: what the one for mail from the world and the one for submission have in common. It bounds how many
// connections there are, how long each lasts, and how much of their content is in memory; passes commands and content to its
// handlers and their refusals back; and stops without cutting a message off.
//
// A handler that throws anything but SmtpRefusal has a defect, or its disk has failed: the client is asked to come back (451),
// and the log has the reason.
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import type { ByteBudget } from '#src/kernel/byte-budget.ts';
import { type Certificate, type CertificateSource, LEAST_TLS } from '#src/kernel/certificate.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { clientKey } from '#src/kernel/rate-limit.ts';
import { DAY, MINUTE, SECOND, sleep } from '#src/kernel/time.ts';
import { crowded, SmtpRefusal } from './read-data.ts';
import { createReceiving, sizeIn } from './receive.ts';
import { type SmtpCredentials, type SmtpPath, type SmtpSession, StrictServer } from './strict-server.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface ListenerLimits {
  /** Connections in all, and of one client address. */
  readonly connections: number;
  readonly perClient: number;
  /** Octets of a message. */
  readonly messageBytes: number;
  readonly recipients: number;
  /** Refused commands of one connection. */
  readonly mistakes: number;
}

/** Each may throw SmtpRefusal. */
export interface ListenerHandlers {
  /** Resolves with what `session.user` is from then on. Absent: AUTH is not offered. */
  readonly authenticate?: (auth: SmtpCredentials, session: SmtpSession) => Promise<unknown>;
  /** Clients may send without signing in, although they could. */
  readonly signInIsOptional?: boolean;
  /** Whether credentials may be sent over the connection as it is now: else AUTH is not offered. */
  readonly mayAuthenticate?: (session: SmtpSession) => boolean;
  /** `address` is empty for the null sender. */
  readonly mail: (address: string, session: SmtpSession) => void | Promise<void>;
  readonly rcpt: (address: string, session: SmtpSession) => void | Promise<void>;
  /** Whose share of the budget holds a message; the client address's where absent. */
  readonly budgetOwner?: (session: SmtpSession) => string;
  /** Whether a message to the recipients of the transaction may hold a NUL; absent: none may. */
  readonly takesNul?: (session: SmtpSession) => boolean;
  /** Resolves, once the message is durable, with the reply: `2.0.0 …`. */
  readonly data: (content: Buffer, session: SmtpSession) => Promise<string>;
}

export type Command = 'auth' | 'mail' | 'rcpt' | 'data';

export interface ListenerOptions {
  /** The log names it so. */
  readonly name: string;
  readonly listen: ListenAddress;
  /** The greeting has it. */
  readonly hostName: string;
  /** Null: no TLS. */
  readonly certificates: CertificateSource | null;
  /** TLS from the first byte. */
  readonly implicitTls?: boolean;
  /** Addresses that are not ASCII are taken where MAIL says so (RFC 6531). */
  readonly smtpUtf8?: boolean;
  readonly limits: ListenerLimits;
  /** Holds the content of the messages that are being received. */
  readonly budget: ByteBudget;
  readonly handlers: ListenerHandlers;
  /** How long each command took, s. */
  readonly noteCommand?: ((command: Command, seconds: number) => void) | undefined;
  readonly log: Log;
}

export interface Listener {
  start(): Promise<{ readonly port: number }>;
  /**
   * Refuses new connections and closes idle ones. Resolves when the messages that were being received have their reply; after
   * `timeoutMs` what is left is cut off.
   */
  stop(timeoutMs: number): Promise<void>;
  stats(): { readonly listening: boolean; readonly connections: number };
}

/** RFC 5321 §4.5.3.2.7. */
const IDLE_MS = 5 * MINUTE;
/** A recipient of the client, or the client itself, must be accepted by then, whatever else it sends. */
const UNPROVEN_MS = MINUTE;
/** No honest session is longer; a client that sends a byte a minute must not hold a place for ever. */
const SESSION_MS = 30 * MINUTE;
/** The time at a stop for the last replies to arrive. */
const FAREWELL_MS = SECOND / 4;
/** What the library implements beside SMTP: jokes, and commands by which proxies change the client's address. */
const NEVER = ['HELP', 'KILL', 'SHELL', 'WIZ', 'XCLIENT', 'XFORWARD'];

/** Parameters of the extensions that are offered (RFC 1870, RFC 6152, RFC 4954 §5, RFC 6531 §3.4). */
const OF_MAIL = ['SIZE', 'BODY'];
const OF_RCPT: ReadonlySet<string> = new Set();

/** RFC 5321 §4.1.1.11 */
const refuseParameters = (args: SmtpPath['args'], known: ReadonlySet<string>): void => {
  if (args && Object.keys(args).some((name) => !known.has(name)))
    throw new SmtpRefusal(555, '5.5.4 a parameter of an extension that is not offered');
};

/** Whether MAIL said SMTPUTF8. The library's own mark outlives a MAIL that was refused. */
export const saysUtf8 = (args: unknown): boolean =>
  typeof args === 'object' && args !== null && 'SMTPUTF8' in args;

/** RFC 6531 §3.5. The library shows every domain in Unicode, and octets that are no UTF-8 as replacement characters. */
const refuseUnannouncedUtf8 = (address: string, isAnnounced: boolean): void => {
  if (address.includes('\ufffd')) throw new SmtpRefusal(501, '5.5.2 the address is not valid UTF-8');
  if (!isAnnounced && /[^\0-\x7f]/.test(address.split('@', 1).join('')))
    throw new SmtpRefusal(553, '5.6.7 an address that is not ASCII needs SMTPUTF8 in MAIL FROM');
};

const tlsOf = ({ cert, key }: Certificate) => ({ cert, key, minVersion: LEAST_TLS }) as const;

interface Admitted {
  readonly client: string;
  /** The ends of its time: of the whole session, and of that before it has proven to be of use. */
  readonly cap: NodeJS.Timeout;
  readonly unproven: NodeJS.Timeout;
}

export const createListener = (options: ListenerOptions): Listener => {
  const { name, limits, handlers, log, budget, certificates, smtpUtf8 = false } = options;
  const perClient = new Map<string, number>();
  const admitted = new Map<string, Admitted>();
  /** Every socket there is: connections that are being closed have left the library's list. */
  const sockets = new Set<Socket>();
  /** Ids of the sessions whose message is being received or waits for its reply. */
  const receiving = new Set<string>();
  const waitingForLast: (() => void)[] = [];
  let listening = false;

  const refusalOf = (error: unknown): SmtpRefusal => {
    if (error instanceof SmtpRefusal) return error;
    // A practice that is being moved, or a file that cannot be used now: who refuses it says so, too.
    const isExpected = error instanceof AppError && error.code === 'unavailable';
    log[isExpected ? 'warn' : 'error']({ err: error, listener: name }, 'an SMTP command failed');
    return new SmtpRefusal(451, '4.3.0 local error, try again later');
  };
  const admit = (session: SmtpSession): void => {
    const client = clientKey(session.remoteAddress);
    const held = perClient.get(client) ?? 0;
    if (held >= limits.perClient) throw new SmtpRefusal(421, '4.7.0 too many connections from your address');
    perClient.set(client, held + 1);
    const end = () => server.dismiss(session.id, 421, '4.4.2 the session takes too long');
    const cap = setTimeout(end, SESSION_MS).unref();
    const unproven = setTimeout(end, UNPROVEN_MS).unref();
    admitted.set(session.id, { client, cap, unproven });
  };
  /** A recipient or the sender was accepted. */
  const prove = (session: SmtpSession): void => {
    clearTimeout(admitted.get(session.id)?.unproven);
    server.setActive(session.id, performance.now());
  };
  const onClosed = ({ id }: SmtpSession): void => {
    const left = admitted.get(id);
    if (!left) return;
    admitted.delete(id);
    clearTimeout(left.cap);
    clearTimeout(left.unproven);
    const held = (perClient.get(left.client) ?? 1) - 1;
    if (held > 0) perClient.set(left.client, held);
    else perClient.delete(left.client);
  };

  const takingTime = async <T>(command: Command, work: () => T | Promise<T>): Promise<T> => {
    const started = performance.now();
    try {
      return await work();
    } finally {
      options.noteCommand?.(command, (performance.now() - started) / SECOND);
    }
  };
  const { hasRoomFor, receive } = createReceiving({
    budget,
    budgetOwner: handlers.budgetOwner ?? (({ remoteAddress }) => clientKey(remoteAddress)),
    messageBytes: limits.messageBytes,
    setActive: (id, at) => server.setActive(id, at),
    dismiss: (id, code, text) => server.dismiss(id, code, text),
    takesNul: handlers.takesNul ?? (() => false),
    data: (content, session) => takingTime('data', () => handlers.data(content, session)),
  });
  const onReplied = ({ id }: SmtpSession): void => {
    receiving.delete(id);
    if (!listening) setImmediate(closeIdle);
    if (receiving.size === 0) for (const resolve of waitingForLast.splice(0)) resolve();
  };

  const answered = (work: () => void | Promise<void>, callback: (error?: Error | null) => void): void => {
    Promise.try(work).then(
      () => callback(),
      (error) => callback(refusalOf(error)),
    );
  };

  const { authenticate } = handlers;
  const ofMail = new Set([...OF_MAIL, ...(authenticate ? ['AUTH'] : []), ...(smtpUtf8 ? ['SMTPUTF8'] : [])]);
  const disabled = [...NEVER, ...(authenticate ? [] : ['AUTH']), ...(certificates ? [] : ['STARTTLS'])];
  const offer = (session: SmtpSession): void => {
    const mayAuthenticate = handlers.mayAuthenticate?.(session) ?? true;
    session.disabledCommands = [...disabled, ...(mayAuthenticate ? [] : ['AUTH'])];
  };
  const server = new StrictServer(
    {
      name: options.hostName,
      size: limits.messageBytes,
      maxRecipients: limits.recipients,
      socketTimeout: IDLE_MS,
      // `stop` says how long it waits; the library would cut off what is in flight after half a minute.
      closeTimeout: DAY,
      disableReverseLookup: true,
      hideENHANCEDSTATUSCODES: false,
      hideSMTPUTF8: !smtpUtf8,
      logger: false,
      secure: options.implicitTls === true,
      ...(certificates
        ? {
            ...tlsOf(certificates.current()),
            SNICallback: (name, callback) => callback(null, certificates.contextFor(name) ?? undefined),
          }
        : { hideSTARTTLS: true }),
      disabledCommands: disabled,
      onConnect: (session, callback) => {
        offer(session);
        answered(() => admit(session), callback);
      },
      onSecure: (_socket, session, callback) => {
        offer(session);
        callback();
      },
      onClose: onClosed,
      ...(authenticate && {
        // `mayAuthenticate` decides it for each connection.
        allowInsecureAuth: true,
        authMethods: ['PLAIN', 'LOGIN'],
        authOptional: handlers.signInIsOptional === true,
        onAuth: (auth, session, callback) => {
          takingTime('auth', () => authenticate(auth, session)).then(
            (user) => {
              prove(session);
              callback(null, { user });
            },
            (error) => callback(refusalOf(error)),
          );
        },
      }),
      onMailFrom: ({ address, args }, session, callback) =>
        answered(async () => {
          refuseParameters(args, ofMail);
          if (smtpUtf8) refuseUnannouncedUtf8(address, saysUtf8(args));
          await takingTime('mail', () => handlers.mail(address, session));
          if (!(await hasRoomFor(sizeIn(args), session))) throw crowded();
        }, callback),
      onRcptTo: ({ address, args }, session, callback) =>
        answered(async () => {
          refuseParameters(args, OF_RCPT);
          const { mailFrom } = session.envelope;
          if (smtpUtf8) refuseUnannouncedUtf8(address, mailFrom !== false && saysUtf8(mailFrom.args));
          await takingTime('rcpt', () => handlers.rcpt(address, session));
          prove(session);
        }, callback),
      onData: (stream, session, callback) => {
        receiving.add(session.id);
        receive(stream, session)
          .then(
            (text) => callback(null, text),
            (error) => {
              // The client has left in the middle of its message: no one waits for a reply.
              if (stream.destroyed && !stream.readableEnded) return callback(error);
              const refusal = refusalOf(error);
              if (!refusal.closes) return callback(refusal);
              server.dismiss(session.id, refusal.responseCode, refusal.message);
            },
          )
          .finally(() => onReplied(session));
      },
    },
    { ...limits, handshakeMs: UNPROVEN_MS },
  );
  // Handshakes from then on have it; connections stay as they are.
  certificates?.watch((next) => server.updateSecureContext(tlsOf(next)));
  server.on('error', (error) => log.debug({ err: error, listener: name }, 'an SMTP connection failed'));

  const closeIdle = (): void => {
    for (const { id } of [...server.connections])
      if (!receiving.has(id)) server.dismiss(id, 421, '4.3.2 shutting down');
  };

  const allReceived = (): Promise<void> =>
    receiving.size === 0 ? Promise.resolve() : new Promise((resolve) => waitingForLast.push(resolve));

  server.server.on('connection', (socket) => {
    // After STARTTLS a socket's `close` is not reported: the library has removed all its listeners.
    if (sockets.size > 2 * limits.connections)
      for (const one of sockets) if (one.destroyed) sockets.delete(one);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  return {
    start: async () => {
      const { host, port } = options.listen;
      server.listen(port, host);
      await once(server.server, 'listening');
      listening = true;
      const bound = server.server.address() as AddressInfo;
      log.info({ listener: name, host, port: bound.port }, 'SMTP listens');
      return { port: bound.port };
    },
    stop: async (timeoutMs) => {
      if (!listening) return;
      listening = false;
      const closed = once(server.server, 'close');
      // The library ends TLS handshakes from above. Node crashes when the socket below one is destroyed, and when a handshake is
      // ended in the tick in which its connection came.
      await immediate();
      server.close();
      closeIdle();
      const over = new AbortController();
      await Promise.race([closed, allReceived(), sleep(timeoutMs, over.signal)]);
      // The replies are out; a client that does not close its side either is not waited for.
      await Promise.race([closed, sleep(FAREWELL_MS, over.signal)]);
      over.abort();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    stats: () => ({ listening, connections: server.connections.size }),
  };
};
