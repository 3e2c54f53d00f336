// Tests with Debian's clamd, and with servers that give invalid answers.
import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createClamdScanner } from '#src/content/scanners/clamd.ts';
import { type Clamd, EICAR, EICAR_NAME, startClamd } from '#test/support/clamd.ts';
import { freePort } from '#test/support/process.ts';
import { scanned, testGuard } from './scanned.ts';

const CLEAN = { state: 'ok', virus: null, attachment: null };
const FAILED = { state: 'failed', virus: null, attachment: null };
const MIB = 1_024 * 1_024;

const file = (filename: string, content: string | Buffer) => ({ filename, content: Buffer.from(content) });
const eicar = file('liste.csv', `name;wert\n${EICAR}\n`);

const scannerAt = (address: string, timeout?: number) => {
  const scanner = createClamdScanner(address, testGuard(timeout === undefined ? {} : { timeout }));
  onTestFinished(() => scanner.stop());
  return scanner;
};

describe('the real one', { tags: 'debian/clamav-daemon' }, () => {
  let clamd: Clamd;
  beforeAll(async () => {
    clamd = await startClamd({ streamMaxLength: '12M' });
  });
  afterAll(() => clamd.stop());

  test.each([
    ['an ordinary message', scanned(), CLEAN],
    [
      'one with harmless files',
      scanned({ attachments: [file('a.csv', 'a;b\n'), file('b.csv', 'c')] }),
      CLEAN,
    ],
    [
      'a file',
      scanned({ attachments: [file('a.csv', 'a;b\n'), eicar] }),
      { state: 'ok', virus: EICAR_NAME, attachment: 'liste.csv' },
    ],
    [
      'the last octets of a large file',
      scanned({
        attachments: [file('gross.csv', Buffer.concat([Buffer.alloc(9 * MIB, 'a'), eicar.content]))],
      }),
      { state: 'ok', virus: EICAR_NAME, attachment: 'gross.csv' },
    ],
    ['the text', scanned({ body: EICAR }), { state: 'ok', virus: EICAR_NAME, attachment: null }],
    [
      'the HTML',
      scanned({ html: `<p>Guten Tag</p><pre>${EICAR}</pre>` }),
      { state: 'ok', virus: EICAR_NAME, attachment: null },
    ],
    ['an empty file', scanned({ attachments: [file('a.csv', '')] }), CLEAN],
    ['exactly one chunk', scanned({ attachments: [file('a.csv', Buffer.alloc(65_536, 'a'))] }), CLEAN],
  ])('looks at %s', async (_, content, expected) => {
    expect(await scannerAt(clamd.address).scan(content)).toEqual(expected);
  });

  test('five files of 10 MiB', async () => {
    const attachments = Array.from({ length: 5 }, (_, index) =>
      file(`${index}.csv`, Buffer.alloc(10 * MIB, 'a')),
    );
    expect(await scannerAt(clamd.address).scan(scanned({ attachments }))).toEqual(CLEAN);
  });

  test('skips a message without text', async () => {
    const nothing = scanned({ text: null, html: '' });
    expect(await scannerAt(clamd.address).scan(nothing)).toEqual({ ...CLEAN, state: 'skipped' });
  });

  test('a file over its limit is not scanned, which is no failure of the scanner', async () => {
    const { scan, health } = scannerAt(clamd.address);
    const attachments = [file('gross.csv', Buffer.alloc(40 * MIB, 'a'))];
    for (let round = 0; round < 4; round += 1) expect(await scan(scanned({ attachments }))).toEqual(FAILED);
    expect(health()).toMatchObject({ state: 'ok', failures: 0 });
    expect(await scan(scanned({ attachments: [eicar] }))).toMatchObject({ virus: EICAR_NAME });
  });

  test('a virus beside such a file is found', async () => {
    const attachments = [file('gross.csv', Buffer.alloc(40 * MIB, 'a')), eicar];
    expect(await scannerAt(clamd.address).scan(scanned({ attachments }))).toMatchObject({
      state: 'ok',
      virus: EICAR_NAME,
    });
  });

  test('answers a probe', async () => {
    const { probe, health } = scannerAt(clamd.address);
    await probe();
    expect(health()).toMatchObject({ state: 'ok', failures: 0 });
  });
});

test('on a unix socket', { tags: 'debian/clamav-daemon' }, async () => {
  const clamd = await startClamd({ unix: true });
  try {
    expect(await scannerAt(clamd.address).scan(scanned({ attachments: [eicar] }))).toMatchObject({
      virus: EICAR_NAME,
    });
  } finally {
    await clamd.stop();
  }
});

test('is asked again after an outage', { tags: 'debian/clamav-daemon' }, async () => {
  const port = await freePort();
  const { scan, health } = scannerAt(`127.0.0.1:${port}`);
  expect(await scan(scanned())).toEqual(FAILED);
  const clamd = await startClamd({ port });
  try {
    expect(await scan(scanned())).toEqual(CLEAN);
    expect(health()).toMatchObject({ state: 'ok', failures: 0 });
  } finally {
    await clamd.stop();
  }
  expect(await scan(scanned())).toEqual(FAILED);
});

describe('servers that are not clamd', () => {
  const large = scanned({ text: null, attachments: [file('a.csv', Buffer.alloc(20 * MIB, 'a'))] });
  const serverThat = async (serve: (socket: net.Socket) => void): Promise<string> => {
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      serve(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  };

  test.each<[says: string, serve: (socket: net.Socket) => void, failures: number]>([
    ['another protocol', (socket) => socket.end('220 mail.example.com ESMTP\r\n\0'), 1],
    ['too long an answer', (socket) => socket.write('x'.repeat(10_000)), 1],
    ['half an answer', (socket) => socket.end('stream: '), 1],
    ['a reset in the middle of a file', (socket) => socket.once('data', () => socket.resetAndDestroy()), 0],
    ['an answer at once, and a closed door', (socket) => socket.end('COMMAND READ TIMED OUT ERROR\0'), 0],
  ])('%s', async (_, serve, failures) => {
    const { scan, health } = scannerAt(await serverThat(serve));
    expect(await scan(large)).toEqual(FAILED);
    expect(health().failures).toBe(failures);
  });

  test.each<[says: string, serve: (socket: net.Socket) => void]>([
    ['silence', (socket) => socket.resume()],
    ['nobody who reads', () => undefined],
  ])('%s: it has failed when its time is over', async (_, serve) => {
    const { scan, health } = scannerAt(await serverThat(serve), 500);
    expect(await scan(large)).toEqual(FAILED);
    expect(health().failures).toBe(1);
  });

  test('an unusual name of a virus is cleaned', async () => {
    const address = await serverThat((socket) => {
      socket.resume().end(`stream: Bad\r\n<b>name</b>${'x'.repeat(200)} FOUND\0`);
    });
    const { virus } = await scannerAt(address).scan(scanned());
    expect(virus).toMatch(/^Bad__+b_name__b_x{80,}$/);
    expect(virus).toHaveLength(100);
  });

  test('a stream is sent in chunks with their lengths and ended', async () => {
    let received = Buffer.alloc(0);
    const address = await serverThat((socket) => {
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        if (received.subarray(-4).equals(Buffer.alloc(4)) && received.length > 100_000)
          socket.end('stream: OK\0');
      });
    });
    const content = Buffer.alloc(100_000, 'a');
    const attachments = [{ filename: 'a.csv', content }];
    expect(await scannerAt(address).scan(scanned({ text: null, attachments }))).toEqual(CLEAN);
    const length = (bytes: number) => {
      const octets = Buffer.alloc(4);
      octets.writeUInt32BE(bytes);
      return octets;
    };
    const chunks = [content.subarray(0, 65_536), content.subarray(65_536)];
    const expected = [
      Buffer.from('zINSTREAM\0'),
      ...chunks.flatMap((chunk) => [length(chunk.length), chunk]),
      length(0),
    ];
    expect(received.equals(Buffer.concat(expected))).toBe(true);
  });
});
