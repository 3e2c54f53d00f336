import { describe, expect, test } from 'vitest';
import { toDraft } from '#src/intake/draft.ts';
import { type SendBody, sendBody } from '#src/intake/schema.ts';
import { draftOf as draftOfBody } from '#src/intake/templates/resolve.ts';
import { AppError } from '#src/kernel/errors.ts';
import { inEnglish } from '#src/kernel/say.ts';
import { textOf } from '#src/kernel/validate.ts';

type Given = Partial<Record<keyof SendBody, unknown>>;
const draftOf = (given: Given) =>
  toDraft(sendBody.parse({ to: 'anna@example.org', subject: 'Termin', text: 'Guten Tag', ...given }));
const addresses = (mailboxes: readonly { address: string }[]) => mailboxes.map(({ address }) => address);

const refusalOf = (given: Given): unknown => {
  try {
    draftOf(given);
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, ...error.extra };
    throw error;
  }
  return null;
};

describe('recipients', () => {
  test.each<{ name: string; given: Given; to: string[]; cc?: string[]; bcc?: string[] }>([
    { name: 'one', given: { to: 'anna@example.org' }, to: ['anna@example.org'] },
    { name: 'one with a name', given: { to: 'Anna <anna@example.org>' }, to: ['anna@example.org'] },
    { name: 'a list in one text', given: { to: 'a@x.org, b@x.org' }, to: ['a@x.org', 'b@x.org'] },
    {
      name: 'an array',
      given: { to: ['a@x.org', 'b@x.org, c@x.org'] },
      to: ['a@x.org', 'b@x.org', 'c@x.org'],
    },
    { name: 'one named twice', given: { to: ['a@x.org', 'A@X.org'] }, to: ['a@x.org'] },
    {
      name: 'To before Cc',
      given: { to: 'a@x.org', cc: 'a@x.org, b@x.org' },
      to: ['a@x.org'],
      cc: ['b@x.org'],
    },
    {
      name: 'Cc before Bcc',
      given: { to: 'a@x.org', cc: 'b@x.org', bcc: ['b@x.org', 'c@x.org'] },
      to: ['a@x.org'],
      cc: ['b@x.org'],
      bcc: ['c@x.org'],
    },
    { name: 'none, left to the gate that counts', given: { to: [] }, to: [] },
    { name: 'an empty text', given: { to: ' ' }, to: [] },
  ])('$name', ({ given, to, cc = [], bcc = [] }) => {
    const draft = draftOf(given);
    expect([draft.to, draft.cc, draft.bcc].map(addresses)).toEqual([to, cc, bcc]);
  });
});

describe('what cannot be understood', () => {
  test.each<{ name: string; given: Given; refusal: unknown }>([
    {
      name: 'a recipient without @',
      given: { to: 'anna' },
      refusal: { code: 'invalid_recipient', recipients: ['anna'] },
    },
    {
      name: 'a recipient in Cc',
      given: { cc: ['b@x.org', 'c@'] },
      refusal: { code: 'invalid_recipient', recipients: ['c@'] },
    },
    {
      name: 'a From of two addresses',
      given: { from: 'a@x.org, b@x.org' },
      refusal: { code: 'invalid_request', fields: [{ path: 'body.from', message: expect.any(String) }] },
    },
    {
      name: 'a Reply-To',
      given: { reply_to: 'nobody' },
      refusal: { code: 'invalid_request', fields: [{ path: 'body.reply_to', message: expect.any(String) }] },
    },
    {
      name: 'two different texts',
      given: { text_body: 'Auf Wiedersehen' },
      refusal: { code: 'invalid_request', fields: [{ path: 'body.text_body', message: expect.any(String) }] },
    },
    {
      name: 'several recipients at once',
      given: { to: ['a@x.org', 'anna'], cc: 'c@', bcc: 'd@x.org, @' },
      refusal: { code: 'invalid_recipient', recipients: ['anna', 'c@', 'd@x.org, @'] },
    },
    {
      name: 'several fields at once, before recipients',
      given: { from: 'a@x.org, b@x.org', to: 'anna', reply_to: ['nobody', 'no one'], subject: ' ' },
      refusal: {
        code: 'invalid_request',
        fields: ['subject', 'from', 'reply_to', 'reply_to'].map((field) => ({
          path: `body.${field}`,
          message: expect.any(String),
        })),
      },
    },
    {
      name: 'two different HTML texts',
      given: { html: '<p>1', html_body: '<p>2' },
      refusal: { code: 'invalid_request', fields: [{ path: 'body.html_body', message: expect.any(String) }] },
    },
  ])('$name', ({ given, refusal }) => {
    expect(refusalOf(given)).toEqual(refusal);
  });

  const LIMIT = 131_072;
  /** One address, written so often that the list has so many characters. */
  const listOf = (characters: number): string[] => {
    const text = Array.from({ length: 1_000 }, () => 'a@x.org').join(', ');
    const whole = Array.from({ length: Math.floor(characters / text.length) }, () => text);
    return [...whole, 'a@x.org'.padStart(characters % text.length)];
  };

  test.each(['to', 'cc', 'bcc', 'reply_to'] as const)('more characters than %s may have', (field) => {
    const message = `must have at most ${LIMIT} characters in all`;
    expect(refusalOf({ [field]: listOf(LIMIT + 1) })).toEqual({
      code: 'invalid_request',
      fields: [{ path: `body.${field}`, message }],
    });
    expect(refusalOf({ [field]: listOf(LIMIT) })).toBeNull();
  });

  test('a long bad recipient is shown only in part', () => {
    expect(refusalOf({ to: 'x'.repeat(5_000) })).toEqual({
      code: 'invalid_recipient',
      recipients: ['x'.repeat(254)],
    });
  });
});

describe('texts', () => {
  test.each(['text', 'html', 'text_body', 'html_body'])('%s has at most five million characters', (field) => {
    const given = (characters: number) => ({ to: 'a@x.org', subject: 'a', [field]: 'x'.repeat(characters) });
    expect(sendBody.safeParse(given(5_000_000)).success).toBe(true);
    expect(sendBody.safeParse(given(5_000_001)).error?.issues).toMatchObject([{ path: [field] }]);
  });
});

describe('the rest', () => {
  test.each<{ name: string; given: Given; draft: Record<string, unknown> }>([
    {
      name: 'text under its alias',
      given: { text: undefined, text_body: 'Hallo' },
      draft: { text: 'Hallo', html: null },
    },
    { name: 'an alias with the same value', given: { text_body: 'Guten Tag' }, draft: { text: 'Guten Tag' } },
    {
      name: 'HTML alone',
      given: { text: undefined, html: '<p>Hallo' },
      draft: { text: null, html: '<p>Hallo' },
    },
    { name: 'an empty text is a text', given: { text: '' }, draft: { text: '' } },
    {
      name: 'a tag and tags, each once',
      given: { tag: 'a', tags: ['A', ' b ', { name: 'c', value: 'd' }] },
      draft: { tags: ['a', 'b', 'c:d'] },
    },
    {
      name: 'nothing that was not given',
      given: {},
      draft: {
        from: null,
        html: null,
        route: null,
        kind: null,
        tags: [],
        metadata: {},
        headers: [],
        settings: {},
      },
    },
    {
      name: 'headers in their order',
      given: { headers: { 'X-B': '1', 'X-A': '2' } },
      draft: {
        headers: [
          ['X-B', '1'],
          ['X-A', '2'],
        ],
      },
    },
  ])('$name', ({ given, draft }) => {
    expect(draftOf(given)).toMatchObject(draft);
  });

  test.each([
    { given: { filename: 'a.pdf' }, type: 'application/pdf', id: null },
    { given: { filename: 'a.csv', content_type: 'TEXT/Plain' }, type: 'text/plain', id: null },
    {
      given: { filename: 'a.PDF', content_type: 'application/octet-stream' },
      type: 'application/pdf',
      id: null,
    },
    { given: { filename: 'a.jpg', content_type: 'image/jpg' }, type: 'image/jpeg', id: null },
    { given: { filename: 'a.pdf', content_type: 'image/png' }, type: 'image/png', id: null },
    { given: { filename: 'a.exe' }, type: 'application/octet-stream', id: null },
    { given: { filename: 'a.constructor' }, type: 'application/octet-stream', id: null },
    { given: { filename: 'logo.png', content_id: '<logo@x>' }, type: 'image/png', id: 'logo@x' },
    { given: { filename: 'logo.png', content_id: 'logo' }, type: 'image/png', id: 'logo' },
  ])('the attachment $given is $type', ({ given, type, id }) => {
    const [attachment] = draftOf({ attachments: [{ content: 'aGFsbG8=', ...given }] }).attachments;
    expect(attachment).toMatchObject({ contentType: type, contentId: id });
    expect(Buffer.from(attachment?.content ?? []).toString()).toBe('hallo');
  });

  test('a file name is in composed form, so that it is compared and shown alike', () => {
    const attachments = [{ filename: 'Mu\u0308ller.pdf', content: 'aGFsbG8=' }];
    expect(draftOf({ attachments }).attachments[0]?.filename).toBe('Müller.pdf');
  });
});

describe('names with capitals', () => {
  const refusal = (given: object): unknown => {
    const result = sendBody.safeParse(given);
    if (!result.success)
      return result.error.issues.map(
        ({ path, message }) => `${path.join('.')}: ${inEnglish(textOf(message))}`,
      );
    try {
      toDraft(result.data);
    } catch (error) {
      if (error instanceof AppError) return { code: error.code, error: error.message, ...error.extra };
      throw error;
    }
    return null;
  };
  const whole = {
    From: 'Praxis <noreply@praxis.example>',
    To: '"Beispiel, Anna" <anna@example.org>, max@example.org',
    Cc: 'copy@example.org',
    Bcc: ['hidden@example.org'],
    ReplyTo: 'praxis@example.org',
    Subject: 'Termin',
    TextBody: 'Guten Tag',
    HtmlBody: '<p>Guten Tag</p>',
    Tag: 'erinnerung',
    Metadata: { patient: '4711' },
    Headers: [{ Name: 'X-Case', Value: '7' }],
    Attachments: [
      { Name: 'a.pdf', Content: 'aGFsbG8=', ContentType: 'application/pdf' },
      { Name: 'logo.gif', Content: 'aGFsbG8=', ContentType: 'image/gif', ContentID: 'cid:logo' },
    ],
    TrackOpens: true,
    TrackLinks: 'HtmlOnly',
    MessageStream: 'outbound',
  };
  const native = {
    from: whole.From,
    to: whole.To,
    cc: whole.Cc,
    bcc: whole.Bcc,
    reply_to: whole.ReplyTo,
    subject: whole.Subject,
    text: whole.TextBody,
    html: whole.HtmlBody,
    tag: whole.Tag,
    metadata: whole.Metadata,
    headers: [{ name: 'X-Case', value: '7' }],
    attachments: [
      { filename: 'a.pdf', content: 'aGFsbG8=', content_type: 'application/pdf' },
      { filename: 'logo.gif', content: 'aGFsbG8=', content_type: 'image/gif', content_id: 'cid:logo' },
    ],
    settings: { track_opens: true, track_clicks: true },
    route: 'outgoing',
  };

  test('give the same draft as the native ones, so that one key answers both', () => {
    const [one, other] = [whole, native].map((body) => sendBody.parse(body));
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
    expect(toDraft(sendBody.parse(whole))).toEqual(toDraft(sendBody.parse(native)));
  });

  test('may be mixed with native ones, also of the same field where both have the same value', () => {
    expect(toDraft(sendBody.parse({ ...whole, ...native }))).toEqual(toDraft(sendBody.parse(native)));
    const { To, ...others } = whole;
    expect(toDraft(sendBody.parse({ ...others, to: To }))).toEqual(toDraft(sendBody.parse(native)));
  });

  test.each(
    Object.entries({
      From: 'x@praxis.example',
      To: 'other@example.org',
      Cc: 'other@example.org',
      Bcc: [],
      ReplyTo: 'x@x.org',
      Subject: 'Anderes',
      TextBody: 'Anderes',
      HtmlBody: '<p>Anderes</p>',
      Tag: 'anderes',
      Metadata: {},
      Headers: [],
      Attachments: [],
      TrackOpens: false,
      TrackLinks: 'None',
      MessageStream: 'broadcast',
    }),
  )('%s that contradicts its native form is refused, and both are named', (name, value) => {
    const alias: Record<string, string> = {
      ReplyTo: 'reply_to',
      TextBody: 'text',
      HtmlBody: 'html',
      TrackOpens: 'settings.track_opens',
      TrackLinks: 'settings.track_clicks',
      MessageStream: 'route',
    };
    const said = `has another value than ${alias[name] ?? name.toLowerCase()}, whose alias it is`;
    expect(refusal({ ...native, [name]: value })).toEqual([`${name}: ${said}`]);
  });

  const OPTIONAL = Object.keys(whole).filter((name) => name !== 'To' && name !== 'Subject');
  test.each(OPTIONAL)('null as %s means absent', (name) => {
    const { [name as keyof typeof whole]: _, ...without } = whole;
    const [one, other] = [{ ...without, [name]: null }, without].map((body) => sendBody.parse(body));
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });

  test.each(['Cc', 'Bcc', 'ReplyTo', 'TextBody', 'Tag', 'From', 'MessageStream'])(
    'the empty text as %s is as if it were not there',
    (name) => {
      const { [name as keyof typeof whole]: _, ...without } = whole;
      const [one, other] = [{ ...without, [name]: '' }, without].map((body) => sendBody.parse(body));
      expect(JSON.stringify(one)).toBe(JSON.stringify(other));
    },
  );

  test.each([
    { TrackLinks: 'None', clicks: false },
    { TrackLinks: 'HtmlAndText', clicks: true },
    { TrackLinks: 'TextOnly', clicks: true },
  ])('TrackLinks $TrackLinks', ({ TrackLinks, clicks }) => {
    expect(sendBody.parse({ ...whole, TrackLinks }).settings).toEqual({
      track_opens: true,
      track_clicks: clicks,
    });
  });

  test.each([
    { MessageStream: 'outbound', route: 'outgoing' },
    { MessageStream: 'broadcast', route: 'broadcast' },
    { MessageStream: 'Labor', route: 'labor' },
  ])('MessageStream $MessageStream is the route $route', ({ MessageStream, route }) => {
    expect(sendBody.parse({ ...whole, MessageStream }).route).toBe(route);
  });

  test.each<{ name: string; given: object; expected: unknown }>([
    { name: 'a number as Subject', given: { Subject: 7 }, expected: [expect.stringMatching(/^Subject: /)] },
    { name: 'no To', given: { To: undefined }, expected: ['to: is required'] },
    { name: 'null as To', given: { To: null }, expected: ['to: is required'] },
    {
      name: 'an unknown field of an attachment',
      given: { Attachments: [{ Name: 'a.pdf', Content: '', Disposition: 'inline' }] },
      expected: [expect.stringMatching(/^Attachments.0: .*Disposition/)],
    },
    {
      name: 'a From of two addresses',
      given: { From: 'a@x.org, b@x.org' },
      expected: expect.objectContaining({ fields: [{ path: 'body.From', message: expect.any(String) }] }),
    },
    {
      name: 'a bad ReplyTo',
      given: { ReplyTo: 'nobody' },
      expected: expect.objectContaining({ fields: [{ path: 'body.ReplyTo', message: expect.any(String) }] }),
    },
    {
      name: 'a bad recipient',
      given: { Cc: 'nobody' },
      expected: expect.objectContaining({ error: expect.stringMatching(/^Cc: /), recipients: ['nobody'] }),
    },
    {
      name: 'an invisible subject',
      given: { Subject: '\u200b' },
      expected: expect.objectContaining({ fields: [{ path: 'body.Subject', message: 'must not be empty' }] }),
    },
    {
      name: 'one content id twice',
      given: {
        Attachments: [
          { Name: 'a.gif', Content: '', ContentID: 'cid:a' },
          { Name: 'b.gif', Content: '', ContentID: '<a>' },
        ],
      },
      expected: expect.objectContaining({
        fields: [{ path: 'body.Attachments[1].ContentID', message: expect.any(String) }],
      }),
    },
    { name: 'a name in another case', given: { CC: 'a@x.org' }, expected: [expect.stringContaining('CC')] },
  ])('$name is refused by the name it was given', ({ given, expected }) => {
    expect(refusal({ ...whole, ...given })).toEqual(expected);
  });

  test.each(['to', 'cc', 'subject', 'text', 'html', 'tag', 'attachments', 'settings', 'route'])(
    'null as %s, a native field, is refused',
    (name) => {
      expect(refusal({ ...native, [name]: null })).toEqual([expect.stringMatching(new RegExp(`^${name}: `))]);
    },
  );
});

describe('lists of addresses as RFC 5322 has them', () => {
  test.each<[typed: string | string[], expected: readonly { address: string; name?: string }[]]>([
    [
      '"Beispiel, Anna" <anna@x.org>, max@x.org',
      [{ address: 'anna@x.org', name: 'Beispiel, Anna' }, { address: 'max@x.org' }],
    ],
    ['Anna (die Ältere) <anna@x.org>', [{ address: 'anna@x.org', name: 'Anna' }]],
    ['anna@x.org (Anna, Praxis)', [{ address: 'anna@x.org' }]],
    ['"Anna \\"Anni\\" Beispiel" <anna@x.org>', [{ address: 'anna@x.org', name: 'Anna "Anni" Beispiel' }]],
    ['anna@bücher.example', [{ address: 'anna@xn--bcher-kva.example' }]],
    ['Anna <anna@BÜCHER.example>', [{ address: 'anna@xn--bcher-kva.example', name: 'Anna' }]],
    [
      ['"Praxis; Empfang: Nord" <a@x.org>', 'b@x.org,c@x.org'],
      [{ address: 'a@x.org', name: 'Praxis; Empfang: Nord' }, { address: 'b@x.org' }, { address: 'c@x.org' }],
    ],
  ])('%j', (typed, expected) => {
    expect(draftOf({ to: typed }).to).toEqual(expected);
  });

  test.each([
    'Freunde: anna@x.org, max@x.org;',
    'undisclosed-recipients:;',
    'anna@x.org max@x.org',
    'a@x.org,,b@x.org',
  ])('%s is refused: nothing is guessed', (typed) => {
    expect(refusalOf({ to: typed })).toMatchObject({ code: 'invalid_recipient' });
  });

  test('an address in letters beyond ASCII and in A-labels is one recipient', () => {
    const { to, cc } = draftOf({ to: 'a@bücher.example', cc: 'A@xn--bcher-kva.EXAMPLE, b@x.org' });
    expect([to, cc].map(addresses)).toEqual([['a@xn--bcher-kva.example'], ['b@x.org']]);
  });
});

describe('attachments that the HTML shows', () => {
  const logo = (content_id: string) => ({ filename: 'logo.gif', content: 'aGFsbG8=', content_id });

  test.each(['logo', '<logo>', 'cid:logo', 'CID:logo', 'cid:%6Cogo'])('the id %s is logo', (typed) => {
    expect(draftOf({ attachments: [logo(typed)] }).attachments[0]?.contentId).toBe('logo');
  });

  test('two of one id are refused', () => {
    expect(refusalOf({ attachments: [logo('a'), logo('b'), logo('<a>')] })).toEqual({
      code: 'invalid_request',
      fields: [{ path: 'body.attachments[2].content_id', message: 'is the id of an earlier attachment too' }],
    });
    expect(refusalOf({ attachments: [logo('a'), logo('A')] })).toBeNull();
  });

  test('references in the HTML get the plain id', () => {
    const html = '<img src="CID:%3Clogo%3E">';
    expect(draftOf({ html, attachments: [logo('logo')] }).html).toBe('<img src="cid:logo">');
  });
});

describe('headers', () => {
  test('given as a list keep their order, and repeated names', () => {
    const headers = [
      { name: 'X-B', value: '1' },
      { name: 'X-A', value: '2' },
      { name: 'x-b', value: '3' },
    ];
    expect(draftOf({ headers }).headers).toEqual([
      ['X-B', '1'],
      ['X-A', '2'],
      ['x-b', '3'],
    ]);
  });

  test.each([[Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`X-${index}`, '']))]])(
    'are 50 at most, as an object and as a list',
    (headers) => {
      const list = Object.keys(headers).map((name) => ({ name, value: '' }));
      const body = { to: 'a@x.org', subject: 'a', text: 'a' };
      expect(sendBody.safeParse({ ...body, headers }).success).toBe(false);
      expect(sendBody.safeParse({ ...body, headers: list }).success).toBe(false);
      expect(sendBody.safeParse({ ...body, headers: list.slice(1) }).success).toBe(true);
    },
  );
});

test('scheduled_at is the same moment in every time zone it is written in', () => {
  const moment = Date.UTC(2026, 11, 1, 8, 30);
  expect(draftOf({ scheduled_at: '2026-12-01T09:30:00+01:00' }).scheduledAt).toBe(moment);
  expect(draftOf({ scheduled_at: '2026-12-01T08:30:00.000Z' }).scheduledAt).toBe(moment);
  for (const scheduled_at of ['2026-12-01T09:30:00', '2026-12-01', 'tomorrow', 1_764_577_800_000]) {
    expect(sendBody.safeParse({ to: 'a@x.org', subject: 'a', text: 'a', scheduled_at }).success).toBe(false);
  }
});

describe('a template takes the place of subject, text and HTML', () => {
  const template = 'termin-erinnerung';
  test.each(['subject', 'text', 'text_body', 'html', 'html_body'])('%s beside it is refused', (field) => {
    const body = sendBody.parse({ to: 'a@x.org', template, [field]: 'x' });
    expect(() => draftOfBody(body)).toThrow(
      expect.objectContaining({
        extra: { fields: [{ path: `body.${field}`, message: 'cannot be given beside template' }] },
      }),
    );
  });

  test.each([{ data: {} }, { template_version: 2 }])('%j without one is refused', (given) => {
    const body = sendBody.parse({ to: 'a@x.org', subject: 'a', text: 'a', ...given });
    expect(() => draftOfBody(body)).toThrow(
      expect.objectContaining({
        extra: { fields: [{ path: `body.${Object.keys(given)[0]}`, message: expect.any(String) }] },
      }),
    );
  });

  test('the rest is refused at once, before any file is opened', () => {
    const body = sendBody.parse({ to: 'nobody', template });
    expect(() => draftOfBody(body)).toThrow(expect.objectContaining({ code: 'invalid_recipient' }));
  });
});
