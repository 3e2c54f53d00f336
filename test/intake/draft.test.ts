import { describe, expect, test } from 'vitest';
import { toDraft } from '#src/intake/draft.ts';
import { type SendBody, sendBody } from '#src/intake/schema.ts';
import { AppError } from '#src/kernel/errors.ts';

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
      name: 'no content',
      given: { text: undefined },
      refusal: { code: 'invalid_request', fields: [{ path: 'body.text', message: expect.any(String) }] },
    },
    {
      name: 'two different texts',
      given: { text_body: 'Auf Wiedersehen' },
      refusal: { code: 'invalid_request', fields: [{ path: 'body.text_body', message: expect.any(String) }] },
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

  test.each(['to', 'cc', 'bcc', 'reply_to'] as const)('more than may be typed as %s', (field) => {
    const message = `must have at most ${LIMIT} characters in all`;
    expect(refusalOf({ [field]: listOf(LIMIT + 1) })).toEqual({
      code: 'invalid_request',
      fields: [{ path: `body.${field}`, message }],
    });
    expect(refusalOf({ [field]: listOf(LIMIT) })).toBeNull();
  });

  test('a long bad recipient is told only in part', () => {
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
    { name: 'an alias that says the same', given: { text_body: 'Guten Tag' }, draft: { text: 'Guten Tag' } },
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
      name: 'nothing that was not said',
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
    { given: { filename: 'a.exe' }, type: 'application/octet-stream', id: null },
    { given: { filename: 'a.constructor' }, type: 'application/octet-stream', id: null },
    { given: { filename: 'logo.png', content_id: '<logo@x>' }, type: 'image/png', id: 'logo@x' },
    { given: { filename: 'logo.png', content_id: 'logo' }, type: 'image/png', id: 'logo' },
  ])('the attachment $given is $type', ({ given, type, id }) => {
    const [attachment] = draftOf({ attachments: [{ content: 'aGFsbG8=', ...given }] }).attachments;
    expect(attachment).toMatchObject({ contentType: type, contentId: id });
    expect(Buffer.from(attachment?.content ?? []).toString()).toBe('hallo');
  });

  test('a file name is composed, so that it is compared and shown alike', () => {
    const attachments = [{ filename: 'Mu\u0308ller.pdf', content: 'aGFsbG8=' }];
    expect(draftOf({ attachments }).attachments[0]?.filename).toBe('Müller.pdf');
  });
});
