// What people have written comes along with an exported practice: the other host, with another master key and other names, shows all of it
// as it was.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '#src/app/cli/commands.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { freePort } from '#test/support/process.ts';

let from: TestApp;
let to: TestApp;
let sender: Sender;

const start = async (host: string): Promise<TestApp> =>
  startApp({
    config: {
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      service: {
        host: `mail.${host}`,
        managed_suffix: `send.${host}`,
        public_origin: `https://mail.${host}`,
      },
      http: { listen: `127.0.0.1:${await freePort()}` },
    },
  });
beforeAll(async () => {
  [from, to] = [await start('alt.example'), await start('neu.example')];
  sender = await from.createSender({ plan: 'gruppe' });
  await from.completeLegal(sender.practice.id);
  // Another one has the number that the practice had.
  await to.createSender();
});
afterAll(async () => {
  await from?.remove();
  await to?.remove();
});

const ask = async <Body = { id: string }>(method: string, at: string, body?: object): Promise<Body> => {
  const answer = await from.request<Body>(method, sender.base + at, body, from.adminToken);
  if (answer.status >= 300) throw new Error(`${method} ${at}: ${answer.text}`);
  return answer.body;
};

const run = async (home: string, ...args: string[]): Promise<void> => {
  let said = '';
  const print = (text: string): void => {
    said += text;
  };
  const exitCode = await runCommandLine([...args, '--config', path.join(home, 'service.yaml')], {
    environment: {},
    signals: { onEnd: () => undefined, onReload: () => undefined },
    print,
    printAll: async () => undefined,
    printError: print,
    isTerminal: false,
  });
  expect(exitCode, said).toBe(0);
};

/** Names of the host, and what a link's HMAC is made of, are those of each. */
const withoutHost = (text: string): string =>
  text
    .replaceAll(/\b(alt|neu)\.example\b/g, 'HOST')
    .replaceAll(/https:\/\/mail\.HOST\/(?:i|api\/public)\/[^"\\]+/g, 'LINK')
    .replaceAll(/\bsw-[\w-]{6}-/g, 'sw-FORM-');

test('documents, letterhead, images, segments, saved replies and forms of websites are the same at the other host', async () => {
  const picture = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#0b57d0' } })
    .png()
    .toBuffer();
  const image = await ask<{ id: string; url: string }>('POST', '/images', {
    ...{ content: picture.toString('base64'), name: 'haus.png' },
  });
  await ask('PUT', '/letterhead', {
    ...{ logo: image.id, logo_alt: 'Unser Haus', colour: '#0b57d0', signature: 'Herzliche Grüße\nIhr Team' },
  });
  const attrs = {
    image: image.id,
    alt: 'Unser Haus',
    decorative: false,
    width: 50,
    align: 'center',
    href: null,
  };
  const document = {
    version: 1,
    content: [
      {
        type: 'paragraph',
        attrs: { align: 'start' },
        content: [
          { type: 'text', text: 'Guten Tag ' },
          { type: 'placeholder', attrs: { name: 'vorname' } },
        ],
      },
      { type: 'image', attrs },
      { type: 'signature' },
    ],
  };
  const list = await ask('POST', '/lists', { name: 'Rundbrief', tracking_consent: 'asked' });
  await ask('POST', `/lists/${list.id}/subscribers`, {
    ...{ address: 'anna@example.org', status: 'active', data: { vorname: 'Anna' } },
    ...{ consent: { evidence: 'Bogen' }, tracking_consent: { evidence: 'Bogen' } },
  });
  const segment = await ask('POST', '/segments', {
    ...{ name: 'Stille', list_ids: [list.id], filter: [{ op: 'neither', days: 90 }] },
  });
  const template = await ask('POST', '/templates', { name: 'einladung', subject: 'Einladung', document });
  await ask('PATCH', `/templates/${template.id}`, { subject: 'Einladung zum Fest' });
  const campaign = await ask('POST', '/campaigns', {
    ...{ segment_id: segment.id, subject: 'Fest', document, values: { vorname: 'du' } },
  });
  await ask('POST', '/inbound/enable', {});
  await ask('POST', '/saved-replies', { name: 'Danke', text: 'Danke, {{name}}!' });
  const form = await ask<{ id: string; url: string }>('POST', '/website-forms', {
    preset: 'prescription',
    language: 'de',
  });
  from.sql(
    sender.practice.id,
    "UPDATE subscribers SET tracked_at = 1_700_000_000_000, opened_at = 1_700_000_100_000 WHERE address = 'anna@example.org'",
  );

  const paths = [
    ...['/letterhead', '/images', `/images/${image.id}`, '/segments', `/segments/${segment.id}`],
    ...[`/templates/${template.id}`, `/templates/${template.id}/versions`, `/campaigns/${campaign.id}`],
    ...['/saved-replies', '/website-forms', `/website-forms/${form.id}`, `/lists/${list.id}/subscribers`],
  ];
  const shownBy = async (app: TestApp) =>
    Promise.all(
      paths.map(async (at) => {
        const answer = await app.request(
          'GET',
          `/api/practices/${sender.practice.id}${at}`,
          undefined,
          app.adminToken,
        );
        expect(answer.status, `${at}: ${answer.text}`).toBe(200);
        return [at, withoutHost(answer.text)];
      }),
    );
  const before = await shownBy(from);
  const identity = await generateIdentity();
  const [file, secret] = ['praxis', 'secret'].map((name) => path.join(from.home, name)) as [string, string];
  writeFileSync(secret, identity);
  await run(
    from.home,
    'tenant',
    'export',
    sender.practice.id,
    file,
    '--key',
    await identityToRecipient(identity),
  );
  await run(to.home, 'tenant', 'import', file, '--key', secret);
  for (const [index, [at, text]] of (await shownBy(to)).entries()) expect([at, text]).toEqual(before[index]);

  const contentOf = async (app: TestApp) => {
    const headers = { Authorization: `Bearer ${app.adminToken}` };
    const at = `${app.origin}/api/practices/${sender.practice.id}/images/${image.id}/content`;
    return Buffer.from(await (await fetch(at, { headers })).arrayBuffer());
  };
  expect((await contentOf(to)).equals(await contentOf(from))).toBe(true);
  // The address in mails that were sent shows it at the new host too, and so does its own.
  const moved = await to.request<{ url: string }>(
    'GET',
    `/api/practices/${sender.practice.id}/images/${image.id}`,
    undefined,
    to.adminToken,
  );
  for (const url of [image.url, moved.body.url])
    expect((await fetch(to.origin + new URL(url).pathname)).status, url).toBe(200);
  // The form on the website still posts to the address that it was given.
  const { pathname, search } = new URL(form.url);
  const posted = await fetch(to.origin + pathname + search, { method: 'POST', body: new FormData() });
  expect(posted.status, await posted.text()).not.toBe(404);
});
