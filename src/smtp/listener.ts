// A listener for SMTP: what the one for mail from the world and the one for submission have in common. It bounds who may
// hold connections, how long, and how much of their content is in memory; hands commands and content to its handlers and
// their refusals back; and stops without cutting a message off.
//
// A refusal that is no SmtpRefusal is a defect or a fault of the disk: the client is told to come back (451), the log why.
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type {
  SMTPServerAddress,
  SMTPServerAuthentication,
  SMTPServerDataStream,
  SMTPServerOptions,
  SMTPServerSession,
} from 'smtp-server';
import type { ByteBudget } from '#src/kernel/byte-budget.ts';
import type { Log } from '#src/kernel/log.ts';
import { clientKey } from '#src/kernel/rate-limit.ts';
import { MINUTE, SECOND, sleep } from '#src/kernel/time.ts';
import { crowded, readData, SmtpRefusal } from './read-data.ts';
import { StrictServer } from './strict-connection.ts';

/** PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
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
  /** Resolves with what `session.user` is from then on. */
  readonly authenticate?: (auth: SMTPServerAuthentication, session: SMTPServerSession) => Promise<unknown>;
  /** Whether credentials may be sent over the connection as it is now: else AUTH is not offered. */
  readonly mayAuthenticate?: (session: SMTPServerSession) => boolean;
  /** `address` is empty for the null sender. */
  readonly mail: (address: string, session: SMTPServerSession) => void | Promise<void>;
  readonly rcpt: (address: string, session: SMTPServerSession) => void | Promise<void>;
  /** Resolves, once it is durable, with what the client is told: `2.0.0 …`. */
  readonly data: (content: Buffer, session: SMTPServerSession) => Promise<string>;
}

export interface ListenerOptions {
  /** For the log. */
  readonly name: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** Said in the greeting. */
  readonly hostName: string;
  readonly certificate: Certificate | null;
  /** TLS from the first byte. */
  readonly implicitTls?: boolean;
  readonly limits: ListenerLimits;
  /** Holds the content that is under way. */
  readonly budget: ByteBudget;
  readonly handlers: ListenerHandlers;
  readonly log: Log;
  /** Further options of smtp-server. */
  readonly server?: SMTPServerOptions;
}

export interface Listener {
  start(): Promise<{ readonly port: number }>;
  /** For handshakes from now on. Throws where it is none; then the former one stays. */
  useCertificate(certificate: Certificate): void;
  /** Nobody is let in any more, the idle are sent away; resolves when what is under way has ended, or been cut off. */
  stop(timeoutMs: number): Promise<void>;
  stats(): { readonly listening: boolean; readonly connections: number };
}

/** So much of a message of unknown size is taken as it comes. */
const LARGE_FROM_BYTES = 1_048_576;
/** RFC 5321 §4.5.3.2.7. */
const IDLE_MS = 5 * MINUTE;
/** Nobody needs longer; whoever sends a byte a minute must not hold a place for ever. */
const SESSION_MS = 30 * MINUTE;
/** At a stop, for the last replies to arrive. */
const FAREWELL_MS = SECOND / 4;
/** What the library knows beside SMTP: jokes, and commands by which proxies change who a client is. */
const NEVER = ['HELP', 'KILL', 'SHELL', 'WIZ', 'XCLIENT', 'XFORWARD'];

/** Parameters of the extensions that are offered (RFC 1870, RFC 6152, RFC 4954 §5). */
const OF_MAIL: ReadonlySet<string> = new Set(['SIZE', 'BODY']);
const OF_MAIL_WITH_AUTH: ReadonlySet<string> = new Set([...OF_MAIL, 'AUTH']);
const OF_RCPT: ReadonlySet<string> = new Set();

/** RFC 5321 §4.1.1.11 */
const refuseParameters = (args: SMTPServerAddress['args'], known: ReadonlySet<string>): void => {
  if (args && Object.keys(args).some((name) => !known.has(name)))
    throw new SmtpRefusal(555, '5.5.4 a parameter of an extension that is not offered');
};

/** RFC 1870 §6.1; the library has refused what is over the limit. */
const sizeIn = (args: unknown): number => {
  const size = typeof args === 'object' && args !== null && 'SIZE' in args ? Number(args.SIZE) : 0;
  return Number.isSafeInteger(size) ? size : 0;
};
const declaredSize = ({ envelope: { mailFrom } }: SMTPServerSession): number =>
  mailFrom === false ? 0 : sizeIn(mailFrom.args);

const tlsOf = ({ cert, key }: Certificate) => ({ cert, key, minVersion: 'TLSv1.2' }) as const;

export const createListener = (options: ListenerOptions): Listener => {
  const { name, limits, handlers, log, budget, certificate } = options;
  const perClient = new Map<string, number>();
  const admitted = new Map<string, { readonly client: string; readonly cap: NodeJS.Timeout }>();
  /** Every socket there is: those that are being sent away have left the library's list. */
  const sockets = new Set<Socket>();
  let underWay = 0;
  const waiting: (() => void)[] = [];
  let listening = false;

  const refusalOf = (error: unknown): SmtpRefusal => {
    if (error instanceof SmtpRefusal) return error;
    log.error({ err: error, listener: name }, 'an SMTP command failed');
    return new SmtpRefusal(451, '4.3.0 local error, try again later');
  };
  const connectionOf = (session: SMTPServerSession) =>
    [...server.connections].find((connection) => connection.id === session.id);

  const admit = (session: SMTPServerSession): void => {
    const client = clientKey(session.remoteAddress);
    const held = perClient.get(client) ?? 0;
    if (held >= limits.perClient) throw new SmtpRefusal(421, '4.7.0 too many connections from your address');
    perClient.set(client, held + 1);
    const end = (): void => {
      const connection = connectionOf(session);
      connection?.send(421, '4.4.2 the session takes too long');
      connection?.close();
    };
    admitted.set(session.id, { client, cap: setTimeout(end, SESSION_MS).unref() });
  };
  const dismiss = ({ id }: SMTPServerSession): void => {
    const left = admitted.get(id);
    if (!left) return;
    admitted.delete(id);
    clearTimeout(left.cap);
    const held = (perClient.get(left.client) ?? 1) - 1;
    if (held > 0) perClient.set(left.client, held);
    else perClient.delete(left.client);
  };

  /** Asked before the content is sent; by the time it is, others may have taken the room. */
  const hasRoomFor = (bytes: number, session: SMTPServerSession): boolean => {
    const owner = clientKey(session.remoteAddress);
    if (!budget.take(owner, bytes)) return false;
    budget.release(owner, bytes);
    return true;
  };

  const receive = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> => {
    const owner = clientKey(session.remoteAddress);
    let held = 0;
    let came = 0;
    const reserve = (bytes: number): boolean => {
      if (!budget.take(owner, bytes)) return false;
      held += bytes;
      return true;
    };
    // What was told is taken at once: of many that grow side by side, none would come to its end.
    const hasRoom = reserve(declaredSize(session));
    const hold = (bytes: number): boolean => {
      came += bytes;
      // A message that did not tell its size and has become a large one, likewise: all that it may still be.
      const wanted = came > LARGE_FROM_BYTES ? limits.messageBytes : came;
      return hasRoom && (came <= held || reserve(wanted - held));
    };
    underWay += 1;
    try {
      return await handlers.data(await readData(stream, limits.messageBytes, hold), session);
    } finally {
      underWay -= 1;
      budget.release(owner, held);
      if (!listening) setImmediate(sendIdleAway);
      if (underWay === 0) for (const tell of waiting.splice(0)) tell();
    }
  };

  const answered = (work: () => void | Promise<void>, callback: (error?: Error | null) => void): void => {
    Promise.try(work).then(
      () => callback(),
      (error) => callback(refusalOf(error)),
    );
  };

  const { authenticate } = handlers;
  const disabled = [
    ...NEVER,
    ...(authenticate ? [] : ['AUTH']),
    ...(certificate ? [] : ['STARTTLS']),
    ...(options.server?.disabledCommands ?? []),
  ];
  const offer = (session: SMTPServerSession): void => {
    const mayAuthenticate = handlers.mayAuthenticate?.(session) ?? true;
    session.disabledCommands = [...disabled, ...(mayAuthenticate ? [] : ['AUTH'])];
  };
  const server = new StrictServer(
    {
      name: options.hostName,
      size: limits.messageBytes,
      maxClients: limits.connections,
      maxRecipients: limits.recipients,
      socketTimeout: IDLE_MS,
      disableReverseLookup: true,
      hideENHANCEDSTATUSCODES: false,
      hideSMTPUTF8: true,
      logger: false,
      secure: options.implicitTls === true,
      ...(certificate ? tlsOf(certificate) : { hideSTARTTLS: true }),
      ...options.server,
      disabledCommands: disabled,
      onConnect: (session, callback) => {
        offer(session);
        answered(() => admit(session), callback);
      },
      onSecure: (_socket, session, callback) => {
        offer(session);
        callback();
      },
      onClose: dismiss,
      ...(authenticate && {
        onAuth: (auth, session, callback) => {
          authenticate(auth, session).then(
            (user) => callback(null, { user }),
            (error) => callback(refusalOf(error)),
          );
        },
      }),
      onMailFrom: ({ address, args }, session, callback) =>
        answered(async () => {
          refuseParameters(args, authenticate ? OF_MAIL_WITH_AUTH : OF_MAIL);
          await handlers.mail(address, session);
          if (!hasRoomFor(sizeIn(args), session)) throw crowded();
        }, callback),
      onRcptTo: ({ address, args }, session, callback) =>
        answered(() => {
          refuseParameters(args, OF_RCPT);
          return handlers.rcpt(address, session);
        }, callback),
      onData: (stream, session, callback) => {
        receive(stream, session).then(
          (text) => callback(null, text),
          (error) => {
            // Cut off before its end: there is nobody to answer.
            if (stream.destroyed && !stream.readableEnded) return callback(error);
            const refusal = refusalOf(error);
            if (!refusal.closes) return callback(refusal);
            const connection = connectionOf(session);
            connection?.send(refusal.responseCode, refusal.message);
            connection?.close();
          },
        );
      },
    },
    { mistakes: limits.mistakes, perClient: limits.perClient },
  );
  server.on('error', (error) => log.debug({ err: error, listener: name }, 'an SMTP connection failed'));

  const sendIdleAway = (): void => {
    for (const connection of [...server.connections])
      if (!connection._dataStream) {
        connection.send(421, '4.3.2 shutting down');
        connection.close();
      }
  };

  const allReceived = (): Promise<void> =>
    underWay === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));

  server.server.on('connection', (socket) => {
    // Of those that were changed to TLS no `close` tells: the library takes all listeners off them.
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
    useCertificate: (next) => {
      // The library would forget the former one before it looks at the next.
      createSecureContext(tlsOf(next));
      server.updateSecureContext(tlsOf(next));
    },
    stop: async (timeoutMs) => {
      if (!listening) return;
      listening = false;
      const closed = once(server.server, 'close');
      server.server.close();
      sendIdleAway();
      const over = new AbortController();
      await Promise.race([closed, allReceived(), sleep(timeoutMs, over.signal)]);
      // The replies are out; a client that does not close its side either is not waited for.
      await Promise.race([closed, sleep(FAREWELL_MS, over.signal)]);
      over.abort();
      for (const connection of [...server.connections]) connection._socket.destroy();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    stats: () => ({ listening, connections: server.connections.size }),
  };
};
