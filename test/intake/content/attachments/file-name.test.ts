import { describe, expect, test } from 'vitest';
import { findRefusedAttachment } from '#src/intake/content/attachment-policy.ts';
import { contentOf } from '#test/fixtures/file-contents.ts';

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
    ['be\u200cfund.pdf', HIDDEN],
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
