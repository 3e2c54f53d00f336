// Mails that attack their reader. Each is read to an answer of bounded size that says what it leaves out; none is an error.
// @module-tag slow
import { expect, test } from 'vitest';
import { attachmentOf } from '#src/inbound/reading/attachments.ts';
import { type MailContent, readMail } from '#src/inbound/reading/read.ts';
import { until } from '#test/support/process.ts';

const PIECE = 262_144;
const inPieces = function* (source: Buffer): Generator<Buffer> {
  for (let at = 0; at < source.length; at += PIECE) yield source.subarray(at, at + PIECE);
};
const mail = (fields: string, body: string): Buffer => Buffer.from(`${fields}\r\n\r\n${body}`, 'latin1');
const MIXED = 'Content-Type: multipart/mixed; boundary=b';
const base64 = (type: string) => `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64`;
const nested = (depth: number): Buffer => {
  const levels = Array.from(
    { length: depth },
    (_, level) => `Content-Type: multipart/mixed; boundary=b${level}`,
  );
  return Buffer.from(
    `${levels.map((field, level) => `${level > 0 ? `--b${level - 1}\r\n` : ''}${field}\r\n\r\n`).join('')}--b${depth - 1}\r\n\r\nHallo`,
  );
};

test.each<[string, () => Buffer, Partial<MailContent>]>([
  ['nested 900 deep', () => nested(900), { text: 'Hallo', notes: [] }],
  ['nested 5,000 deep', () => nested(5_000), { text: null, notes: ['truncated'] }],
  ['a million parts', () => mail(MIXED, '--b\r\n\r\n'.repeat(1_000_000)), { notes: ['truncated'] }],
  [
    'a file, and a million parts behind it',
    () => mail(MIXED, `--b\r\nContent-Type: image/png\r\n\r\nPNG\r\n${'--b\r\n\r\n'.repeat(1_000_000)}`),
    { attachments: [expect.objectContaining({ size: 3 })], notes: ['truncated'] },
  ],
  [
    'a text that is cut within a character',
    () => mail('X-A: b', Buffer.from(`x${'ü'.repeat(400_000)}`).toString('latin1')),
    { text: `x${'ü'.repeat(262_143)}`, notes: ['truncated'] },
  ],
  ['a line of 10 MB', () => mail('', 'x'.repeat(10_000_000)), { notes: ['truncated'] }],
  [
    'blanks in quoted-printable',
    () => mail('Content-Transfer-Encoding: quoted-printable', ' '.repeat(5_000_000)),
    { text: '' },
  ],
  [
    'text of 20 MB in base64',
    () => mail(base64('text/plain'), 'eHh4\r\n'.repeat(3_000_000)),
    { notes: ['truncated'] },
  ],
  [
    'uuencode in one line of 5 MB',
    () => mail('Content-Transfer-Encoding: x-uuencode', `begin 644 a\r\n${'M'.repeat(5_000_000)}`),
    { notes: [] },
  ],
  [
    'uuencode that begins a million times and not at all',
    () => mail('Content-Transfer-Encoding: x-uuencode', 'begin 644\r\n'.repeat(500_000)),
    { notes: ['truncated'] },
  ],
  ['a file of padding', () => mail(base64('image/png'), 'A='.repeat(5_000_000)), { text: null, notes: [] }],
  [
    'HTML of 5 MB',
    () => mail('Content-Type: text/html', '<b>x</b>'.repeat(600_000)),
    { notes: ['truncated'] },
  ],
  [
    'HTML nested without end',
    () => mail('Content-Type: text/html', '<div>'.repeat(20_000)),
    { html: null, notes: ['truncated'] },
  ],
  [
    'a header of 5 MB',
    () => mail(`X-Long: ${'x'.repeat(5_000_000)}`, 'Hallo'),
    { text: null, notes: ['unreadable'] },
  ],
  [
    'a type of 250 kB',
    () => mail(`Content-Type: text/plain; ${'a=b; '.repeat(50_000)}`, 'Hallo'),
    { text: 'Hallo' },
  ],
  [
    'a boundary of 250 kB',
    () => mail(`Content-Type: multipart/mixed; boundary=${'b'.repeat(250_000)}`, '--b'),
    { notes: ['unreadable'] },
  ],
])('%s', async (_, make, expected) => {
  const source = make();
  const read = await readMail(inPieces(source));
  expect(read).toMatchObject(expected);
  expect(JSON.stringify(read).length).toBeLessThan(2_000_000);
  const file = await attachmentOf(inPieces(source), 0);
  let size = 0;
  for await (const piece of file?.content ?? []) size += piece.length;
  expect(size).toBe(read.attachments[0]?.size ?? 0);
});

test('a large file passes in pieces, and a reader that stops reads no further', async () => {
  const source = mail(base64('application/zip'), 'eHh4\r\n'.repeat(3_000_000));
  let [taken, isClosed] = [0, false];
  const counted = function* (): Generator<Buffer> {
    try {
      for (const piece of inPieces(source)) {
        taken += 1;
        yield piece;
      }
    } finally {
      isClosed = true;
    }
  };
  const file = await attachmentOf(counted(), 0);
  for await (const piece of file?.content ?? []) {
    expect(piece.length).toBeLessThanOrEqual(PIECE);
    break;
  }
  expect(taken).toBeLessThan(5);
  await until('the source is closed', () => isClosed);
});
