// A conversation with an SMTP server over a raw socket: sends exactly the bytes it is given, also in pieces, and reads whole
// replies. Nothing stands between the test and the server that could be better behaved than an attacker.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';

export interface SmtpTalk {
  /** Reads one reply, all its lines joined by \n; what came so far and `null` behind it where the server closed. */
  reply(): Promise<string | null>;
  /** Writes the bytes as they are. */
  write(bytes: string | Buffer): void;
  /** Writes them a segment a piece, as far as the kernel plays along. */
  writePieces(pieces: readonly (string | Buffer)[]): Promise<void>;
  /** A command with its line end; its reply. */
  say(command: string): Promise<string | null>;
  /** The greeting, and EHLO. */
  hello(): Promise<void>;
  /** MAIL, RCPT, DATA up to 354; throws at the first refusal. */
  envelope(from: string, to: string): Promise<void>;
  /** STARTTLS, with more bytes behind it in clear; `certificate` is trusted. Resolves once the handshake is done. */
  startTls(certificate: string, behind?: string): Promise<void>;
  /** Everything that still comes until the server closes. */
  rest(): Promise<string>;
  end(): void;
}

/** `localAddress`: any of 127.0.0.0/8, each of which is a client of its own. */
export const talkTo = async (port: number, host = '127.0.0.1', localAddress?: string): Promise<SmtpTalk> => {
  let socket: Socket = connect({ host, port, localAddress, noDelay: true });
  await once(socket, 'connect');
  let received = '';
  let closed = false;
  let wake = (): void => {};
  const listen = (): void => {
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      wake();
    });
    socket.on('error', () => {});
    for (const event of ['end', 'close'])
      socket.on(event, () => {
        closed = true;
        wake();
      });
  };
  listen();
  const more = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });

  const reply = async (): Promise<string | null> => {
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(received)?.[0];
      if (whole !== undefined) {
        received = received.slice(whole.length);
        return whole.trimEnd().replaceAll('\r\n', '\n');
      }
      if (closed) return null;
      await more();
    }
  };
  const say = (command: string): Promise<string | null> => {
    socket.write(`${command}\r\n`);
    return reply();
  };
  const expect = async (command: string, code: string): Promise<void> => {
    const said = await say(command);
    if (!said?.startsWith(code)) throw new Error(`${command}: ${said}`);
  };

  return {
    reply,
    say,
    write: (bytes) => {
      socket.write(bytes);
    },
    writePieces: async (pieces) => {
      for (const piece of pieces) {
        if (closed) return;
        socket.write(piece);
        await setImmediate();
      }
    },
    hello: async () => {
      await reply();
      await expect('EHLO client.example.net', '250');
    },
    envelope: async (from, to) => {
      await expect(`MAIL FROM:<${from}>`, '250');
      await expect(`RCPT TO:<${to}>`, '250');
      await expect('DATA', '354');
    },
    startTls: async (certificate, behind = '') => {
      socket.write(`STARTTLS\r\n${behind}`);
      const said = await reply();
      if (!said?.startsWith('220')) throw new Error(`STARTTLS: ${said}`);
      socket.removeAllListeners();
      socket = connectTls({ socket, ca: certificate, servername: 'mail.example.com' });
      await once(socket, 'secureConnect');
      listen();
    },
    rest: async () => {
      while (!closed) await more();
      return received;
    },
    end: () => {
      socket.destroy();
    },
  };
};
