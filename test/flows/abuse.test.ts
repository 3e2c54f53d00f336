// A report of abuse from the form to its end: the ticket, the operator's work, and the mails that the reporter gets.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_SOURCE } from '#src/accounts/abuse/schema.ts';
import { type List, startApp, type TestApp } from '#test/support/app.ts';
import { type Mail, mailsTo, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createTestClock } from '#test/support/storage.ts';

const PATH = '/api/public/abuse';
const TICKETS = '/api/admin/abuse-tickets';
const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const ATTACK = `"><script>alert('x')</script>`;

interface Ticket {
  readonly id: string;
  readonly stage: string;
  readonly reporter: { readonly email: string; readonly name: string | null };
  readonly language: string;
  readonly subject: string;
  readonly practice_id: string | null;
  readonly description: string;
  readonly source_bytes: number | null;
  readonly steps: readonly { readonly stage: string; readonly note: string | null; readonly at: string }[];
}

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ config: unlimitedSignIn });
});
afterAll(() => app.remove());

const typed = { subject: 'Werbung', description: 'Ich habe nichts bestellt.' };
const report = async (fields: object, headers: Record<string, string> = {}): Promise<string> => {
  const { status, body, text } = await app.request<{ id: string }>(
    'POST',
    PATH,
    { ...typed, ...fields },
    undefined,
    headers,
  );
  if (status !== 202) throw new Error(`not taken: ${text}`);
  return body.id;
};
const ticket = async (id: string): Promise<Ticket> =>
  (await app.request<Ticket>('GET', `${TICKETS}/${id}`, undefined, app.adminToken)).body;
const patch = (id: string, fields: object) =>
  app.request<Ticket>('PATCH', `${TICKETS}/${id}`, fields, app.adminToken);
const list = async (query: string): Promise<List<Ticket>> =>
  (await app.request<List<Ticket>>('GET', `${TICKETS}?${query}`, undefined, app.adminToken)).body;
const mailNumber = async (email: string, number: number): Promise<Mail> => {
  let found: Mail | undefined;
  await until(`mail ${number} to ${email}`, async () => {
    found = (await mailsTo(app, email))[number - 1];
    return found !== undefined;
  });
  return found as Mail;
};

const sourceOf = (id: string) =>
  fetch(`${app.origin}${TICKETS}/${id}/source`, { headers: { 'X-Admin-Token': app.adminToken } });

/** As a browser sends the form of the page: every field, filled in or not, and the file. */
const sendForm = async (fields: Record<string, string>, source = '', language = 'de') => {
  const page = await (await fetch(app.origin + PATH, { headers: BROWSER })).text();
  const form = new FormData();
  for (const [, name = ''] of page.slice(page.indexOf('<form')).matchAll(/ name="(\w+)"/g)) {
    if (name === 'source') form.append(name, new Blob([source]), source === '' ? '' : 'mail.eml');
    else form.append(name, fields[name] ?? '');
  }
  const [, action = ''] =
    /<form method="post" action="([^"]+)" enctype="multipart\/form-data"/.exec(page) ?? [];
  const response = await fetch(new URL(action, app.origin), {
    method: 'POST',
    body: form,
    headers: { ...BROWSER, 'Accept-Language': language },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('the life of a ticket', () => {
  test.each([
    {
      language: 'de',
      email: 'erika@example.org',
      subjects: [
        'Ihre Meldung ist eingegangen',
        'Ihre Meldung wird geprüft',
        'Die Prüfung Ihrer Meldung ist abgeschlossen',
      ],
    },
    {
      language: 'en',
      email: 'eric@example.org',
      subjects: [
        'We have received your report',
        'We are investigating your report',
        'Your report has been closed',
      ],
    },
  ])('is told to its reporter in $language', async ({ language, email, subjects }) => {
    const practice = await app.createPractice();
    const id = await report({ email, name: 'Erika' }, { 'Accept-Language': language });
    await mailNumber(email, 1);
    const note = 'Absender verwarnt.';
    expect(await patch(id, { stage: 'investigating', practice_id: practice.id, note })).toMatchObject({
      status: 200,
      body: { stage: 'investigating', practice_id: practice.id },
    });
    await mailNumber(email, 2);
    expect((await patch(id, { stage: 'closed' })).status).toBe(200);
    await mailNumber(email, 3);

    const mails = await mailsTo(app, email);
    expect(mails.map(({ subject }) => subject)).toEqual(
      subjects.map((words) => expect.stringContaining(words)),
    );
    for (const { text, source } of mails) {
      expect(text).toContain(id);
      expect(source).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
      expect(text).not.toContain(note);
      expect(text).not.toContain(typed.description);
    }
    const { steps } = await ticket(id);
    expect(steps.map(({ stage, note: kept }) => [stage, kept])).toEqual([
      ['open', null],
      ['investigating', note],
      ['closed', null],
    ]);
  });

  test('leaves no stage out and goes back to none', async () => {
    const id = await report({ email: 'otto@example.org' });
    expect(await patch(id, { stage: 'closed' })).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await patch(id, { stage: 'investigating' })).status).toBe(200);
    expect((await patch(id, { stage: 'open' })).body).toMatchObject({ code: 'conflict' });
    expect((await ticket(id)).stage).toBe('investigating');
  });

  test('is in the audit of the installation, without what strangers wrote', async () => {
    const id = await report({ email: 'anna@example.org' });
    await patch(id, { stage: 'investigating' });
    const { text, body } = await app.request<{ data: object[] }>(
      'GET',
      `/api/admin/audit?target_id=${id}`,
      undefined,
      app.adminToken,
    );
    expect(body.data).toMatchObject([
      { action: 'abuse_ticket.update', before: { stage: 'open' }, after: { stage: 'investigating' } },
    ]);
    expect(text).not.toContain('anna@example.org');
  });
});

describe('the form', () => {
  test.each([
    ['de', 'Missbrauch melden', 'Ihre Meldung ist eingegangen'],
    ['en', 'Report abuse', 'Your report has arrived'],
  ])('is a page in %s and is answered by one', async (language, asking, received) => {
    const page = await fetch(app.origin + PATH, { headers: { ...BROWSER, 'Accept-Language': language } });
    expect(page.headers.get('content-language')).toBe(language);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(await page.text()).toContain(`<h1>${asking}</h1>`);
    const answer = await sendForm({ email: 'frida@example.org', ...typed }, '', language);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.text).toContain(`<h1>${received}</h1>`);
  });

  test('takes the reported mail as a file, and leaves out empty fields', async () => {
    const source = `From: ${ATTACK}\r\nSubject: =?utf-8?q?x?=\r\n\r\nGrüße`;
    const answer = await sendForm({ email: 'gerd@example.org', ...typed, description: 'a\nb' }, source);
    const [, id = ''] = /<code>([\da-f-]+)<\/code>/.exec(answer.text) ?? [];
    expect(await ticket(id)).toMatchObject({
      reporter: { email: 'gerd@example.org', name: null },
      description: 'a\nb',
      source_bytes: Buffer.byteLength(source),
      language: 'de',
    });
    expect(await (await sourceOf(id)).text()).toBe(source);
  });

  const sendFile = async (content: Uint8Array<ArrayBuffer>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ email: 'gustav@example.org', ...typed }))
      form.append(name, value);
    form.append('source', new File([content], 'mail.eml'));
    const response = await fetch(app.origin + PATH, { method: 'POST', body: form });
    const body = (await response.json()) as { id: string; fields: { path: string }[] };
    return { status: response.status, body };
  };
  test('keeps a file of 10 MB as it is, for the operator to fetch', async () => {
    const content = new Uint8Array(MAX_SOURCE).map((_, index) => index * 7);
    const { status, body } = await sendFile(content);
    expect(status).toBe(202);
    expect(await ticket(body.id)).toMatchObject({ source_bytes: MAX_SOURCE });
    const kept = await sourceOf(body.id);
    expect(kept.headers.get('content-type')).toBe('message/rfc822');
    expect(kept.headers.get('content-disposition')).toContain('attachment');
    expect(Buffer.compare(Buffer.from(await kept.arrayBuffer()), content)).toBe(0);
    expect((await sourceOf(await report({ email: 'gerd@example.org' }))).status).toBe(404);
    expect((await fetch(`${app.origin}${TICKETS}/${body.id}/source`)).status).toBe(401);
  });

  test('takes no larger file', async () => {
    const { status, body } = await sendFile(new Uint8Array(MAX_SOURCE + 1));
    expect(status).toBe(400);
    expect(body.fields).toMatchObject([{ path: 'body.source' }]);
  });

  test('takes no more of such files in a day than one network may bring, and the report without', async () => {
    const statuses: number[] = [];
    while (statuses.length < 4 && statuses.at(-1) !== 429)
      statuses.push((await sendFile(new Uint8Array(MAX_SOURCE))).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await sendForm({ email: 'gustav@example.org', ...typed })).status).toBe(200);
  });

  test('says nothing back that a stranger typed', async () => {
    const fields = { name: ATTACK, subject: ATTACK, description: ATTACK };
    const answer = await sendForm({ email: 'hugo@example.org', ...fields }, ATTACK);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('alert');
    const refused = await sendForm({ email: ATTACK, ...fields }, ATTACK);
    expect(refused.status).toBe(400);
    expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(refused.text).not.toContain('alert');
    const { text } = await app.request('GET', `${PATH}?email=${encodeURIComponent(ATTACK)}`);
    expect(text).not.toContain('alert');
  });

  test('is taken as pairs too, and programs get JSON', async () => {
    const response = await fetch(app.origin + PATH, {
      method: 'POST',
      body: new URLSearchParams({ email: 'ida@example.org', ...typed }),
    });
    expect(response.status).toBe(202);
    const { id } = (await response.json()) as { id: string };
    expect(await ticket(id)).toMatchObject({ stage: 'open', subject: typed.subject });
  });
});

describe("the operator's list", () => {
  test('is newest first, by stage, page by page, without what is long', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1)
      ids.unshift(await report({ email: `jan${index}@example.org`, source: 'x' }));
    const first = await list('stage=open&limit=2');
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const second = await list(`stage=open&limit=1&cursor=${first.next_cursor}`);
    expect(second.data.map(({ id }) => id)).toEqual(ids.slice(2));
    for (const field of ['source_bytes', 'description', 'steps'])
      expect(first.data[0]).not.toHaveProperty(field);
    await patch(ids[0] ?? '', { stage: 'investigating' });
    expect((await list('stage=open')).data.map(({ id }) => id)).not.toContain(ids[0]);
    expect((await list('stage=investigating&limit=1')).data.map(({ id }) => id)).toEqual([ids[0]]);
    const newest = await list('limit=1');
    const following = await list(`limit=2&cursor=${newest.next_cursor}`);
    expect([...newest.data, ...following.data].map(({ id }) => id)).toEqual(ids);
  });

  test('is for no one else', async () => {
    const { token } = await app.createSender();
    expect((await app.request('GET', TICKETS, undefined, token)).status).toBe(403);
    expect((await app.request('GET', TICKETS)).status).toBe(401);
  });
});

test('an address is written to no oftener than its limit', async () => {
  // The clock does not move, so no limit is refilled meanwhile.
  const limited = await startApp({ clock: createTestClock(Date.now()) });
  try {
    const statuses: number[] = [];
    for (let index = 0; index < 6; index += 1) {
      const email = index % 2 === 0 ? 'karl@example.org' : 'KARL@example.org';
      statuses.push((await limited.request('POST', PATH, { email, ...typed })).status);
    }
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
    expect(limited.sql<{ n: number }>(null, 'SELECT count(*) AS n FROM abuse_tickets')).toEqual([{ n: 5 }]);
    for (let index = 0; index < 4; index += 1)
      await limited.request('POST', PATH, { email: `lena${index}@example.org`, ...typed });
    const refused = await limited.request<{ error: string }>('POST', PATH, {
      email: 'mia@example.org',
      ...typed,
    });
    expect(refused).toMatchObject({ status: 429, body: { error: 'Too many requests.' } });
  } finally {
    await limited.remove();
  }
});
