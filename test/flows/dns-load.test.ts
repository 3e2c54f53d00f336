// The built-in name server of a running application under load: its rate limit, packets that no client should send, and clients
// that hold connections.
// @module-tag debian/bind9-dnsutils
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { goodQuery, hostilePackets } from '#test/domains/dns/hostile-packets.ts';
import { digAt, dnsHealth, HOST, OWN, server, startWithDns } from '#test/flows/dns-scene.ts';
import { until } from '#test/support/process.ts';

/** A UDP client at an address of its own, and what it was answered. */
const clientAt = async (address: string): Promise<{ socket: UdpSocket; answers: Buffer[] }> => {
  const socket = createSocket('udp4');
  socket.bind(0, address);
  await once(socket, 'listening');
  const answers: Buffer[] = [];
  socket.on('message', (octets: Buffer) => answers.push(octets));
  onTestFinished(() => {
    socket.close();
  });
  return { socket, answers };
};

test('a network that asks too often by UDP is sent to TCP, and is answered there; others are answered', async () => {
  const app = await startWithDns();
  onTestFinished(() => app.remove());
  const { socket, answers } = await clientAt('127.0.7.1');
  const BURST = 200;
  const isTruncated = (octets: Buffer): boolean => (octets.readUInt16BE(2) & 0x0200) !== 0;
  // Faster than the limit on any machine, and so few at once that they fit into the socket's buffer.
  for (let sent = 0; sent < 10 * BURST; ) {
    for (const end = sent + 50; sent < end; sent += 1)
      socket.send(goodQuery(HOST, sent), app.dnsPort, server);
    await until('all are answered', () => answers.length === sent);
  }
  expect(answers.slice(0, BURST).filter(isTruncated)).toEqual([]);
  const limited = answers.filter(isTruncated);
  expect(limited.length).toBeGreaterThan(BURST);
  // No longer than the query, so that nothing is gained by forging its sender.
  expect(Math.max(...limited.map(({ length }) => length))).toBeLessThanOrEqual(goodQuery(HOST).length);
  expect((await dnsHealth(app))?.limited).toBe(limited.length);
  const dig = digAt(app.dnsPort);
  expect((await dig('-b', '127.0.7.1', '+tcp', HOST, 'MX')).head).toBe('NOERROR qr aa');
  expect((await dig('-b', '127.0.8.1', HOST, 'MX')).head).toBe('NOERROR qr aa');
});

describe('packets that no client should send', () => {
  const PACKETS = 20_000;
  /** So many at once fit into the socket's buffer. */
  const ROUND = 100;
  /** So many that none of them comes over its limit. */
  const NETWORKS = 250;
  const MIB = 1_024 * 1_024;

  const memory = (): number => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };

  test(`${2 * PACKETS} of them neither stop nor grow it`, async () => {
    const app = await startWithDns();
    onTestFinished(() => app.remove());
    await app.createPractice({ name: 'Praxis am See' });
    const names = [HOST, `x.dkim.${HOST}`, OWN, `x._domainkey.${OWN}`, `x._report._dmarc.${HOST}`];
    const nextPacket = hostilePackets(20_261_121, names);
    const clients = await Promise.all(
      Array.from({ length: NETWORKS }, (_, network) => clientAt(`127.1.${network}.1`)),
    );
    const probe = await clientAt('127.2.0.1');
    const flood = async (): Promise<void> => {
      for (let sent = 0; sent < PACKETS; sent += 1) {
        clients[sent % NETWORKS]?.socket.send(nextPacket(), app.dnsPort, server);
        if (sent % ROUND !== 0) continue;
        // An answer after each round keeps the senders at the listener's pace.
        const answered = once(probe.socket, 'message');
        probe.socket.send(goodQuery(HOST), app.dnsPort, server);
        await answered;
      }
      for (const { answers } of [probe, ...clients]) answers.splice(0);
    };
    const before = await dnsHealth(app);
    await flood();
    // What a packet leaves behind grows with each flood; what else keeps memory in this process does so once.
    let grown = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3 && grown >= 3 * MIB; round += 1) {
      const warm = memory();
      await flood();
      grown = memory() - warm;
    }
    expect(grown).toBeLessThan(3 * MIB);
    const after = await dnsHealth(app);
    expect(after).toMatchObject({ listening: true, failed: 0 });
    // Most have arrived, and were not put off by the rate limit.
    expect((after?.queries ?? 0) - (before?.queries ?? 0)).toBeGreaterThan(1.5 * PACKETS);
    expect(after?.limited).toBeLessThan(PACKETS / 10);
    const dig = digAt(app.dnsPort);
    for (const transport of ['+notcp', '+tcp'])
      expect((await dig(transport, `in.${OWN}`, 'MX')).answer).toHaveLength(1);
  });

  test('of those who hold connections, each holds ten, and others are let in', async () => {
    const app = await startWithDns();
    onTestFinished(() => app.remove());
    const nextPacket = hostilePackets(7, [HOST]);
    const open: Socket[] = [];
    for (let index = 0; index < 60; index += 1) {
      const socket = connect({ host: server, port: app.dnsPort, localAddress: `127.0.9.${1 + (index % 3)}` });
      socket.on('error', () => {}).resume();
      await once(socket, 'connect');
      const packet = nextPacket();
      // Said to be longer than what comes: it stays open, waiting.
      socket.write(Buffer.concat([Buffer.from([0x0f, 0xff]), packet]));
      open.push(socket);
    }
    const isOpen = (): number => open.filter(({ closed }) => !closed).length;
    await expect.poll(isOpen).toBe(30);
    const dig = digAt(app.dnsPort);
    expect((await dig('+tcp', HOST, 'A')).head).toBe('NOERROR qr aa');
    expect((await dig('-b', '127.0.9.1', '+tcp', HOST, 'A')).head).toBe('NOERROR qr aa');
    for (const socket of open) socket.destroy();
  });
});
