import { describe, expect, test } from 'vitest';
import { attachmentPolicy, findRefusedAttachment, typeOfFilename } from '#src/content/attachment-policy.ts';

const MIB = 1_024 * 1_024;
const PDF = 'application/pdf';
const file = (filename: string, contentType = PDF, bytes = 1) => ({
  filename,
  contentType,
  content: new Uint8Array(bytes),
});

describe('one attachment', () => {
  test.each([
    ['befund.pdf', PDF],
    ['BEFUND.PDF', PDF],
    ['befund.2024.03.pdf', PDF],
    ['Überweisung Müller.pdf', PDF],
    ['liste.csv', 'text/csv'],
    ['liste.csv', 'text/plain'],
    ['termin.ics', 'text/calendar'],
    ['foto.jpeg', 'image/jpeg'],
    [`${'a'.repeat(146)}.pdf`, PDF],
  ])('%s as %s is allowed', (filename, contentType) => {
    expect(findRefusedAttachment([file(filename, contentType)])).toBeNull();
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
    { bytes: 0, reason: 'it is empty' },
    { bytes: 1, reason: null },
    { bytes: 10 * MIB, reason: null },
    { bytes: 10 * MIB + 1, reason: `it is larger than ${10 * MIB} bytes` },
  ])('of $bytes bytes: $reason', ({ bytes, reason }) => {
    expect(findRefusedAttachment([file('a.pdf', PDF, bytes)])?.reason ?? null).toBe(reason);
  });
});

describe('several attachments', () => {
  const files = (count: number, bytes = 1) =>
    Array.from({ length: count }, (_, index) => file(`${index + 1}.pdf`, PDF, bytes));

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

  test('every allowed extension has one that is told and passes', () => {
    for (const extension of attachmentPolicy.allowed_extensions) {
      const type = typeOfFilename(`a.${extension}`);
      expect(attachmentPolicy.allowed_types).toContain(type);
      expect(findRefusedAttachment([file(`a.${extension}`, type)])).toBeNull();
    }
  });

  test('no extension is both allowed and rejected', () => {
    const both = attachmentPolicy.allowed_extensions.filter((extension) =>
      attachmentPolicy.rejected_extensions.includes(extension),
    );
    expect(both).toEqual([]);
  });
});
