import { describe, expect, test } from 'vitest';
import { attachmentOf } from '#src/inbound/reading/attachments.ts';
import { readMail } from '#src/inbound/reading/read.ts';

/** As sources are kept, but in small pieces, so that each thing is cut somewhere. */
const inPieces = function* (source: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < source.length; at += size) yield source.subarray(at, at + size);
};
const mail = (type: string, ...lines: readonly string[]): Buffer =>
  Buffer.from([`Subject: x\r\nContent-Type: ${type}`, ...lines].join('\r\n'), 'latin1');
const multipart = (kind: string, ...parts: readonly string[]): Buffer =>
  mail(`multipart/${kind}; boundary=b`, '', ...parts.map((part) => `--b\r\n${part}`), '--b--\r\n');
const bytesOf = async (source: Buffer, index: number): Promise<string | null> => {
  const found = await attachmentOf(inPieces(source, 7), index);
  return found === null ? null : Buffer.concat(await Array.fromAsync(found.content)).toString('latin1');
};

describe('a received mail is read', () => {
  test('an alternative with an image in its HTML, a file and a footer', async () => {
    const source = multipart(
      'mixed',
      'Content-Type: multipart/alternative; boundary=c\r\n',
      '--c\r\n\r\nHallo Anna\r\n--c\r\nContent-Type: multipart/related; boundary=d\r\n',
      '--d\r\nContent-Type: text/html\r\n\r\n<p>Hallo <b>Anna</b><img src="cid:logo@x"></p>',
      '--d\r\nContent-Type: image/png\r\nContent-ID: <logo@x>\r\nContent-Transfer-Encoding: base64\r\n\r\nUE5H\r\n--d--\r\n',
      '--c--\r\n--b\r\nContent-Type: application/pdf; name="=?utf-8?q?R=C3=B6ntgen=2Epdf?="\r\n\r\n%PDF\r\n',
      'Content-Type: text/plain\r\n\r\nListe <praxis>\r\n',
    )
      .toString('latin1')
      .replaceAll(/--b\r\n(?=--[cd])/g, '');
    const read = await readMail(Buffer.from(source, 'latin1'));
    expect(read).toEqual({
      text: 'Hallo Anna\nListe <praxis>\n',
      html: '<p>Hallo <b>Anna</b><img src="cid:logo@x" /></p>\n<div style="white-space:pre-wrap">Liste &lt;praxis&gt;\n</div>',
      reply_text: 'Hallo Anna\nListe <praxis>',
      attachments: [
        {
          index: 0,
          filename: 'attachment-1.png',
          content_type: 'image/png',
          size: 3,
          content_id: 'logo@x',
          inline: true,
          method: null,
        },
        {
          index: 1,
          filename: 'Röntgen.pdf',
          content_type: 'application/pdf',
          size: 6,
          content_id: null,
          inline: false,
          method: null,
        },
      ],
      notes: [],
    });
  });

  test('an attachment is a stream of its decoded bytes', async () => {
    const source = multipart(
      'mixed',
      '\r\nHallo',
      'Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nUE5\r\nHUE5H',
      'Content-Type: text/csv\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\na=3B=\r\nb',
      'Content-Type: message/rfc822\r\n\r\nSubject: y\r\n\r\nz',
    );
    expect(await bytesOf(source, 0)).toBe('PNGPNG');
    expect(await bytesOf(source, 1)).toBe('a;b');
    expect(await bytesOf(source, 2)).toBe('Subject: y\r\n\r\nz');
    expect(await bytesOf(source, 3)).toBeNull();
  });

  test('a source that cannot be read is an error, and no mail without text', async () => {
    const failing = function* (): Generator<Buffer> {
      yield mail('text/plain', '', 'Hallo');
      throw new Error('the disk is gone');
    };
    await expect(readMail(failing())).rejects.toThrow('the disk is gone');
  });
});
