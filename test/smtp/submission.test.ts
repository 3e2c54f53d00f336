// The listeners for submission by themselves: certificates that are renewed, TLS from the first byte, and clients that
// hold connections or content. What becomes of messages is the flow's business (test/flows/submission.test.ts).
// @module-tag slow

import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { anonymous, type Caller } from '#src/kernel/access.ts';
import { createByteBudget } from '#src/kernel/byte-budget.ts';
import { noSuchToken } from '#src/kernel/credentials.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import { AppError } from '#src/kernel/errors.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { createLog } from '#src/kernel/log.ts';
import { say } from '#src/kernel/say.ts';
import { MINUTE, systemClock } from '#src/kernel/time.ts';
import { createListener, type ListenerOptions } from '#src/smtp/listener.ts';
import { createSubmission, refusalOf, type SubmissionOptions } from '#src/smtp/submission.ts';
import { createCertificate, shownCertificate } from '#test/support/certificate.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const log = createLog('silent');
const sender: Caller = {
  ...anonymous,
  kind: 'team_token',
  credentialId: 'c1',
  tenantId: 't1',
  permissions: new Set(['messages.send']),
};

const LIMITS = {
  ...defaultLimits,
  body_bytes: 1_000_000,
  requests: { perSecond: 1, burst: 2 },
  signInPerAddress: { perSecond: 1, burst: 10 },
};

const started = async (options: Partial<SubmissionOptions> = {}) => {
  const submission = createSubmission({
    listen: { host: '127.0.0.1', port: 0 },
    implicitListen: null,
    hostName: 'mail.example.com',
    certificates: null,
    budget: createByteBudget(10_000_000),
    // Nothing is handed in here.
    accept: () => Promise.reject(new Error('not used')),
    authenticate: async (token) => {
      if (token !== 'right') throw noSuchToken();
      return sender;
    },
    controls: () => [],
    limits: () => LIMITS,
    clock: systemClock,
    log,
    ...options,
  });
  endings.push(() => submission.stop(0));
  const { port, implicitPort } = await submission.start();
  return { submission, port: port ?? 0, implicitPort: implicitPort ?? 0 };
};

const RIGHT = `AUTH PLAIN ${Buffer.from('\0\0right').toString('base64')}`;

const handshake = async (port: number): Promise<TLSSocket> => {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
  endings.push(() => socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
};

describe('the certificate', () => {
  const serialAt = async (port: number): Promise<string> =>
    (await handshake(port)).getPeerCertificate().serialNumber;

  test('is another one for connections after it was renewed', async () => {
    const certificates = shownCertificate(createCertificate(['mail.example.com']));
    const { implicitPort } = await started({
      implicitListen: { host: '127.0.0.1', port: 0 },
      certificates,
    });
    const before = await serialAt(implicitPort);
    certificates.use(createCertificate(['mail.example.com']));
    expect(await serialAt(implicitPort)).not.toBe(before);
  });

  test.each(['TLSv1', 'TLSv1.1'] as const)('is not shown by %s', async (version) => {
    const { implicitPort } = await started({
      implicitListen: { host: '127.0.0.1', port: 0 },
      certificates: shownCertificate(createCertificate(['mail.example.com'])),
    });
    const socket = connectTls({
      host: '127.0.0.1',
      port: implicitPort,
      rejectUnauthorized: false,
      minVersion: version,
      maxVersion: version,
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const [error] = await once(socket, 'error');
    expect(String(error)).toMatch(/protocol|alert/i);
  });
});

describe('who may sign in', () => {
  const offered = async (options: Partial<SubmissionOptions>, address = '127.0.0.1') => {
    const { port } = await started({ listen: { host: address, port: 0 }, ...options });
    const talk = await talkTo(port, address);
    endings.push(() => talk.end());
    await talk.reply();
    const lines = (await talk.say('EHLO client.example.net'))?.split('\n').map((line) => line.slice(4)) ?? [];
    return { talk, lines };
  };

  test('clients on this machine, without a certificate too', async () => {
    const { talk, lines } = await offered({});
    expect(lines).toContain('AUTH PLAIN LOGIN');
    expect(lines).not.toContain('STARTTLS');
    expect(await talk.say(RIGHT)).toMatch(/^235 /);
  });

  test('no other client in clear', async () => {
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
    if (outside === undefined) throw new Error('this machine has no address but loopback');
    const { talk, lines } = await offered(
      { certificates: shownCertificate(createCertificate(['mail.example.com'])) },
      outside,
    );
    expect(lines).toContain('STARTTLS');
    expect(lines.join()).not.toContain('AUTH');
    expect(await talk.say(RIGHT)).toMatch(/^50\d /);
    expect(await talk.say('MAIL FROM:<a@b.example>')).toMatch(/^530 5\.7\.0 /);
  });

  test('a message a second, two at once, per credential', async () => {
    const { port } = await started({ clock: { now: () => 0 } });
    const replies: (string | null)[] = [];
    for (let message = 1; message <= 3; message += 1) {
      const talk = await talkTo(port);
      await talk.hello();
      await talk.say(RIGHT);
      replies.push(await talk.say('MAIL FROM:<a@b.example>'));
      talk.end();
    }
    expect(replies.slice(0, 2)).toEqual([expect.stringMatching(/^250 /), expect.stringMatching(/^250 /)]);
    expect(replies[2]).toMatch(/^451 4\.7\.0 rate_limited: /);
  });
});

test('a message has as many recipients as the limits say', async () => {
  const { port } = await started({ limits: () => ({ ...LIMITS, recipients: 2 }) });
  const talk = await talkTo(port);
  await talk.hello();
  await talk.say(RIGHT);
  await talk.say('MAIL FROM:<a@b.example>');
  expect(await talk.say('RCPT TO:<r1@example.org>')).toMatch(/^250 /);
  expect(await talk.say('RCPT TO:<r2@example.org>')).toMatch(/^250 /);
  expect(await talk.say('RCPT TO:<r3@example.org>')).toMatch(/^550 5\.5\.3 too_many_recipients: /);
  talk.end();
});

describe('connections and content are bounded', () => {
  const fiftyAt = async (port: number) => {
    const sockets = Array.from({ length: 50 }, () => connect({ host: '127.0.0.1', port }));
    for (const socket of sockets) {
      endings.push(() => socket.destroy());
      socket.on('error', () => undefined);
    }
    return sockets;
  };

  test('the 51st connection of one address is sent away, until one of the others ends', async () => {
    const { port } = await started();
    const sockets = await fiftyAt(port);
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
    const late = await talkTo(port);
    expect(await late.reply()).toMatch(/^421 4\.7\.0 too many connections/);
    const [first] = sockets;
    first?.destroy();
    let reply: string | null = null;
    while (!reply?.startsWith('220')) {
      const again = await talkTo(port);
      reply = await again.reply();
      again.end();
    }
    expect(reply).toMatch(/^220 mail\.example\.com /);
  });

  test('connections that were changed to TLS and have ended are counted no more', async () => {
    const certificate = createCertificate(['mail.example.com']);
    const { port } = await started({ certificates: shownCertificate(certificate) });
    const comeAndGo = async () => {
      const talk = await talkTo(port);
      await talk.hello();
      await talk.startTls(certificate.certificate);
      expect(await talk.say('QUIT')).toMatch(/^221 /);
      talk.end();
    };
    for (let round = 0; round < 6; round += 1) await Promise.all(Array.from({ length: 10 }, comeAndGo));
  });

  test('a stop ends a handshake that is not finished, and the process lives on', async () => {
    const { implicitPort, submission } = await started({
      listen: null,
      implicitListen: { host: '127.0.0.1', port: 0 },
      certificates: shownCertificate(createCertificate(['mail.example.com'])),
    });
    const socket = connect(implicitPort, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await submission.stop(0);
    await closed;
  });

  test('handshakes that are never finished do not keep other clients from theirs', async () => {
    const { implicitPort } = await started({
      listen: null,
      implicitListen: { host: '127.0.0.1', port: 0 },
      certificates: shownCertificate(createCertificate(['mail.example.com'])),
    });
    const sockets = await fiftyAt(implicitPort);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const late = connect({ host: '127.0.0.1', port: implicitPort });
    late.on('error', () => undefined);
    await once(late, 'close');
    for (const socket of sockets) socket.destroy();
    let greeting = '';
    while (!greeting.startsWith('220')) {
      const socket = await handshake(implicitPort).catch(() => null);
      if (socket) [greeting] = (await once(socket, 'data').then(([data]) => [String(data)])) as [string];
    }
    expect(greeting).toMatch(/^220 /);
  });

  test('where handshakes take all places, one of the client with the most gives way, and each has a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const listener = createListener({
      name: 'test',
      listen: { host: '127.0.0.1', port: 0 },
      hostName: 'mail.example.com',
      certificates: shownCertificate(createCertificate(['mail.example.com'])),
      implicitTls: true,
      limits: { connections: 4, perClient: 2, messageBytes: 100_000, recipients: 10, mistakes: 10 },
      budget: createByteBudget(100_000),
      handlers: { mail: () => undefined, rcpt: () => undefined, data: async () => '2.0.0 taken' },
      log,
    });
    endings.push(() => listener.stop(0));
    const { port } = await listener.start();
    const open = ['127.0.0.2', '127.0.0.3', '127.0.0.2', '127.0.0.3'].map((localAddress) =>
      connect({ host: '127.0.0.1', port, localAddress }).on('error', () => undefined),
    );
    for (const socket of open) endings.push(() => socket.destroy());
    await Promise.all(open.map((socket) => once(socket, 'connect')));
    const closed = open.map((socket) => once(socket, 'close'));
    // The first second of a handshake is not disturbed.
    await pause(1_500);
    expect((await handshake(port)).authorized).toBe(false);
    await Promise.race(closed);
    expect(open.filter(({ destroyed }) => destroyed)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(MINUTE);
    vi.useRealTimers();
    await Promise.all(closed);
  });

  test('content for which there is no room is refused for now, and the room is given back', async () => {
    let content = '';
    const options: ListenerOptions = {
      name: 'test',
      listen: { host: '127.0.0.1', port: 0 },
      hostName: 'mail.example.com',
      certificates: null,
      limits: { connections: 10, perClient: 10, messageBytes: 100_000, recipients: 10, mistakes: 10 },
      // Of one client: four tenths.
      budget: createByteBudget(100_000),
      handlers: {
        mail: () => undefined,
        rcpt: () => undefined,
        data: async (bytes) => {
          content = bytes.toString();
          return '2.0.0 taken';
        },
      },
      log,
    };
    const listener = createListener(options);
    endings.push(() => listener.stop(0));
    const { port } = await listener.start();
    const send = async (bytes: number) => {
      const talk = await talkTo(port);
      await talk.hello();
      await talk.envelope('a@b.example', 'c@d.example');
      talk.write(`${`${'x'.repeat(98)}\r\n`.repeat(bytes / 100)}.\r\n`);
      const reply = await talk.reply();
      talk.end();
      return reply;
    };
    expect(await send(50_000)).toMatch(/^452 4\.3\.1 /);
    const talk = await talkTo(port);
    await talk.hello();
    expect(await talk.say('MAIL FROM:<a@b.example> SIZE=50000')).toMatch(/^452 4\.3\.1 /);
    expect(await talk.say('MAIL FROM:<a@b.example> SIZE=30000')).toMatch(/^250 /);
    talk.end();
    for (let time = 0; time < 5; time += 1) expect(await send(30_000)).toBe('250 2.0.0 taken');
    expect(content).toHaveLength(30_000);
  });

  test('of large messages side by side without a declared size one comes through', async () => {
    const MIB = 1_048_576;
    const listener = createListener({
      name: 'test',
      listen: { host: '127.0.0.1', port: 0 },
      hostName: 'mail.example.com',
      certificates: null,
      limits: { connections: 10, perClient: 10, messageBytes: 4 * MIB, recipients: 10, mistakes: 10 },
      // Of one client: one of the largest, and the beginnings of the others.
      budget: createByteBudget(20 * MIB),
      handlers: {
        mail: () => undefined,
        rcpt: () => undefined,
        data: async () => '2.0.0 taken',
      },
      log,
    });
    endings.push(() => listener.stop(0));
    const { port } = await listener.start();
    const talks = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const talk = await talkTo(port);
        await talk.hello();
        await talk.envelope('a@b.example', 'c@d.example');
        return talk;
      }),
    );
    const piece = `${'x'.repeat(98)}\r\n`.repeat(1_000);
    // All at the same pace: each has a part before any has all.
    for (let sent = 0; sent < 3.5 * MIB; sent += piece.length) {
      for (const talk of talks) talk.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const talk of talks) talk.write('.\r\n');
    const replies = await Promise.all(talks.map((talk) => talk.reply()));
    for (const talk of talks) talk.end();
    expect(replies.filter((reply) => reply?.startsWith('250 ')).length).toBeGreaterThanOrEqual(1);
  });

  test('a large message that drips gives way to one that waits for its room', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const listener = createListener({
      name: 'test',
      listen: { host: '127.0.0.1', port: 0 },
      hostName: 'mail.example.com',
      certificates: null,
      limits: { connections: 10, perClient: 10, messageBytes: 4_000_000, recipients: 10, mistakes: 10 },
      // One of them is the client's share.
      budget: createByteBudget(10_000_000),
      handlers: { mail: () => undefined, rcpt: () => undefined, data: async () => '2.0.0 taken' },
      log,
    });
    endings.push(() => listener.stop(0));
    const { port } = await listener.start();
    const [slow, next] = [await talkTo(port), await talkTo(port)];
    await slow.hello();
    await next.hello();
    await slow.say('MAIL FROM:<a@b.example> SIZE=4000000');
    await slow.say('RCPT TO:<c@d.example>');
    await slow.say('DATA');
    const sender = next.say('MAIL FROM:<a@b.example> SIZE=4000000');
    const isOver = sender.then(() => true);
    while (!(await Promise.race([isOver, new Promise((resolve) => setImmediate(resolve, false))]))) {
      slow.write('x\r\n');
      vi.advanceTimersByTime(5_000);
    }
    expect(await sender).toMatch(/^250 /);
    expect(await slow.reply()).toMatch(/^421 4\.4\.2 the message comes too slowly/);
  });

  test('content that was sent before 354 is refused, also where it came in pieces', async () => {
    let release = (): void => {};
    const asked = Promise.withResolvers<void>();
    const taken: string[] = [];
    const listener = createListener({
      name: 'test',
      listen: { host: '127.0.0.1', port: 0 },
      hostName: 'mail.example.com',
      certificates: null,
      limits: { connections: 10, perClient: 10, messageBytes: 100_000, recipients: 10, mistakes: 10 },
      budget: createByteBudget(1_000_000),
      handlers: {
        mail: () => undefined,
        rcpt: () => {
          asked.resolve();
          return new Promise<void>((resolve) => {
            release = resolve;
          });
        },
        data: async (bytes) => {
          taken.push(bytes.toString());
          return '2.0.0 taken';
        },
      },
      log,
    });
    endings.push(() => listener.stop(0));
    const { port } = await listener.start();
    const talk = await talkTo(port);
    await talk.hello();
    await talk.say('MAIL FROM:<a@b.example>');
    talk.write('RCPT TO:<c@d.example>\r\n');
    await asked.promise;
    for (const piece of ['DATA\r\n', 'Subject: x\r\n\r\nx\r\n.\r\n']) {
      talk.write(piece);
      // A whole conversation beside it: by its end the server has read the piece.
      const other = await talkTo(port);
      await other.hello();
      await other.say('NOOP');
      other.end();
    }
    release();
    expect(await talk.rest()).toMatch(/554 5\.5\.0 [^\r]+\r\n$/);
    expect(taken).toEqual([]);
  });
});

describe('an error as a reply', () => {
  test('is temporary over SMTP exactly where it is over HTTP', () => {
    for (const [code, declared] of Object.entries(errorTable)) {
      const isTemporary = 'temporary' in declared;
      expect(declared.smtp, code).toMatch(isTemporary ? /^4\d\d 4\.\d\.\d+$/ : /^5\d\d 5\.\d\.\d+$/);
    }
  });

  test('is one line of ASCII that the client’s buffer holds', () => {
    const refusal = refusalOf(
      new AppError('conflict', say`Größe „XL“ ☃\r\n250 ok${' lang'.repeat(200)}`, { hint: say`Kürzer.` }),
    );
    expect(refusal.responseCode).toBe(550);
    expect(refusal.message).toMatch(/^5\.7\.1 conflict: Grosse "XL" \?250 ok lang[ -~]*\.\.\.$/);
    expect(refusal.message.length).toBeLessThanOrEqual(450);
  });
});
