// A receiving SMTP server for tests, on a port of its own, that can misbehave in every phase. It speaks just enough SMTP
// by itself (raw sockets, no library), so that nothing keeps it from doing what a well-behaved server never would.
//
//   const receiver = await createSmtpReceiver();                       // takes everything
//   const receiver = await createSmtpReceiver({ rcpt: '550 5.1.1 User unknown' });
//   receiver.setBehaviour({ rcpt: ({ address }) => (address === 'a@b.test' ? '450 4.2.0 Later' : OK) });
//   receiver.setBehaviour({ dot: async () => { await gate; return '250 2.0.0 Ok'; } });   // hold a reply
//   receiver.setBehaviour({ dot: close() });                           // drop the connection instead of replying
//   receiver.setBehaviour({ mail: close('421 4.3.2 Shutting down') }); // say it, then drop
//   await receiver.waitFor(3); receiver.messages[0].content; await receiver.stop();
import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { createByteIntake } from '#test/support/byte-intake.ts';
import type { Certificate } from '#test/support/certificate.ts';

/** Say `say` (where given), then close the connection: by FIN, or by a reset. */
export interface Close {
  readonly close: 'end' | 'reset';
  readonly say: string | null;
}

/** Reply lines without the last line end (`250-one\r\n250 two`); `SILENCE`: never a reply again; see `close`. */
type Answer = string | Close;

export const OK = '250 2.0.0 Ok';
export const SILENCE = '';
export const close = (say: string | null = null): Close => ({ close: 'end', say });
export const reset = (): Close => ({ close: 'reset', say: null });

interface Moment {
  /** The whole command line, without line end. */
  readonly line: string;
  /** Of MAIL and RCPT: what stands between the angle brackets; elsewhere empty. */
  readonly address: string;
  /** Number of the connection, from 1. */
  readonly connection: number;
  /** Messages this connection has brought so far. */
  readonly brought: number;
  readonly secure: boolean;
}

/** What to answer: always the same, or decided at the moment, or later. */
export type Script = Answer | ((moment: Moment) => Answer | Promise<Answer>);

export interface Behaviour {
  /** Said when a client has connected. */
  readonly greeting?: Script;
  /** The whole answer to EHLO; made from `extensions` where absent. */
  readonly ehlo?: Script;
  readonly helo?: Script;
  /** Lines offered in the answer to EHLO, without code; STARTTLS and AUTH are added by themselves. */
  readonly extensions?: readonly string[];
  /** Offers STARTTLS with this certificate; with `implicitTls` speaks TLS from the first byte. */
  readonly certificate?: Certificate;
  readonly implicitTls?: boolean;
  readonly starttls?: Script;
  /** Offers AUTH PLAIN and LOGIN and demands it before MAIL. */
  readonly credentials?: { readonly user: string; readonly password: string };
  /** Verdict on AUTH, after the credentials were read; by comparing them where absent. */
  readonly auth?: Script;
  readonly mail?: Script;
  readonly rcpt?: Script;
  readonly data?: Script;
  /** Reply to the final dot. The message is kept when the answer begins with 2. */
  readonly dot?: Script;
  readonly rset?: Script;
  readonly quit?: Script;
  /** Answer to everything else. */
  readonly other?: Script;
  /** Each reply leaves byte by byte, a segment each as far as the kernel plays along. */
  readonly byteByByte?: boolean;
}

export interface ReceivedMessage {
  readonly mailFrom: string;
  /** `SIZE=12`, `RET=HDRS`, … in order. */
  readonly mailParameters: readonly string[];
  readonly recipients: readonly { readonly address: string; readonly parameters: readonly string[] }[];
  /** The bytes between DATA and the final dot, un-stuffed. */
  readonly content: Buffer;
  readonly connection: number;
  readonly secure: boolean;
  /** Who signed in, or null. */
  readonly user: string | null;
}

export interface SmtpReceiver {
  readonly host: '127.0.0.1';
  readonly port: number;
  /** Accepted messages, in order. */
  readonly messages: readonly ReceivedMessage[];
  /** Every command line and final dot, in order, of all connections: `1 MAIL FROM:<a@b.test>`, `1 .`. Bounded. */
  readonly commands: readonly string[];
  /** How often input had come before the reply to what preceded it: 0 for a client that keeps to a server without
   * PIPELINING. */
  readonly earlyCommands: number;
  /** Connections so far, and those open now. */
  readonly connections: { readonly total: number; readonly open: number };
  /** Takes effect with the next command; replaces the behaviour before. */
  setBehaviour(behaviour: Behaviour): void;
  /** Resolves once `count` messages have been accepted in all. */
  waitFor(count: number): Promise<void>;
  /** Resolves once a command that matches has been read, at once where one has been. */
  waitForCommand(pattern: RegExp): Promise<void>;
  /** Resolves once no connection is open. */
  waitForNoConnection(): Promise<void>;
  /** From now on nothing is read from the connections that are open: their clients run into a closed window. */
  stopReading(): void;
  /** Drops all connections (`end`: by FIN) and goes on listening. */
  dropAll(how?: 'end' | 'reset'): void;
  stop(): Promise<void>;
}

export const DEFAULT_EXTENSIONS = ['PIPELINING', 'SIZE 26214400', 'DSN', '8BITMIME', 'ENHANCEDSTATUSCODES'];
const MAX_COMMANDS_KEPT = 50_000;

const unstuff = (content: Buffer): Buffer => {
  if (!content.includes('\r\n..') && content[0] !== 0x2e) return content;
  return Buffer.from(content.toString('latin1').replace(/(^|\r\n)\./g, '$1'), 'latin1');
};

const parsePath = (line: string): { address: string; parameters: string[] } => {
  const [, address = '', rest = ''] = /<([^>]*)>(.*)$/.exec(line) ?? [];
  return { address, parameters: rest.split(' ').filter((parameter) => parameter !== '') };
};

interface Shared {
  behaviour: Behaviour;
  readonly messages: ReceivedMessage[];
  earlyCommands: number;
  record(line: string): void;
  accepted(): void;
}

/** One connection: commands are read and answered strictly one after the other. */
const converse = async (plain: Socket, connection: number, shared: Shared): Promise<void> => {
  let socket: Socket = plain;
  let secure = false;
  let user: string | null = null;
  let brought = 0;
  let mail: ReturnType<typeof parsePath> | null = null;
  let recipients: ReturnType<typeof parsePath>[] = [];
  const intake = createByteIntake();
  const listen = () => {
    socket.on('data', intake.add);
    socket.on('close', intake.end);
    socket.on('error', () => {});
  };
  const readLine = async (): Promise<string | null> =>
    (await intake.readUntil('\r\n'))?.toString('latin1') ?? null;
  /** The final dot may come at once: an empty message has no CRLF before it. */
  const readContent = async (): Promise<Buffer | null> => {
    if (await intake.takeIf('.\r\n')) return Buffer.alloc(0);
    const content = await intake.readUntil('\r\n.\r\n');
    return content === null ? null : unstuff(Buffer.concat([content, Buffer.from('\r\n')]));
  };
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => (socket.writable ? socket.write(text, () => resolve()) : resolve()));
  const say = async (text: string): Promise<void> => {
    if (!shared.behaviour.byteByByte) return write(`${text}\r\n`);
    for (const byte of `${text}\r\n`) {
      await write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  /** Says the answer; null where the connection was closed with it. */
  const answer = async (
    script: Script | undefined,
    line: string,
    otherwise: string,
  ): Promise<string | null> => {
    const address = /^(MAIL|RCPT)/i.test(line) ? parsePath(line).address : '';
    const moment: Moment = { line, address, connection, brought, secure };
    const chosen = typeof script === 'function' ? await script(moment) : (script ?? otherwise);
    if (intake.waiting() > 0) shared.earlyCommands += 1;
    if (chosen === SILENCE) {
      await intake.drain();
      return null;
    }
    if (typeof chosen === 'string') {
      await say(chosen);
      return chosen;
    }
    if (chosen.say !== null) await say(chosen.say);
    if (chosen.close === 'reset') plain.resetAndDestroy();
    else socket.end();
    // What the client has already sent is not read any more.
    intake.discard();
    return null;
  };
  const upgrade = (certificate: Certificate): void => {
    socket.removeListener('data', intake.add);
    socket.removeListener('close', intake.end);
    const secureContext = createSecureContext({ cert: certificate.certificate, key: certificate.key });
    socket = new TLSSocket(plain, { isServer: true, secureContext });
    secure = true;
    listen();
  };
  const ehlo = (): string => {
    const { extensions, certificate, implicitTls, credentials } = shared.behaviour;
    const lines = ['receiver.test', ...(extensions ?? DEFAULT_EXTENSIONS)];
    if (certificate !== undefined && !implicitTls && !secure) lines.push('STARTTLS');
    if (credentials !== undefined) lines.push('AUTH PLAIN LOGIN');
    return lines.map((line, index) => `250${index === lines.length - 1 ? ' ' : '-'}${line}`).join('\r\n');
  };
  const readCredentials = async (line: string): Promise<[user: string, password: string]> => {
    const decode = (text: string | null | undefined) => Buffer.from(text ?? '', 'base64').toString();
    const [, mechanism = '', initial] = line.split(' ');
    const ask = async (prompt: string) => {
      await say(`334 ${Buffer.from(prompt).toString('base64')}`);
      return decode(await readLine());
    };
    if (mechanism.toUpperCase() === 'LOGIN') return [await ask('Username:'), await ask('Password:')];
    const [, name = '', password = ''] = (initial === undefined ? await ask('') : decode(initial)).split(
      '\0',
    );
    return [name, password];
  };
  const clear = (): void => {
    mail = null;
    recipients = [];
  };
  const receive = async (): Promise<void> => {
    const content = await readContent();
    if (content === null) return;
    shared.record(`${connection} .`);
    const envelope = { mailFrom: mail?.address ?? '', mailParameters: mail?.parameters ?? [], recipients };
    clear();
    const queued = `250 2.0.0 Ok: queued as ${shared.messages.length + 1}`;
    const said = await answer(shared.behaviour.dot, '.', queued);
    if (said === null || !said.startsWith('2')) return;
    brought += 1;
    shared.messages.push({ ...envelope, content, connection, secure, user });
    shared.accepted();
  };
  const obey = async (line: string): Promise<void> => {
    const { behaviour } = shared;
    const verb = line.split(' ', 1)[0]?.toUpperCase() ?? '';
    switch (verb) {
      case 'EHLO':
        await answer(behaviour.ehlo, line, ehlo());
        return;
      case 'HELO':
        await answer(behaviour.helo, line, '250 receiver.test');
        return;
      case 'STARTTLS': {
        const offered = behaviour.certificate !== undefined && !secure;
        const said = await answer(
          behaviour.starttls,
          line,
          offered ? '220 2.0.0 Go ahead' : '502 5.5.1 No TLS',
        );
        if (said?.startsWith('220') && behaviour.certificate !== undefined) upgrade(behaviour.certificate);
        return;
      }
      case 'AUTH': {
        const [name, password] = await readCredentials(line);
        const good = name === behaviour.credentials?.user && password === behaviour.credentials.password;
        const said = await answer(
          behaviour.auth,
          line,
          good ? '235 2.7.0 Welcome' : '535 5.7.8 Bad credentials',
        );
        if (said?.startsWith('235')) user = name;
        return;
      }
      case 'MAIL': {
        const otherwise =
          behaviour.credentials !== undefined && user === null
            ? '530 5.7.0 Authentication required'
            : mail === null
              ? '250 2.1.0 Ok'
              : '503 5.5.1 Nested MAIL command';
        const said = await answer(behaviour.mail, line, otherwise);
        if (said?.startsWith('2')) mail = parsePath(line);
        return;
      }
      case 'RCPT': {
        const said = await answer(
          behaviour.rcpt,
          line,
          mail === null ? '503 5.5.1 Need MAIL first' : '250 2.1.5 Ok',
        );
        if (said?.startsWith('2')) recipients.push(parsePath(line));
        return;
      }
      case 'DATA': {
        const ready = recipients.length > 0;
        const said = await answer(
          behaviour.data,
          line,
          ready ? '354 Go ahead' : '554 5.5.1 No valid recipients',
        );
        if (said?.startsWith('354')) await receive();
        return;
      }
      case 'RSET':
        clear();
        await answer(behaviour.rset, line, OK);
        return;
      case 'QUIT':
        if ((await answer(behaviour.quit, line, '221 2.0.0 Bye'))?.startsWith('2')) socket.end();
        return;
      default:
        await answer(behaviour.other, line, '502 5.5.2 Command not recognized');
    }
  };

  const { certificate, implicitTls } = shared.behaviour;
  if (implicitTls && certificate !== undefined) upgrade(certificate);
  else listen();
  if ((await answer(shared.behaviour.greeting, '', '220 receiver.test ESMTP')) === null) return;
  for (let line = await readLine(); line !== null; line = await readLine()) {
    shared.record(`${connection} ${line}`);
    await obey(line);
  }
};

export const createSmtpReceiver = async (initial: Behaviour = {}): Promise<SmtpReceiver> => {
  const sockets = new Set<Socket>();
  const commands: string[] = [];
  /** Asked again after everything that happens; those that have come true are taken off. */
  const watchers = new Set<() => boolean>();
  let total = 0;
  const happened = (): void => {
    for (const watcher of watchers) if (watcher()) watchers.delete(watcher);
  };
  const until = (isTrue: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      watchers.add(() => {
        const done = isTrue();
        if (done) resolve();
        return done;
      });
      happened();
    });
  const shared: Shared = {
    behaviour: initial,
    messages: [],
    earlyCommands: 0,
    record: (line) => {
      if (commands.length < MAX_COMMANDS_KEPT) commands.push(line);
      happened();
    },
    accepted: happened,
  };
  const server: Server = createServer({ noDelay: true }, (socket) => {
    total += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      sockets.delete(socket);
      happened();
    });
    converse(socket, total, shared).catch((error: unknown) => socket.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const dropAll = (how: 'end' | 'reset' = 'reset'): void => {
    for (const socket of sockets) {
      if (how === 'end') socket.end();
      else socket.resetAndDestroy();
    }
  };

  return {
    host: '127.0.0.1',
    port: address.port,
    messages: shared.messages,
    commands,
    get earlyCommands() {
      return shared.earlyCommands;
    },
    get connections() {
      return { total, open: sockets.size };
    },
    setBehaviour: (behaviour) => {
      shared.behaviour = behaviour;
    },
    waitFor: (count) => until(() => shared.messages.length >= count),
    waitForCommand: (pattern) => until(() => commands.some((line) => pattern.test(line))),
    waitForNoConnection: () => until(() => sockets.size === 0),
    stopReading: () => {
      for (const socket of sockets) socket.pause();
    },
    dropAll,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
