// Asks a time server how far off this machine's clock is (SNTP, RFC 4330): one datagram out, one back.
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

const PORT = 123;
const PACKET_BYTES = 48;
/** No leap warning, version 4, mode 3 (client). */
const CLIENT = 0x23;
const MODE_SERVER = 4;
/** The clock of the server is not set. */
const UNSYNCHRONIZED = 3;
/** Seconds from 1900, where NTP begins, to 1970. */
const EPOCH_S = 2_208_988_800;
const SENT_AT = 40;
const RECEIVED_AT = 32;
const FRACTIONS = 2 ** 32;

const timeIn = (packet: Buffer, at: number): number =>
  (packet.readUInt32BE(at) - EPOCH_S + packet.readUInt32BE(at + 4) / FRACTIONS) * 1_000;

/** Milliseconds by which this clock is ahead of the one that answered; null where the answer is of no use. */
export const offsetOf = (packet: Buffer, sent: number, received: number): number | null => {
  if (packet.length < PACKET_BYTES) return null;
  const head = packet[0] ?? 0;
  const stratum = packet[1] ?? 0;
  if ((head & 7) !== MODE_SERVER || head >> 6 === UNSYNCHRONIZED || stratum === 0 || stratum > 15)
    return null;
  return (sent + received) / 2 - (timeIn(packet, RECEIVED_AT) + timeIn(packet, SENT_AT)) / 2;
};

/** Null where it does not answer before `signal` aborts, or not as a time server does. `address`: an IP address. */
export const askTime = (
  address: string,
  now: () => number,
  signal: AbortSignal,
  port = PORT,
): Promise<number | null> =>
  new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    const end = (offset: number | null): void => {
      signal.removeEventListener('abort', giveUp);
      socket.close();
      resolve(offset);
    };
    const giveUp = (): void => end(null);
    if (signal.aborted) return end(null);
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('error', giveUp);
    const question = Buffer.alloc(PACKET_BYTES);
    question[0] = CLIENT;
    const sent = now();
    // Only who has seen the question can repeat this (RFC 4330 §5).
    question.writeUInt32BE((Math.floor(sent / 1_000) + EPOCH_S) >>> 0, SENT_AT);
    question.writeUInt32BE(Math.floor((sent % 1_000) * (FRACTIONS / 1_000)), SENT_AT + 4);
    socket.on('message', (answer) => {
      if (answer.length < PACKET_BYTES || !answer.subarray(24, 32).equals(question.subarray(SENT_AT))) return;
      end(offsetOf(answer, sent, now()));
    });
    socket.once('connect', () => socket.send(question));
    socket.connect(port, address);
  });
