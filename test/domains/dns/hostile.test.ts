// Packets that no client should send: whatever they hold, the listener neither throws nor stops answering.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { answerQuery } from '#src/domains/dns/answer.ts';
import { createDnsServer } from '#src/domains/dns/server.ts';
import { decodeQuery, encodeResponse, udpLimit } from '#src/domains/dns/wire.ts';
import { createLog } from '#src/kernel/log.ts';
import { goodQuery, hostilePackets } from './hostile-packets.ts';
import { sampleZones } from './sample-zones.ts';

const PACKETS = 20_000;
const host = '127.0.0.1';

const names = [
  'post.example',
  'aaa.dkim.post.example',
  'aaa._domainkey.berg.praxis.example',
  'x._report._dmarc.post.example',
];

test(`${PACKETS} packets are decoded, answered and encoded without a throw`, () => {
  const zones = sampleZones();
  const nextPacket = hostilePackets(20_261_120, names);
  const codes = new Map<number, number>();
  for (let index = 0; index < PACKETS; index += 1) {
    const query = decodeQuery(nextPacket());
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
  const nextPacket = hostilePackets(4, names);
  const client = createSocket('udp4');
  client.bind(0, host);
  await once(client, 'listening');
  let answers = 0;
  client.on('message', () => {
    answers += 1;
  });

  const BATCH = 200;
  for (let sent = 0; sent < PACKETS; sent += BATCH) {
    for (let index = 0; index < BATCH; index += 1) client.send(nextPacket(), port, host);
    // The answer to a good query after each batch keeps the sender at the listener's pace.
    const answered = new Promise<void>((resolve) => {
      const listen = (octets: Buffer): void => {
        if (octets.readUInt16BE(0) !== 0xbeef) return;
        client.off('message', listen);
        resolve();
      };
      client.on('message', listen);
    });
    client.send(goodQuery('post.example', 0xbeef), port, host);
    await answered;
  }
  expect(answers).toBeGreaterThan(PACKETS / 2);
  expect(server.stats().failed).toBe(0);
  client.close();

  for (let connection = 0; connection < 200; connection += 1) {
    const socket = connect({ host, port });
    socket.on('error', () => {});
    socket.resume();
    const parts = Array.from({ length: 5 }, nextPacket);
    const lengths = parts.map((octets) => Buffer.from([octets.length >> 8, octets.length & 0xff]));
    socket.end(Buffer.concat(parts.flatMap((octets, index) => [lengths[index] ?? octets, octets])));
    await once(socket, 'close');
  }
  expect(server.stats()).toMatchObject({ failed: 0, networks: 1 });
  await server.stop();
  expect(server.stats().connections).toBe(0);
});
