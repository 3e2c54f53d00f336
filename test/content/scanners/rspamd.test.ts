// Tests with Debian's rspamd, and with servers that give invalid answers.

import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createRspamdScanner, type RspamdScanner, readRspamdAnswer } from '#src/content/scanners/rspamd.ts';
import { freePort } from '#test/support/process.ts';
import { GTUBE, RSPAMD_START_MS, type Rspamd, startRspamd } from '#test/support/rspamd.ts';
import { scanned, testGuard } from './scanned.ts';

const FAILED = { state: 'failed', action: null, score: null, required: null, symbols: [] };

const scannerAt = (url: string, options: { timeout?: number; places?: number } = {}): RspamdScanner => {
  const scanner = createRspamdScanner(url, 'mail.example.com', testGuard(options));
  onTestFinished(() => scanner.stop());
  return scanner;
};

interface Seen {
  readonly request: http.IncomingMessage;
  readonly body: Buffer;
}

/** A server in rspamd's place, which records its requests. */
const serverThat = async (answer: (response: http.ServerResponse, seen: Seen) => void) => {
  const asked: Seen[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const seen = { request, body: Buffer.concat(chunks) };
    asked.push(seen);
    answer(response, seen);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address() as net.AddressInfo;
  return { url: `http://127.0.0.1:${address.port}`, asked, server };
};

const GOOD = JSON.stringify({ score: 1, required_score: 15, action: 'no action', symbols: {} });
const good = (response: http.ServerResponse) => response.end(GOOD);

describe('the real one', { tags: 'debian/rspamd' }, () => {
  let rspamd: Rspamd;
  beforeAll(async () => {
    rspamd = await startRspamd();
  }, RSPAMD_START_MS);
  afterAll(() => rspamd.stop());

  test('finds nothing in an appointment', async () => {
    const report = await scannerAt(rspamd.url).scan(scanned());
    expect(report).toMatchObject({ state: 'ok', action: 'no action', required: 15 });
    expect(report.score).toBeLessThan(3);
  });

  test('rejects the test string of spam filters', async () => {
    expect(await scannerAt(rspamd.url).scan(scanned({ body: GTUBE }))).toMatchObject({
      state: 'ok',
      action: 'reject',
    });
  });

  test('checks outbound mail: the checks of incoming mail are left out', async () => {
    const { symbols } = await scannerAt(rspamd.url).scan(scanned({ sender: 'bounce@spam.example' }));
    expect(symbols).toContain('FORGED_SENDER');
    for (const symbol of symbols) expect(symbol).not.toMatch(/^(?:R_SPF|R_DKIM|DMARC|HFILTER|RBL)/);
  });

  test('takes addresses with umlauts, and fifty of them', async () => {
    const recipients = Array.from({ length: 50 }, (_, index) => `jürgen.müller-${index}@example.org`);
    const content = scanned({ sender: 'grüße@send.example.com', recipients });
    expect(await scannerAt(rspamd.url).scan(content)).toMatchObject({ state: 'ok' });
  });

  test('answers a probe', async () => {
    const guard = testGuard();
    const scanner = createRspamdScanner(rspamd.url, 'mail.example.com', guard);
    await scanner.probe();
    expect(guard.health()).toMatchObject({ state: 'ok', failures: 0 });
    scanner.stop();
  });

  test('is asked again after an outage', async () => {
    const scanner = scannerAt(rspamd.url);
    const { port } = rspamd;
    expect(await scanner.scan(scanned())).toMatchObject({ state: 'ok' });
    await rspamd.stop();
    expect(await scanner.scan(scanned())).toEqual(FAILED);
    rspamd = await startRspamd({ port });
    expect(await scanner.scan(scanned())).toMatchObject({ state: 'ok' });
  });
});

describe('a question', () => {
  test('has the message and its envelope', async () => {
    const { url, asked } = await serverThat(good);
    const content = scanned({ recipients: ['a@example.org', 'b@example.org', 'ü@example.org'] });
    const composed = content.composed();
    await scannerAt(url).scan({ ...content, composed: () => composed });
    const [{ request, body } = { request: null, body: null }] = asked;
    expect(body).toEqual(composed);
    expect([request?.method, request?.url]).toEqual(['POST', '/checkv2']);
    const raw = (request?.rawHeaders ?? []).map((text) => Buffer.from(text, 'latin1').toString());
    const fields = raw.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${raw[index + 1]}`] : []));
    expect(fields).toEqual(
      expect.arrayContaining([
        'From: praxis@send.example.com',
        'Rcpt: a@example.org',
        'Rcpt: b@example.org',
        'Rcpt: ü@example.org',
        `User: ${content.tenantId}`,
        'Ip: 127.0.0.1',
        'Helo: mail.example.com',
        'Settings-ID: outbound',
        expect.stringMatching(/^Queue-Id: [\w-]{10,}$/),
      ]),
    );
  });

  test('keeps the path of the URL', async () => {
    const { url, asked } = await serverThat(good);
    await scannerAt(`${url}/rspamd`).scan(scanned());
    expect(asked[0]?.request.url).toBe('/rspamd/checkv2');
  });

  test('reuses the connection', async () => {
    const { url, asked } = await serverThat(good);
    const scanner = scannerAt(url);
    for (let round = 0; round < 3; round += 1) await scanner.scan(scanned());
    expect(new Set(asked.map(({ request }) => request.socket.remotePort)).size).toBe(1);
  });

  test('is repeated if the reused connection was closed', async () => {
    const sockets: net.Socket[] = [];
    let isFirst = true;
    const server = net.createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => {
        if (sockets.length > 1 || isFirst)
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${GOOD.length}\r\n\r\n${GOOD}`);
        else socket.resetAndDestroy();
        isFirst = false;
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const scanner = scannerAt(`http://127.0.0.1:${(server.address() as net.AddressInfo).port}`);
    expect(await scanner.scan(scanned())).toMatchObject({ state: 'ok' });
    expect(await scanner.scan(scanned())).toMatchObject({ state: 'ok' });
    expect(sockets).toHaveLength(2);
  });

  test('with large content is composed only in its turn', async () => {
    const held: http.ServerResponse[] = [];
    const { url } = await serverThat((response) => held.push(response));
    const scanner = scannerAt(url, { places: 8 });
    let composed = 0;
    const large = {
      ...scanned({ attachments: [{ filename: 'a.pdf', content: Buffer.alloc(3 * 1_024 * 1_024) }] }),
      composed: () => {
        composed += 1;
        return Buffer.from('x');
      },
    };
    const asked = Array.from({ length: 6 }, () => scanner.scan(large));
    const small = scanner.scan(scanned());
    await expect.poll(() => held.length).toBe(3);
    expect(composed).toBe(2);
    await expect
      .poll(() => {
        for (const response of held.splice(0)) good(response);
        return composed;
      })
      .toBe(6);
    const answer = setInterval(() => held.splice(0).forEach(good), 5);
    await Promise.all([...asked, small]);
    clearInterval(answer);
  });
});

describe('an invalid answer', () => {
  test.each<[says: string, answer: (response: http.ServerResponse) => void, timeout?: number]>([
    ['an error with any content', (response) => response.writeHead(500).end(GOOD)],
    ['no JSON', (response) => response.end('<html>')],
    ['nothing', (response) => response.end()],
    ['one of two megabytes', (response) => response.end(`${GOOD}${' '.repeat(2_097_152)}`)],
    ['half of one', (response) => response.writeHead(200, { 'Content-Length': 99 }).write('{"score":'), 500],
    ['a connection that is cut', (response) => response.destroy()],
    ['silence', () => undefined, 500],
  ])('%s: it has failed', async (_, answer, timeout = 60_000) => {
    const { url } = await serverThat(answer);
    expect(await scannerAt(url, { timeout }).scan(scanned())).toEqual(FAILED);
  });

  test('a redirection is not followed', async () => {
    const other = await serverThat(good);
    const { url } = await serverThat((response) => {
      response.writeHead(307, { Location: `${other.url}/checkv2` }).end();
    });
    expect(await scannerAt(url).scan(scanned())).toEqual(FAILED);
    expect(other.asked).toHaveLength(0);
  });

  test('no server', async () => {
    expect(await scannerAt(`http://127.0.0.1:${await freePort()}`).scan(scanned())).toEqual(FAILED);
  });
});

test('a message that cannot be composed is skipped and is no failure of the scanner', async () => {
  const { url, asked } = await serverThat(good);
  const scanner = scannerAt(url);
  const composed = () => {
    throw new Error('not ASCII');
  };
  for (let time = 0; time < 10; time += 1)
    expect(await scanner.scan(scanned({ composed }))).toMatchObject({ state: 'skipped', action: null });
  expect(asked).toHaveLength(0);
  expect(await scanner.scan(scanned())).toMatchObject({ state: 'ok' });
});

const read = (answer: unknown) => readRspamdAnswer(JSON.stringify(answer));
const usual = { is_skipped: false, score: 1.2, required_score: 15, action: 'no action', symbols: {} };

test('an answer of rspamd 3.4 to an ordinary message', () => {
  const text =
    '{"is_skipped":false,"score":1.200000,"required_score":15.0,"action":"no action","symbols":{"FROM_HAS_DN":{"name":"FROM_HAS_DN","score":0.0,"metric_score":0.0,"description":"From header has a display name"},"FORGED_SENDER":{"name":"FORGED_SENDER","score":0.300000,"metric_score":0.300000,"options":["praxis@send.example.com","a@send.example.com"]},"MIME_GOOD":{"name":"MIME_GOOD","score":-0.100000,"metric_score":-0.100000,"options":["text/plain"]},"DATE_IN_PAST":{"name":"DATE_IN_PAST","score":1.0,"metric_score":1.0,"options":["32"]}},"messages":{},"message-id":"preview@send.example.com","time_real":0.003004,"milter":{"remove_headers":{"X-Spam":0}}}';
  expect(readRspamdAnswer(text)).toEqual({
    state: 'ok',
    action: 'no action',
    score: 1.2,
    required: 15,
    symbols: ['DATE_IN_PAST', 'FORGED_SENDER'],
  });
});

test('the answer to the test string of spam filters is a rejection before scanning', () => {
  const text =
    '{"is_skipped":true,"score":15.0,"required_score":15.0,"action":"reject","symbols":{"GTUBE":{"name":"GTUBE","score":0.0,"metric_score":0.0}},"messages":{"smtp_message":"Gtube pattern"},"message-id":"preview@send.example.com","time_real":0.084576}';
  expect(readRspamdAnswer(text)).toMatchObject({ state: 'ok', action: 'reject', score: 15 });
});

describe('what is read', () => {
  const skipped = { state: 'skipped', action: null, score: null, required: null, symbols: [] };
  const symbols = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`RULE_${index}`, { score: index }]),
  );
  test.each<[says: string, answer: object, expected: object]>([
    ['a message it skipped', { is_skipped: true }, skipped],
    ['one it skipped, with its score', { ...usual, is_skipped: true }, skipped],
    ['actions of two words', { ...usual, action: 'rewrite subject' }, { action: 'rewrite subject' }],
    ['no threshold', { ...usual, required_score: undefined }, { required: null }],
    ['no symbols', { ...usual, symbols: undefined }, { symbols: [] }],
    [
      'the ten strongest symbols',
      { ...usual, symbols },
      { symbols: [29, 28, 27, 26, 25, 24, 23, 22, 21, 20].map((index) => `RULE_${index}`) },
    ],
    [
      'names of symbols that are such',
      { ...usual, symbols: { 'erika@example.org': { score: 3 }, '<b>': { score: 2 }, OK_1: { score: 1 } } },
      { symbols: ['OK_1'] },
    ],
  ])('%s', (_, answer, expected) => {
    expect(read(answer)).toMatchObject(expected);
  });
});

test.each<[says: string, text: string]>([
  ['no JSON', 'Bad request'],
  ['a list', '[]'],
  ['nothing in it', '{}'],
  ['no action', JSON.stringify({ ...usual, action: undefined })],
  ['no score', JSON.stringify({ ...usual, score: undefined })],
  ['a score that is text', JSON.stringify({ ...usual, score: '1' })],
  ['an action with an address', JSON.stringify({ ...usual, action: 'reject erika@example.org' })],
  ['an error', '{"error":"cannot find worker"}'],
])('%s is no answer', (_, text) => {
  expect(() => readRspamdAnswer(text)).toThrow();
});
