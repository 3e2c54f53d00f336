// What receivers do, each kind once: what came of it, that the connection is gone, and that it cost nothing else.
// @module-tag slow
import { rootCertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDnsLookup, type Lookup } from '#src/kernel/dns-lookup.ts';
import { createOutbound, type OutboundDeps } from '#src/kernel/outbound/create-outbound.ts';
import type { Outbound, OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import { type Certificate, createCertificate, createExpiredCertificate } from '#test/support/certificate.ts';
import {
  type Answer,
  type HttpsReceiver,
  type HttpsReceiverOptions,
  receiverCertificate,
  startHttpsReceiver,
} from '#test/support/https-receiver.ts';
import { startScriptedDns } from './scripted-dns.ts';

/** No answer of this machine takes so long. */
const TIMEOUT_MS = 60_000;

const lookup = {
  addresses: async (name: string): Promise<Lookup<string>> => {
    if (name.endsWith('hooks.example')) return { kind: 'found', records: ['127.0.0.1'] };
    if (name === 'empty.example') return { kind: 'none', nameExists: true };
    if (name === 'broken.example') return { kind: 'failed', reason: 'servfail' };
    return { kind: 'none', nameExists: false };
  },
};
const outboundWith = (deps: Partial<OutboundDeps> = {}): Outbound =>
  createOutbound({
    allow: () => ['127.0.0.0/8', '::1'],
    allowHttp: () => true,
    timeout: () => TIMEOUT_MS,
    ownOrigin: 'https://mail.service.example.com',
    ca: receiverCertificate().certificate,
    lookup,
    ...deps,
  });
const post = (outbound: Outbound, url: string, owner = 'a', body = '{"a":"ü"}'): Promise<OutboundOutcome> =>
  outbound.post({ url, headers: { 'Content-Type': 'application/json', 'webhook-id': 'x' }, body, owner });

const answered = (status: number, excerpt = '', retryAfter: number | null = null): OutboundOutcome => ({
  kind: 'answered',
  status,
  excerpt,
  retryAfter,
});
const failed = (error: string, timedOut = false): OutboundOutcome => ({ kind: 'failed', error, timedOut });
const SILENT = failed('no answer within the time', true);

let outbound: Outbound;
/** For receivers that never answer. */
let impatient: Outbound;
let receiver: HttpsReceiver;
beforeEach(async () => {
  outbound = outboundWith();
  impatient = outboundWith({ timeout: () => 500 });
  receiver = await startHttpsReceiver();
});
afterEach(async () => {
  outbound.stop();
  impatient.stop();
  await receiver.noConnection();
  await receiver.stop();
});

function* bytesOf(text: string): Generator<string> {
  yield* text;
}
function* repeated(text: string, times: number): Generator<string> {
  for (let index = 0; index < times; index += 1) yield text;
}
const HEAD = 'HTTP/1.1 200 OK\r\n';

describe('an answer', () => {
  test('is what the receiver said to exactly what was sent', async () => {
    receiver.setAnswer({ status: 202, body: 'thanks' });
    expect(await post(outbound, receiver.url('/a/b?c=%20d'))).toEqual(answered(202, 'thanks'));
    const { method, path, headers, body } = await receiver.next();
    expect([method, path, body.toString()]).toEqual(['POST', '/a/b?c=%20d', '{"a":"ü"}']);
    expect(headers).toMatchObject({
      host: `127.0.0.1:${receiver.port}`,
      'content-type': 'application/json',
      'content-length': '10',
      'accept-encoding': 'identity',
      'webhook-id': 'x',
    });
    expect(headers).not.toHaveProperty('transfer-encoding');
  });

  test.each<[string, Answer, OutboundOutcome]>([
    ['without a body', { status: 204 }, answered(204)],
    ['of a receiver that fails', { status: 500, body: 'oops\n  at line 3' }, answered(500, 'oops at line 3')],
    ['that it is gone', { status: 410 }, answered(410)],
    ['with a redirect', { status: 302, headers: { Location: 'https://127.0.0.1/' } }, answered(302)],
    ['with a lasting redirect', { status: 308, headers: { Location: '/other' } }, answered(308)],
    ['with seconds to wait', { status: 429, headers: { 'Retry-After': '120' } }, answered(429, '', 120_000)],
    [
      'with years to wait',
      { status: 503, headers: { 'Retry-After': '99999999' } },
      answered(503, '', 86_400_000),
    ],
    [
      'with a date that is past',
      { status: 503, headers: { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' } },
      answered(503, '', 0),
    ],
    ['with a wait nobody can read', { status: 503, headers: { 'Retry-After': '-1' } }, answered(503)],
    [
      'with controls and bidi',
      { body: 'a\u0000\u001b[31mb\u202ec\r\nd\u2028e' },
      answered(200, 'a [31mb c d e'),
    ],
    [
      'with octets that are no text',
      { body: Buffer.from([0x61, 0xff, 0xfe, 0x62]) },
      answered(200, 'a\ufffd\ufffdb'),
    ],
    ['cut within a character', { body: `${'a'.repeat(1_023)}ü` }, answered(200, 'a'.repeat(1_023))],
    ['longer than is kept', { body: 'ü'.repeat(4_000) }, answered(200, 'ü'.repeat(512))],
    ['with a mebibyte', { body: 1_024 ** 2 }, answered(200, 'x'.repeat(1_024))],
    ['packed all the same', { headers: { 'Content-Encoding': 'gzip' }, body: 'garbage' }, answered(200)],
    ['without a length', { raw: [`${HEAD}\r\n`, 'until the end'] }, answered(200, 'until the end')],
    ['that breaks off in the body', { body: 'begun', ending: 'reset' }, answered(200, 'begun')],
    ['whose body never comes', { ending: 'hang' }, answered(200)],
    ['whose body never ends', { body: 'begun', ending: 'hang' }, answered(200, 'begun')],
    [
      'whose body comes byte by byte',
      { raw: [`${HEAD}Content-Length: 9999\r\n\r\n`, ...bytesOf('abcdefgh'.repeat(500))], everyMs: 100 },
      answered(200, expect.stringMatching(/^a/) as unknown as string),
    ],
    [
      'of which headers come byte by byte',
      { raw: bytesOf(`${HEAD}Content-Length: 2\r\n\r\nhi`), everyMs: 1 },
      answered(200, 'hi'),
    ],
    [
      'after interim ones',
      {
        raw: [
          'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
          `${HEAD}Content-Length: 0\r\n\r\n`,
        ],
      },
      answered(200),
    ],
  ])('%s', async (_what, answer, outcome) => {
    receiver.setAnswer(answer);
    expect(await post(outbound, receiver.url('/'))).toEqual(outcome);
    expect(receiver.count).toBe(1);
  });
});

describe('no answer', () => {
  test.each<[string, Answer, OutboundOutcome]>([
    ['ever', 'hang', SILENT],
    ['but a reset', 'reset', failed('the connection was closed without an answer')],
    ['but the end', 'close', failed('the connection was closed without an answer')],
    ['whole in time: byte by byte', { raw: repeated('H', 1), ending: 'hang' }, SILENT],
    [
      'whole in time: headers without end',
      { raw: [HEAD, ...repeated('a: b\r\n', 400)], everyMs: 10, ending: 'hang' },
      SILENT,
    ],
    [
      'with an end to its headers',
      { raw: [HEAD, ...repeated(`x: ${'y'.repeat(1_000)}\r\n`, 100)] },
      failed('the headers of the answer are too long'),
    ],
    [
      'but interim ones',
      { raw: repeated('HTTP/1.1 103 Early Hints\r\n\r\n', 100_000) },
      failed('the answer never comes to its status'),
    ],
    [
      'but another protocol',
      {
        raw: ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
        ending: 'hang',
      },
      failed('the answer changes the protocol'),
    ],
    ['that is HTTP', { raw: ['220 smtp.example.com ESMTP\r\n'] }, failed('the answer is not HTTP')],
    [
      'that one can trust to have an end',
      { raw: [HEAD, 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'] },
      failed('the answer is not HTTP'),
    ],
  ])('%s', async (_what, answer, outcome) => {
    receiver.setAnswer(answer);
    expect(await post(outcome === SILENT ? impatient : outbound, receiver.url('/'))).toEqual(outcome);
    await receiver.noConnection();
  });

  test.each(['reset', 'hang'] as const)('from a connection that meets a %s', async (how) => {
    receiver.setConnect(how);
    const isSilent = how === 'hang';
    const outcome = isSilent ? SILENT : failed('the connection was closed without an answer');
    expect(await post(isSilent ? impatient : outbound, receiver.url('/'))).toEqual(outcome);
  });

  test('from a receiver that does not read what it is sent', async () => {
    receiver.stopReading();
    receiver.setAnswer('hang');
    expect(await post(impatient, receiver.url('/'), 'a', 'x'.repeat(4_000_000))).toEqual(SILENT);
    // It does not hear of the end either.
    receiver.dropAll();
  });

  test('where no server listens', async () => {
    const { port } = receiver;
    await receiver.stop();
    expect(await post(outbound, `https://127.0.0.1:${port}/`)).toEqual(failed('the connection was refused'));
  });

  test.each([
    ['https://nowhere.example/', 'the host name does not exist'],
    ['https://empty.example/', 'the host name has no address'],
    ['https://broken.example/', 'the host name could not be looked up'],
  ])('from %s: %s', async (url, error) => {
    expect(await post(outbound, url)).toEqual(failed(error));
  });

  test('from a name whose servers are silent, in the same time', async () => {
    const dns = await startScriptedDns(() => null);
    const silent = outboundWith({ lookup: createDnsLookup([dns.address]), timeout: () => 500 });
    expect(await post(silent, 'https://silent.example.com/')).toEqual(SILENT);
    silent.stop();
    await dns.stop();
  });

  test('because of a header that cannot be sent, without a word on the wire', async () => {
    const headers = { 'X-A': 'a\r\nb' };
    const outcome = await outbound.post({ url: receiver.url('/'), headers, body: '', owner: 'a' });
    expect(outcome).toEqual(failed('the request could not be sent'));
    expect(receiver.count).toBe(0);
  });
});

describe('a certificate', () => {
  const names = ['127.0.0.1', 'localhost'];
  const cases: readonly [string, () => Certificate, trusted: boolean, HttpsReceiverOptions['tls'], string][] =
    [
      [
        'that nobody vouches for',
        () => createCertificate(names),
        false,
        {},
        'the certificate is self-signed',
      ],
      ['that has expired', () => createExpiredCertificate(names), true, {}, 'the certificate has expired'],
      [
        'for another name',
        () => createCertificate(['elsewhere.example']),
        true,
        {},
        'the certificate is for another host name',
      ],
      [
        'with a TLS of yesterday',
        receiverCertificate,
        true,
        { maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
        'TLS 1.2 or later could not be agreed on',
      ],
    ];
  test.each(cases)('%s: nothing is sent', async (_what, make, isTrusted, tls = {}, error) => {
    const certificate = make();
    const other = await startHttpsReceiver({ certificate, tls });
    const strict = outboundWith(isTrusted ? { ca: certificate.certificate } : {});
    expect(await post(strict, other.url('/'))).toEqual(failed(error));
    await other.noConnection();
    expect(other.count).toBe(0);
    strict.stop();
    await other.stop();
  });

  test('is looked at also where the environment says otherwise', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const strict = outboundWith({ ca: rootCertificates[0] ?? '' });
      expect(await post(strict, receiver.url('/'))).toEqual(failed('the certificate is self-signed'));
      strict.stop();
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  test('is compared with the name that was asked for', async () => {
    const url = receiver.url('/', 'a.hooks.example');
    expect(await post(outbound, url)).toEqual(answered(200));
    expect((await receiver.next()).headers.host).toBe(`a.hooks.example:${receiver.port}`);
    const deeper = receiver.url('/', 'a.b.hooks.example');
    expect(await post(outbound, deeper)).toEqual(failed('the certificate is for another host name'));
  });
});

test('the receiver gets the name that is asked for (SNI), and never an address', async () => {
  const told: string[] = [];
  const SNICallback: NonNullable<HttpsReceiverOptions['tls']>['SNICallback'] = (name, callback) => {
    told.push(name);
    callback(null);
  };
  const other = await startHttpsReceiver({ tls: { SNICallback } });
  for (const host of ['a.hooks.example', '127.0.0.1']) await post(outbound, other.url('/', host));
  expect([other.count, told]).toEqual([2, ['a.hooks.example']]);
  await other.stop();
});

describe('without TLS', () => {
  let plain: HttpsReceiver;
  beforeAll(async () => {
    plain = await startHttpsReceiver({ plain: true });
  });
  afterAll(() => plain.stop());

  test('where it is allowed', async () => {
    expect(await post(outbound, plain.url('/'))).toEqual(answered(200));
  });

  test('TLS with one that speaks none', async () => {
    const url = `https://127.0.0.1:${plain.port}/`;
    expect(await post(outbound, url)).toEqual(failed('TLS 1.2 or later could not be agreed on'));
  });
});

describe('connections', () => {
  test('are used again by their owner, and by no other', async () => {
    for (const owner of ['a', 'a', 'b', 'a', 'b']) await post(outbound, receiver.url('/'), owner);
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 2, 1, 2]);
  });

  test('are not used again after an answer that was not read to its end', async () => {
    receiver.answerNext({ body: 1_024 ** 2 }, { body: 'begun', ending: 'hang' });
    for (const _ of [1, 2, 3]) expect(await post(outbound, receiver.url('/'))).toMatchObject({ status: 200 });
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 2, 3]);
  });

  test('that were closed when they are used again cost nothing', async () => {
    await post(outbound, receiver.url('/'));
    receiver.answerNext('reset', { status: 201 });
    expect(await post(outbound, receiver.url('/'))).toEqual(answered(201));
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  test('a receiver that resets each time is asked no more than once again', async () => {
    await post(outbound, receiver.url('/'));
    receiver.setAnswer('reset');
    expect(await post(outbound, receiver.url('/'))).toEqual(
      failed('the connection was closed without an answer'),
    );
    expect(receiver.count).toBe(3);
  });

  test('end with the service, and exchanges in flight with them', async () => {
    await post(outbound, receiver.url('/'));
    receiver.setAnswer('hang');
    const waiting = [post(outbound, receiver.url('/')), post(outbound, receiver.url('/'), 'b')];
    await receiver.received(3);
    outbound.stop();
    expect(await Promise.all(waiting)).toEqual([
      failed('the service was stopping'),
      failed('the service was stopping'),
    ]);
    await receiver.noConnection();
    expect(await post(outbound, receiver.url('/'))).toEqual(failed('the service was stopping'));
    expect(receiver.count).toBe(3);
  });

  test('after many failures none is left, and no timer', async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    receiver.setAnswer('reset');
    for (let index = 0; index < 60; index += 1) await post(outbound, receiver.url('/'), `owner ${index}`);
    await receiver.noConnection();
    const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    expect(after).toBeLessThan(before + 10);
  });
});

test.each([
  ['a gibibyte', `Content-Length: ${1_024 ** 3}`, 'x'.repeat(65_536)],
  ['an answer without end', 'Transfer-Encoding: chunked', `10000\r\n${'x'.repeat(65_536)}\r\n`],
])('of %s the beginning is read, and then the connection is closed', async (_what, header, piece) => {
  let sent = 0;
  function* pieces(): Generator<string> {
    yield `${HEAD}${header}\r\n\r\n`;
    for (; ; sent += 1) yield piece;
  }
  receiver.setAnswer(() => ({ raw: pieces() }));
  const all = await Promise.all(Array.from({ length: 20 }, () => post(outbound, receiver.url('/'))));
  expect(all).toEqual(all.map(() => answered(200, 'x'.repeat(1_024))));
  await receiver.noConnection();
  // What the sockets of both sides hold is some megabytes for each connection.
  expect(sent).toBeLessThan(20 * 64);
});

test('a slow receiver delays no other one', async () => {
  const slow = await startHttpsReceiver({ answer: 'hang' });
  const late = Array.from({ length: 50 }, (_, index) => post(outbound, slow.url('/'), `slow ${index % 5}`));
  await slow.received(50);
  const all = await Promise.all(Array.from({ length: 20 }, () => post(outbound, receiver.url('/'))));
  expect(all.every((outcome) => outcome.kind === 'answered')).toBe(true);
  expect(slow.connections.open).toBe(50);
  outbound.stop();
  expect(new Set((await Promise.all(late)).map(({ kind }) => kind))).toEqual(new Set(['failed']));
  await slow.noConnection();
  await slow.stop();
});
