import { describe, expect, test } from 'vitest';
import {
  attachmentPolicy,
  findRefusedAttachment as find,
  typeOfFilename,
} from '#src/content/attachment-policy.ts';
import { inEnglish } from '#src/kernel/say.ts';
import { contentOf } from '#test/fixtures/file-contents.ts';

const MIB = 1_024 * 1_024;
const PDF = 'application/pdf';
const file = (filename: string, contentType = PDF, content = contentOf('pdf')) => ({
  filename,
  contentType,
  content,
});

const findRefusedAttachment = (given: Parameters<typeof find>[0]) => {
  const refused = find(given);
  return refused && { ...refused, reason: inEnglish(refused.reason) };
};

describe('one attachment', () => {
  test.each([
    ['befund.pdf', PDF, 'pdf'],
    ['BEFUND.PDF', PDF, 'pdf'],
    ['befund.2024.03.pdf', PDF, 'pdf'],
    ['Überweisung Müller.pdf', PDF, 'pdf'],
    ['liste.csv', 'text/csv', 'csv'],
    ['liste.csv', 'text/plain', 'csv'],
    ['termin.ics', 'text/calendar', 'ics'],
    ['foto.jpeg', 'image/jpeg', 'jpeg'],
    [`${'a'.repeat(146)}.pdf`, PDF, 'pdf'],
  ])('%s as %s is allowed', (filename, contentType, extension) => {
    expect(findRefusedAttachment([file(filename, contentType, contentOf(extension))])).toBeNull();
  });

  test.each([
    ['befund', PDF, 'this type of file is not allowed'],
    ['', PDF, 'this type of file is not allowed'],
    ['befund.', PDF, 'this type of file is not allowed'],
    ['befund.pdf.', PDF, 'this type of file is not allowed'],
    ['setup.exe', 'application/octet-stream', 'this type of file is not allowed'],
    ['seite.html', 'text/html', 'this type of file is not allowed'],
    ['befund.constructor', PDF, 'this type of file is not allowed'],
    ['befund.__proto__', PDF, 'this type of file is not allowed'],
    ['rechnung.exe.pdf', PDF, 'the double extension .exe.pdf is suspicious'],
    ['rechnung.exe .pdf', PDF, 'the double extension .exe.pdf is suspicious'],
    ['rechnung.JS.2024.pdf', PDF, 'the double extension .js.pdf is suspicious'],
    [
      'befund.pdf',
      'application/octet-stream',
      'the type application/octet-stream does not match the file name',
    ],
    ['befund.pdf', 'text/html', 'the type text/html does not match the file name'],
    ['../befund.pdf', PDF, 'the file name holds control, direction or path characters'],
    ['c:\\befund.pdf', PDF, 'the file name holds control, direction or path characters'],
    ['befund\r\nX: y.pdf', PDF, 'the file name holds control, direction or path characters'],
    ['befund\u0000.pdf', PDF, 'the file name holds control, direction or path characters'],
    ['befund\u202efdp.pdf', PDF, 'the file name holds control, direction or path characters'],
    ['befund\u200b.pdf', PDF, 'the file name holds control, direction or path characters'],
    [`${'a'.repeat(147)}.pdf`, PDF, 'the file name is longer than 150 bytes'],
    [`${'ü'.repeat(74)}.pdf`, PDF, 'the file name is longer than 150 bytes'],
  ])('%j as %s is refused: %s', (filename, contentType, reason) => {
    expect(findRefusedAttachment([file(filename, contentType)])).toEqual({ attachment: filename, reason });
  });

  test.each([
    { content: new Uint8Array(), reason: 'it is empty' },
    { content: contentOf('pdf'), reason: null },
    { content: contentOf('pdf', 10 * MIB), reason: null },
    { content: contentOf('pdf', 10 * MIB + 1), reason: `it is larger than ${10 * MIB} bytes` },
  ])('of $content.length bytes: $reason', ({ content, reason }) => {
    expect(findRefusedAttachment([file('a.pdf', PDF, content)])?.reason ?? null).toBe(reason);
  });
});

describe('the content of a file', () => {
  const program = Buffer.from(`MZ\x90\0\x03\0\0\0${'\0'.repeat(50)}This program`, 'latin1');
  const text = (content: string) => Buffer.from(content);
  const type = (filename: string) => typeOfFilename(filename) ?? '';

  test.each([
    ['a table whose first column is called PK', 'liste.csv', text('PK;Name\r\n1;Anna\r\n')],
    ['a table with umlauts', 'liste.csv', text('Größe;Straße\r\n')],
    ['such a table of a single-byte program', 'liste.csv', Buffer.from('Größe;Straße\r\n', 'latin1')],
    ['a table behind a byte order mark', 'liste.csv', text('\ufeffName;Tag\r\n')],
    ['a table of a mark sheet', 'liste.tsv', text('MZ\tPDF\tGIF89a\r\n')],
    ['a PDF behind a line of its printer', 'befund.pdf', text('\r\n@PJL ENTER LANGUAGE=PDF\r\n%PDF-1.7\n')],
    ['a GIF of the older form', 'logo.gif', text('GIF87a')],
  ])('%s is allowed', (_, filename, content) => {
    expect(findRefusedAttachment([file(filename, type(filename), content)])).toBeNull();
  });

  test.each([
    ['a program as pdf', 'befund.pdf', program],
    ['a program as csv', 'liste.csv', program],
    ['a program as docx', 'brief.docx', program],
    ['a program as png', 'foto.png', program],
    ['an archive as csv', 'liste.csv', contentOf('docx')],
    ['an archive as pdf', 'befund.pdf', contentOf('docx')],
    ['an archive as doc', 'brief.doc', contentOf('docx')],
    ['a compressed file as tsv', 'liste.tsv', Buffer.from('\x1f\x8b\x08', 'latin1')],
    ['another archive as csv', 'liste.csv', Buffer.from('Rar!\x1a\x07', 'latin1')],
    ['a PDF as csv', 'liste.csv', contentOf('pdf')],
    ['a script as ics', 'termin.ics', text('#!/bin/sh\n')],
    ['a page as pdf', 'befund.pdf', text('<!doctype html><script>')],
    ['a page as jpg', 'foto.jpg', text('<!doctype html><script>')],
    ['a page as gif', 'logo.gif', text('<!doctype html><script>')],
    ['a sound as webp', 'foto.webp', Buffer.from('RIFF\x04\0\0\0WAVE', 'latin1')],
    ['an older document as docx', 'brief.docx', contentOf('doc')],
    ['a PDF that begins too late', 'befund.pdf', text(`${' '.repeat(1_024)}%PDF-1.7\n`)],
  ])('%s is refused', (_, filename, content) => {
    expect(findRefusedAttachment([file(filename, type(filename), content)])).toEqual({
      attachment: filename,
      reason: 'its content is not what its name says',
    });
  });
});

describe('several attachments', () => {
  const files = (count: number, bytes?: number) =>
    Array.from({ length: count }, (_, index) => file(`${index + 1}.pdf`, PDF, contentOf('pdf', bytes)));

  test.each([
    { name: 'none', given: files(0), refused: null },
    { name: 'five', given: files(5), refused: null },
    { name: 'six', given: files(6), refused: { attachment: '6.pdf', reason: 'more than 5 attachments' } },
    { name: 'three of 10 MiB', given: files(3, 10 * MIB), refused: null },
    {
      name: 'four of 8 MiB',
      given: files(4, 8 * MIB),
      refused: { attachment: '4.pdf', reason: `all together are larger than ${30 * MIB} bytes` },
    },
    {
      name: 'a bad one among good ones',
      given: [...files(2), file('x.exe')],
      refused: { attachment: 'x.exe', reason: 'this type of file is not allowed' },
    },
  ])('$name', ({ given, refused }) => {
    expect(findRefusedAttachment(given)).toEqual(refused);
  });
});

describe('the type of a file', () => {
  test.each([
    ['befund.pdf', PDF],
    ['befund.PDF', PDF],
    ['liste.csv', 'text/csv'],
    ['setup.exe', undefined],
    ['befund', undefined],
    ['befund.constructor', undefined],
  ])('%s is %s', (filename, type) => {
    expect(typeOfFilename(filename)).toBe(type);
  });

  test('every allowed extension has a type that passes', () => {
    for (const extension of attachmentPolicy.allowed_extensions) {
      const type = typeOfFilename(`a.${extension}`);
      expect(attachmentPolicy.allowed_types).toContain(type);
      expect(findRefusedAttachment([file(`a.${extension}`, type, contentOf(extension))])).toBeNull();
    }
  });

  test('no extension is both allowed and rejected', () => {
    const both = attachmentPolicy.allowed_extensions.filter((extension) =>
      attachmentPolicy.rejected_extensions.includes(extension),
    );
    expect(both).toEqual([]);
  });
});

const refusal = (filename: string): string | null =>
  findRefusedAttachment([{ filename, contentType: 'application/pdf', content: contentOf('pdf') }])?.reason ??
  null;

const HIDDEN = 'the file name holds control, direction or path characters';
const EDGE = 'the file name begins or ends with a blank';
const DEVICE = 'the file name is that of a device on Windows';

describe('a file name', () => {
  test.each([
    'Befund 2026-03-12.pdf',
    'Termin 10:30 Uhr.pdf',
    'Überweisung (Kopie).pdf',
    'Größe & Gewicht, 50 %.pdf',
    'Rechnung Nr. 17 vom 3.4.2026.pdf',
    'مرحبا.pdf',
    '診断書.pdf',
    'Конто.pdf',
    'console.pdf',
    'com10.pdf',
    'auxiliar.pdf',
    '.pdf',
  ])('%s is allowed', (filename) => {
    expect(refusal(filename)).toBeNull();
  });

  test.each([
    ['befund\u202efdp.pdf', HIDDEN],
    ['befund\u2066.pdf', HIDDEN],
    ['befund\u061c.pdf', HIDDEN],
    ['be\u00adfund.pdf', HIDDEN],
    ['befund\u200c.pdf', HIDDEN],
    ['be\u200bfund.pdf', HIDDEN],
    ['be\ufefffund.pdf', HIDDEN],
    ['befund\u{e0041}.pdf', HIDDEN],
    ['befund\u3164.pdf', HIDDEN],
    ['befund\u2800\u2800.pdf', HIDDEN],
    ['befund\ud800.pdf', HIDDEN],
    ['be/fund.pdf', HIDDEN],
    ['befund\t.pdf', HIDDEN],
    [' befund.pdf', EDGE],
    ['befund.pdf ', EDGE],
    ['befund.pdf\u00a0', EDGE],
    ['con.pdf', DEVICE],
    ['NUL.pdf', DEVICE],
    ['com1.befund.pdf', DEVICE],
    ['lpt9 .pdf', DEVICE],
    ['befund.pdf.', 'this type of file is not allowed'],
    ['befund.pdf .', 'this type of file is not allowed'],
    ['befund.pdf          .exe', 'this type of file is not allowed'],
    ['befund.pdf:x.exe', 'this type of file is not allowed'],
    ['befund.exe:x.pdf', 'the double extension .exe.pdf is suspicious'],
    ['befund․exe.pdf', 'the double extension .exe.pdf is suspicious'],
    ['befund．ＥＸＥ.pdf', 'the double extension .exe.pdf is suspicious'],
    ['befund.exe          .pdf', 'the double extension .exe.pdf is suspicious'],
    ['befund.pdf.lnk.docx.pdf', 'the double extension .lnk.pdf is suspicious'],
    ['befund．pdf', 'this type of file is not allowed'],
  ])('%j is refused: %s', (filename, reason) => {
    expect(refusal(filename)).toBe(reason);
  });

  test('its length counts in the composed form', () => {
    expect(refusal(`${'u\u0308'.repeat(73)}.pdf`)).toBeNull();
    expect(refusal(`${'u\u0308'.repeat(74)}.pdf`)).toBe('the file name is longer than 150 bytes');
  });
});
