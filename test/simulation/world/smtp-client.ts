// A client of SMTP for the people of the simulation, command by command.
import { Cut, type SmtpTalk } from '../scene.ts';
import { connectFromOutside } from './sockets.ts';

/** Resolves once the greeting has come. Rejects with Cut where the connection ends before an answer. */
export const openSmtpTalk = async (port: number, from: string): Promise<SmtpTalk> => {
  const socket = connectFromOutside({ host: '127.0.0.1', port }, from);
  let text = '';
  let isOver = false;
  let waiting: { resolve: (reply: string) => void; reject: (error: Error) => void } | null = null;

  const look = (): void => {
    const end = /^\d{3}(?: .*)?\r\n/m.exec(text);
    if (end !== null && waiting !== null) {
      const length = end.index + end[0].length;
      const reply = text.slice(0, length).trimEnd().replaceAll('\r\n', '\n');
      text = text.slice(length);
      const { resolve } = waiting;
      waiting = null;
      resolve(reply);
    } else if (isOver && waiting !== null) {
      const { reject } = waiting;
      waiting = null;
      reject(new Cut('the SMTP connection ended before the reply'));
    }
  };
  const over = (): void => {
    isOver = true;
    look();
  };
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
    look();
  });
  socket.on('error', () => undefined);
  socket.on('end', over);
  socket.on('close', over);
  const reply = (): Promise<string> =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject };
      look();
    });
  await reply();
  return {
    say: (command) => {
      if (!socket.destroyed) socket.write(`${command}\r\n`);
      return reply();
    },
    data: async (source) => {
      socket.write('DATA\r\n');
      const ready = await reply();
      if (!ready.startsWith('354')) return ready;
      const lines = source.toString('latin1').replace(/\r?\n/g, '\r\n').replace(/^\./gm, '..');
      socket.write(Buffer.from(`${lines}${lines.endsWith('\r\n') ? '' : '\r\n'}.\r\n`, 'latin1'));
      return reply();
    },
    end: () => {
      socket.destroy();
    },
  };
};
