// Packets nobody should send, from a fixed seed: whatever they hold, the listener neither throws nor stops answering.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { answerQuery } from '#src/dns/answer.ts';
import { createDnsServer } from '#src/dns/server.ts';
import { decodeQuery, encodeResponse, udpLimit } from '#src/dns/wire.ts';
import { createLog } from '#src/kernel/log.ts';
import { sampleZones } from './sample-zones.ts';

const PACKETS = 20_000;
const host = '127.0.0.1';

const mulberry32 = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

const opt = '00002904d000000000000c000a00080123456789abcdef';
const label = (text: string): string => Buffer.from(String.fromCharCode(text.length) + text).toString('hex');
const seeds = [
  ['post', 'example'],
  ['aaa', 'dkim', 'post', 'example'],
  ['aaa', '_domainkey', 'berg', 'praxis', 'example'],
  ['x', '_report', '_dmarc', 'post', 'example'],
].map((labels) =>
  Buffer.from(`abcd01000001000000000001${labels.map(label).join('')}0000100001${opt}`, 'hex'),
);

/** Changes, cuts, repeats or makes up; the header's QR bit is left alone mostly, so that most are looked into. */
const mutate = (random: () => number): Buffer => {
  const below = (limit: number): number => Math.floor(random() * limit);
  const seed = seeds[below(seeds.length)] ?? Buffer.alloc(0);
  if (random() < 0.1) return Buffer.from(Array.from({ length: below(600) }, () => below(256)));
  const octets = Buffer.concat([seed, random() < 0.1 ? seed : Buffer.alloc(0)]);
  for (let change = below(6); change >= 0; change -= 1)
    octets[below(random() < 0.3 ? 12 : octets.length)] = random() < 0.3 ? 0xc0 + below(4) : below(256);
  return octets.subarray(0, random() < 0.3 ? below(octets.length) : octets.length);
};

test(`${PACKETS} packets are decoded, answered and encoded without a throw`, () => {
  const zones = sampleZones();
  const random = mulberry32(20_261_120);
  const codes = new Map<number, number>();
  for (let index = 0; index < PACKETS; index += 1) {
    const query = decodeQuery(mutate(random));
    if (!query) continue;
    const octets = encodeResponse(query, answerQuery(query, zones), udpLimit(query));
    expect(octets.length).toBeLessThanOrEqual(1_232);
    expect(octets.readUInt16BE(2) & 0x8000).toBe(0x8000);
    const code = octets.readUInt16BE(2) & 0xf;
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  // Every code was reached, so that the packets were looked into: 0, FORMERR, NXDOMAIN, NOTIMP, REFUSED.
  for (const code of [0, 1, 3, 4, 5]) expect(codes.get(code) ?? 0, `code ${code}`).toBeGreaterThan(100);
});

test('a listener sent them by UDP and TCP still answers', async () => {
  const log = createLog('silent');
  const rateLimit = { burst: 1_000_000 };
  const server = createDnsServer({ listen: { host, port: 0 }, zones: sampleZones(), log, rateLimit });
  const { port } = await server.start();
  const random = mulberry32(4);
  const client = createSocket('udp4');
  client.bind(0, host);
  await once(client, 'listening');
  let answers = 0;
  const probe = seeds[0] ?? Buffer.alloc(0);
  client.on('message', () => {
    answers += 1;
  });

  const BATCH = 200;
  for (let sent = 0; sent < PACKETS; sent += BATCH) {
    for (let index = 0; index < BATCH; index += 1) client.send(mutate(random), port, host);
    // The answer to a good query after each batch keeps the sender at the listener's pace.
    const answered = new Promise<void>((resolve) => {
      const listen = (octets: Buffer): void => {
        if (octets.readUInt16BE(0) !== 0xbeef) return;
        client.off('message', listen);
        resolve();
      };
      client.on('message', listen);
    });
    const good = Buffer.from(probe);
    good.writeUInt16BE(0xbeef, 0);
    client.send(good, port, host);
    await answered;
  }
  expect(answers).toBeGreaterThan(PACKETS / 2);
  expect(server.stats().failed).toBe(0);
  client.close();

  for (let connection = 0; connection < 200; connection += 1) {
    const socket = connect({ host, port });
    socket.on('error', () => {});
    socket.resume();
    const parts = Array.from({ length: 5 }, () => mutate(random));
    const lengths = parts.map((octets) => Buffer.from([octets.length >> 8, octets.length & 0xff]));
    socket.end(Buffer.concat(parts.flatMap((octets, index) => [lengths[index] ?? octets, octets])));
    await once(socket, 'close');
  }
  expect(server.stats()).toMatchObject({ failed: 0, networks: 1 });
  await server.stop();
  expect(server.stats().connections).toBe(0);
});
