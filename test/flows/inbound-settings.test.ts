// A practice decides whether and how it receives mail.
import { afterAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { inboundSchema } from '#src/inbound/settings-schema.ts';
import { type List, type Sender, startApp } from '#test/support/app.ts';
import { join, unlimitedSignIn } from '#test/support/people.ts';
import { startDomainScene } from './domain-scene.ts';

type Inbound = z.infer<typeof inboundSchema>;

const app = await startApp({
  config: {
    ...unlimitedSignIn,
    limits: { ...unlimitedSignIn.limits, inbound_mib: 2 },
    retention: { inbound: '60d' },
  },
});
afterAll(() => app.remove());

const call = <Body = Inbound>(sender: Sender, method: string, path: string, body?: unknown) =>
  app.request<Body>(method, `${sender.base}/inbound${path}`, body, sender.token);
const show = async (sender: Sender): Promise<Inbound> => (await call(sender, 'GET', '')).body;
const audit = async ({ base }: Sender, action: string) => {
  const path = `${base}/audit?action=${action}`;
  const { body } = await app.request<List<{ before: unknown; after: unknown }>>(
    'GET',
    path,
    undefined,
    app.adminToken,
  );
  return body.data.map(({ before, after }) => ({ before, after }));
};
const registered = ({ practice }: Sender): boolean =>
  app.sql(null, 'SELECT 1 FROM inbound_tenants WHERE tenant_id = ?', practice.id).length > 0;

test('receiving is off at first, and on and off at the word of the practice', async () => {
  const sender = await app.createSender();
  const host = `in.${sender.practice.managed_host}`;
  const before = await show(sender);
  expect(before).toMatchObject({
    state: 'disabled',
    enabled_at: null,
    host,
    kept_days: 60,
    dns_provider: null,
    hosts: [{ host, kind: 'managed', pending: false, state: 'active', checked_at: null }],
    counts: { total: 0, unread: 0, held: 0, quarantined: 0, bytes: 0, quota_bytes: 2 * 1_024 * 1_024 },
  });
  expect(before.records[0]).toMatchObject({ purpose: 'inbound_mx', type: 'MX', name: host, status: null });
  expect(new Set(before.records.map(({ purpose }) => purpose))).toEqual(
    new Set(['inbound_mx', 'mta_sts', 'mta_sts_policy', 'tls_rpt']),
  );

  const enabled = await call(sender, 'POST', '/enable', {});
  expect(enabled).toMatchObject({ status: 200, body: { state: 'active' } });
  expect(registered(sender)).toBe(true);
  await call(sender, 'PATCH', '', { catch_all: { mode: 'hold' } });
  // A second time nothing changes.
  expect((await call(sender, 'POST', '/enable')).body.enabled_at).toBe(enabled.body.enabled_at);

  const disabled = await call(sender, 'POST', '/disable', {});
  expect(disabled.body).toMatchObject({ state: 'disabled', options: { catch_all: { mode: 'hold' } } });
  expect(registered(sender)).toBe(false);
  expect(await audit(sender, 'inbound.enable')).toEqual([
    { before: { enabled: false }, after: { enabled: true } },
  ]);
  expect(await audit(sender, 'inbound.disable')).toEqual([
    { before: { enabled: true }, after: { enabled: false } },
  ]);
});

describe('options', () => {
  test('change one by one, and the audit keeps what changed, strangers masked', async () => {
    const sender = await app.createSender();
    const { body } = await call(sender, 'PATCH', '', {
      addresses: [{ local_part: 'Termine', forward_to: 'Anna@Praxis.EXAMPLE' }],
      senders: { block: ['stranger@example.org', 'spam.example', 'Ä@Müller.example'] },
    });
    const block = ['stranger@example.org', 'spam.example', 'ä@xn--mller-kva.example'];
    expect(body.options).toMatchObject({
      addresses: [{ local_part: 'termine', mode: 'accept', forward_to: 'Anna@praxis.example' }],
      catch_all: { mode: 'accept', forward_to: null },
      senders: { allow: [], block },
    });
    const { body: second } = await call(sender, 'PATCH', '', {
      senders: { allow: ['partner.example'] },
      catch_all: { forward_to: 'anna@praxis.example' },
      retention_days: 30,
    });
    expect(second.options).toMatchObject({
      addresses: [{ local_part: 'termine' }],
      catch_all: { mode: 'accept', forward_to: 'anna@praxis.example' },
      senders: { allow: ['partner.example'], block },
      retention_days: 30,
    });
    expect(second.kept_days).toBe(30);
    expect((await show(sender)).options).toEqual(second.options);
    const [last, first] = await audit(sender, 'inbound.update');
    expect(last?.after).toMatchObject({ catch_all: { forward_to: 'a…@praxis.example' } });
    expect(first).toMatchObject({
      before: { addresses: [], senders: { allow: [], block: [] } },
      after: {
        addresses: [{ local_part: 'termine', forward_to: 'A…@praxis.example' }],
        senders: { block: ['s…@example.org', 'spam.example', '…@müller.example'] },
      },
    });
    expect(first?.after).not.toHaveProperty('catch_all');
  });

  const own = 'in.praxis-eigen.send.example.com';
  test.each([
    [{ catch_all: { mode: 'keep' } }, 'body.catch_all.mode'],
    [{ catchall: { mode: 'hold' } }, 'body.catchall'],
    [{ addresses: [{ local_part: 'info+shop' }] }, 'body.addresses[0].local_part'],
    [{ addresses: [{ local_part: 'info' }, { local_part: 'INFO' }] }, 'body.addresses'],
    [{ addresses: [{ local_part: 'm\u00fc' }, { local_part: 'mu\u0308' }] }, 'body.addresses'],
    [{ senders: { block: ['spam_.example'] } }, 'body.senders.block[0]'],
    [{ senders: { allow: ['a b@example.org'] } }, 'body.senders.allow[0]'],
    [{ catch_all: { forward_to: 'no address' } }, 'body.catch_all.forward_to'],
    [{ catch_all: { forward_to: `copy@${own.toUpperCase()}` } }, 'body.catch_all.forward_to'],
    [{ addresses: [{ local_part: 'info', forward_to: `copy@${own}` }] }, 'body.addresses[0].forward_to'],
    [{ retention_days: 61 }, 'body.retention_days'],
    [{ retention_days: 0 }, 'body.retention_days'],
    [{}, 'body'],
  ])('%j is refused, naming %s', async (body, path) => {
    sender ??= await app.createSender({ name: 'Praxis Eigen' });
    const { status, body: refusal } = await call<{ fields: { path: string }[] }>(sender, 'PATCH', '', body);
    expect([status, refusal.fields[0]?.path]).toEqual([400, path]);
  });
  let sender: Sender | undefined;
});

test('who may not read mail, or not for ever, forwards none of it', async () => {
  const sender = await app.createSender({ plan: 'praxis' });
  const asked = (token: string, method: string, path: string, body: object) =>
    app.request<{ permission?: string }>(method, sender.base + path, body, token);
  const role = await app.request<{ id: string }>(
    'POST',
    `${sender.base}/roles`,
    { name: 'Technik', permissions: ['inbound.view', 'inbound.manage'] },
    app.adminToken,
  );
  const person = { role_id: role.body.id, all_projects: true };
  const { token } = await join(app, sender.practice.id, 'technik@example.org', person);
  const limited = await app.createToken(sender.practice.id, { allowed_addresses: ['127.0.0.1'] });
  const set = { catch_all: { forward_to: 'technik@example.org' } };
  const named = { addresses: [{ local_part: 'info', ...set.catch_all }] };
  for (const body of [set, named]) {
    expect(await asked(token, 'PATCH', '/inbound', body)).toMatchObject({
      status: 403,
      body: { permission: 'messages.view_content' },
    });
    const refused = await asked(limited, 'PATCH', '/inbound', body);
    expect([refused.status, refused.body.permission]).toEqual([403, undefined]);
  }
  expect((await asked(sender.token, 'PATCH', '/inbound', named)).status).toBe(200);
  const again = await asked(token, 'POST', '/inbound/ask-again', { address: 'technik@example.org' });
  expect([again.status, again.body.permission]).toEqual([403, 'messages.view_content']);
  for (const each of [token, limited])
    expect((await asked(each, 'PATCH', '/inbound', { ...named, max_bytes: 5_000 })).status).toBe(200);
  expect((await asked(token, 'PATCH', '/inbound', { addresses: [] })).status).toBe(200);
});

test('the nightly round puts a registry right that does not fit the files', async () => {
  const [lost, extra] = [await app.createSender(), await app.createSender()];
  await call(lost, 'POST', '/enable', {});
  app.sql(null, 'DELETE FROM inbound_tenants');
  app.sql(null, 'INSERT INTO inbound_tenants VALUES (?)', extra.practice.id);
  await app.runJob('remove what is old');
  expect([registered(lost), registered(extra)]).toEqual([true, false]);
});

test('a check finds the MX of each host, of a pending domain too', async () => {
  const scene = await startDomainScene();
  const sender = await scene.app.createSender({ plan: 'praxis' });
  const managed = `in.${sender.practice.managed_host}`;
  const ask = async (method: string, path: string, body?: object): Promise<Inbound> =>
    (await scene.app.request<Inbound>(method, `${sender.base}/inbound${path}`, body, sender.token)).body;
  const statesOf = ({ hosts }: Inbound) => hosts.map(({ host, pending, state }) => [host, pending, state]);

  await scene.attach(sender, 'praxis.test');
  await ask('POST', '/enable', {});
  const pending = await ask('POST', '/check', {});
  expect(pending).toMatchObject({ state: 'active', host: managed });
  expect(statesOf(pending)).toEqual([
    [managed, false, 'active'],
    ['in.praxis.test', true, 'pending_dns'],
  ]);
  expect(pending.records.find(({ name }) => name === 'in.praxis.test')).toMatchObject({
    purpose: 'inbound_mx',
    status: 'missing',
    required: true,
  });

  const wanted = await scene.records(sender);
  scene.dns.publish(wanted.records);
  const inUse = await ask('POST', '/check', {});
  expect(inUse).toMatchObject({ state: 'pending_dns', host: 'in.praxis.test' });

  scene.dns.publish(wanted.inbound);
  const { state, hosts, records } = await ask('POST', '/check', {});
  expect([state, hosts.map((host) => host.state)]).toEqual(['active', ['active', 'active']]);
  expect(records.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(await ask('GET', '')).toMatchObject({ state, hosts, records });
});
