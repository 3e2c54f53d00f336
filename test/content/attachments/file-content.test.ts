import { describe, expect, test } from 'vitest';
import { findRefusedAttachment, typeOfFilename } from '#src/content/attachment-policy.ts';
import { contentProblem } from '#src/content/attachments/file-content.ts';
import { inEnglish } from '#src/kernel/say.ts';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { zipOf } from '#test/fixtures/zip-file.ts';

const WRONG = 'its content is not what its name says';
const LAUNCHES = 'it starts a program when it is opened';
const latin1 = (content: string) => Buffer.from(content, 'latin1');
const archive = zipOf([{ name: 'a.exe', content: 'MZ' }], 'c');

describe('the content of a file', () => {
  const rows: [name: string, extension: string, content: string | Buffer, problem: string | null][] = [
    ['a table of an old program with its end mark', 'csv', latin1('Gr\xf6\xdfe;\x80 5\r\n\x1a'), null],
    ['a table with a page in a cell', 'csv', 'Text\r\n"<b>fett</b>"\r\n', null],
    ['a table that begins with a comparison', 'csv', '<5;>6\r\n', null],
    ['a table with formulas', 'csv', '=SUM(A1:A3);+1\r\n', null],
    ['a calendar behind a mark and a line', 'ics', '\ufeff\r\nBEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n', null],
    ['a calendar in small letters', 'ics', 'begin:vcalendar\r\n', null],
    ['a page as a table', 'csv', '<html><script>alert(1)</script>', WRONG],
    ['a page behind blanks', 'csv', ' \r\n\t<!DOCTYPE html>', WRONG],
    ['a script of a page', 'tsv', '<script >x</script>', WRONG],
    ['a drawing as a table', 'csv', '<svg onload=x>', WRONG],
    ['a page behind a mark', 'csv', '\ufeff<html>', WRONG],
    ['a script of a server', 'csv', '<?php x', WRONG],
    ['rich text', 'csv', '{\\rtf1', WRONG],
    ['an archive', 'csv', latin1('7z\xbc\xaf\x27\x1c'), WRONG],
    ['a NUL late in a table', 'csv', `${'a;b\r\n'.repeat(50_000)}\0`, WRONG],
    ['controls', 'csv', 'a;b\x1b[2J', WRONG],
    ['UTF-16', 'csv', Buffer.from('\ufeffa;b', 'utf16le'), WRONG],
    ['a mark of UTF-8 before something else', 'csv', latin1('\xef\xbb\xbfGr\xf6\xdfe'), WRONG],
    ['a card as a calendar', 'ics', 'BEGIN:VCARD\r\n', WRONG],
    ['something before a calendar', 'ics', 'x\r\nBEGIN:VCALENDAR', WRONG],
    ['a page within a calendar', 'ics', 'BEGIN:VCALENDAR\r\nDESCRIPTION:\0', WRONG],
    [
      'a picture and an archive',
      'png',
      Buffer.concat([Buffer.from(contentOf('png')), archive]),
      'it is an archive as well',
    ],
    [
      'another picture and an archive',
      'jpg',
      Buffer.concat([Buffer.from(contentOf('jpg')), archive]),
      'it is an archive as well',
    ],
    [
      'a PDF and an archive',
      'pdf',
      Buffer.concat([Buffer.from(contentOf('pdf')), archive]),
      'it is an archive as well',
    ],
    [
      'a picture with an archive’s mark inside',
      'png',
      Buffer.concat([Buffer.from(contentOf('png')), archive, Buffer.alloc(70_000)]),
      null,
    ],
    [
      'a PDF with an attachment (an electronic invoice)',
      'pdf',
      '%PDF-1.7\n<</Type/Filespec/EF<</F 1 0 R>>>>/EmbeddedFile',
      null,
    ],
    ['a PDF that opens at a page', 'pdf', '%PDF-1.7\n<</OpenAction [3 0 R /Fit]>>', null],
    ['a PDF with a script', 'pdf', '%PDF-1.7\n<</S/JavaScript/JS(x)>>', null],
    ['a PDF that writes of a launch', 'pdf', '%PDF-1.7\n(/Launchdate)', null],
    ['a PDF that starts a program', 'pdf', '%PDF-1.7\n<</S /Launch /F(cmd.exe)>>', LAUNCHES],
    ['such a PDF at its end', 'pdf', `%PDF-1.7\n${' '.repeat(3_000_000)}<</S/Launch/Win<<>>>>`, LAUNCHES],
    ['a text as a PDF', 'pdf', 'PDF', WRONG],
    ['a type nobody knows', 'constructor', 'x', WRONG],
  ];
  test.each(rows)('%s as %s: %4$s', (_, extension, content, problem) => {
    expect(contentProblem(Buffer.from(content), extension)).toBe(problem);
  });

  test('a view into a larger buffer is read alone', () => {
    const larger = Buffer.concat([Buffer.from('xxx'), Buffer.from(contentOf('docx')), Buffer.from('xxx')]);
    const view = new Uint8Array(larger.buffer, larger.byteOffset + 3, larger.length - 6);
    expect(contentProblem(view, 'docx')).toBeNull();
  });
});

/** mulberry32, so that every run has the same files. */
const randomFrom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

test('5,000 altered files are checked without an exception', () => {
  const random = randomFrom(20_261_120);
  const extensions = 'pdf doc docx xls xlsx ppt pptx odt ods odp csv ics png gif'.split(' ');
  const seen = new Set<string | null>();
  for (let round = 0; round < 5_000; round += 1) {
    const extension = extensions[Math.floor(random() * extensions.length)] ?? 'pdf';
    let file = Buffer.from(contentOf(extension));
    const changes = 1 + Math.floor(random() * 8);
    for (let change = 0; change < changes; change += 1) {
      const at = Math.floor(random() * file.length);
      const kind = random();
      if (kind < 0.5) file[at] = Math.floor(random() * 256);
      else if (kind < 0.7) file.fill(random() < 0.5 ? 0xff : 0, at, Math.min(at + 4, file.length));
      else if (kind < 0.8) file = file.subarray(0, at);
      else if (kind < 0.9) file = Buffer.concat([file.subarray(0, at), file.subarray(at >> 1)]);
      else
        file = Buffer.concat([
          file.subarray(0, at),
          Buffer.alloc(Math.floor(random() * 600)),
          file.subarray(at),
        ]);
    }
    const filename = `a.${extension}`;
    const attachment = { filename, contentType: typeOfFilename(filename) ?? '', content: file };
    const refused = findRefusedAttachment([attachment]);
    seen.add(refused && inEnglish(refused.reason));
  }
  // Enough different answers must have occurred.
  expect(seen.size).toBeGreaterThan(6);
});

// Quadratic work would take hours.
test('hostile files of the largest size are checked in linear time', () => {
  const MIB = 1_024 * 1_024;
  const files: [extension: string, content: Buffer][] = [
    ['pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(10 * MIB - 9, '/Launch ')])],
    ['png', Buffer.concat([Buffer.from(contentOf('png')), Buffer.alloc(10 * MIB - 8, 'PK\x05\x06')])],
    ['csv', Buffer.alloc(10 * MIB, 'a;b;c\r\n')],
    ['docx', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(10 * MIB - 4, 'PK\x05\x06')])],
    ['doc', Buffer.concat([Buffer.from(contentOf('doc')).subarray(0, 512), Buffer.alloc(10 * MIB - 512, 1)])],
  ];
  for (const [extension, content] of files) contentProblem(content, extension);
});
