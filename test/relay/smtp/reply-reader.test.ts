import { describe, expect, test } from 'vitest';
import { createReplyReader } from '#src/relay/smtp/reply-reader.ts';

const read = (chunks: readonly Buffer[]) => {
  const replies: string[] = [];
  const reader = createReplyReader((code, lines) => {
    replies.push(`${code}: ${lines.join(' | ')}`);
    return true;
  });
  let wrong: string | null = null;
  for (const chunk of chunks) wrong ??= reader.feed(chunk);
  return { replies, wrong };
};

const wholes: readonly (readonly [name: string, bytes: string, replies: readonly string[]])[] = [
  ['one reply', '250 OK\r\n', ['250: 250 OK']],
  ['a reply of several lines', '250-a\r\n250-b\r\n250 c\r\n', ['250: 250-a | 250-b | 250 c']],
  ['several replies at once', '250 a\r\n250 b\r\n354 c\r\n', ['250: 250 a', '250: 250 b', '354: 354 c']],
  ['a code alone', '250\r\n', ['250: 250']],
  ['bare LF', '250-a\n250 b\n', ['250: 250-a | 250 b']],
  ['UTF-8', '550 Empfänger unbekannt\r\n', ['550: 550 Empfänger unbekannt']],
  ['an empty line of text', '250-\r\n250 \r\n', ['250: 250- | 250 ']],
  ['an unfinished reply', '250-a\r\n250 b', []],
];

describe.each(wholes)('%s', (_name, text, replies) => {
  const bytes = Buffer.from(text);
  test('in one piece', () => expect(read([bytes])).toEqual({ replies, wrong: null }));
  test('byte by byte', () =>
    expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual({ replies, wrong: null }));
  test('cut anywhere', () => {
    for (let cut = 1; cut < bytes.length; cut += 1) {
      expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual({ replies, wrong: null });
    }
  });
});

test('Latin-1 is read as such', () => {
  expect(read([Buffer.from('550 Empf\xe4nger\r\n', 'latin1')]).replies).toEqual(['550: 550 Empfänger']);
});

const broken: readonly (readonly [name: string, text: string, wrong: string])[] = [
  ['no code', 'hello\r\n', 'not an SMTP reply: hello'],
  ['a code out of range', '150 x\r\n', 'not an SMTP reply: 150 x'],
  ['an empty line', '\r\n', 'not an SMTP reply: '],
  ['an HTTP server', 'HTTP/1.1 400 Bad Request\r\n', 'not an SMTP reply: HTTP/1.1 400 Bad Request'],
  ['a line that never ends', `250 ${'x'.repeat(5_000)}`, 'reply line too long'],
  ['a line too long', `250 ${'x'.repeat(5_000)}\r\n`, 'reply line too long'],
  ['a reply that never ends', '250-x\r\n'.repeat(101), 'reply of too many lines'],
];

test.each(broken)('%s is refused', (_name, text, wrong) => {
  expect(read([Buffer.from(text)])).toEqual({ replies: [], wrong });
});

test('stops where the listener says so', () => {
  let count = 0;
  const reader = createReplyReader(() => {
    count += 1;
    return false;
  });
  reader.feed(Buffer.from('250 a\r\n250 b\r\n'));
  expect(count).toBe(1);
});
