// Names that lead to the internet when they are looked at, and inside when they are used: nothing may arrive there.
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { createConnections } from '#src/kernel/outbound/connections.ts';
import { createOutbound } from '#src/kernel/outbound/create-outbound.ts';
import { exchange } from '#src/kernel/outbound/exchange.ts';
import { readTarget } from '#src/kernel/outbound/target.ts';
import { inEnglish, said } from '#src/kernel/say.ts';
import { type HttpsReceiver, startHttpsReceiver } from '#test/support/https-receiver.ts';
import { type Question, type ScriptedDns, startScriptedDns } from './scripted-dns.ts';

/** Of this machine, and nobody else's in these tests. */
const INSIDE = '127.66.0.1';
const PUBLIC = '93.184.215.14';
const INTERNAL = { kind: 'failed', error: 'the URL points to an internal network', timedOut: false };

let inside: Server;
let arrived = 0;
const stops: (() => unknown)[] = [];
beforeEach(async () => {
  arrived = 0;
  inside = createServer((socket) => {
    arrived += 1;
    socket.destroy();
  }).listen(8443, INSIDE);
  await once(inside, 'listening');
  stops.push(() => inside.close());
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const dnsOf = async (answer: Parameters<typeof startScriptedDns>[0]): Promise<ScriptedDns> => {
  const dns = await startScriptedDns(answer);
  stops.push(dns.stop);
  return dns;
};
const outboundWith = (dns: ScriptedDns, allow: readonly string[] = [], ca?: string) => {
  const outbound = createOutbound({
    allow: () => allow,
    allowHttp: () => true,
    timeout: () => 60_000,
    ownOrigin: 'https://mail.service.example.com',
    lookup: createDnsLookup([dns.address], { tryMs: 60_000 }),
    ...(ca === undefined ? {} : { ca }),
  });
  stops.push(() => outbound.stop());
  return outbound;
};
const request = (url: string) => ({ url, headers: {}, body: '{}', owner: 'a' });

describe('a name that leads inside', () => {
  const a = (data: string) => ({ type: 'A', data }) as const;
  const aaaa = (data: string) => ({ type: 'AAAA', data }) as const;
  test.each([
    ['by its only address', ({ type }: Question) => (type === 'A' ? [a(INSIDE)] : [])],
    ['by one of two addresses', ({ type }: Question) => (type === 'A' ? [a(PUBLIC), a(INSIDE)] : [])],
    ['by the first of two', ({ type }: Question) => (type === 'A' ? [a(INSIDE), a(PUBLIC)] : [])],
    [
      'by a mapped address',
      ({ type }: Question) => (type === 'A' ? [a(PUBLIC)] : [aaaa(`::ffff:${INSIDE}`)]),
    ],
    ['by a mapped address alone', ({ type }: Question) => (type === 'A' ? [] : [aaaa(`::ffff:${INSIDE}`)])],
    ['by IPv6', ({ type }: Question) => (type === 'A' ? [a(PUBLIC)] : [aaaa('::1')])],
    [
      'by an alias',
      ({ type, name }: Question) =>
        type === 'A'
          ? [
              { type: 'CNAME', data: 'db.internal' } as const,
              { type: 'A', name: 'db.internal', data: INSIDE } as const,
            ]
          : [{ type: 'CNAME', name, data: 'db.internal' } as const],
    ],
  ])('%s: no connection arrives', async (_how, answer) => {
    const outbound = outboundWith(await dnsOf(answer));
    for (const url of ['https://rebind.example.com:8443/', 'https://rebind.example.com.:8443/a']) {
      expect(await outbound.refusalOf(url)).toMatchObject({ message: said('points to an internal network') });
      expect(await outbound.post(request(url))).toEqual(INTERNAL);
    }
    expect(arrived).toBe(0);
  });

  test('only after it was looked at: no connection arrives', async () => {
    const dns = await dnsOf(({ type, nth }) => (type === 'A' ? [a(nth === 1 ? PUBLIC : INSIDE)] : []));
    const outbound = outboundWith(dns);
    const url = 'https://rebind.example.com:8443/';
    expect(await outbound.refusalOf(url)).toBeNull();
    expect(await outbound.post(request(url))).toEqual(INTERNAL);
    expect(arrived).toBe(0);
  });

  test('the listener would have been reached otherwise', async () => {
    const outbound = outboundWith(await dnsOf(({ type }) => (type === 'A' ? [a(INSIDE)] : [])), [INSIDE]);
    await outbound.post(request('https://rebind.example.com:8443/'));
    expect(arrived).toBeGreaterThan(0);
  });
});

describe('a name that changes', () => {
  let receiver: HttpsReceiver;
  beforeEach(async () => {
    receiver = await startHttpsReceiver();
    stops.push(() => receiver.stop());
  });

  test('between check and connection is not asked again: the connection goes to what was checked', async () => {
    const dns = await dnsOf(({ type, nth }) =>
      type === 'A' ? [{ type: 'A', data: nth === 1 ? '127.0.0.1' : INSIDE }] : [],
    );
    const outbound = outboundWith(dns, ['127.0.0.1'], receiver.ca);
    const url = receiver.url('/hook?a=1', 'hooks.example');
    expect(await outbound.post(request(url))).toMatchObject({ kind: 'answered', status: 200 });
    expect(dns.asked.filter((line) => line.startsWith('A '))).toEqual(['A hooks.example']);
    const [received] = await receiver.received(1);
    expect(received).toMatchObject({ method: 'POST', path: '/hook?a=1' });
    expect(received?.headers.host).toBe(`hooks.example:${receiver.port}`);
  });

  test('is asked again for each new connection', async () => {
    const dns = await dnsOf(({ type, nth }) =>
      type === 'A' ? [{ type: 'A', data: nth === 1 ? '127.0.0.1' : INSIDE }] : [],
    );
    const outbound = outboundWith(dns, ['127.0.0.1'], receiver.ca);
    const url = receiver.url('/', 'hooks.example');
    receiver.setAnswer({ headers: { Connection: 'close' } });
    expect(await outbound.post(request(url))).toMatchObject({ kind: 'answered' });
    expect(await outbound.post(request(url))).toEqual(INTERNAL);
    expect(receiver.count).toBe(1);
  });

  test.each(['https', 'http'] as const)(
    'were the lookup wrong, the connection is looked at before its first byte (%s)',
    async (scheme) => {
      const heard: Buffer[] = [];
      const server = createServer((socket) => {
        socket.on('data', (chunk) => heard.push(chunk));
        socket.on('error', () => {});
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      const gone = once(server, 'connection').then(([socket]) => once(socket, 'close'));
      const connections = createConnections(undefined, {
        kindOf: () => 'internal',
        refusalOf: () => null,
        lookUp: async () => null,
        addressesOf: async () => ['127.0.0.1'],
      });
      const target = readTarget(`${scheme}://wrong.example.com:${address.port}/`, {
        allowHttp: true,
        allowsSome: true,
        ownHost: '',
      });
      if ('refusal' in target) throw new Error(inEnglish(target.refusal.message));
      const options = { ...connections.optionsFor(target), agent: connections.fresh(target.isSecure) };
      const sent = exchange(target, request(''), options, AbortSignal.timeout(60_000));
      await expect(sent).rejects.toThrow('the URL points to an internal network');
      await gone;
      expect(Buffer.concat(heard).toString('latin1')).toBe('');
      expect(connections.open).toBe(0);
      server.close();
    },
  );
});
