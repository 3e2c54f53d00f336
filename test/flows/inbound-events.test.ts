// A mail that is received, as the practice's programs and people learn of it: webhook, stream, lists, timeline. By SMTP and HTTP.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Activity } from '#src/followers/activity/present.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { createHook, deliveriesOf, type Hook, outboundTo, requestTo } from '#test/support/hooks.ts';
import { type HttpsReceiver, startHttpsReceiver } from '#test/support/https-receiver.ts';
import { join, unlimitedSignIn } from '#test/support/people.ts';
import { bring } from '#test/support/reports.ts';
import { openSse } from '#test/support/sse.ts';

const MIB = 1_024 * 1_024;

let receiver: HttpsReceiver;
let dns: DnsZone;
let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  receiver = await startHttpsReceiver();
  // Of the machine's DNS it would depend what becomes of the mail.
  dns = await startDnsZone();
  app = await startApp({
    config: {
      ...unlimitedSignIn,
      dns: { resolvers: [dns.address] },
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      security: outboundTo(receiver),
    },
  });
});
afterAll(async () => {
  await app?.remove();
  await dns?.stop();
  await receiver?.stop();
});
beforeEach(async () => {
  receiver.setAnswer({});
  sender = await app.createSender({ plan: 'praxis' });
  await call('POST', '/inbound/enable', {});
});

const call = <Body>(method: string, path: string, body?: unknown, token = sender.token) =>
  app.request<Body>(method, sender.base + path, body, token);

const bringMail = async (head: readonly string[], body: string): Promise<void> => {
  const to = `info+shop@in.${sender.practice.managed_host}`;
  const fields = ['From: Erika <erika@example.org>', `To: <${to}>`, ...head];
  const mail = `${fields.join('\r\n')}\r\n\r\n${body}\r\n`;
  expect(await bring(app.inboundPort, to, mail, 'erika@example.org')).toMatch(/^250/);
};
/** A message that has left, and its Message-ID. */
const sentMessage = async () => {
  const id = await app.send(sender);
  const { internet_message_id } = await app.untilStatus(sender, id, 'processed');
  return { id, name: internet_message_id };
};
const eventsOf = async (id: string, token = sender.token) => {
  const { body } = await call<List<{ type: string; inbound_id: string | null }>>(
    'GET',
    `/messages/${id}/events`,
    undefined,
    token,
  );
  return body.data.map(({ type, inbound_id }) => [type, inbound_id]);
};
const timelineOf = async (id: string, token = sender.token) => {
  const { body } = await call<List<{ status: string | null; inbound_id: string | null }>>(
    'GET',
    `/messages/${id}/timeline`,
    undefined,
    token,
  );
  return body.data.map(({ status, inbound_id }) => [status, inbound_id]);
};
const activity = async (token = sender.token): Promise<readonly Activity[]> =>
  (await call<List<Activity>>('GET', '/events', undefined, token)).body.data;
const namesIn = (items: readonly Activity[]): string[] => items.map(({ event }) => event).toSorted();

const hookTo = (path: string, fields: object = {}): Promise<Hook> =>
  createHook(app, sender, receiver.url(path), ['inbound.received'], fields);
const dataOf = async (hook: Hook, place = 0) =>
  JSON.parse((await requestTo(receiver, hook, place)).body.toString()).data;

test('a reply is in the timeline and the events of its message, live too, for who may see mail received alone', async () => {
  const { id, name } = await sentMessage();
  const { project_id } = await app.message(sender, id);
  const project = await app.createToken(sender.practice.id, {
    scope: 'project',
    project_id,
  });
  const limited = await join(app, sender.practice.id, 'limited@example.org', {
    role_id: 'member',
    all_projects: false,
    project_ids: [project_id],
  });
  const streams = await Promise.all(
    [sender.token, project, limited.token].map((token) =>
      openSse(`${app.origin}${sender.base}/events`, { Authorization: `Bearer ${token}` }),
    ),
  );
  await bringMail([`In-Reply-To: ${name}`, 'Subject: Re'], 'Danke');
  const later = await sentMessage();
  const [own, ...others] = await Promise.all(
    streams.map(async (stream) => {
      const events = await stream.until((so) => so.some(({ event }) => event === 'message.sent'));
      return events.map(({ event }) => event);
    }),
  );
  expect(own).toContain('inbound.received');
  for (const seen of others) expect(seen).not.toContain('inbound.received');

  const [mail] = (await activity()).filter(({ event }) => event === 'inbound.received');
  const inbound_id = mail?.data.inbound_id;
  expect(mail?.data).toMatchObject({ reply_to_message_id: id, thread_id: id, mail: null });
  expect(await timelineOf(id)).toEqual([
    ['queued', null],
    ['processed', null],
    [null, inbound_id],
  ]);
  expect(await eventsOf(id)).toContainEqual(['inbound.received', inbound_id]);
  const withoutMail = namesIn((await activity()).filter(({ event }) => event !== 'inbound.received'));
  for (const token of [project, limited.token]) {
    expect((await eventsOf(id, token)).map(([type]) => type)).toEqual(['message.created', 'message.sent']);
    expect(await timelineOf(id, token)).toHaveLength(2);
    expect(namesIn(await activity(token))).toEqual(withoutMail);
  }
  expect(later.id).not.toBe(id);

  expect((await call('DELETE', `/inbound/messages/${inbound_id}`)).status).toBe(204);
  expect(await eventsOf(id)).toContainEqual(['inbound.received', null]);
  const [removed] = (await activity()).filter(({ event }) => event === 'inbound.received');
  expect(removed).toMatchObject({
    id: mail?.id,
    data: { inbound_id: null, from: null, url: null, to: null },
  });
});

describe('a webhook', () => {
  test('gets links that lead to the mail, and all of it where it is to get that', async () => {
    const [small, whole] = [await hookTo('/small'), await hookTo('/whole', { inbound_mail: 'whole' })];
    const file = Buffer.from('%PDF-1.7 Befund');
    const parts = [
      '--b\r\nContent-Type: text/html\r\n\r\n<p onclick="x()">Guten <b>Tag</b></p><script>x()</script>',
      `--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="befund.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\n${file.toString('base64')}`,
      '--b--',
    ];
    await bringMail(
      [
        'Subject: =?utf-8?q?Befund_f=C3=BCr_J=C3=BCrgen?=',
        'X-Praxis: 1',
        'Content-Type: multipart/mixed; boundary=b',
      ],
      parts.join('\r\n'),
    );
    const data = await dataOf(small);
    expect(data).toMatchObject({ from: { address: 'erika@example.org', name: 'Erika' }, mail: null });
    expect(JSON.stringify(data)).not.toMatch(/Befund|befund/);
    const { origin } = new URL(data.url);
    for (const url of [data.url, data.raw_url]) {
      const path = url.slice(origin.length + sender.base.length);
      expect((await call('GET', path)).status).toBe(200);
    }

    const full = await dataOf(whole);
    expect({ ...full, mail: null }).toEqual(data);
    expect(full.mail).toMatchObject({
      id: data.inbound_id,
      subject: 'Befund für Jürgen',
      plus: 'shop',
      text: expect.stringContaining('Guten Tag'),
      html: expect.stringContaining('<b>Tag</b>'),
      reply_text: expect.any(String),
      attachments: [
        {
          index: 0,
          filename: 'befund.pdf',
          content_type: 'application/pdf',
          size: file.length,
          url: `${data.url}/attachments/0`,
          content: file.toString('base64'),
        },
      ],
    });
    expect(full.mail.html).not.toMatch(/script|onclick/);
    expect(full.mail.headers).toContainEqual({ name: 'x-praxis', value: '1' });
    expect(full.mail).not.toHaveProperty('read');

    const [delivery] = await deliveriesOf(app, whole);
    const { body } = await call<{ body: string }>('GET', `/webhooks/${whole.id}/deliveries/${delivery?.id}`);
    expect(JSON.parse(body.body).data).toEqual(data);
  });

  test('gets the content of attachments up to a bound, and a link to the others', async () => {
    const hook = await hookTo('/large', { inbound_mail: 'whole' });
    const part = (bytes: number): string =>
      `--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.alloc(bytes, 'x').toString('base64').replace(/.{76}/g, '$&\r\n')}`;
    const sizes = [3 * MIB, 3 * MIB, MIB];
    await bringMail(
      ['Content-Type: multipart/mixed; boundary=b'],
      [...sizes.map(part), '--b--'].join('\r\n'),
    );
    const { mail } = await dataOf(hook);
    expect(
      mail.attachments.map(({ size, content }: { size: number; content: string | null }) => [
        size,
        content && Buffer.from(content, 'base64').length,
      ]),
    ).toEqual([
      [3 * MIB, 3 * MIB],
      [3 * MIB, null],
      [MIB, MIB],
    ]);
  });

  test('that does not want a mail answers 403: it is not asked again, stays enabled, and a replay asks again', async () => {
    const hook = await hookTo('/rejects');
    receiver.setAnswer({ status: 403 });
    await bringMail(['Subject: Werbung'], 'x');
    await requestTo(receiver, hook);
    const rejected = { status: 'failed', attempts: 1, response_status: 403, next_attempt_at: null };
    await expect.poll(() => deliveriesOf(app, hook)).toMatchObject([rejected]);
    expect((await call('GET', `/webhooks/${hook.id}`)).body).toMatchObject({
      status: 'active',
      failing_since: null,
    });
    receiver.setAnswer({});
    const [delivery] = await deliveriesOf(app, hook);
    const replay = await call('POST', `/webhooks/${hook.id}/deliveries/${delivery?.id}/replay`);
    expect(replay.status).toBe(202);
    const [first, second] = [await requestTo(receiver, hook), await requestTo(receiver, hook, 1)];
    expect(second.body.equals(first.body)).toBe(true);
    await expect.poll(() => deliveriesOf(app, hook)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  test('gets mails only at the word of who may see them, and keeps the deliveries from others', async () => {
    const role = await call<{ id: string }>(
      'POST',
      '/roles',
      { name: 'Hooks', permissions: ['webhooks.manage'] },
      app.adminToken,
    );
    const { token } = await join(app, sender.practice.id, 'hooks@example.org', {
      role_id: role.body.id,
      all_projects: true,
    });
    const refused = { status: 403, body: { permission: 'inbound.view' } };
    const events = ['inbound.received'];
    const given = { name: 'x', url: receiver.url('/seen') };
    const made = await call<{ id: string }>(
      'POST',
      '/webhooks',
      { ...given, events: ['message.sent'] },
      token,
    );
    expect(made.status).toBe(201);
    expect(await call('POST', '/webhooks', { ...given, events }, token)).toMatchObject(refused);
    expect(await call('PATCH', `/webhooks/${made.body.id}`, { events }, token)).toMatchObject(refused);
    const chat = { name: 'x', kind: 'slack', url: receiver.url('/chat') };
    const alert = await call<{ id: string }>('POST', '/alerts', chat, token);
    expect(alert.status).toBe(201);
    expect(await call('POST', '/alerts', { ...chat, events }, token)).toMatchObject(refused);
    expect(await call('PATCH', `/alerts/${alert.body.id}`, { events }, token)).toMatchObject(refused);

    const hook = await hookTo('/seen');
    await bringMail(['Subject: Termin'], 'x');
    await requestTo(receiver, hook);
    const [delivery] = await deliveriesOf(app, hook);
    expect(await call('PATCH', `/webhooks/${hook.id}`, { url: receiver.url('/mine') }, token)).toMatchObject(
      refused,
    );
    const at = `/webhooks/${hook.id}/deliveries/${delivery?.id}`;
    expect(await call('GET', at, undefined, token)).toMatchObject(refused);
    expect((await call('GET', at)).status).toBe(200);
  });

  test('gets whole mails from no token with limits, which the webhook would not have', async () => {
    const limited = { name: 'CI', scope: 'team', allowed_addresses: ['127.0.0.1'] };
    const { token } = (await call<{ token: string }>('POST', '/api-tokens', limited)).body;
    const given = { name: 'x', url: receiver.url('/ci'), events: ['inbound.received'] };
    expect((await call('POST', '/webhooks', { ...given, inbound_mail: 'whole' }, token)).status).toBe(403);
    const small = await call<{ id: string }>('POST', '/webhooks', given, token);
    expect(small.status).toBe(201);
    const widened = await call('PATCH', `/webhooks/${small.body.id}`, { inbound_mail: 'whole' }, token);
    expect(widened.status).toBe(403);
  });

  test('gets whole mails only at the word of who may read them', async () => {
    const role = await call<{ id: string }>(
      'POST',
      '/roles',
      { name: 'Technik', permissions: ['webhooks.manage', 'inbound.view'] },
      app.adminToken,
    );
    const { token } = await join(app, sender.practice.id, 'technik@example.org', {
      role_id: role.body.id,
      all_projects: true,
    });
    const given = { name: 'x', url: receiver.url('/mine'), events: ['inbound.received'] };
    const refused = { status: 403, body: { permission: 'messages.view_content' } };
    expect(await call('POST', '/webhooks', { ...given, inbound_mail: 'whole' }, token)).toMatchObject(
      refused,
    );
    const own = await call<{ id: string }>('POST', '/webhooks', given, token);
    expect(own).toMatchObject({ status: 201, body: { inbound_mail: 'small' } });
    const widened = await call('PATCH', `/webhooks/${own.body.id}`, { inbound_mail: 'whole' }, token);
    expect(widened).toMatchObject(refused);

    const { id } = await hookTo('/whole', { inbound_mail: 'whole' });
    expect(await call('PATCH', `/webhooks/${id}`, { url: receiver.url('/mine') }, token)).toMatchObject(
      refused,
    );
    expect((await call('PATCH', `/webhooks/${id}`, { name: 'y' }, token)).status).toBe(200);
    const narrowed = await call('PATCH', `/webhooks/${id}`, { inbound_mail: 'small' }, token);
    expect(narrowed).toMatchObject({ status: 200, body: { inbound_mail: 'small' } });
  });
});
