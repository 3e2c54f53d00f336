// Messages of mail programs as drafts: what they say, whom they name, what is not taken. The programs' own forms stand in
// test/fixtures/mail-programs.ts.
import { describe, expect, test } from 'vitest';
import type { Draft } from '#src/intake/draft.ts';
import { fromMime } from '#src/intake/from-mime.ts';
import { KNOWN_CONTROLS } from '#src/intake/gates/envelope-gates.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { composeMessage } from '#src/messages/compose/mime.ts';
import {
  appleMail,
  CALENDAR,
  invitation,
  outlook,
  PDF,
  PNG,
  thunderbird,
} from '#test/fixtures/mail-programs.ts';
import { submittedTree } from '#test/fixtures/submitted-trees.ts';
import { mutations } from '#test/support/mutations.ts';

const FROM = 'praxis@praxis.example';
const HEAD = `From: Praxis <${FROM}>\nTo: anna@example.org\nSubject: Termin\n`;

const raw = (text: string): Buffer => Buffer.from(text.replace(/\n/g, '\r\n'), 'latin1');
const take = (message: Buffer | string, recipients: readonly string[] = ['anna@example.org']) =>
  fromMime(
    typeof message === 'string' ? raw(message) : message,
    recipients as readonly Address[],
    KNOWN_CONTROLS,
  );
const draftOf = async (message: Buffer | string, recipients?: readonly string[]) =>
  (await take(message, recipients)).draft;

const several = (type: string, content: string, count: number): string =>
  `${HEAD}Content-Type: multipart/mixed; boundary=m\n\n${`--m\nContent-Type: ${type}\n\n${content}\n`.repeat(count)}--m--`;

const refusalOf = async (message: Buffer | string): Promise<AppError> => {
  const error = await take(message).then(
    () => new Error('it was taken'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw error;
  return error;
};

describe('mail programs', () => {
  test('Thunderbird: flowed text, HTML with an image, a PDF, fields of ours', async () => {
    const draft = await draftOf(thunderbird(FROM), ['erika@example.org']);
    expect(draft).toMatchObject({
      from: { address: FROM, name: 'Praxis Müller' },
      to: [{ address: 'erika@example.org', name: 'Erika Müller' }],
      cc: [],
      bcc: [],
      subject: 'Ihr Termin am Montag – Unterlagen',
      text: 'Guten Tag Frau Müller,\n\nanbei die Unterlagen für Ihren Termin, wie besprochen.\n',
      kind: 'termin',
      tags: ['termin', 'hamburg'],
      metadata: { 'Order-Id': '4711' },
      messageId: '<2f1c9f4e-6b7f-4f43-9a58-3f6f0c1d2e3a@praxis.example>',
      headers: [],
    });
    expect(draft.html).toContain('für Ihren Termin, wie besprochen.');
    expect(draft.html).toContain('src="cid:part1.Qx7.Yz@praxis.example"');
    expect(draft.attachments).toMatchObject([
      {
        filename: 'logo.png',
        contentType: 'image/png',
        contentId: 'part1.Qx7.Yz@praxis.example',
        content: Buffer.from(PNG),
      },
      { filename: 'Röntgen.pdf', contentType: 'application/pdf', contentId: null, content: Buffer.from(PDF) },
    ]);
    expect(draft).not.toHaveProperty('shown');
  });

  test('Outlook: Windows-1252, an attachment of no type with an id that the HTML does not show', async () => {
    const draft = await draftOf(outlook(FROM), ['anna@example.org', 'chef@example.org']);
    expect(draft).toMatchObject({
      to: [{ address: 'anna@example.org', name: 'Berg, Anna' }],
      cc: [{ address: 'chef@example.org' }],
      subject: 'Grüße',
      text: 'Schöne Grüße\n',
      headers: [
        ['X-Mailer', 'Microsoft Outlook 16.0'],
        ['Importance', 'high'],
      ],
      attachments: [
        { filename: 'image001.png', contentId: 'image001.png@01DC5A0A.B0E1C2D0' },
        { filename: 'Befund.pdf', contentType: 'application/pdf', contentId: '5A1B@praxis.example' },
      ],
    });
    expect(draft.html).toContain('Schöne Grüße – Ihr Team');
    expect(draft.html).toContain('charset=utf-8');
  });

  test('Apple Mail: both halves of the HTML, the text once', async () => {
    const draft = await draftOf(appleMail(FROM), ['otto@example.org']);
    expect(draft.text).toBe('Vor dem Bild …\n… und danach.\n');
    expect(draft.html).toBe(
      '<html><body>Vor dem Bild …</body></html>\n<html><body>… und danach.</body></html>',
    );
    expect(draft.attachments).toMatchObject([
      { filename: 'Plan.pdf', contentType: 'application/pdf', contentId: null },
    ]);
  });

  test('an invitation: its bytes, once', async () => {
    const { attachments, text, html } = await draftOf(invitation(FROM));
    expect({ text, html }).toEqual({ text: 'Termin', html: '<p>Termin</p>' });
    expect(attachments).toMatchObject([
      {
        filename: 'invite.ics',
        contentType: 'application/ics',
        contentId: null,
        content: Buffer.from(CALENDAR),
      },
    ]);
  });
});

describe('the content', () => {
  test.each([
    ['no MIME at all', `${HEAD}\nGuten Tag\n`, 'Guten Tag\n', null],
    ['nothing', `${HEAD}\n`, '', null],
    ['only HTML', `${HEAD}Content-Type: text/html\n\n<b>Hallo</b>`, null, '<b>Hallo</b>'],
    ['8-bit text of no character set', `${HEAD}\nGr\xfc\xdfe`, 'Grüße', null],
    ['UTF-8 text of no character set', `${HEAD}\nGr\xc3\xbc\xc3\x9fe`, 'Grüße', null],
    ['UTF-8 that is not', `${HEAD}Content-Type: text/plain; charset=utf-8\n\nGr\xfc\xdfe`, 'Grüße', null],
    [
      'an unknown character set',
      `${HEAD}Content-Type: text/plain; charset=x-foo\n\nGr\xfc\xdfe`,
      'Grüße',
      null,
    ],
    ['Latin-9', `${HEAD}Content-Type: text/plain; charset=iso-8859-15\n\n5 \xa4`, '5 €', null],
    [
      'base64',
      `${HEAD}Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nR3LDvMOf\nZQ==\n`,
      'Grüße',
      null,
    ],
    [
      'NUL in an encoded text is left out',
      `${HEAD}Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\na=00b`,
      'ab',
      null,
    ],
    [
      'a footer behind an alternative stands in both',
      `${HEAD}Content-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: multipart/alternative; boundary=a\n\n--a\n\nText\n--a\nContent-Type: text/html\n\n<p>HTML</p>\n--a--\n--m\n\n<Liste> & Co\n--m--\n`,
      'Text\n<Liste> & Co',
      '<p>HTML</p>\n<div style="white-space:pre-wrap">&lt;Liste&gt; &amp; Co</div>',
    ],
    [
      'text behind HTML: the text is made of both later',
      `${HEAD}Content-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: text/html\n\n<p>HTML</p>\n--m\n\nFuß\n--m--\n`.replace(
        'Fuß',
        'Ende',
      ),
      null,
      '<p>HTML</p>\n<div style="white-space:pre-wrap">Ende</div>',
    ],
    [
      'other forms in an alternative are left out',
      `${HEAD}Content-Type: multipart/alternative; boundary=a\n\n--a\n\nText\n--a\nContent-Type: text/watch-html\n\n<b>Uhr</b>\n--a\nContent-Type: text/html\n\n<p>HTML</p>\n--a--\n`,
      'Text',
      '<p>HTML</p>',
    ],
    [
      'all texts and pages of an alternative, because programs differ in which they show',
      `${HEAD}Content-Type: multipart/alternative; boundary=a\n\n--a\n\nA\n--a\nContent-Type: text/html\n\nB\n--a\n\nC\n--a\nContent-Type: text/html\n\nD\n--a--\n`,
      'A\nC',
      'B\nD',
    ],
    [
      'a multipart that nobody ends',
      `${HEAD}Content-Type: multipart/mixed; boundary=m\n\n--m\n\nText\n`,
      'Text\n',
      null,
    ],
  ])('%s', async (_, message, text, html) => {
    expect(await draftOf(message)).toMatchObject({ text, html, attachments: [] });
  });

  test.each([
    [
      'a name in RFC 2231 pieces',
      "attachment; filename*0*=UTF-8''R%C3%B6nt; filename*1*=gen.pdf",
      'Röntgen.pdf',
    ],
    ['an encoded-word as name', 'attachment; filename="=?utf-8?q?R=C3=B6ntgen.pdf?="', 'Röntgen.pdf'],
    ['no name', 'attachment', 'attachment-1.pdf'],
    ['a decomposed name', "attachment; filename*=UTF-8''Ro%CC%88ntgen.pdf", 'Röntgen.pdf'],
  ])('an attachment with %s', async (_, disposition, filename) => {
    const part = `Content-Type: application/pdf\nContent-Disposition: ${disposition}\nContent-Transfer-Encoding: base64\n\n${Buffer.from(PDF).toString('base64')}`;
    const { attachments, text } = await draftOf(
      `${HEAD}Content-Type: multipart/mixed; boundary=m\n\n--m\n${part}\n--m--\n`,
    );
    expect(text).toBe('');
    expect(attachments).toMatchObject([
      { filename, contentType: 'application/pdf', contentId: null, content: Buffer.from(PDF) },
    ]);
  });

  test('a file has one name wherever it has one, and a text that is shown has none', async () => {
    const file =
      'Content-Type: text/csv; name=a.hta\nContent-Disposition: inline; name=b.hta; filename=a.csv\n\nx;y';
    const shown = 'Content-Type: text/plain; name=c.hta\n\nText';
    const { parts } = await draftOf(
      `${HEAD}Content-Type: multipart/mixed; boundary=m\n\n--m\n${shown}\n--m\n${file}\n--m--\n`,
    );
    expect(parts).toMatchObject({
      parts: [
        { type: 'text/plain;\r\n charset=utf-8', fields: '' },
        {
          type: 'text/csv;\r\n name=a.csv',
          fields: 'Content-Disposition: attachment;\r\n name=a.csv;\r\n filename=a.csv\r\n',
        },
      ],
    });
  });

  test('a text file is an attachment, a message within it stays whole', async () => {
    const { text, attachments } = await draftOf(
      `${HEAD}Content-Type: multipart/mixed; boundary=m\n\n--m\n\nText\n--m\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.csv\n\nx;y\n--m\nContent-Type: message/rfc822\n\nSubject: inner\n\nHallo\n--m--\n`,
    );
    expect(text).toBe('Text');
    expect(attachments).toMatchObject([
      { filename: 'a.csv', contentType: 'text/plain', content: Buffer.from('x;y') },
      { contentType: 'message/rfc822', content: Buffer.from('Subject: inner\r\n\r\nHallo') },
    ]);
  });
});

test('files that are signed are seen by the gates, and their content is kept once', async () => {
  const { attachments, parts } = await draftOf(
    submittedTree('a mailing list, with a footer behind what was signed', FROM, 'anna@example.org'),
  );
  expect(attachments).toMatchObject([{ filename: 'Befund.pdf', content: Buffer.from(PDF), isSigned: true }]);
  expect(parts).toMatchObject({ parts: [{ signed: expect.any(String) }, { form: 'text' }] });
});

describe('the addresses and fields', () => {
  test('the envelope decides who gets it; To and Cc stay as they were written', async () => {
    const message = `From: ${FROM}\nTo: A <anna@example.org>, b@example.org\nCc: Team: C@example.org;\nSubject: x\n\nText`;
    const { to, cc, bcc, shown } = await draftOf(message, [
      'anna@example.org',
      'c@example.org',
      'hidden@example.org',
    ]);
    expect({ to, cc, bcc, shown }).toEqual({
      to: [{ address: 'anna@example.org', name: 'A' }],
      cc: [{ address: 'c@example.org' }],
      bcc: [{ address: 'hidden@example.org' }],
      shown: {
        to: [{ address: 'anna@example.org', name: 'A' }, { address: 'b@example.org' }],
        cc: [{ address: 'C@example.org' }],
      },
    });
  });

  test('a Bcc field is no field of the message', async () => {
    const { bcc, headers } = await draftOf(`${HEAD}Bcc: boss@example.org\n\nText`);
    expect({ bcc, headers }).toEqual({ bcc: [], headers: [] });
  });

  test.each([
    ['no From', 'To: a@example.org\nSubject: x\n\nText', 'header.From'],
    ['two From fields', `From: ${FROM}\nFrom: b@example.org\nSubject: x\n\nText`, 'header.From'],
    ['two From addresses', `From: ${FROM}, b@example.org\nSubject: x\n\nText`, 'header.From'],
    ['a From that is none', 'From: nobody\nSubject: x\n\nText', 'header.From'],
    ['a To that is none', `From: ${FROM}\nTo: "a b"@example.org\n\nText`, 'header.To'],
    ['an unknown kind', `${HEAD}X-Service-Kind: gossip\n\nText`, 'header.X-Service-Kind'],
    ['two kinds', `${HEAD}X-Service-Kind: termin\nX-Service-Kind: recall\n\nText`, 'header.X-Service-Kind'],
    ['too long a tag', `${HEAD}X-Service-Tag: ${'x'.repeat(257)}\n\nText`, 'header.X-Service-Tag'],
    [
      '21 tags',
      `${HEAD}X-Service-Tag: ${Array.from({ length: 21 }, (_, n) => n).join()}\n\nText`,
      'header.X-Service-Tag',
    ],
    [
      '21 tags in two fields',
      `${HEAD}X-PM-Tag: ${Array.from({ length: 21 }, (_, n) => n).join()}\nX-Service-Tag: a\n\nText`,
      'header.X-PM-Tag',
    ],
    [
      'metadata of one key by two services',
      `${HEAD}X-PM-Metadata-color: a\nX-LM-Metadata-color: b\n\nText`,
      'header.X-LM-Metadata-color',
    ],
    [
      'metadata of one key twice',
      `${HEAD}X-PM-Metadata-color: a\nX-PM-Metadata-color: a\n\nText`,
      'header.X-PM-Metadata-color',
    ],
    [
      'too long a value of metadata',
      `${HEAD}X-PM-Metadata-a: a\nX-LM-Metadata-color: ${'x'.repeat(5_000)}\n\nText`,
      'header.X-LM-Metadata-color',
    ],
    [
      'two routes',
      `${HEAD}X-Service-Route: outgoing\nX-PM-Message-Stream: outbound\n\nText`,
      'header.X-PM-Message-Stream',
    ],
    ['a tracking of no meaning', `${HEAD}X-PM-TrackOpens: perhaps\n\nText`, 'header.X-PM-TrackOpens'],
    ['a project that is no id', `${HEAD}X-Service-Project: main\n\nText`, 'header.X-Service-Project'],
    ['an unknown encoding', `${HEAD}Content-Transfer-Encoding: x-uue\n\nText`, 'message'],
    ['too long a head', `${HEAD}X-A: ${'x'.repeat(270_000)}\n\nText`, 'message'],
    ['a multipart without a boundary', `${HEAD}Content-Type: multipart/mixed\n\nText`, 'message'],
    [
      'too many parts',
      `${HEAD}Content-Type: multipart/mixed; boundary=m\n\n${'--m\n\nx\n'.repeat(300)}--m--\n`,
      'message',
    ],
    ['too long a text', `${HEAD}\n${'x'.repeat(5_000_001)}`, 'text'],
    ['texts that are too long together', several('text/plain', 'x'.repeat(2_600_000), 2), 'text'],
    ['pages that are too long together', several('text/html', 'x'.repeat(2_600_000), 2), 'text'],
    [
      'text that is too long as HTML',
      several('text/plain', '&'.repeat(1_100_000), 1).replace(
        /--m--$/,
        '--m\nContent-Type: text/html\n\nx\n--m--',
      ),
      'text',
    ],
  ])('a message with %s is refused', async (_, message, path) => {
    const { code, extra } = await refusalOf(message);
    expect({ code, fields: extra.fields }).toMatchObject({ code: 'invalid_request', fields: [{ path }] });
  });

  test('an unknown X-Service field is refused, with a guess of the one that was meant', async () => {
    const { code, hint, extra } = await refusalOf(`${HEAD}X-Service-Tags: a\n\nText`);
    expect({ code, hint, extra }).toEqual({
      code: 'header_not_allowed',
      hint: 'Perhaps X-Service-Tag was meant.',
      extra: { header: 'X-Service-Tags' },
    });
  });

  test.each([
    ['multipart/signed; protocol="application/pkcs7-signature"', /S\/MIME/],
    ['multipart/encrypted', /encryption/],
    ['application/pkcs7-mime; smime-type=enveloped-data', /S\/MIME/],
    ['application/ms-tnef; name=winmail.dat', /Outlook/],
    ['multipart/report; report-type=disposition-notification', /receipts/],
  ])('%s is refused', async (type, hint) => {
    const error = await refusalOf(`${HEAD}Content-Type: ${type}; boundary=m\n\n--m\n\nx\n--m--\n`);
    expect(error.code).toBe('unsupported_media_type');
    expect(error.hint).toMatch(hint);
  });

  test('fields that may be set are kept, once; others are left out', async () => {
    const { headers } = await draftOf(
      `${HEAD}In-Reply-To: <a@b>\nReferences: <a@b>\n <c@d>\nList-Id: x\nX-Mailer: =?utf-8?q?M=C3=BC?=\nX-Mailer: again\nDKIM-Signature: v=1\nReceived: from x\nReturn-Path: <a@b>\nX-SMTPAPI: {}\nSender: x@y.example\n\nText`,
    );
    expect(headers).toEqual([
      ['In-Reply-To', '<a@b>'],
      ['References', '<a@b> <c@d>'],
      ['List-Id', 'x'],
      ['X-Mailer', 'Mü'],
    ]);
  });
});

describe('repetitions', () => {
  const WITH_ID = HEAD.replace('Subject', 'Message-ID: <one@praxis.example>\nSubject');
  const keyOf = async (message: string, recipients?: readonly string[]) =>
    (await take(message, recipients)).idempotency?.key;

  test('the same bytes to the same recipients have one key, in whatever order they are named', async () => {
    const key = await keyOf(`${WITH_ID}\nText`, ['a@example.org', 'B@example.org']);
    expect(key).toMatch(/^smtp:[0-9a-f]{64}$/);
    expect(await keyOf(`${WITH_ID}\nText`, ['b@example.org', 'a@example.org'])).toBe(key);
  });

  test('a key in the message is the key, and the same message may be written again', async () => {
    const keyed = (id: string, text: string) =>
      take(
        `${HEAD}Message-ID: <${id}@praxis.example>\nDate: Mon, 7 Dec 2026 09:30:${id} +0100\nResend-Idempotency-Key: einmal\n\n${text}`,
      );
    const { idempotency } = await keyed('01', 'Text');
    expect(idempotency?.key).toBe('einmal');
    expect((await keyed('02', 'Text')).idempotency).toEqual(idempotency);
    expect((await keyed('01', 'Anders')).idempotency).not.toEqual(idempotency);
  });

  test.each([
    'X-PM-Tag: b',
    'X-Service-Route: broadcast',
    'X-Service-Kind: termin',
    'X-PM-Metadata-color: blue',
    'X-PM-TrackOpens: true',
    'X-Entity-Ref-ID: 1',
    'Reply-To: b@example.org',
  ])('under one key, a message with %s is another one', async (field) => {
    const keyed = async (fields: string) =>
      (await take(`${HEAD}${fields}X-Service-Idempotency-Key: einmal\n\nText`)).idempotency;
    const plain = await keyed('');
    expect(JSON.stringify(await keyed(`${field}\n`))).not.toBe(JSON.stringify(plain));
  });

  test.each([
    ['another text', `${WITH_ID}\nText.`, ['anna@example.org']],
    ['another recipient', `${WITH_ID}\nText`, ['b@example.org']],
    ['no Message-ID', `${HEAD}\nText`, ['anna@example.org']],
  ])('%s is another message', async (_, message, recipients) => {
    expect(await keyOf(message, recipients)).not.toBe(await keyOf(`${WITH_ID}\nText`));
  });
});

const composed = ({ from, subject, text, html, attachments, parts }: Draft) =>
  composeMessage({
    internetMessageId: '<a@praxis.example>',
    date: 0,
    from: from ?? { address: FROM as Address },
    ...{ to: [], cc: [], replyTo: [], headers: [], subject, text, html, parts: parts ?? null },
    attachments: attachments.map(({ filename, contentType, content }) => ({
      filename,
      contentType,
      content,
    })),
  });

test('3,000 damaged messages: each is taken and can be composed, or is refused', async () => {
  const samples = [
    thunderbird(FROM),
    outlook(FROM),
    appleMail(FROM),
    invitation(FROM),
    submittedTree('K-9 Mail, RFC 2231 name', FROM, 'anna@example.org'),
    submittedTree('a mailing list, with a footer behind what was signed', FROM, 'anna@example.org'),
  ];
  let taken = 0;
  for (const [seed, sample] of samples.entries())
    for (const message of mutations(sample, 500, seed))
      await take(message).then(
        ({ draft }) => {
          taken += 1;
          const { header, body } = composed(draft);
          expect(header + body).not.toMatch(/[^\t\r\n\x20-\x7e]|\r(?!\n)|(?<!\r)\n|^.{999}/m);
        },
        (error: unknown) => {
          if (!(error instanceof AppError)) throw error;
        },
      );
  expect(taken).toBeGreaterThan(300);
  expect(taken).toBeLessThan(3_000);
});
