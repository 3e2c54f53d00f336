// What shows an image keeps it; and mails that carry their images, as a reader finds them.
import { type ParsedMail, simpleParser } from 'mailparser';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '#src/kernel/time.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type ReceivedMessage, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock } from '#test/support/storage.ts';
import { seedList } from '#test/support/subscribers.ts';

interface Image {
  readonly id: string;
  readonly url: string;
}

const clock = createTestClock(Date.now());
let app: TestApp;
let sender: Sender;
let receiver: SmtpReceiver;
let red = 0;

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({ clock, receiver });
  sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const ask = async <Body = { id: string }>(method: string, path: string, body?: object) => {
  const answer = await app.request<Body>(method, sender.base + path, body, sender.token);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
};
const image = async (): Promise<Image> => {
  red += 1;
  const background = { r: red, g: 80, b: 80 };
  const png = await sharp({ create: { width: 40, height: 40, channels: 3, background } })
    .png()
    .toBuffer();
  return ask<Image>('POST', '/images', { content: png.toString('base64') });
};
const deletion = async ({ id }: Image): Promise<readonly [number, unknown]> => {
  const { status, body } = await app.request(
    'DELETE',
    `${sender.base}/images/${id}`,
    undefined,
    sender.token,
  );
  return [status, body?.error];
};
const showing = ({ url }: Image): string => `<p><img src="${url}" alt="Logo"> <a href="${url}">groß</a></p>`;
const mailTo = async (address: string): Promise<ParsedMail> => {
  const isTo = ({ recipients }: ReceivedMessage) => recipients.some((one) => one.address === address);
  await until(`${address} has the mail`, () => receiver.messages.some(isTo));
  return simpleParser(receiver.messages.find(isTo)?.content ?? '');
};

describe('an image', () => {
  test('stays while a version of a template shows it, and goes long after the template', async () => {
    const logo = await image();
    const template = { name: 'logo', subject: 'Logo', html: showing(logo) };
    await ask('POST', '/templates', template);
    await ask('PATCH', '/templates/logo', { html: '<p>Ohne Logo</p>' });
    expect(await deletion(logo)).toEqual([409, 'A template shows the image.']);
    clock.set(clock.now() + 500 * DAY);
    await app.runJob('remove what is old');
    expect(await deletion(logo)).toEqual([409, 'A template shows the image.']);
    await app.request('DELETE', `${sender.base}/templates/logo`, undefined, sender.token);
    clock.set(clock.now() + 399 * DAY);
    await app.runJob('remove what is old');
    expect(await ask('GET', `/images/${logo.id}`)).toMatchObject({ id: logo.id });
    clock.set(clock.now() + 2 * DAY);
    await app.runJob('remove what is old');
    expect((await deletion(logo))[0]).toBe(404);
  });

  test('is kept as long as a letter that linked to it', async () => {
    const logo = await image();
    clock.set(clock.now() + 300 * DAY);
    await app.send(sender, { html: showing(logo), text: undefined });
    clock.set(clock.now() + 300 * DAY);
    await app.runJob('remove what is old');
    expect(await deletion(logo)).toEqual([204, undefined]);
  });

  test('of a draft can be replaced, but stays with a campaign that was sent', async () => {
    const [first, second] = [await image(), await image()];
    const { id: list_id } = seedList(app.home, sender.practice.id, [
      { address: 'anna@example.net' },
      { address: 'berta@example.net' },
    ]);
    const fields = { list_id, subject: 'Herbst', text: 'Herbst', html: showing(first) };
    const { id } = await ask('POST', '/campaigns', fields);
    expect(await deletion(first)).toEqual([409, 'A campaign shows the image.']);
    await ask('PATCH', `/campaigns/${id}`, { html: showing(second) });
    expect((await deletion(first))[0]).toBe(204);
    const { id: draft } = await ask('POST', `/campaigns/${id}/duplicate`, {});
    await ask('POST', `/campaigns/${id}/send`);
    const { html, attachments } = await mailTo('berta@example.net');
    expect([String(html).includes(second.url), attachments]).toEqual([true, []]);
    await app.request('DELETE', `${sender.base}/campaigns/${draft}`, undefined, sender.token);
    clock.set(clock.now() + 500 * DAY);
    await app.runJob('remove what is old');
    expect(await deletion(second)).toEqual([409, 'A campaign shows the image.']);
  });
});

describe('mails that carry their images', () => {
  const carried = async (mail: ParsedMail, { id, url }: Image): Promise<void> => {
    const [file, ...more] = mail.attachments;
    expect(more).toEqual([]);
    expect(file).toMatchObject({ contentType: 'image/png', related: true });
    const stored = await fetch(app.origin + new URL(url).pathname);
    expect(file?.content).toEqual(Buffer.from(await stored.arrayBuffer()));
    expect(file?.cid).toContain(id);
    // What was a link stays one.
    expect(mail.html).toContain(`href="${url}"`);
    expect(mail.html).not.toContain(`src="${url}"`);
  };

  test('come from a template that says so, and both are shown with their file', async () => {
    const logo = await image();
    const template = { name: 'inline', subject: 'Logo', html: showing(logo), images: 'inline' };
    expect(await ask('POST', '/templates', template)).toMatchObject({ images: 'inline' });
    const { id } = await ask('POST', '/send', { to: 'carla@example.net', template: 'inline' });
    await carried(await mailTo('carla@example.net'), logo);
    expect(await ask('GET', `/messages/${id}`)).toMatchObject({
      attachments: [{ content_type: 'image/png', content_id: logo.id }],
    });
    await app.request('DELETE', `${sender.base}/templates/inline`, undefined, sender.token);
    expect(await deletion(logo)).toEqual([409, 'Mails that were sent carry the image.']);
    await ask('POST', `/messages/${id}/send-again`, { to: 'dora@example.net' });
    await carried(await mailTo('dora@example.net'), logo);
  });

  test('of a campaign and of a bulk have its bytes once', async () => {
    const logo = await image();
    const people = ['emil', 'fritz'].map((name) => ({ address: `${name}@example.net` }));
    const { id: list_id } = seedList(app.home, sender.practice.id, people, { name: 'Verein' });
    const fields = { subject: 'Neues', html: showing(logo), images: 'inline' };
    const settings = { track_opens: false, track_clicks: false };
    const { id } = await ask('POST', '/campaigns', { ...fields, list_id, settings });
    expect(await ask('GET', `/campaigns/${id}`)).toMatchObject({ images: 'inline', html: showing(logo) });
    await ask('POST', `/campaigns/${id}/send`);
    for (const { address } of people) await carried(await mailTo(address), logo);
    await ask('POST', '/templates', { name: 'neues', ...fields });
    await ask('POST', '/send/bulk', {
      template: 'neues',
      recipients: [{ email: 'hans@example.net' }],
      route: 'outgoing',
      message_kind: 'transactional',
    });
    await carried(await mailTo('hans@example.net'), logo);
    const rows = app.sql<{ count: number; bytes: number }>(
      sender.practice.id,
      `SELECT count(*) AS count, sum(octet_length(attachments.content)) AS bytes
       FROM attachments JOIN images ON images.seq = image_seq WHERE images.id = ?`,
      logo.id,
    );
    expect(rows).toEqual([{ count: 3, bytes: 0 }]);
  });
});

test('mails link to the images where the practice is now, though the template was written elsewhere', async () => {
  const logo = await image();
  await ask('POST', '/templates', { name: 'umzug', subject: 'Umzug', html: showing(logo) });
  await app.stop();
  app = await startApp({
    ...{ clock, receiver, home: app.home },
    config: { service: { public_origin: 'https://neu.example' } },
  });
  const here = await ask<Image>('GET', `/images/${logo.id}`);
  expect(new URL(here.url).origin).toBe('https://neu.example');
  await ask('POST', '/send', { to: 'ida@example.net', template: 'umzug' });
  expect((await mailTo('ida@example.net')).html).toContain(`src="${here.url}"`);
  await ask('POST', '/send/bulk', {
    ...{ template: 'umzug', recipients: [{ email: 'jan@example.net' }] },
    ...{ route: 'outgoing', message_kind: 'transactional' },
  });
  expect((await mailTo('jan@example.net')).html).toContain(`src="${here.url}"`);
});
