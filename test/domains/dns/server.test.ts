// @module-tag debian/bind9-dnsutils
// @module-tag slow
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDnsServer, type DnsServer, type DnsServerOptions } from '#src/domains/dns/server.ts';
import { createLog } from '#src/kernel/log.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { freePort } from '#test/support/process.ts';
import { rsaText, sampleZones } from './sample-zones.ts';

const run = promisify(execFile);
const host = '127.0.0.1';
let server: DnsServer;
let port = 0;

const startServer = async (changed: Partial<DnsServerOptions> = {}): Promise<void> => {
  const usual = { listen: { host, port: 0 }, zones: sampleZones(), tcpIdleMs: 10 * MINUTE };
  server = createDnsServer({ ...usual, log: createLog('silent'), ...changed });
  ({ port } = await server.start());
};
const restartServer = async (changed: Partial<DnsServerOptions>): Promise<void> => {
  await server.stop();
  await startServer(changed);
};

beforeEach(() => startServer());
afterEach(() => server.stop());

const dig = async (...args: string[]): Promise<string> => {
  const { stdout } = await run('dig', [`@${host}`, '-p', String(port), '+tries=1', '+time=60', ...args]);
  return stdout;
};
const sections = ['+noall', '+answer', '+authority'];
/** The records of a response, white space made one. */
const records = (said: string): string[] => {
  const lines = said.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
  return lines.map((line) => line.replace(/\s+/g, ' '));
};
const codeAndFlags = (said: string): string =>
  `${/status: (\w+)/.exec(said)?.[1]} ${/flags: ([^;]*);/.exec(said)?.[1]}`;

/** A query for `name`, for the tests that write octets themselves. */
const query = (id: number, name: string, type: number): Buffer => {
  const labels = name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]);
  return Buffer.concat([
    Buffer.from([id >> 8, id & 0xff, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    ...labels,
    Buffer.from([0, 0, type, 0, 1]),
  ]);
};
const frame = (octets: Buffer): Buffer =>
  Buffer.concat([Buffer.from([octets.length >> 8, octets.length & 0xff]), octets]);

const apexSoa = 'ns1.post.example. dns\\.admin.post.example. 2026112001 3600 600 1209600 300';
const keyStrings = `"${rsaText.slice(0, 255)}" "${rsaText.slice(255)}"`;
const spf = '"v=spf1 include:spf.post.example ~all"';

describe.each([
  ['UDP', '+notcp'],
  ['TCP', '+tcp'],
])('dig by %s', (_transport, option) => {
  test.each<[sentence: string, args: string[], expected: string[]]>([
    ['A', ['post.example', 'A'], ['post.example. 3600 IN A 192.0.2.10']],
    ['AAAA', ['post.example', 'AAAA'], ['post.example. 3600 IN AAAA 2001:db8::10']],
    ['MX', ['in.berg.praxis.example', 'MX'], ['in.berg.praxis.example. 3600 IN MX 10 post.example.']],
    ['TXT', ['bounce.berg.praxis.example', 'TXT'], [`bounce.berg.praxis.example. 3600 IN TXT ${spf}`]],
    ['SOA', ['praxis.example', 'SOA'], [`praxis.example. 3600 IN SOA ${apexSoa}`]],
    [
      'NS',
      ['praxis.example', 'NS'],
      ['praxis.example. 3600 IN NS ns1.post.example.', 'praxis.example. 3600 IN NS ns2.elsewhere.example.'],
    ],
    [
      'CNAME',
      ['aaa._domainkey.berg.praxis.example', 'CNAME'],
      ['aaa._domainkey.berg.praxis.example. 3600 IN CNAME aaa.dkim.post.example.'],
    ],
    [
      'a key through its alias',
      ['aaa._domainkey.berg.praxis.example', 'TXT'],
      [
        'aaa._domainkey.berg.praxis.example. 3600 IN CNAME aaa.dkim.post.example.',
        `aaa.dkim.post.example. 300 IN TXT ${keyStrings}`,
      ],
    ],
    ['ANY', ['ns1.post.example', 'ANY'], ['ns1.post.example. 3600 IN A 192.0.2.10']],
    ['an unknown type', ['post.example', 'TYPE65280'], [`post.example. 300 IN SOA ${apexSoa}`]],
    ['an unknown name', ['tal.praxis.example', 'A'], [`praxis.example. 300 IN SOA ${apexSoa}`]],
    ['an empty name', ['dkim.post.example', 'TXT'], [`post.example. 300 IN SOA ${apexSoa}`]],
    [
      'the wildcard',
      ['berg.de._report._dmarc.post.example', 'TXT'],
      ['berg.de._report._dmarc.post.example. 3600 IN TXT "v=DMARC1"'],
    ],
    ['another zone', ['example.org', 'A'], []],
  ])('%s', async (_sentence, args, expected) => {
    expect(records(await dig(option, ...sections, ...args))).toEqual(expected);
  });

  test.each<[sentence: string, args: string[], expected: string]>([
    ['an answer is authoritative and not recursive', ['post.example', 'A'], 'NOERROR qr aa rd'],
    ['so is "no such name"', ['x.post.example', 'A'], 'NXDOMAIN qr aa rd'],
    ['so is "nothing of that type"', ['ns1.post.example', 'MX'], 'NOERROR qr aa rd'],
    ['recursion not asked for is not claimed', ['+norecurse', 'post.example', 'A'], 'NOERROR qr aa'],
    ['another zone is refused', ['example.org', 'A'], 'REFUSED qr rd'],
    ['another class is refused', ['-c', 'CH', 'version.bind', 'TXT'], 'REFUSED qr rd'],
    ['an opcode that is not QUERY', ['+opcode=NOTIFY', 'post.example', 'SOA'], 'NOTIMP qr rd'],
    ['a message without question', ['+header-only'], 'FORMERR qr rd'],
    ['without EDNS', ['+noedns', 'post.example', 'A'], 'NOERROR qr aa rd'],
    ['a later EDNS', ['+edns=3', '+noednsnegotiation', 'post.example', 'A'], 'BADVERS qr rd'],
  ])('%s', async (_sentence, args, expected) => {
    expect(codeAndFlags(await dig(option, '+noall', '+comments', ...args))).toBe(expected);
  });

  test('EDNS is answered, and only when asked', async () => {
    const options = ['+subnet=0', '+nsid', '+cookie=0123456789abcdef', '+dnssec', '+padding=128'];
    expect(await dig(option, ...options, 'post.example', 'A')).toContain(
      'EDNS: version: 0, flags: do; udp: 1232',
    );
    expect(await dig(option, '+noedns', 'post.example', 'A')).not.toContain('EDNS');
  });

  test('the question and the owner come back in the case they were asked in', async () => {
    const said = await dig(option, 'pOsT.ExAmPlE', 'A');
    expect(said).toContain(';pOsT.ExAmPlE.');
    expect(records(said)).toEqual(['pOsT.ExAmPlE. 3600 IN A 192.0.2.10']);
  });
});

test.each([['AXFR'], ['IXFR=1']])('%s transfers nothing', async (type) => {
  expect(await dig('post.example', type)).toContain('Transfer failed');
});

describe('answers too long for UDP', () => {
  const key = ['aaa._domainkey.berg.praxis.example', 'TXT'];

  test('a key fits with EDNS', async () => {
    expect(codeAndFlags(await dig('+ignore', '+bufsize=1232', ...key))).toBe('NOERROR qr aa rd');
  });

  test('without EDNS it is truncated, and whole by TCP', async () => {
    const said = await dig('+ignore', '+noedns', ...key);
    expect(codeAndFlags(said)).toBe('NOERROR qr aa tc rd');
    expect(records(said)).toEqual([]);
    expect(records(await dig('+noedns', ...sections, ...key))).toHaveLength(2);
    expect(server.stats().tcpQueries).toBe(1);
  });

  test('more than 1232 octets are truncated whatever the asker takes', async () => {
    const addresses = Array.from({ length: 80 }, (_, index) => `2001:db8::${index.toString(16)}`);
    await restartServer({ zones: sampleZones({ addresses }) });
    expect(codeAndFlags(await dig('+ignore', '+bufsize=4096', 'post.example', 'AAAA'))).toBe(
      'NOERROR qr aa tc rd',
    );
    expect(records(await dig(...sections, 'post.example', 'AAAA'))).toHaveLength(80);
  });
});

test('a resolver library finds everything', async () => {
  const resolver = new Resolver({ timeout: MINUTE, tries: 1 });
  resolver.setServers([`${host}:${port}`]);
  const key = await resolver.resolveTxt('aaa._domainkey.berg.praxis.example');
  expect(key.map((strings) => strings.join(''))).toEqual([rsaText]);
  expect(await resolver.resolveMx('in.berg.praxis.example')).toEqual([
    expect.objectContaining({ exchange: 'post.example', priority: 10 }),
  ]);
  expect(await resolver.resolve6('post.example')).toEqual(['2001:db8::10']);
  expect(await resolver.resolveSoa('post.example')).toMatchObject({
    nsname: 'ns1.post.example',
    minttl: 300,
  });
  await expect(resolver.resolveMx('berg.praxis.example')).rejects.toMatchObject({ code: 'ENODATA' });
  await expect(resolver.resolve4('tal.praxis.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(resolver.resolve4('example.org')).rejects.toMatchObject({ code: 'EREFUSED' });
});

test('it listens on IPv6', async () => {
  await restartServer({ listen: { host: '::1', port: 0 } });
  const said = await run('dig', ['@::1', '-p', String(port), '+short', 'post.example', 'A']);
  expect(said.stdout).toBe('192.0.2.10\n');
});

test('over the limit of its network a client is sent to TCP, where it is answered', async () => {
  await restartServer({ rateLimit: { burst: 2, perSecond: 0 } });
  const ask = () => dig('+ignore', 'post.example', 'A').then(codeAndFlags);
  expect([await ask(), await ask(), await ask()]).toEqual([
    'NOERROR qr aa rd',
    'NOERROR qr aa rd',
    'NOERROR qr tc rd',
  ]);
  expect(records(await dig(...sections, 'post.example', 'A'))).toHaveLength(1);
  expect(server.stats()).toMatchObject({ limited: 2, networks: 1, tcpQueries: 1 });
});

test('a registry that fails is SERVFAIL for its names, and the others are answered', async () => {
  const findToken = () => {
    throw new Error('the registry is closed');
  };
  await restartServer({ zones: sampleZones({ findToken }) });
  expect(codeAndFlags(await dig('aaa.dkim.post.example', 'TXT'))).toBe('SERVFAIL qr rd');
  expect(codeAndFlags(await dig('post.example', 'A'))).toBe('NOERROR qr aa rd');
  expect(server.stats().failed).toBe(1);
});

describe('TCP', () => {
  const open = async (): Promise<Socket> => {
    const socket = connect({ host, port });
    await once(socket, 'connect');
    return socket;
  };
  /** Everything the server sends until it ends, cut at the lengths. */
  const frames = async (socket: Socket): Promise<Buffer[]> => {
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    const octets = Buffer.concat(chunks);
    const found: Buffer[] = [];
    for (let at = 0; at < octets.length; at += 2 + octets.readUInt16BE(at))
      found.push(octets.subarray(at + 2, at + 2 + octets.readUInt16BE(at)));
    return found;
  };
  const ids = (answers: Buffer[]): number[] => answers.map((octets) => octets.readUInt16BE(0));

  test('a query may come octet by octet', async () => {
    const socket = await open();
    socket.setNoDelay(true);
    for (const octet of frame(query(7, 'post.example', 1)))
      await new Promise<void>((resolve) => socket.write(Buffer.from([octet]), () => resolve()));
    socket.end();
    expect(ids(await frames(socket))).toEqual([7]);
  });

  test('several may come at once, cut anywhere', async () => {
    const socket = await open();
    const all = Buffer.concat([1, 2, 3].map((id) => frame(query(id, 'post.example', 1))));
    socket.write(all.subarray(0, 45));
    socket.end(all.subarray(45));
    expect(ids(await frames(socket))).toEqual([1, 2, 3]);
  });

  test('thousands whose answers are not read wait, and all are answered once they are read', async () => {
    const socket = await open();
    socket.pause();
    const count = 20_000;
    const all = Array.from({ length: count }, (_, id) => frame(query(id, 'aaa.dkim.post.example', 16)));
    socket.end(Buffer.concat(all));
    await dig('+tcp', 'post.example', 'A');
    const answers = await frames(socket);
    expect(answers).toHaveLength(count);
    expect(ids(answers)).toEqual(Array.from({ length: count }, (_, id) => id));
  });

  test.each<[sentence: string, octets: Buffer]>([
    ['says it will send more than any query has', Buffer.from([0x10, 0x01])],
    ['sends no header', frame(Buffer.alloc(11))],
    ['sends nothing', frame(Buffer.alloc(0))],
    ['sends a response', frame(Buffer.from('abcd81800000000000000000', 'hex'))],
  ])('a client that %s is hung up on', async (_sentence, octets) => {
    const socket = await open();
    socket.write(octets);
    socket.resume();
    await once(socket, 'close');
    expect(codeAndFlags(await dig('+tcp', 'post.example', 'A'))).toBe('NOERROR qr aa rd');
  });

  test('a client that is silent too long is hung up on', async () => {
    await restartServer({ tcpIdleMs: 20 });
    const socket = await open();
    socket.resume();
    await once(socket, 'close');
    expect(server.stats().tcpQueries).toBe(0);
  });

  test('ten connections of one address are held; one more takes the place of the one silent longest', async () => {
    const held = [];
    for (let index = 0; index < 10; index += 1) held.push(await open());
    const [first, second] = held;
    if (!first || !second) throw new Error('none are open');
    const answered = once(first, 'data');
    first.write(frame(query(1, 'post.example', 1)));
    await answered;
    const cut = once(second.on('error', () => {}).resume(), 'close');
    const late = await open();
    await cut;
    expect(server.stats().connections).toBe(10);
    for (const [id, socket] of [first, late].entries()) {
      socket.end(frame(query(id, 'post.example', 1)));
      expect(ids(await frames(socket))).toEqual([id]);
    }
    for (const socket of held) socket.destroy();
  });

  test('a hundred are held of all addresses, and who comes then is let in', async () => {
    const from = async (localAddress: string): Promise<Socket> => {
      const socket = connect({ host, port, localAddress }).on('error', () => {});
      await once(socket, 'connect');
      return socket.resume();
    };
    const held: Socket[] = [];
    for (let address = 1; address <= 10; address += 1)
      for (let count = 0; count < 10; count += 1) held.push(await from(`127.0.1.${address}`));
    const cut = once(held[0] as Socket, 'close');
    expect(codeAndFlags(await dig('+tcp', 'post.example', 'A'))).toBe('NOERROR qr aa rd');
    await cut;
    expect(server.stats().connections).toBeLessThanOrEqual(100);
    expect(held.slice(1).filter((socket) => socket.destroyed)).toEqual([]);
    for (const socket of held) socket.destroy();
  });

  test('stopping cuts what is open', async () => {
    const socket = await open();
    socket.write(frame(query(1, 'post.example', 1)));
    await once(socket, 'data');
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    await server.stop();
    await closed;
    expect(server.stats().connections).toBe(0);
  });
});

describe('the port', () => {
  test('is taken for UDP and TCP, and free again after stopping', async () => {
    await restartServer({ listen: { host, port: await freePort() } });
    const other = createDnsServer({ listen: { host, port }, zones: sampleZones(), log: createLog('silent') });
    await expect(other.start()).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await server.stop();
    expect(await other.start()).toEqual({ port });
    await other.stop();
  });

  test('taken for TCP only leaves nothing behind', async () => {
    const tcp = createServer();
    const listen = { host, port: await freePort() };
    tcp.listen(listen);
    await once(tcp, 'listening');
    const other = createDnsServer({ listen, zones: sampleZones(), log: createLog('silent') });
    await expect(other.start()).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const udp = createSocket('udp4');
    udp.bind(listen.port, host);
    await once(udp, 'listening');
    udp.close();
    tcp.close();
  });
});
