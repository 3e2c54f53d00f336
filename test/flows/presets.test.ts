// The German starter templates: written once, sent with ordinary values, and found blameless by the rules of the house.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gradeOf } from '#src/content/assessment.ts';
import { languageOf } from '#src/content/language.ts';
import { subjectRisk } from '#src/content/subject-risk.ts';
import { type Preset, presets } from '#src/intake/templates/presets.ts';
import { merge } from '#src/mail/merge-fields.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';

interface Seeded {
  readonly created: readonly string[];
  readonly existing: readonly string[];
}

/** What a practice would write in. */
const values: Readonly<Record<string, string>> = {
  name: 'Frau Müller',
  datum: '14. Dezember 2026',
  uhrzeit: '9:30',
  alter_termin: '10. Dezember 2026',
  'practice.phone': '040 123456',
  oeffnungszeiten: 'Montag bis Freitag von 8 bis 12 Uhr',
  link: 'https://praxis.example/nachrichten',
  bestaetigungslink: 'https://mail.example.com/api/public/confirm?token=abc',
  betreff: 'Neues aus unserer Praxis',
  text: 'ab Januar haben wir auch am Donnerstagnachmittag geöffnet.',
  link_text: 'Unsere Sprechzeiten',
};

let app: TestApp;
let sender: Sender;
const seed = (who: Sender) => app.request<Seeded>('POST', `${who.base}/presets/seed`, undefined, who.token);
const names = presets.map(({ name }) => name);

beforeAll(async () => {
  app = await startApp({ config: { service: { public_origin: 'https://mail.example.com' } } });
  sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
});
afterAll(() => app?.remove());

describe('seeding', () => {
  test('writes each preset once, however often and by how many at once', async () => {
    const answers = await Promise.all([seed(sender), seed(sender), seed(sender)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.flatMap(({ body }) => body.created).toSorted()).toEqual(names.toSorted());
    expect((await seed(sender)).body).toEqual({ created: [], existing: names });
  });

  test('leaves alone what the practice has made of them, and writes again what it has deleted', async () => {
    const own = await app.createSender();
    const mine = { name: 'RECALL', subject: 'Mein eigener', text: 'Text' };
    await app.request('POST', `${own.base}/templates`, mine, own.token);
    await seed(own);
    const path = `${own.base}/templates`;
    expect((await app.request('GET', `${path}/recall`, undefined, own.token)).body).toMatchObject(mine);
    await app.request('PATCH', `${path}/willkommen`, { subject: 'Guten Tag' }, own.token);
    await app.request('DELETE', `${path}/newsletter`, undefined, own.token);
    expect((await seed(own)).body.created).toEqual(['newsletter']);
    expect((await app.request('GET', `${path}/willkommen`, undefined, own.token)).body.subject).toBe(
      'Guten Tag',
    );
  });
});

describe.each(presets)('$name', (preset: Preset) => {
  test('is accepted with ordinary values, by its kind, with the best grade and without a warning', async () => {
    const body = { to: 'anna@example.org', template: preset.name, data: values };
    const { status, body: sent } = await app.request<{ id: string; content_warnings?: unknown }>(
      'POST',
      `${sender.base}/send`,
      body,
      sender.token,
    );
    expect({ status, warnings: sent.content_warnings }).toEqual({ status: 202, warnings: undefined });
    const message = await app.message(sender, sent.id);
    expect({ kind: message.message_kind, grade: gradeOf(message.score ?? 100) }).toEqual({
      kind: preset.kind,
      grade: 'A',
    });
    expect(
      languageOf({ subject: message.subject, text: message.text ?? null, html: message.html ?? null }),
    ).toBe('de');
    expect(`${message.subject}${message.text}${message.html}`).not.toMatch(/\{\{|undefined/);
  });

  test('is tracked only where it is a newsletter', async () => {
    const { body } = await app.request(
      'GET',
      `${sender.base}/templates/${preset.name}`,
      undefined,
      sender.token,
    );
    const isNewsletter = preset.kind === 'newsletter';
    expect(body).toMatchObject({ track_opens: isNewsletter, track_clicks: isNewsletter });
  });

  test('has the same content in text and HTML', async () => {
    const { body } = await app.request<{ text: string; html: string }>(
      'GET',
      `${sender.base}/templates/${preset.name}`,
      undefined,
      sender.token,
    );
    const ofHtml = body.html
      .replace(/^.*<body[^>]*>|<\/body>.*$/gs, '')
      .replace(/<a href="([^"]*)">([^<]*)<\/a>/g, '$2:\n$1')
      .replace(/<[^>]*>/g, '');
    const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');
    expect(wordsOf(ofHtml)).toEqual(wordsOf(body.text));
    expect(body.text).toMatch(/^Guten Tag( \{\{name\}\})?,\n/);
    expect(body.html).toContain('<html lang="de">');
  });

  test('has a subject that mentions neither a person nor health', () => {
    expect(preset.subject).not.toMatch(
      /\{\{(?!datum|betreff)|rezept|befund|diagnose|therapie|behandlung|patient/i,
    );
    expect(subjectRisk(merge(preset.subject, values, 'subject')).rules).toEqual([]);
  });
});
