// The insides of smtp-server that src/smtp/strict-server.ts builds on, by name: an upgrade that changes one fails here.
import { once } from 'node:events';
import { type AddressInfo, connect, Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { expect, onTestFinished, test } from 'vitest';
import { versionsOf } from '#test/support/pinned-version.ts';

test('smtp-server is pinned exactly', () => {
  expect(versionsOf('smtp-server')).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
});

test('SMTPConnection._createParser makes the parser of a connection, with the handler of commands as its `oncommand`', () => {
  const made: SMTPStream[] = [];
  class Probe extends SMTPConnection {
    override _createParser(): SMTPStream {
      const parser = super._createParser();
      made.push(parser);
      return parser;
    }
  }
  const connection = new Probe(new SMTPServer({ logger: false }), new Socket());
  expect(made).toHaveLength(1);
  expect(made[0] === connection._parser).toBe(true);
  expect(made[0]).toBeInstanceOf(SMTPStream);
  expect(Object.hasOwn(made[0] ?? {}, 'oncommand')).toBe(true);
});

test('SMTPStream._dataMode is true from the start of a message to its final dot', async () => {
  const stream = new SMTPStream();
  expect(stream._dataMode).toBe(false);
  const content = stream.startDataMode();
  expect(stream._dataMode).toBe(true);
  stream.write('x\r\n');
  expect(stream._dataMode).toBe(true);
  stream.write('.\r\n');
  expect(String((await content.toArray())[0])).toBe('x\r\n');
  expect(stream._dataMode).toBe(false);
});

test('SMTPStream._feedDataStream takes content, and keeps what may become its end in _lastBytes', async () => {
  const stream = new SMTPStream();
  const content = stream.startDataMode();
  expect([stream._dataStream === content, stream._atDataStart, stream._lastBytes]).toEqual([
    true,
    true,
    false,
  ]);
  const next = Promise.withResolvers<unknown>();
  stream._feedDataStream(Buffer.from('Subject: x\r\n'), next.resolve);
  await next.promise;
  expect([String(stream._lastBytes), stream._atDataStart, stream.dataBytes]).toEqual([
    ': x\r\n'.slice(-4),
    false,
    8,
  ]);
  stream._lastBytes = Buffer.from('\r\n');
  stream._countDataBytes(2);
  stream._feedDataStream(Buffer.from('.\r\n'), () => undefined);
  expect(Buffer.concat(await content.toArray()).toString()).toBe('Subject:\r\n');
});

test('SMTPStream.isClosed keeps it from running a line that was left unfinished', async () => {
  const stream = new SMTPStream();
  stream.oncommand = () => expect.unreachable('the line was run');
  stream.prependListener('finish', () => {
    stream.isClosed = true;
  });
  stream.end('QUIT');
  await once(stream, 'finish');
});

test.each([
  ['a TLS handshake begins, which _pendingSockets then holds', true],
  ['a client connects in clear', false],
])('SMTPServer._acceptSocket is called where %s', async (_when, secure) => {
  const seen: [handshake: boolean, release: string][] = [];
  class Probe extends SMTPServer {
    override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
      const release = super._acceptSocket(socket, handshake);
      seen.push([handshake, typeof release]);
      return release;
    }
  }
  const server = new Probe({ secure, logger: false });
  server.on('error', () => undefined);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  onTestFinished(async () => {
    server.close(resolve);
    await closed;
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  await once(server.server, 'connection');
  expect(server._pendingSockets.size).toBe(secure ? 1 : 0);
  // Ending a handshake in the tick in which its connection came crashes Node.
  await new Promise((resolve) => setImmediate(resolve));
  client.destroy();
  expect(seen).toEqual([[secure, 'function']]);
});
