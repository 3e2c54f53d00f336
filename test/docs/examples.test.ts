// The worked examples of docs/develop/examples: each patch applies to the sources as they are, and what it adds works in a copy of the
// checkout that has all of them.
// @module-tag slow
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Daemon, startDaemon } from '#test/support/daemon.ts';
import { temporaryDirectory } from '../flows/fixture.ts';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '..', '..');
const PAGES = path.join(ROOT, 'docs/develop/examples');
const MINUTES = 60_000;

const names = readdirSync(PAGES).filter((name) => name !== 'README.md');

const files = new AsyncDisposableStack();
let copy: string;
beforeAll(async () => {
  copy = path.join(await temporaryDirectory(files), 'checkout');
  const changed = names.flatMap((name) =>
    [...readFileSync(path.join(PAGES, name), 'utf8').matchAll(/^--- a\/(test\/.*)$/gm)].map(
      ([, file = '']) => file,
    ),
  );
  for (const name of ['src', 'bin', 'package.json', 'tsconfig.json', ...changed])
    cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
});
afterAll(() => files.disposeAsync());

test.each(names)('the patch of %s applies', async (name) => {
  const apply = run('git', ['apply', path.join(PAGES, name)], { cwd: copy });
  await apply.catch(({ stderr }) => {
    throw new Error(
      `The sources have changed where docs/develop/examples/${name} patches them:\n${stderr}` +
        'docs/develop/examples/README.md says how to renew a patch.',
    );
  });
});

test('each has its row in the tables of examples', () => {
  const linked = [...readFileSync(path.join(PAGES, 'README.md'), 'utf8').matchAll(/\]\((.*?)\)/g)];
  expect(linked.map(([, name]) => name).toSorted()).toEqual(names.toSorted());
  const map = readFileSync(path.join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  expect(names.filter((name) => !map.includes(`](docs/develop/examples/${name})`))).toEqual([]);
});

describe('with all of them', () => {
  let daemon: Daemon;
  let practice: string;
  let token: string;
  beforeAll(async () => {
    const build = "import('./bin/build.ts').then((it) => it.buildDashboard({ compress: false }))";
    await run(execPath, ['-e', build], { cwd: copy });
    daemon = await startDaemon({ checkout: copy });
    const { id } = await daemon.createPractice();
    practice = `/api/practices/${id}`;
    token = await daemon.createToken(id);
  });
  afterAll(() => daemon?.remove());

  const call = async (
    method: string,
    target: string,
    body?: object,
    headers: Readonly<Record<string, string>> = { Authorization: `Bearer ${token}` },
  ) => {
    const answer = await fetch(daemon.origin + target, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      language: answer.headers.get('Content-Language'),
      text: await answer.text(),
    };
  };
  const letter = { to: 'erika@example.org', subject: 'Ihr Termin', text: 'Bis Montag!' };

  test('the endpoint says how many lists there are', async () => {
    expect(JSON.parse((await call('GET', `${practice}/list-count`)).text)).toEqual({ count: 0 });
  });

  test('the gate refuses the subject, in German where that is asked for', async () => {
    const subject = 'Ihr Termin, A123456789';
    const refused = await call(
      'POST',
      `${practice}/send`,
      { ...letter, subject },
      { Authorization: `Bearer ${token}`, 'Accept-Language': 'de' },
    );
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text)).toMatchObject({
      code: 'invalid_request',
      error: 'Gesperrte Telefone zeigen den Betreff, und er enthält eine Versichertennummer.',
      fields: [{ path: 'body.subject' }],
    });
  });

  test('the event is among those of the message, and webhooks can choose it', async () => {
    const at = (minutes: number) => ({
      scheduled_at: new Date(Date.now() + minutes * MINUTES).toISOString(),
    });
    const { id } = JSON.parse((await call('POST', `${practice}/send`, { ...letter, ...at(60) })).text);
    expect((await call('PATCH', `${practice}/messages/${id}`, at(120))).status).toBe(200);
    const { data } = JSON.parse((await call('GET', `${practice}/messages/${id}/events`)).text);
    expect(data.map(({ type }: { type: string }) => type)).toEqual([
      'message.created',
      'message.rescheduled',
    ]);
    const webhook = { name: 'Kalender', url: 'https://example.org/hook', events: ['message.rescheduled'] };
    const chosen = await call('POST', `${practice}/webhooks`, webhook);
    expect(chosen.status, chosen.text).toBe(201);
  });

  test('the page of the dashboard is built, in both languages, and leads to it', async () => {
    const { text: html } = await call('GET', '/app/files');
    const assets = [...html.matchAll(/(?:src|href)="(\/assets\/[\w-]+\.js)"/g)].map(
      ([, asset = '']) => asset,
    );
    const scripts = await Promise.all(assets.map(async (asset) => (await call('GET', asset)).text));
    const [, chunk] = /path:"files",load:\(\)=>import\("\.(\/[\w-]+\.js)"\)/.exec(scripts.join('\n')) ?? [];
    const { text: page } = await call('GET', `/assets${chunk}`);
    expect(page).toContain('Welche Dateien eine E-Mail mitnehmen darf.');
    expect(page).toContain('Which files an email may carry.');
  });

  test('the language is spoken, and what is not translated yet is English', async () => {
    const inItalian = { Accept: 'text/html', 'Accept-Language': 'it-IT,it;q=0.9,de;q=0.5' };
    const nothing = await call('GET', '/nothing/here', undefined, inItalian);
    expect(nothing.language).toBe('it');
    expect(nothing.text).toContain('Questa pagina non esiste');
    expect((await call('GET', '/', undefined, inItalian)).text).toContain('Sign in');
    expect((await call('GET', '/api/public/abuse', undefined, inItalian)).text).toContain('Report');
  });

  test('the form of the other service takes a send', async () => {
    const mail = { recipient: letter.to, title: letter.subject, message: letter.text };
    const key = { 'X-Vendor-D-Key': token };
    const sent = await call('POST', '/api/compat/vendor-d/outbox', mail, key);
    expect(sent.status, sent.text).toBe(202);
    const message = await call('GET', `${practice}/messages/${JSON.parse(sent.text).id}`);
    expect(JSON.parse(message.text)).toMatchObject({ subject: letter.subject, source: 'vendor-d' });
  });
});
