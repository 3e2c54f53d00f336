// The starter templates: written once, sent with ordinary values, and found blameless by the rules of the house.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gradeOf } from '#src/content/assessment.ts';
import { languageOf } from '#src/content/language.ts';
import { subjectRisk } from '#src/content/subject-risk.ts';
import type { Preset } from '#src/intake/templates/presets/build.ts';
import { presets as german } from '#src/intake/templates/presets/de.ts';
import { presets as english } from '#src/intake/templates/presets/en.ts';
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
  rechnungsnummer: '2026-114',
  betrag: '84,50 €',
  zahlbar_bis: '4. Januar 2027',
  von: '23. Dezember 2026',
  bis: '3. Januar 2027',
  wieder_ab: '4. Januar 2027, 8 Uhr',
  vertretung: 'Praxis am Ring, Ring 4, 040 654321',
  ort: 'Vereinsheim, Am Sportplatz 2',
  antraege_bis: '30. November 2026',
  beschreibung: 'An diesem Abend zeigen wir, wie man einen Garten durch den Winter bringt.',
  anmeldung_bis: '10. Dezember 2026',
  date: '14 December 2026',
  time: '9:30',
  old_appointment: '10 December 2026',
  opening_hours: 'Monday to Friday from 8 to 12',
  confirmation_link: 'https://mail.example.com/api/public/confirm?token=abc',
  headline: 'News from our practice',
  invoice_number: '2026-114',
  amount: '€84.50',
  payable_by: '4 January 2027',
  from: '23 December 2026',
  until: '3 January 2027',
  back_on: '4 January 2027 at 8',
  stand_in: 'the practice at Ring 4, 040 654321',
  place: 'the clubhouse, Am Sportplatz 2',
  motions_by: '30 November 2026',
  description: 'On this evening we show how to bring a garden through the winter.',
  register_by: '10 December 2026',
};

let app: TestApp;
let sender: Sender;
let british: Sender;
const seed = (who: Sender, language?: string) =>
  app.request<Seeded>('POST', `${who.base}/presets/seed`, undefined, who.token, {
    ...(language && { 'Accept-Language': language }),
  });
const namesOf = (presets: readonly Preset[]) => presets.map(({ name }) => name);
const names = namesOf(german);

beforeAll(async () => {
  app = await startApp({ config: { service: { public_origin: 'https://mail.example.com' } } });
  sender = await app.createSender({ plan: 'gruppe' });
  british = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  await app.completeLegal(british.practice.id);
});
afterAll(() => app?.remove());

describe('seeding', () => {
  test('writes each preset once, however often and by how many at once', async () => {
    const answers = await Promise.all([seed(sender), seed(sender), seed(sender)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.flatMap(({ body }) => body.created).toSorted()).toEqual(names.toSorted());
    expect((await seed(sender)).body).toEqual({ created: [], existing: names });
  });

  test('is in the language that is asked for', async () => {
    expect((await seed(british, 'en-GB, de;q=0.5')).body.created).toEqual(namesOf(english));
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

/** Both have the same letters, under names of their own. */
test('the letters are the same in both languages', () => {
  const shapeOf = ({ kind, document }: Preset) => ({
    kind,
    blocks: document.content.map(({ type }) => type),
  });
  expect(english.map(shapeOf)).toEqual(german.map(shapeOf));
});

const both = [
  ...german.map((preset) => ({ preset, language: 'de', name: preset.name })),
  ...english.map((preset) => ({ preset, language: 'en', name: preset.name })),
];

describe.each(both)('$language: $name', ({ preset, language }) => {
  const who = () => (language === 'de' ? sender : british);
  const stored = async () => {
    const { base, token } = who();
    const { body } = await app.request<{ text: string; html: string; document: unknown }>(
      'GET',
      `${base}/templates/${preset.name}`,
      undefined,
      token,
    );
    return body;
  };

  test('is accepted with ordinary values, by its kind, with the best grade and without a warning', async () => {
    const { base, token } = who();
    const body = { to: 'anna@example.org', template: preset.name, data: values };
    const { status, body: sent } = await app.request<{ id: string; content_warnings?: unknown }>(
      'POST',
      `${base}/send`,
      body,
      token,
    );
    expect({ status, warnings: sent.content_warnings }).toEqual({ status: 202, warnings: undefined });
    const message = await app.message(who(), sent.id);
    expect({ kind: message.message_kind, grade: gradeOf(message.score ?? 100) }).toEqual({
      kind: preset.kind,
      grade: 'A',
    });
    expect(
      languageOf({ subject: message.subject, text: message.text ?? null, html: message.html ?? null }),
    ).toBe(language);
    expect(`${message.subject}${message.text}${message.html}`).not.toMatch(/\{\{|undefined/);
  });

  test('is tracked only where it is a newsletter', async () => {
    const isNewsletter = preset.kind === 'newsletter';
    expect(await stored()).toMatchObject({
      track_opens: isNewsletter,
      track_clicks: isNewsletter,
      document: preset.document,
    });
  });

  test('says the same in text and HTML', async () => {
    const { html, text } = await stored();
    const ofHtml = html
      .replace(/^.*<body[^>]*>|<\/body>.*$/gs, '')
      .replace(/<!--.*?-->/gs, ' ')
      .replace(/<p[^>]*class="name".*?<\/p>/s, ' ')
      .replace(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs, '$2: $1')
      .replace(/<\/?strong>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replaceAll('&#39;', "'");
    const ofText = text.replace(/^(?:[=-]+|\* \* \*)$/gm, '').replace(/^(?:- |\d\. )/gm, '');
    const wordsOf = (written: string) => written.replaceAll(':', ' ').split(/\s+/).filter(Boolean);
    expect(wordsOf(ofHtml)).toEqual(wordsOf(ofText));
    expect(html).toContain(`<html lang="${language}" dir="ltr"`);
  });

  test('has a subject that mentions neither a person nor health', () => {
    expect(preset.subject).not.toMatch(
      /\{\{(?!datum|date|betreff|headline)|rezept|befund|diagnose|therapie|behandlung|patient|prescription|treatment/i,
    );
    expect(subjectRisk(merge(preset.subject, values, 'subject')).rules).toEqual([]);
  });
});
