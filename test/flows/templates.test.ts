// Stored templates as their users handle them: made, changed, looked up, tried out, sent by.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';

interface Template {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly variables: readonly string[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly document: unknown;
  readonly mjml: string | null;
  readonly message_kind: string;
  readonly updated_at: string;
}

let app: TestApp;
let sender: Sender;
let names = 0;

beforeAll(async () => {
  app = await startApp();
  sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
});
afterAll(() => app?.remove());

const ask = <Body = Template>(method: string, path: string, body?: unknown, token = sender.token) =>
  app.request<Body>(method, `${sender.base}/templates${path}`, body, token);

const brief = (fields: object = {}) => {
  names += 1;
  return {
    name: `brief-${names}`,
    subject: 'Brief an {{name}}',
    text: 'Guten Tag {{name}},\n\n{{ text }}',
    html: '<p>Guten Tag {{name}},</p><p>{{text}}</p>',
    ...fields,
  };
};

const made = async (fields: object = {}): Promise<Template> => {
  const { status, body, text } = await ask('POST', '', brief(fields));
  if (status !== 201) throw new Error(text);
  return body;
};

describe('a template', () => {
  test('is shown as it was made, with the names of its placeholders', async () => {
    const template = await made({ description: 'Ein Brief', message_kind: 'recall', track_opens: false });
    expect(template).toMatchObject({
      version: 1,
      description: 'Ein Brief',
      message_kind: 'recall',
      track_opens: false,
      track_clicks: null,
      variables: ['name', 'text'],
      subject: 'Brief an {{name}}',
    });
    for (const key of [template.id, template.id.toUpperCase(), template.name, template.name.toUpperCase()])
      expect((await ask('GET', `/${key}`)).body, key).toEqual(template);
  });

  test('is in the list by its name, without text and HTML', async () => {
    const template = await made();
    const { body } = await ask<List<Template>>('GET', '?limit=200');
    const { text: _, html: __, document: ___, mjml: ____, ...head } = template;
    expect(body.data.filter(({ id }) => id === template.id)).toEqual([head]);
    expect(body.data.map(({ name }) => name)).toEqual(body.data.map(({ name }) => name).toSorted());
  });

  test('has one version for each content, which stays what it was', async () => {
    const template = await made();
    const path = `/${template.name}`;
    const other = (await ask('PATCH', path, { subject: 'Zweiter Brief' })).body;
    expect(other).toMatchObject({
      version: 2,
      subject: 'Zweiter Brief',
      text: template.text,
      variables: ['name', 'text'],
    });
    const third = (await ask('PATCH', path, { html: null, text: 'Nur {{x}}' })).body;
    expect(third).toMatchObject({ version: 3, html: null, variables: ['x'] });
    const { body } = await ask<List<Template>>('GET', `${path}/versions`);
    expect(body.data.map(({ version, subject }) => [version, subject])).toEqual([
      [3, 'Zweiter Brief'],
      [2, 'Zweiter Brief'],
      [1, 'Brief an {{name}}'],
    ]);
    expect((await ask('GET', `${path}/versions/1`)).body).toMatchObject({
      subject: template.subject,
      text: template.text,
      html: template.html,
    });
    expect((await ask('GET', `${path}/versions/4`)).status).toBe(404);
  });

  test('gets no version where its content stays the same', async () => {
    const template = await made();
    const { subject, text } = template;
    const same = await ask('PATCH', `/${template.id}`, { subject, text });
    expect(same.body).toEqual(template);
    const renamed = await ask('PATCH', `/${template.id}`, {
      name: `${template.name}-neu`,
      description: 'x',
      track_clicks: true,
    });
    expect(renamed.body).toMatchObject({ version: 1, name: `${template.name}-neu`, track_clicks: true });
    expect((await ask('GET', `/${template.name}`)).status).toBe(404);
  });

  test('keeps its last 100 versions', async () => {
    const template = await made();
    for (let number = 2; number <= 102; number += 1)
      await ask('PATCH', `/${template.id}`, { subject: `Brief ${number}` });
    const { body } = await ask<List<Template>>('GET', `/${template.id}/versions?limit=200`);
    expect(body.data).toHaveLength(100);
    expect(body.data.at(-1)?.version).toBe(3);
    expect((await ask('GET', `/${template.id}/versions/2`)).status).toBe(404);
  });

  test('that is deleted is gone with its versions, and its name is free', async () => {
    const template = await made();
    expect((await ask('DELETE', `/${template.name}`)).status).toBe(204);
    expect((await ask('DELETE', `/${template.name}`)).status).toBe(404);
    expect((await ask('GET', `/${template.id}/versions`)).status).toBe(404);
    const left = app.sql(
      sender.practice.id,
      'SELECT 1 FROM template_versions WHERE template_id = ?',
      template.id,
    );
    expect(left).toEqual([]);
    expect((await made({ name: template.name })).version).toBe(1);
  });

  test('is in the audit by its number, without its content', async () => {
    const template = await made();
    await ask('PATCH', `/${template.id}`, { text: 'Geheimes Wort' });
    const { text } = await app.request('GET', `${sender.base}/audit?limit=200`, undefined, sender.token);
    expect(text).toContain(template.id);
    expect(text).not.toContain('Geheimes Wort');
  });
});

describe('refused is', () => {
  const rows: readonly (readonly [name: string, body: () => object, path: string])[] = [
    ['no content', () => brief({ text: undefined, html: null }), 'body.text'],
    ['an empty subject', () => brief({ subject: ' ' }), 'body.subject'],
    ['a subject of two lines', () => brief({ subject: 'a\nb' }), 'body.subject'],
    ['NUL in the text', () => brief({ text: 'a\0' }), 'body.text'],
    ['a name with a blank', () => brief({ name: 'mein brief' }), 'body.name'],
    ['a name that looks like an id', () => brief({ name: crypto.randomUUID() }), 'body.name'],
    ['an unknown kind', () => brief({ message_kind: 'brief' }), 'body.message_kind'],
    ['too long a text', () => brief({ text: 'a'.repeat(1_000_001) }), 'body.text'],
    ['what is no placeholder', () => brief({ text: '{{#if x}}' }), 'body.text'],
    ['a value that could become code', () => brief({ html: '<a href={{link}}>' }), 'body.html'],
    ['an unknown field', () => brief({ body: 'x' }), 'body.body'],
  ];
  test.each(rows)('%s', async (_, body, path) => {
    const { status, body: refusal } = await ask<{ fields: { path: string }[] }>('POST', '', body());
    expect({ status, paths: refusal.fields.map((field) => field.path) }).toEqual({
      status: 400,
      paths: [path],
    });
  });

  test('a name that is taken, whatever its case, also for another', async () => {
    const { name } = await made({ name: 'Doppelt' });
    const other = await made();
    expect((await ask('POST', '', brief({ name: name.toLowerCase() }))).status).toBe(409);
    expect((await ask('PATCH', `/${other.id}`, { name: name.toUpperCase() })).status).toBe(409);
    expect((await ask('PATCH', `/${name}`, { name: 'DOPPELT' })).body.name).toBe('DOPPELT');
  });

  test('to take away the last content', async () => {
    const { id } = await made();
    expect((await ask('PATCH', `/${id}`, { text: null, html: null })).status).toBe(400);
    expect((await ask('PATCH', `/${id}`, { html: '<script>{{x}}</script>' })).status).toBe(400);
    expect((await ask('GET', `/${id}`)).body.version).toBe(1);
  });

  test('the 1,001st', async () => {
    const full = await app.createSender();
    const insert = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
      INSERT INTO templates (id, name, message_kind, current_version, created_at, updated_at)
      SELECT 'id' || n, 'name' || n, 'termin', 1, 0, 0 FROM numbers`;
    app.sql(full.practice.id, insert);
    const { status, body } = await app.request('POST', `${full.base}/templates`, brief(), full.token);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
  });

  test('every change by who is limited to projects, who may use them all the same', async () => {
    const template = await made();
    const { body: project } = await app.request<{ id: string }>(
      'POST',
      `${sender.base}/projects`,
      { name: 'Labor' },
      sender.token,
    );
    const token = await app.createToken(sender.practice.id, { scope: 'project', project_id: project.id });
    const path = `/${template.name}`;
    expect((await ask('POST', '', brief(), token)).status).toBe(403);
    expect((await ask('PATCH', path, { subject: 'x' }, token)).status).toBe(403);
    expect((await ask('DELETE', path, undefined, token)).status).toBe(403);
    const seed = await app.request('POST', `${sender.base}/presets/seed`, undefined, token);
    expect(seed.status).toBe(403);
    expect((await ask('GET', path, undefined, token)).body).toEqual(template);
    const data = { name: 'Anna', text: 'x' };
    expect((await ask('POST', `${path}/preview`, { data }, token)).status).toBe(200);
    const body = { to: 'anna@example.org', template: template.name, data };
    expect((await app.request('POST', `${sender.base}/send`, body, token)).status).toBe(202);
  });
});

describe('a preview', () => {
  interface Preview {
    readonly missing: readonly string[];
    readonly problems: readonly { path: string }[];
  }

  test('shows what a send would be made of', async () => {
    const { id } = await made({ html: '<p>{{name}}</p><a href="{{text}}">Link</a>' });
    const data = { name: 'Frau <Müller> & Söhne', text: 'https://praxis.example/ä', unused: 1 };
    expect((await ask('POST', `/${id}/preview`, { data })).body).toEqual({
      version: 1,
      subject: 'Brief an Frau <Müller> & Söhne',
      text: 'Guten Tag Frau <Müller> & Söhne,\n\nhttps://praxis.example/ä',
      html: '<p>Frau &lt;Müller&gt; &amp; Söhne</p><a href="https://praxis.example/%C3%A4">Link</a>',
      missing: [],
      problems: [],
    });
  });

  test('names what is missing and what would be refused', async () => {
    const { id } = await made({ html: '<a href="{{link}}">{{name}}</a>' });
    const { body } = await ask<Preview>('POST', `/${id}/preview`, { data: { name: 'Anna' } });
    expect(body.missing).toEqual(['text', 'link']);
    expect(body.problems.map(({ path }) => path)).toEqual(['body.data.text', 'body.data.link']);
    const data = { name: 'Anna', text: 'x', link: 'javascript:alert(1)' };
    const unfit = await ask<Preview & { html: string }>('POST', `/${id}/preview`, { data });
    expect(unfit.body.problems.map(({ path }) => path)).toEqual(['body.data.link']);
    expect(unfit.body.html).toBe('<a href="#">Anna</a>');
  });

  test('is not made where it would be far longer than what was sent', async () => {
    const { id } = await made({ text: '{{name}}'.repeat(1_000), html: null });
    const data = { name: 'x'.repeat(10_000) };
    for (const { status, body } of [
      await ask('POST', `/${id}/preview`, { data }),
      await ask('POST', `/${id}/preview`, { data: { ...data, text: 'x' } }),
      await app.request(
        'POST',
        `${sender.base}/send`,
        { to: 'a@example.org', template: id, data },
        sender.token,
      ),
    ]) {
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'invalid_request', fields: [{ path: 'body.data' }] });
    }
  });

  test('is of any version', async () => {
    const { id } = await made();
    await ask('PATCH', `/${id}`, { subject: 'Neu' });
    const preview = (version?: number) =>
      ask('POST', `/${id}/preview`, { version, data: { name: 'A', text: 'B' } });
    expect((await preview(1)).body).toMatchObject({ version: 1, subject: 'Brief an A' });
    expect((await preview()).body).toMatchObject({ version: 2, subject: 'Neu' });
    expect((await preview(3)).status).toBe(404);
  });
});

describe('a send by a template', () => {
  const send = (fields: object) =>
    app.request<{ id: string; code: string; fields: { path: string }[] }>(
      'POST',
      `${sender.base}/send`,
      { to: 'anna@example.org', ...fields },
      sender.token,
    );
  const data = { name: 'Frau Müller & Söhne', text: 'a\nb' };

  test('leaves with the values in it, by the kind and tracking it is made for', async () => {
    const { name } = await made({ message_kind: 'newsletter', track_opens: false });
    const { status, body } = await send({ template: name, data });
    expect(status).toBe(202);
    expect(await app.message(sender, body.id)).toMatchObject({
      message_kind: 'newsletter',
      route: { slug: 'broadcast' },
      subject: 'Brief an Frau Müller & Söhne',
      text: 'Guten Tag Frau Müller & Söhne,\n\na\nb',
      html: '<p>Guten Tag Frau Müller &amp; Söhne,</p><p>a<br>\nb</p>',
    });
    const [row] = app.sql<{ settings_json: string }>(
      sender.practice.id,
      'SELECT settings_json FROM messages WHERE id = ?',
      body.id,
    );
    expect(JSON.parse(row?.settings_json ?? '')).toMatchObject({ track_opens: false });
  });

  test('takes the version it names, though there are newer ones', async () => {
    const { id, name } = await made();
    await ask('PATCH', `/${id}`, { subject: 'Neu' });
    const first = await send({ template: name, template_version: 1, data });
    expect((await app.message(sender, first.body.id)).subject).toBe('Brief an Frau Müller & Söhne');
    const newest = await send({ template: id, data });
    expect((await app.message(sender, newest.body.id)).subject).toBe('Neu');
  });

  test('is refused with the names of what is missing, and for a template that is not there', async () => {
    const { name } = await made();
    const missing = await send({ template: name, data: { text: 'x' } });
    expect(missing.status).toBe(400);
    expect(missing.body.fields.map(({ path }) => path)).toEqual(['body.data.name']);
    expect((await send({ template: 'nirgends', data })).status).toBe(404);
    expect((await send({ template: name, template_version: 2, data })).status).toBe(404);
  });

  test('whose subject would be empty or too long is refused', async () => {
    const { name } = await made({ subject: '{{betreff}}' });
    for (const betreff of ['', ' \u200b\n', 'a'.repeat(999)]) {
      const { status, body } = await send({ template: name, data: { ...data, betreff } });
      expect({ status, path: body.fields[0]?.path }).toEqual({ status: 400, path: 'body.data' });
    }
    const { body } = await send({ template: name, data: { ...data, betreff: 'a\r\nBcc: b@example.org' } });
    expect((await app.message(sender, body.id)).subject).toBe('a Bcc: b@example.org');
  });
});
