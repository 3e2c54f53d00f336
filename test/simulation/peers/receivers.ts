// The receivers of webhooks: each practice's at an address of its own, which answer as their mood says.
import type { Delivered } from '../scene.ts';
import type { Network, SimSocket } from '../world/sockets.ts';
import { OUTSIDE, world } from '../world/world.ts';

export interface ReceiverMood {
  /** Shares of requests that are answered 500, never, or by a cut connection. */
  failing: number;
  silent: number;
  cut: number;
}

export const fairReceivers = (): ReceiverMood => ({ failing: 0, silent: 0, cut: 0 });

export interface Receivers {
  readonly delivered: Delivered[];
  mood: ReceiverMood;
}

const HEAD_END = '\r\n\r\n';

export const receiverAddress = (index: number): string => `9.9.9.${index + 1}`;

export const startReceivers = (network: Network, count: number): Receivers => {
  const receivers: Receivers = { delivered: [], mood: fairReceivers() };
  const accept = (socket: SimSocket): void => {
    let left: Buffer = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      left = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
      for (;;) {
        const headEnd = left.indexOf(HEAD_END);
        if (headEnd < 0) return;
        const headers: Record<string, string> = {};
        for (const line of left.subarray(0, headEnd).toString('latin1').split('\r\n').slice(1)) {
          const colon = line.indexOf(':');
          headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
        }
        const begin = headEnd + HEAD_END.length;
        const end = begin + Number(headers['content-length'] ?? 0);
        if (left.length < end) return;
        const body = left.subarray(begin, end).toString('utf8');
        left = left.subarray(end);
        answer(socket, headers, body);
      }
    });
  };
  const answer = (socket: SimSocket, headers: Readonly<Record<string, string>>, body: string): void => {
    const { mood } = receivers;
    const { dice } = world();
    const isSilent = dice.chance(mood.silent);
    const isCut = dice.chance(mood.cut);
    const status = isSilent || isCut ? 0 : dice.chance(mood.failing) ? 500 : 200;
    receivers.delivered.push({ at: world().now, host: headers.host ?? '', headers, body, status });
    if (isSilent) return;
    if (isCut) socket.reset();
    else socket.write(`HTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Failed'}\r\nContent-Length: 0\r\n\r\n`);
  };
  for (let index = 0; index < count; index += 1)
    for (const port of [80, 443])
      network.listening.set(`${receiverAddress(index)}:${port}`, {
        owner: OUTSIDE,
        allowHalfOpen: false,
        accept,
      });
  return receivers;
};
