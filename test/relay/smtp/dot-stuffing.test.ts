import { expect, test } from 'vitest';
import { stuffDots } from '#src/relay/smtp/dot-stuffing.ts';

test.each([
  ['a\r\nb\r\n', 'a\r\nb\r\n'],
  ['.a\r\n', '..a\r\n'],
  ['a\r\n.\r\nb\r\n', 'a\r\n..\r\nb\r\n'],
  ['a\r\n..b\r\n.c.\r\n', 'a\r\n...b\r\n..c.\r\n'],
  ['.\r\n.\r\n.\r\n', '..\r\n..\r\n..\r\n'],
  ['a\n.\nb\r\n', 'a\n..\nb\r\n'],
  ['a.b\r\nc.\r\n', 'a.b\r\nc.\r\n'],
])('%j', (message, stuffed) => expect(stuffDots(Buffer.from(message)).toString()).toBe(stuffed));

test('copies nothing where nothing is to be done', () => {
  const message = Buffer.from('a\r\nb.\r\n');
  expect(stuffDots(message)).toBe(message);
});
