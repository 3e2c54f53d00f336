// The bytes of copies that are made from stored rows.
import { simpleParser } from 'mailparser';
import { describe, expect, test } from 'vitest';
import { fromMime } from '#src/intake/from-mime.ts';
import { parseAddress, parseAddressList } from '#src/mail/address.ts';
import type { Copy, StoredMessage } from '#src/messages/compose/message.ts';
import { composeCopy } from '#src/messages/compose/prepare.ts';
import type { Invitation, MessageSettings } from '#src/messages/settings.ts';
import { submittedTree } from '#test/fixtures/submitted-trees.ts';

const LINK = 'https://mail.example.com/api/public/unsub?t=token';
const copy = (fields: Partial<Copy> = {}): Copy => ({
  recipient: parseAddress('erika@example.org').address,
  unsubscribeUrl: LINK,
  preferencesUrl: null,
  unsubscribeAddress: null,
  complaints: null,
  tracking: {
    openUrl: () => 'https://mail.example.com/t/o/token',
    clickUrl: (url) => `https://mail.example.com/t/c/token/${url}`,
  },
  practice: 'praxis-am-markt',
  service: { name: 'Sendwerk', origin: 'https://mail.example.com' },
  ...fields,
});

const footer = { language: 'de', unsubscribe: 'one_click', powered_by: false, legal: null } as const;

interface Changes {
  readonly settings?: Partial<MessageSettings>;
  readonly message?: Partial<StoredMessage['message']>;
  readonly body?: Partial<StoredMessage['body']>;
  readonly attachments?: StoredMessage['attachments'];
}

const stored = ({ settings, message, body, attachments = [] }: Changes = {}): StoredMessage => ({
  message: {
    seq: 1,
    is_pseudonymous: 0,
    campaign_seq: null,
    token_id: null,
    template_id: null,
    id: '0199f3a2-5c1e-7d3a-9c44-8a1b2c3d4e5f',
    internet_message_id: '<0199f3a2-5c1e-7d3a-9c44-8a1b2c3d4e5f@mail.praxis.example>',
    project_id: 'project',
    route_id: 'route',
    message_kind: 'termin',
    channel: 'termin',
    source: 'api',
    from_json: JSON.stringify(parseAddress('Praxis Ahorn <praxis@mail.praxis.example>')),
    to_json: JSON.stringify(parseAddressList('Erika Weiß <erika@example.org>, max@example.org')),
    cc_json: '[]',
    bcc_json: JSON.stringify(parseAddressList('Otto Heim <otto@example.org>')),
    reply_to_json: '[]',
    subject: 'Ihr Termin',
    tag: null,
    tags_json: '[]',
    metadata_json: '{}',
    settings_json: JSON.stringify({ plain_text_fallback: false, footer, ...settings }),
    decisions_json: '[]',
    status: 'queued',
    score: 0,
    size_bytes: 1,
    scheduled_at: null,
    created_at: Date.UTC(2026, 10, 20, 10),
    updated_at: Date.UTC(2026, 10, 20, 10),
    ...message,
  },
  body: {
    text: 'Am Montag.',
    html: null,
    sealed: null,
    headers_json: '[]',
    calendar_json: null,
    parts_json: null,
    ...body,
  },
  attachments,
});

const source = (changes: Changes = {}, of: Copy = copy()): string =>
  composeCopy(stored(changes), of).toString('latin1');

const fieldOf = (message: string, name: string): string[] => {
  const header = message.slice(0, message.indexOf('\r\n\r\n')).replace(/\r\n(?=[ \t])/g, '');
  return header.split('\r\n').flatMap((line) => {
    const colon = line.indexOf(': ');
    return line.slice(0, colon).toLowerCase() === name.toLowerCase() ? [line.slice(colon + 2)] : [];
  });
};

const read = async (changes: Changes = {}, of: Copy = copy()) =>
  simpleParser(source(changes, of), {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
  });

const FIELDS = [
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Precedence',
  'Auto-Submitted',
  'Feedback-ID',
] as const;
const MAILTO = 'u-1token@bounce.praxis.example';
const addressed = {
  unsubscribeAddress: MAILTO,
  complaints: { address: 'fbl@bounce.praxis.example', id: '1id' },
};
const answering = JSON.stringify([['In-Reply-To', '<a@example.org>']]);
const fields: readonly (readonly [
  title: string,
  changes: Changes,
  of: Copy,
  values: readonly (string | null)[],
])[] = [
  [
    'a transactional message',
    {},
    copy(),
    [`<${LINK}>`, 'List-Unsubscribe=One-Click', null, 'auto-generated', 'termin:p-praxis-am-markt:sendwerk'],
  ],
  [
    'a marketing message',
    { message: { message_kind: 'newsletter' } },
    copy(),
    [`<${LINK}>`, 'List-Unsubscribe=One-Click', 'bulk', null, 'newsletter:p-praxis-am-markt:sendwerk'],
  ],
  [
    'a link without HTTPS is no one-click link',
    { settings: { footer: { ...footer, unsubscribe: 'link' } } },
    copy(),
    [`<${LINK}>`, null, null, 'auto-generated', 'termin:p-praxis-am-markt:sendwerk'],
  ],
  [
    'the service’s own mail, which says of itself what it is',
    {
      settings: { footer: { ...footer, unsubscribe: null } },
      message: { source: 'system' },
      body: { headers_json: JSON.stringify([['Auto-Submitted', 'auto-replied']]) },
    },
    copy({ unsubscribeUrl: null }),
    [null, null, null, 'auto-replied', 'termin:p-praxis-am-markt:sendwerk'],
  ],
  [
    'an answer to somebody may be a person’s',
    { body: { headers_json: answering } },
    copy(),
    [`<${LINK}>`, 'List-Unsubscribe=One-Click', null, null, 'termin:p-praxis-am-markt:sendwerk'],
  ],
  [
    'what a mail program submits may be a person’s',
    { message: { source: 'smtp' } },
    copy(),
    [`<${LINK}>`, 'List-Unsubscribe=One-Click', null, null, 'termin:p-praxis-am-markt:sendwerk'],
  ],
  [
    'a service with a short name',
    {},
    copy({ service: { name: 'Ö 1', origin: 'https://mail.example.com' } }),
    [`<${LINK}>`, 'List-Unsubscribe=One-Click', null, 'auto-generated', 'termin:p-praxis-am-markt:1-mail'],
  ],
  [
    'a service with a long name',
    {},
    copy({ service: { name: 'Der Versand der Praxen', origin: 'https://mail.example.com' } }),
    [
      `<${LINK}>`,
      'List-Unsubscribe=One-Click',
      null,
      'auto-generated',
      'termin:p-praxis-am-markt:derversandderpr',
    ],
  ],
];

describe('header fields of the service', () => {
  test.each([
    [
      'beside the https address, which is the first',
      {},
      addressed,
      [`<${LINK}>,`, ` <mailto:${MAILTO}?subject=unsubscribe>`],
    ],
    [
      'with a link to unsubscribe alone',
      { settings: { footer: { ...footer, unsubscribe: null } } },
      { ...addressed, unsubscribeUrl: null },
      [],
    ],
  ] as const)('the mailto address to unsubscribe is there %s', (_, changes, of, lines) => {
    const [, text = ''] = /^List-Unsubscribe: ((?:.|\r\n )*)\r$/m.exec(source(changes, copy(of))) ?? [];
    expect(text.split('\r\n').filter((line) => line !== '')).toEqual(lines);
  });

  test('the address for complaints is there with the id of the copy', () => {
    const message = source({}, copy(addressed));
    expect(fieldOf(message, 'CFBL-Address')).toEqual(['fbl@bounce.praxis.example; report=arf']);
    expect(fieldOf(message, 'CFBL-Feedback-ID')).toEqual(['1id']);
    expect(fieldOf(source(), 'CFBL-Address')).toEqual([]);
  });

  test.each(fields)('%s', (_, changes, of, values) => {
    const message = source(changes, of);
    expect(FIELDS.map((name) => fieldOf(message, name))).toEqual(
      values.map((value) => (value === null ? [] : [value])),
    );
  });

  test('the link is on one line, however long', () => {
    const long = `https://${'mail.'.repeat(40)}example.com/api/public/unsub?t=${'a'.repeat(36)}`;
    const message = source({}, copy({ unsubscribeUrl: long }));
    expect(message).toContain(`<${long}>\r\n`);
    expect(Math.max(...message.split('\r\n').map(({ length }) => length))).toBeLessThan(998);
  });
});

describe('a message of a version without footers', () => {
  const old: MessageSettings = { plain_text_fallback: true };
  const before = (body: Changes['body']): string => {
    const { footer: _, ...settings } = { footer, ...old };
    const rows = stored({ ...(body ? { body } : {}) });
    const message = { ...rows.message, settings_json: JSON.stringify(settings) };
    return composeCopy({ ...rows, message }, copy({ unsubscribeUrl: null })).toString('latin1');
  };

  test('gets no addition in header and body', async () => {
    const message = before({ text: 'Am Montag. {{unsubscribe_url}}  \n' });
    expect(FIELDS.flatMap((name) => fieldOf(message, name))).toEqual([]);
    const { text } = await simpleParser(message);
    expect(text?.trimEnd()).toBe('Am Montag. {{unsubscribe_url}}');
  });
});

describe('placeholders for the link to unsubscribe', () => {
  const rows: readonly (readonly [title: string, body: Changes['body'], text: string, html: string])[] = [
    ['in a text', { text: 'a {{unsubscribe_url}} b {{ unsubscribe_url }} c' }, `a ${LINK} b ${LINK} c`, ''],
    [
      'in HTML',
      { text: null, html: '<body><a href="{{unsubscribe_url}}">x</a></body>' },
      '',
      `<body><a href="${LINK}">x</a></body>`,
    ],
    [
      'behind the end of the body',
      { text: null, html: '<body>x</body><p>{{unsubscribe_url}}</p>' },
      '',
      `<body>x</body><p>${LINK}</p>`,
    ],
  ];
  test.each(rows)('%s become the copy’s link, and no other is added', async (_, body, text, html) => {
    const mail = await read(body ? { body } : {});
    expect([(mail.text ?? '').trim(), (mail.html || '').trim()]).toEqual([text, html]);
  });

  test('are escaped for HTML', async () => {
    const html = '<a href="{{unsubscribe_url}}">x</a>';
    const mail = await read(
      { body: { text: null, html } },
      copy({ unsubscribeUrl: 'https://a.example/?a=1&b="2' }),
    );
    expect((mail.html || '').trim()).toBe('<a href="https://a.example/?a=1&amp;b=&quot;2">x</a>');
  });

  test('are replaced by nothing on a copy without such a link', async () => {
    const settings = { footer: { ...footer, unsubscribe: null } };
    const body = { text: 'a {{unsubscribe_url}}.', html: '<a href="{{unsubscribe_url}}">x</a>' };
    const mail = await read({ settings, body }, copy({ unsubscribeUrl: null }));
    expect([mail.text?.trim(), mail.html]).toEqual(['a .', '<a href="">x</a>']);
  });

  test('in HTML reach the text that is made from it', async () => {
    const settings = { plain_text_fallback: true };
    const html = '<p>Am Montag.</p><p><a href="{{ unsubscribe_url }}">Abmelden</a></p>';
    const { text } = await read({ settings, body: { text: null, html } });
    expect(text?.trim()).toBe(`Am Montag.\n\nAbmelden [${LINK}]`);
  });
});

test('HTML alone has no text footer where no text is made', () => {
  const message = source({ body: { text: null, html: '<p>x</p>' } });
  expect(message).not.toContain('text/plain');
  expect(message).toContain('<div lang=3D"de"');
});

describe('copies of one message', () => {
  const rows = stored({ body: { text: 'Am Montag.', html: '<p>Am Montag.</p>' } });
  const of = (number: number): Copy => copy({ unsubscribeUrl: `${LINK}${number}` });
  const compose = (number: number): string => composeCopy(rows, of(number)).toString('latin1');

  test('differ only in their link to unsubscribe', () => {
    const [first, second] = [compose(1), compose(2)];
    expect(first).not.toBe(second);
    // The encoding may break lines anywhere.
    const bare = (message: string): string => message.replace(/=\r\n/g, '').replace(/token\d/g, 'token');
    expect(bare(first)).toBe(bare(second));
  });

  test('are the same bytes at every attempt, also from rows that were read again', () => {
    const again = composeCopy(structuredClone(rows), of(1));
    expect(again.toString('latin1')).toBe(compose(1));
  });
});

describe('an invitation', () => {
  const calendar: Invitation = {
    summary: 'Termin',
    starts_at: '2026-12-01T10:00',
    ends_at: '2026-12-01T10:30',
    location: null,
    description: null,
    time_zone: 'Europe/Berlin',
  };
  const body = { calendar_json: JSON.stringify(calendar) };
  const attendees = async (address: string): Promise<string[]> => {
    const { attachments } = await read({ body }, copy({ recipient: parseAddress(address).address }));
    const [part, file] = attachments;
    expect([part?.contentType, file?.contentType, file?.filename]).toEqual([
      'text/calendar',
      'application/ics',
      'invite.ics',
    ]);
    expect(file?.content).toEqual(part?.content);
    const lines = part?.content.toString().replaceAll('\r\n ', '').split('\r\n') ?? [];
    expect(lines).toContain('UID:0199f3a2-5c1e-7d3a-9c44-8a1b2c3d4e5f@mail.praxis.example');
    expect(lines).toContain('DTSTAMP:20261120T100000Z');
    expect(lines).toContain('ORGANIZER;CN="Praxis Ahorn":mailto:praxis@mail.praxis.example');
    return lines
      .filter((line) => line.startsWith('ATTENDEE'))
      .map((line) => line.slice(line.indexOf('RSVP=FALSE') + 10));
  };

  test.each([
    ['erika@example.org', ';CN="Erika Weiß":mailto:erika@example.org'],
    ['max@example.org', ':mailto:max@example.org'],
    ['otto@example.org', ';CN="Otto Heim":mailto:otto@example.org'],
  ])('invites nobody but %s', async (address, line) => {
    expect(await attendees(address)).toEqual([line]);
  });
});

test('HTML and part name an inline image alike, and an unnamed one is a file', async () => {
  const image = (content_id: string) => ({
    filename: `${content_id}.png`,
    content_type: 'image/png',
    content_id,
    size_bytes: 3,
    content: Buffer.from('abc'),
  });
  const mail = await read({
    body: { html: '<p><img src="cid:logo"></p>' },
    attachments: [image('logo'), image('other')],
  });
  expect(mail.html || '').toContain('<img src="cid:logo@mail.praxis.example">');
  expect(
    mail.attachments.map(({ cid, contentDisposition, related }) => [cid, contentDisposition, related]),
  ).toEqual([
    ['logo@mail.praxis.example', 'inline', true],
    [undefined, 'attachment', undefined],
  ]);
});

describe('a copy of what a mail program submitted', () => {
  const submitted = async (mime: string | Buffer): Promise<Changes> => {
    const message = typeof mime === 'string' ? Buffer.from(mime.replace(/\n/g, '\r\n'), 'latin1') : mime;
    const { draft } = await fromMime(message, [parseAddress('erika@example.org').address], []);
    return {
      message: { source: 'smtp' },
      settings: { track_clicks: true, track_opens: true, plain_text_fallback: true },
      body: { text: draft.text, html: draft.html, parts_json: JSON.stringify(draft.parts) },
      attachments: draft.attachments.map(({ filename, contentType, contentId, content }) => ({
        filename,
        content_type: contentType,
        content_id: contentId,
        size_bytes: content.length,
        content,
      })),
    };
  };
  const HEAD = 'From: praxis@mail.praxis.example\nTo: erika@example.org\nSubject: Termin\n';
  const part = (type: string, content: string): string => `Content-Type: text/${type}\n\n${content}\n`;
  const multipart = (type: string, ...parts: string[]): string =>
    `Content-Type: multipart/${type}; boundary=${type}\n\n${parts.map((one) => `--${type}\n${one}`).join('')}--${type}--\n`;
  const count = (text: string, found: string): number => text.split(found).length - 1;
  const LINKED = '<a href="https://praxis.example/">Praxis</a>';
  const OPEN = 'https://mail.example.com/t/o/token';

  test('ends each form of an alternative with the footer, below its last piece', async () => {
    const pieces = multipart('mixed', part('html', `${LINKED} oben`), part('html', `unten ${LINKED}`));
    const changes = await submitted(
      HEAD + multipart('alternative', part('plain', 'Praxis oben, unten'), pieces),
    );
    const sent = source(changes);
    expect(sent.match(/^Content-Type: \S+/gim)?.join(' ')).toBe(
      'Content-Type: multipart/alternative; Content-Type: text/plain; Content-Type: multipart/mixed; Content-Type: text/html; Content-Type: text/html;',
    );
    const { html = '', text = '' } = await read(changes);
    expect(count(text, LINK)).toBe(1);
    expect(count(html || '', 'https://mail.example.com/t/c/token/')).toBe(2);
    expect([count(html || '', LINK), count(html || '', OPEN)]).toEqual([1, 1]);
    expect((html || '').indexOf('unten')).toBeLessThan((html || '').indexOf(LINK));
    expect(source(changes)).toBe(sent);
  });

  test('has the text made from HTML beside the HTML and its images', async () => {
    const image =
      'Content-Type: image/png\nContent-ID: <a>\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n';
    const changes = await submitted(
      HEAD + multipart('related', part('html', '<p>Hallo <img src="cid:a"></p>'), image),
    );
    const sent = source(changes);
    expect(sent.match(/(?<=^Content-Type: )[\w/]+/gim)).toEqual([
      'multipart/alternative',
      'text/plain',
      'multipart/related',
      'text/html',
      'image/png',
    ]);
    expect(sent).toContain('cid:a"');
    expect(sent).toContain('Content-ID: <a>\r\n');
  });

  test('does not change what is signed: only the header has the link to unsubscribe', async () => {
    const mime = submittedTree('Mutt, signed by OpenPGP', 'praxis@mail.praxis.example', 'erika@example.org');
    const sent = source(await submitted(mime));
    expect(sent.slice(sent.indexOf('\r\n\r\n') + 4)).toBe(
      mime.toString('latin1').slice(mime.indexOf('\r\n\r\n') + 4),
    );
    expect(fieldOf(sent, 'List-Unsubscribe')).toEqual([`<${LINK}>`]);
  });

  test('has no part that its text only looks like', async () => {
    const hidden =
      'Hallo\n--mixed\nContent-Type: text/html\nContent-Disposition: attachment; filename=a.html\n\nx\n--mixed--\n';
    const encoded = `Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n${btoa(hidden)}\n`;
    const { attachments, text } = await read(
      await submitted(HEAD + multipart('mixed', encoded, part('plain', 'Ende'))),
    );
    expect(attachments).toEqual([]);
    expect(text).toContain('filename=a.html');
  });
});
