// The helpers for a practice's mail over HTTP: what they say is what sending does.
import { type ParsedMail, simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { calendarSchema } from '#src/intake/practice-mail/calendar.ts';
import type { checkAnswer } from '#src/intake/practice-mail/check.ts';
import type { channelSemantics, kindSemantics } from '#src/intake/practice-mail/semantics.ts';
import { type Kind, kindNames } from '#src/messages/kinds.ts';
import {
  type AppAnswer,
  letter,
  type Refusal,
  type Sender,
  startApp,
  type TestApp,
} from '#test/support/app.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock } from '#test/support/storage.ts';

type Check = z.infer<typeof checkAnswer>;
type Calendar = z.infer<typeof calendarSchema>;
interface Semantics {
  readonly kinds: readonly z.infer<typeof kindSemantics>[];
  readonly channels: readonly z.infer<typeof channelSemantics>[];
}

/** A Friday noon in winter. */
const FRIDAY = Date.UTC(2026, 10, 20, 12);
const clock = createTestClock(FRIDAY);
let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({ receiver, clock, runsTwice: true });
  sender = await app.createSender({ plan: 'praxis' });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const ask = <Body = Refusal>(
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
  who: Sender = sender,
): Promise<AppAnswer<Body>> => app.request<Body>(method, `${who.base}/${path}`, body, who.token, headers);
const semantics = async (who = sender): Promise<Semantics> =>
  (await ask<Semantics>('GET', 'practice-semantics', undefined, {}, who)).body;

const mailWith = async (subject: string): Promise<ParsedMail> => {
  const find = () => receiver.messages.find(({ content }) => content.includes(subject));
  for (let count = 1; find() === undefined; count += 1) await receiver.waitFor(count);
  return simpleParser(find()?.content ?? '');
};
/** The invitation as it is in each of the places where programs look for it. */
const invitationsIn = ({ attachments }: ParsedMail): string[] =>
  attachments
    .filter(({ contentType }) => /calendar|ics/.test(contentType))
    .map(({ content }) => content.toString());

describe('the kinds', () => {
  test('have the columns of the specification on a fresh practice', async () => {
    const { kinds } = await semantics();
    const rows = kinds.map((row) => [
      row.message_kind,
      row.typical_route,
      row.channel,
      row.default_tracking,
      row.legal_basis,
    ]);
    expect(rows).toEqual([
      ['termin', 'outgoing', 'termin', 'off', 'contract'],
      ['recall', 'outgoing', 'recall', 'off', 'contract'],
      ['transactional', 'outgoing', 'transactional', 'off', 'contract'],
      ['doi', 'outgoing', 'newsletter', 'off', 'consent'],
      ['newsletter', 'broadcast', 'newsletter', 'on', 'consent'],
      ['custom', 'broadcast', 'other', 'on', 'consent'],
      ['quality', 'outgoing', 'transactional', 'off', 'contract'],
      ['test', 'outgoing', 'transactional', 'off', 'contract'],
    ]);
  });

  test.each(kindNames)(
    '%s is accepted over its allowed routes and refused over the others',
    async (kind: Kind) => {
      const own = await app.createSender({ plan: 'praxis' });
      await app.completeLegal(own.practice.id);
      const { kinds } = await semantics(own);
      const row = kinds.find(({ message_kind }) => message_kind === kind);
      for (const route of ['outgoing', 'broadcast']) {
        const body = { ...letter, message_kind: kind, route };
        const { status, body: answer } = await ask('POST', 'send', body, {}, own);
        const isAllowed = row?.allowed_routes.some(({ slug }) => slug === route);
        expect([route, status, answer.code]).toEqual(
          isAllowed ? [route, 202, undefined] : [route, 422, 'kind_not_allowed_on_route'],
        );
      }
    },
  );

  test('follow the settings of the practice’s routes, and show no route of another project', async () => {
    const own = await app.createSender({ plan: 'praxis' });
    const project = await app.request<{ id: string }>(
      'POST',
      `${own.base}/projects`,
      { name: 'Labor' },
      app.adminToken,
    );
    const route = { name: 'Labor', type: 'transactional', project_id: project.body.id };
    await app.request('POST', `${own.base}/routes`, route, app.adminToken);
    const before = await semantics(own);
    await app.request('PATCH', `${own.base}/routes/outgoing`, { track_opens: true }, app.adminToken);
    const after = await semantics(own);
    const trackingOf = ({ kinds }: Semantics, kind: Kind) =>
      kinds.find(({ message_kind }) => message_kind === kind)?.default_tracking;
    expect([trackingOf(before, 'transactional'), trackingOf(after, 'transactional')]).toEqual(['off', 'on']);
    expect([trackingOf(before, 'termin'), trackingOf(after, 'termin')]).toEqual(['off', 'off']);
    const defaultProject = await app.request<{ data: { id: string; is_default: boolean }[] }>(
      'GET',
      `${own.base}/projects`,
      undefined,
      app.adminToken,
    );
    const project_id = defaultProject.body.data.find(({ is_default }) => is_default)?.id;
    const limited = {
      ...own,
      token: await app.createToken(own.practice.id, { scope: 'project', project_id }),
    };
    const slugs = ({ kinds }: Semantics) => kinds[0]?.allowed_routes.map(({ slug }) => slug);
    expect([slugs(after), slugs(await semantics(limited))]).toEqual([['outgoing', 'labor'], ['outgoing']]);
  });

  test('the channels say what consent they need', async () => {
    const { channels } = await semantics();
    expect(
      channels.map(({ channel, kinds, legal_basis, consent_required, default_tracking }) => [
        channel,
        kinds,
        legal_basis,
        consent_required,
        default_tracking,
      ]),
    ).toEqual([
      ['termin', ['termin'], 'contract', false, 'off'],
      ['recall', ['recall'], 'contract', false, 'off'],
      ['newsletter', ['doi', 'newsletter'], 'consent', true, 'on'],
      ['transactional', ['transactional', 'quality', 'test'], 'contract', false, 'off'],
      ['other', ['custom'], 'consent', true, 'on'],
    ]);
    expect(channels.every((row) => row.suppressed_by_unsubscribe)).toBe(true);
  });
});

describe('the check', () => {
  const check = (body: object, headers?: Readonly<Record<string, string>>, who?: Sender) =>
    ask<Check & Refusal>('POST', 'practice-mail/check', body, headers, who);
  const bad = {
    kind: 'termin',
    subject: 'Ihre Diagnose: Frau Müller',
    html: '<p>Sparen Sie 20 % auf alles: <a href="https://other.example.net">www.praxis-adler.de</a></p>',
  };

  test('says what is wrong, how bad it is, where and what to do', async () => {
    const { status, body } = await check(bad);
    expect(status).toBe(200);
    expect(body.issues.map(({ id, severity, found_in }) => [id, severity, found_in])).toEqual([
      ['link_host_differs', 'error', ['html']],
      ['subject_health_detail', 'error', ['subject']],
      ['promo_discount', 'error', ['html']],
      ['subject_names_person', 'warn', ['subject']],
      ['no_text_part', 'info', ['html']],
      ['no_greeting', 'info', ['html']],
    ]);
    expect(body).toMatchObject({
      kind: { message_kind: 'termin', typical_route: 'outgoing', hints: expect.any(Array) },
      route: 'outgoing',
      tracking: { track_opens: false, track_clicks: false },
    });
    expect(body.kind.hints[0]).toContain('appointment');
  });

  test('answers in German where that is asked for, and in English else', async () => {
    const german = await check(bad, { 'Accept-Language': 'de-DE' });
    const english = await check(bad, { 'Accept-Language': 'fr' });
    expect(german.body.issues[1]?.why).toContain('Sperrbildschirmen');
    expect(german.body.kind.hints[0]).toContain('Termin');
    expect(english.body.issues[1]?.why).toContain('lock screens');
  });

  test('an incomplete Impressum is an error of a newsletter exactly as long as a send is refused for it', async () => {
    const own = await app.createSender({ plan: 'praxis' });
    const mail = {
      subject: 'Neues aus der Praxis',
      text: 'Guten Tag,\n\nwir haben donnerstags länger geöffnet.',
    };
    const both = async () => {
      const checked = await check({ ...mail, kind: 'newsletter' }, {}, own);
      const sent = await ask(
        'POST',
        'send',
        { ...letter, ...mail, message_kind: 'newsletter', route: 'broadcast' },
        {},
        own,
      );
      return [checked.body.issues.map(({ id, severity, code }) => [id, severity, code]), sent.body.code];
    };
    expect(await both()).toEqual([
      [['impressum_incomplete', 'error', 'impressum_incomplete']],
      'impressum_incomplete',
    ]);
    await app.completeLegal(own.practice.id);
    expect(await both()).toEqual([[], undefined]);
  });

  test('knows tracking by the settings of the mail and of the route', async () => {
    const own = await app.createSender({ plan: 'praxis' });
    await app.request('PATCH', `${own.base}/routes/outgoing`, { track_opens: true }, app.adminToken);
    const mail = { subject: 'Ihr Termin', text: 'Guten Tag,\n\nbis Montag.' };
    const asked = async (more: object) => {
      const { body } = await check({ ...mail, ...more }, {}, own);
      return [body.tracking, body.issues.map(({ id }) => id)];
    };
    const off = { track_opens: false, track_clicks: false };
    expect(await asked({ kind: 'termin' })).toEqual([off, []]);
    expect(await asked({ kind: 'termin', settings: { track_clicks: true } })).toEqual([
      { track_opens: false, track_clicks: true },
      ['tracking_on_kind'],
    ]);
    expect(await asked({ kind: 'transactional' })).toEqual([{ track_opens: true, track_clicks: false }, []]);
    expect(await asked({ kind: 'termin', route: 'broadcast' })).toEqual([off, ['kind_not_allowed_on_route']]);
  });

  test('refuses what it cannot check, and stores nothing', async () => {
    const before = app.rowCounts(sender.practice.id);
    expect((await check({ kind: 'termin', subject: 'Ihr Termin' })).body).toMatchObject({
      code: 'invalid_request',
      fields: [{ path: 'body.text' }],
    });
    expect((await check({ kind: 'mahnung', subject: 'a', text: 'b' })).body).toMatchObject({
      code: 'invalid_request',
      fields: [{ path: 'body.kind' }],
    });
    expect((await check({ kind: 'termin', subject: 'a', text: 'b', route: 'nowhere' })).body.code).toBe(
      'not_found',
    );
    expect((await check(bad)).status).toBe(200);
    expect(app.rowCounts(sender.practice.id)).toEqual(before);
  });
});

describe('the preview of an invitation', () => {
  const preview = (body: object, headers?: Readonly<Record<string, string>>) =>
    ask<Calendar & Refusal>('POST', 'integrations/ics-preview', body, headers);

  const cases: readonly (readonly [name: string, calendar: object])[] = [
    ['plain', { summary: 'Termin Eins', starts_at: '2026-12-07T09:30:00' }],
    [
      'with all fields',
      {
        summary: 'Gespräch; Öl, Ärzte & Söhne',
        starts_at: '2026-12-07T09:30:00',
        ends_at: '2026-12-07T10:15:00',
        location: 'Am Markt 1, 20095 Hamburg',
        description: 'Bitte bringen Sie\nIhre Karte mit.',
      },
    ],
    ['in another zone', { summary: 'Call', starts_at: '2026-07-01T09:30:00', time_zone: 'America/New_York' }],
    ['with an offset', { summary: 'Drei', starts_at: '2026-07-01T09:30:00+02:00' }],
    ['in the hour that comes twice', { summary: 'Nacht', starts_at: '2026-10-25T02:30:00' }],
  ];
  test.each(cases)('is byte for byte what is sent, but for UID and DTSTAMP: %s', async (name, calendar) => {
    const subject = `Vorschau ${name}`;
    const id = await app.send(sender, { to: 'Erika Muster <erika@example.org>', subject, calendar });
    const { body } = await preview({ ...calendar, to: 'Erika Muster <erika@example.org>' });
    const { internet_message_id, created_at } = await app.message(sender, id);
    const stamp = created_at.replace(/[-:]|\.\d+/g, '');
    const asSent = body.calendar
      .replace(/^UID:.*(?:\r\n .*)*/m, () =>
        `UID:${internet_message_id.slice(1, -1)}`.replace(/^(.{75})(.+)$/, '$1\r\n $2'),
      )
      .replace(/^DTSTAMP:.*/m, `DTSTAMP:${stamp}`);
    expect(invitationsIn(await mailWith(subject))).toEqual([asSent, asSent]);
  });

  test('says when and how calendar programs show it', async () => {
    const { body } = await preview({
      summary: 'Termin',
      starts_at: '2026-12-07T09:30:00',
      location: 'Am Markt 1',
    });
    expect(body).toMatchObject({
      summary: 'Termin',
      location: 'Am Markt 1',
      starts_at: '2026-12-07T08:30:00.000Z',
      ends_at: '2026-12-07T09:00:00.000Z',
      duration_minutes: 30,
      time_zone: 'Europe/Berlin',
      written_in: 'zone',
      organizer: { name: 'Praxis am Markt' },
      attendee: { address: 'erika@example.org', name: null },
    });
    expect(body.shown_as).toMatch(/^Monday,? 7 December 2026.+09:30.{1,3}10:00/);
    const german = await preview(
      { summary: 'Nacht', starts_at: '2026-10-25T02:30:00' },
      { 'Accept-Language': 'de' },
    );
    expect(german.body.shown_as).toMatch(/^Sonntag, 25\. Oktober 2026/);
    expect(german.body.written_in).toBe('utc');
  });

  test('is the file itself for who asks for one', async () => {
    const calendar = { summary: 'Termin', starts_at: '2026-12-07T09:30:00' };
    const { headers, text } = await preview(calendar, { Accept: 'text/calendar' });
    expect(headers.get('content-type')).toBe('text/calendar; charset=utf-8; method=REQUEST');
    expect(text).toBe((await preview(calendar)).body.calendar);
    expect(text).toMatch(/^BEGIN:VCALENDAR\r\n[\s\S]*METHOD:REQUEST\r\n[\s\S]*END:VCALENDAR\r\n$/);
  });

  const refused: readonly object[] = [
    { summary: '', starts_at: '2026-12-07T09:30:00' },
    { summary: 'a\nb', starts_at: '2026-12-07T09:30:00' },
    { summary: 'Termin' },
    { summary: 'Termin', starts_at: 'morgen' },
    { summary: 'Termin', starts_at: '2999-03-01T09:30' },
    { summary: 'Termin', starts_at: '2026-03-29T02:30:00' },
    { summary: 'Termin', starts_at: '2026-12-07T09:30:00', ends_at: '2026-12-07T09:00:00' },
    { summary: 'Termin', starts_at: '2026-12-07T09:30:00', time_zone: 'Europe/Bremen' },
    { summary: 'Termin', starts_at: '2026-12-07T09:30:00', location: 'a\r\nb' },
    { summary: 'Termin', starts_at: '2026-12-07T09:30:00', organizer: 'a@example.org' },
  ];
  test.each(refused)('refuses what a send refuses: %j', async (calendar) => {
    const previewed = (await preview(calendar)).body;
    const sent = (await ask('POST', 'send', { ...letter, calendar })).body;
    const fieldsOf = (answer: Refusal) =>
      (answer.fields as { path: string }[]).map(({ path }) => path.replace('body.calendar', 'body'));
    expect([previewed.code, fieldsOf(previewed)]).toEqual([sent.code, fieldsOf(sent)]);
    expect(sent.code).toBe('invalid_request');
  });

  test('refuses a foreign organizer and an address that is none as a send does', async () => {
    const calendar = { summary: 'Termin', starts_at: '2026-12-07T09:30:00' };
    expect((await preview({ ...calendar, from: 'a@other.example' })).body.code).toBe('from_not_allowed');
    expect((await preview({ ...calendar, from: 'nonsense' })).body.code).toBe('invalid_request');
    expect((await preview({ ...calendar, to: 'nonsense' })).body.code).toBe('invalid_recipient');
  });
});

describe('a sample appointment', () => {
  interface Sent extends Refusal {
    readonly id: string;
    readonly status: string;
    readonly invitation: Calendar;
  }
  const sample = (body: object, headers?: Readonly<Record<string, string>>, who?: Sender) =>
    ask<Sent>('POST', 'integrations/test-termin', body, headers, who);

  test.each([
    {
      language: 'de',
      place: 'Ort: Am Markt 1, 20095 Hamburg',
      subject: 'Ihr Termin am Montag, 23. November 2026',
    },
    {
      language: 'en',
      place: 'Place: Am Markt 1, 20095 Hamburg',
      subject: 'Your appointment on Monday 23 November 2026',
    },
  ])('arrives with the invitation of the answer: $language', async ({ language, place, subject }) => {
    const own = await app.createSender();
    await app.completeLegal(own.practice.id);
    const to = `${language} <${language}@example.org>`;
    const { status, body } = await sample({ to, language }, {}, own);
    expect([status, body.status]).toEqual([202, 'queued']);
    expect(body.invitation).toMatchObject({ starts_at: '2026-11-23T08:30:00.000Z', duration_minutes: 30 });
    const mail = await mailWith(`${language}@example.org`);
    expect(mail.subject?.replace(',', '')).toBe(subject.replace(',', ''));
    for (const part of [mail.text, mail.html]) expect(part).toContain(place);
    expect(invitationsIn(mail)).toEqual([body.invitation.calendar, body.invitation.calendar]);
    expect(await app.message(own, body.id)).toMatchObject({
      message_kind: 'termin',
      tags: ['test-termin'],
      route: { slug: 'outgoing' },
    });
  });

  test('is the one that is asked for', async () => {
    const asked = {
      to: 'max@example.org',
      summary: 'Vorgespräch',
      location: 'Zimmer 3',
      starts_at: '2026-12-24T17:00:00',
      time_zone: 'America/New_York',
    };
    const { body } = await sample(asked);
    expect(body.invitation).toMatchObject({
      summary: 'Vorgespräch',
      location: 'Zimmer 3',
      starts_at: '2026-12-24T22:00:00.000Z',
      time_zone: 'America/New_York',
    });
    expect((await mailWith('max@example.org')).text).toContain('Uhrzeit: 17:00 Uhr');
  });

  test('says nothing that the check finds fault with', async () => {
    for (const language of ['de', 'en']) {
      const { body } = await sample({ to: `fault-${language}@example.org`, language });
      const { subject, text, html } = await app.message(sender, body.id);
      const checked = await ask<Check>('POST', 'practice-mail/check', {
        kind: 'termin',
        subject,
        text,
        html,
      });
      expect(checked.body.issues).toEqual([]);
    }
  });

  test('passes all gates', async () => {
    const safe = await app.createSender();
    await app.request('POST', `${safe.base}/safe-mode`, { enabled: true }, app.adminToken);
    expect((await sample({ to: 'a@example.org' }, {}, safe)).body.code).toBe('safe_mode_recipient');
    await ask('POST', 'suppression', { address: 'stop@example.org' });
    const suppressed = await sample({ to: 'stop@example.org' });
    expect([suppressed.status, suppressed.body.status, suppressed.body.code]).toEqual([
      202,
      'suppressed',
      'recipient_suppressed',
    ]);
    expect((await sample({ to: 'erika' })).body).toMatchObject({
      code: 'invalid_recipient',
      recipients: ['erika'],
    });
    expect((await sample({ to: 'a@example.org', time_zone: 'Europe/Bremen' })).body).toMatchObject({
      code: 'invalid_request',
      fields: [{ path: 'body.time_zone' }],
    });
  });
});
