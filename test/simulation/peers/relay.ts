// The relay that takes the service's mail over, and what goes wrong with it. What it answers for a recipient follows from the local
// part of the address (hard…, soft…, lost…, slow…), and from its mood.
import type { Dice, HandedOver } from '../scene.ts';
import type { Network, SimSocket } from '../world/sockets.ts';
import { OUTSIDE, world } from '../world/world.ts';

export const RELAY = { host: '127.0.0.1', port: 2_500 };

export interface RelayMood {
  /** Shares of transactions that are refused for now, cut in the middle, or taken over without an answer that arrives. */
  deferred: number;
  cut: number;
  lost: number;
  /** A greeting of 421, as from a relay that is down. */
  isDown: boolean;
}

export const fairRelay = (): RelayMood => ({ deferred: 0, cut: 0, lost: 0, isDown: false });

export interface Relay {
  readonly handedOver: HandedOver[];
  mood: RelayMood;
}

const SLOW_MS = 20_000;

const addressIn = (command: string): string => /<([^>]*)>/.exec(command)?.[1] ?? '';

const verdict = (recipient: string, dice: Dice): string => {
  if (recipient.startsWith('hard')) return '550 5.1.1 no such user here';
  if (recipient.startsWith('soft') && dice.chance(0.6)) return '452 4.2.2 mailbox full';
  return '250 2.1.5 ok';
};

export const startRelay = (network: Network, step: () => number): Relay => {
  const relay: Relay = { handedOver: [], mood: fairRelay() };
  const accept = (socket: SimSocket): void => {
    let left: Buffer = Buffer.alloc(0);
    let inData = false;
    let returnPath = '';
    let recipients: string[] = [];
    const say = (line: string, after = 0): void => {
      world().post(OUTSIDE, world().now + after, () => {
        if (!socket.destroyed) socket.write(`${line}\r\n`);
      });
    };
    socket.on('error', () => undefined);
    const take = (source: string): void => {
      const { mood } = relay;
      const { dice } = world();
      const [recipient = ''] = recipients;
      if (dice.chance(mood.deferred)) {
        say('451 4.3.0 try again later');
        return;
      }
      const copy: HandedOver = {
        at: world().now,
        step: step(),
        returnPath,
        recipient,
        messageId: /^Message-ID:\s*<([^>]*)>/im.exec(source)?.[1] ?? '',
        source,
        reply: null,
      };
      relay.handedOver.push(copy);
      if (dice.chance(mood.lost) || (recipient.startsWith('lost') && dice.chance(0.5))) {
        socket.reset();
        return;
      }
      copy.reply = '250 2.0.0 taken over';
      say(copy.reply, recipient.startsWith('slow') ? SLOW_MS : 0);
    };
    const replyTo = (line: string): string => {
      switch (line.slice(0, 4).toUpperCase()) {
        case 'EHLO':
          return '250-relay.example\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 DSN';
        case 'HELO':
          return '250 relay.example';
        case 'MAIL':
          returnPath = addressIn(line);
          recipients = [];
          return '250 2.1.0 ok';
        case 'RCPT': {
          const answer = verdict(addressIn(line), world().dice);
          if (answer.startsWith('250')) recipients.push(addressIn(line));
          return answer;
        }
        case 'DATA':
          inData = recipients.length > 0;
          return inData ? '354 go on' : '503 5.5.1 no recipient';
        case 'RSET':
        case 'NOOP':
          return '250 2.0.0 ok';
        case 'QUIT':
          return '221 2.0.0 bye';
        default:
          return '500 5.5.2 what';
      }
    };
    const command = (line: string): void => {
      if (world().dice.chance(relay.mood.cut)) {
        socket.reset();
        return;
      }
      const reply = replyTo(line);
      say(reply);
      if (reply.startsWith('221')) world().post(OUTSIDE, world().now + 1, () => socket.end());
    };
    socket.on('data', (chunk: Buffer) => {
      left = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
      for (;;) {
        const end = left.indexOf(inData ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const piece = left.subarray(0, end).toString('latin1');
        left = left.subarray(end + (inData ? 5 : 2));
        if (inData) {
          inData = false;
          take(piece.replaceAll('\r\n.', '\r\n'));
        } else command(piece);
      }
    });
    if (relay.mood.isDown) {
      say('421 4.3.2 down for now');
      world().post(OUTSIDE, world().now + 1, () => socket.end());
    } else say('220 relay.example ESMTP');
  };
  network.listening.set(`${RELAY.host}:${RELAY.port}`, { owner: OUTSIDE, allowHalfOpen: false, accept });
  return relay;
};
