// Every action that some route of the application declares for the audit is done here once, as its users do it, and
// found there with who did it, from where, and without any secret. The list of actions comes from the application.
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { DAY } from '#src/kernel/time.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import { type List, letter, startApp } from '#test/support/app.ts';
import { readFrozen } from '#test/support/arrival.ts';
import { prepareRestore } from '#test/support/command.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';
import { describedPaths } from '#test/support/openapi.ts';
import { invite, join, makeOwner, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { PROVIDER_TOKEN, startPlayedCloudflare } from '#test/support/played-cloudflare.ts';
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, startPlayedStripe } from '#test/support/played-stripe.ts';
import { until } from '#test/support/process.ts';
import { putMail } from '#test/support/received-mail.ts';
import { seedList } from '#test/support/subscribers.ts';
import { words as german } from '../../src/dashboard/pages/audit/words/de.ts';
import { words as english } from '../../src/dashboard/pages/audit/words/en.ts';
import type { DnsRecords } from './domain-scene.ts';

interface Entry {
  readonly action: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string };
  readonly target: { readonly type: string; readonly id: string };
  readonly client_address: string | null;
  readonly request_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

/** A picture of four points. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAE0lEQVQImWM4w8BwhgGMzzAwAAAZjgMx8FJdJAAAAABJRU5ErkJggg==';
const PASSWORD = 'Siebzehn-Kamele-trinken-Tee';

const dns = await startDnsZone();
const cloudflare = await startPlayedCloudflare();
cloudflare.zones = [{ id: 'z1', name: 'praxis.test', status: 'active' }];
const stripe = await startPlayedStripe();
const OPERATOR = 'operator@example.net';
const app = await startApp({
  runsTwice: true,
  config: {
    operators: [OPERATOR],
    ...unlimitedSignIn,
    dns: {
      resolvers: [dns.address],
      authoritative: { listen: '127.0.0.1:0' },
      zones: { addresses: ['127.0.0.1'] },
      provider: cloudflare.config,
    },
    auth: { password_login: true },
    billing: stripe.config,
    // What going live asks for; the service's own mail is read where the first one keeps it.
    service: { public_origin: 'https://mail.example.com' },
    upstreams: [
      { name: 'capture', kind: 'capture' },
      { name: 'relay', kind: 'smtp', host: '127.0.0.1', port: 9, tls: 'none' },
    ],
  },
});
dns.delegate('mail.example.com', app.dnsPort ?? 0);
afterAll(async () => {
  await app.remove();
  await dns.stop();
  await cloudflare.stop();
  await stripe.stop();
});

const secrets: string[] = [PASSWORD, app.adminToken, PROVIDER_TOKEN, STRIPE_KEY, STRIPE_WEBHOOK_SECRET];

/** Throws unless it is done; the answer with its secrets noted. */
const done = async (method: string, path: string, body?: unknown, token = app.adminToken) => {
  const answer = await app.request<{ id: string; token?: string; csrf_token?: string; secret?: string }>(
    method,
    path,
    body,
    token,
  );
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  const { token: made, csrf_token, secret: signing } = answer.body ?? {};
  for (const secret of [made, csrf_token, signing]) if (secret) secrets.push(secret);
  return answer.body;
};

const paths = await describedPaths<Record<string, Record<string, { 'x-audit'?: string }>>>(app);
const declaredActions = new Set(
  Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ 'x-audit': action }) => action ?? []),
  ),
);

const audit = async (path: string): Promise<readonly Entry[]> => {
  const { body } = await app.request<List<Entry>>('GET', `${path}?limit=200`, undefined, app.adminToken);
  expect(body.next_cursor).toBeNull();
  return body.data;
};

test('every declared action is found in the audit, with who and from where, and no secret', async () => {
  const { id } = await done('POST', '/api/practices', {
    name: 'Praxis am Markt',
    plan: 'praxis',
    owner_email: 'owner@example.org',
  });
  const base = `/api/practices/${id}`;
  await done('PATCH', base, { name: 'Praxis am Ring' });
  await done('POST', `${base}/plan`, { plan: 'gruppe' });
  await done('POST', `${base}/safe-mode`, { enabled: true });
  await done('POST', `${base}/approval`, { approved: true });
  await makeOwner(app, id, 'second@example.org');

  const owner = await signIn(app, 'owner@example.org');
  secrets.push(owner.token, owner.csrfToken);
  const byOwner = (method: string, path: string, body?: unknown) => done(method, path, body, owner.token);
  await done('POST', `${base}/plan`, { plan: 'test' });
  for (const page of ['checkout', 'portal']) await byOwner('POST', `${base}/billing/${page}`);
  await done('POST', `${base}/plan`, { plan: 'gruppe' });
  await byOwner('PATCH', `${base}/pages`, { colour: '#0b57d0' });
  await byOwner('PATCH', `${base}/compliance`, {
    street: 'Ring 1',
    city: '10115 Berlin',
    privacy_url: 'https://praxis.example.org/datenschutz',
  });
  await byOwner('PATCH', `${base}/retention`, { bodies: 7 });
  await byOwner('POST', `${base}/send`, { ...letter, to: 'success@simulator.mail.example.com' });
  await until(
    'it has left',
    () =>
      app.sql(id, "SELECT 1 FROM recipients WHERE status = 'delivered' AND upstream = 'simulator'").length >
      0,
  );
  // As if the one that delivers had taken it.
  app.sql(id, "UPDATE recipients SET upstream = 'relay'");
  await byOwner('POST', `${base}/cutover`);

  await byOwner('POST', `${base}/custom-domain`, { domain: 'praxis.test' });
  const { body: wanted } = await app.request<DnsRecords>(
    'GET',
    `${base}/dns-records`,
    undefined,
    owner.token,
  );
  dns.publish(wanted.records);
  await byOwner('POST', `${base}/check-dns`);
  await byOwner('POST', `${base}/inbound/apply-dns`);
  await byOwner('PUT', `${base}/bimi`, {
    logo_url: 'https://praxis.test/logo.svg',
    certificate_url: null,
  });
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  secrets.push(pem.split('\n')[1] ?? '');
  dns.set('own._domainkey.praxis.test', 'TXT', dkimRecord(publicKey, 'ed25519-sha256'));
  await byOwner('POST', `${base}/dkim-keys/import`, { selector: 'own', private_key: pem });
  await byOwner('POST', `${base}/dkim-keys/rotate`, { compromised: true });
  await byOwner('POST', `${base}/pause`, { reason: 'Die Liste wird geprüft.' });
  await byOwner('POST', `${base}/resume`);
  await prepareRestore(app.home, id);
  await done('POST', `/api/admin/restore/${id}`);
  for (const verb of ['release', 'discard']) {
    app.sql(
      id,
      `INSERT INTO queue (recipient_id, message_seq, lane, due_at, attempts, size_bytes, queued_at, claimed)
       SELECT id, message_seq, 0, 0, 0, 0, 0, 2 FROM recipients LIMIT 1 ON CONFLICT DO UPDATE SET claimed = 2`,
    );
    await byOwner('POST', `${base}/held-mail/${verb}`);
  }
  const project = await byOwner('POST', `${base}/projects`, { name: 'Recall' });
  await byOwner('PATCH', `${base}/projects/${project.id}`, { name: 'Recall 2' });
  const route = await byOwner('POST', `${base}/routes`, { name: 'Termine', type: 'transactional' });
  await byOwner('PATCH', `${base}/routes/${route.id}`, { name: 'Termine 2' });
  await byOwner('POST', `${base}/routes/${route.id}/default`);
  const token = await byOwner('POST', `${base}/api-tokens`, { name: 'Server', scope: 'team' });
  await byOwner('POST', `${base}/api-tokens/${token.id}/slow`, {});
  await byOwner('POST', `${base}/api-tokens/${token.id}/lift`, {});
  await byOwner('POST', `${base}/api-tokens/${token.id}/discard`);
  await byOwner('DELETE', `${base}/api-tokens/${token.id}`);
  const template = await byOwner('POST', `${base}/templates`, {
    name: 'brief',
    subject: 'Brief',
    text: 'Text',
  });
  await byOwner('PATCH', `${base}/templates/${template.id}`, { subject: 'Neuer Brief' });
  await byOwner('DELETE', `${base}/templates/${template.id}`);
  const image = await byOwner('POST', `${base}/images`, { content: DOT });
  await byOwner('DELETE', `${base}/images/${image.id}`);
  await byOwner('POST', `${base}/presets/seed`);
  await byOwner('PUT', `${base}/letterhead`, { colour: '#0b57d0' });
  const chat = { name: 'Empfang', kind: 'slack', url: 'https://93.184.215.14/hooks/a/b' };
  const alert = await byOwner('POST', `${base}/alerts`, chat);
  await byOwner('PATCH', `${base}/alerts/${alert.id}`, { status: 'disabled' });
  await byOwner('DELETE', `${base}/alerts/${alert.id}`);
  const later = await byOwner('POST', `${base}/send`, {
    ...letter,
    to: 'success@simulator.mail.example.com',
    scheduled_at: new Date(Date.now() + DAY).toISOString(),
  });
  const another = { scheduled_at: new Date(Date.now() + 2 * DAY).toISOString() };
  await byOwner('PATCH', `${base}/messages/${later.id}`, another);
  await byOwner('POST', `${base}/messages/${later.id}/cancel`);
  const role = await byOwner('POST', `${base}/roles`, { name: 'Empfang', permissions: ['messages.view'] });
  await byOwner('PATCH', `${base}/roles/${role.id}`, { permissions: ['messages.view', 'stats.view'] });
  await byOwner('DELETE', `${base}/roles/${role.id}`);

  const suppressed = await byOwner('POST', `${base}/suppression`, { address: 'anna@example.org' });
  await byOwner('DELETE', `${base}/suppression/${suppressed.id}`);
  await byOwner('POST', `${base}/suppression/import`, { file: 'ben@example.org' });
  await until('the address is imported', () => app.sql(id, 'SELECT 1 FROM suppressions').length === 1);
  const ben = app.sql<{ id: string }>(id, 'SELECT id FROM suppressions');
  await byOwner('POST', `${base}/suppression/bulk-delete`, { ids: ben.map((row) => row.id) });
  await byOwner('POST', `${base}/people/erase`, { address: 'carl@example.org' });

  const listId = (await byOwner('POST', `${base}/lists`, { name: 'Praxisbrief' })).id;
  const readers = ['dora', 'emil'].map((name) => ({ address: `${name}@example.org`, name }));
  const { id: ofReaders } = seedList(app.home, id, readers);
  const [host] = app.sql<{ managed_host: string }>(id, 'SELECT managed_host FROM practice');
  const news = {
    list_id: ofReaders,
    from: `post@${host?.managed_host}`,
    subject: 'Herbst',
    text: 'Guten Tag {{name}}',
    // The second reader's turn is an hour later: it does not end before it is paused.
    max_per_hour: 1,
  };
  const draft = await byOwner('POST', `${base}/campaigns`, news);
  await byOwner('PATCH', `${base}/campaigns/${draft.id}`, { name: 'Herbstbrief' });
  const choice = { name: 'Nahe', list_ids: [ofReaders], filter: [] };
  const segment = await byOwner('POST', `${base}/segments`, choice);
  await byOwner('PATCH', `${base}/segments/${segment.id}`, { name: 'Nah' });
  await byOwner('DELETE', `${base}/segments/${segment.id}`);
  const copy = await byOwner('POST', `${base}/campaigns/${draft.id}/duplicate`, {});
  const schedule_at = new Date(Date.now() + DAY).toISOString();
  await byOwner('POST', `${base}/campaigns/${copy.id}/schedule`, { schedule_at });
  for (const verb of ['send', 'pause', 'resume', 'cancel'])
    await byOwner('POST', `${base}/campaigns/${copy.id}/${verb}`);
  await byOwner('DELETE', `${base}/campaigns/${draft.id}`);

  const list = `${base}/lists/${listId}`;
  await byOwner('PATCH', list, { two_steps: true });
  // More than are asked to confirm in a minute.
  const file = Array.from({ length: 30 }, (_, index) => `r${index}@example.org`).join('\n');
  const imported = await byOwner('POST', `${list}/subscribers/import`, { file });
  await byOwner('DELETE', `${base}/imports/${imported.id}`);
  const reader = await byOwner('POST', `${list}/subscribers`, { address: 'clara@example.org' });
  await until(
    'all confirmation mails have left',
    () => app.sql(id, 'SELECT 1 FROM confirmation_mails').length === 0,
  );
  app.sql(id, 'UPDATE subscribers SET asked_at = 1');
  await byOwner('POST', `${list}/subscribers/${reader.id}/confirmation`);
  await byOwner('PATCH', `${list}/subscribers/${reader.id}`, { status: 'unsubscribed' });
  await byOwner('PATCH', `${base}/people`, { address: 'clara@example.org', name: 'Clara' });
  await byOwner('DELETE', `${list}/subscribers/${reader.id}`);
  await byOwner('DELETE', list);

  // A public address, to which nothing is sent: no such event happens here.
  const webhook = await byOwner('POST', `${base}/webhooks`, {
    name: 'Warenwirtschaft',
    url: 'https://9.9.9.9/ereignisse?schluessel=Igel-im-Laub',
    events: ['message.spam_complaint'],
  });
  secrets.push('Igel-im-Laub');
  await byOwner('PATCH', `${base}/webhooks/${webhook.id}`, { status: 'disabled' });
  await byOwner('POST', `${base}/webhooks/${webhook.id}/rotate`);
  await byOwner('DELETE', `${base}/webhooks/${webhook.id}`);

  const hook = await byOwner('POST', `${base}/inbound-hooks`, { name: 'Kontaktformular' });
  await byOwner('POST', `${base}/inbound-hooks/${hook.id}/rotate`);
  await byOwner('DELETE', `${base}/inbound-hooks/${hook.id}`);

  const member = await join(app, id, 'member@example.org', { role_id: 'member' });
  secrets.push(member.token);
  secrets.push(await invite(app, id, 'late@example.org', { role_id: 'viewer' }));
  const { body: members } = await app.request<List<{ id: string; email: string }>>(
    'GET',
    `${base}/members`,
    undefined,
    owner.token,
  );
  const late = members.data.find(({ email }) => email === 'late@example.org')?.id;
  await byOwner('PATCH', `${base}/members/${late}`, { role_id: 'editor' });
  await byOwner('DELETE', `${base}/members/${late}`);
  await done('DELETE', `/api/auth/memberships/${id}`, undefined, member.token);

  await byOwner('POST', `${base}/inbound/enable`, {});
  await byOwner('PATCH', `${base}/inbound`, { catch_all: { mode: 'hold' } });
  const catchAll = { forward_to: 'frontdesk@example.org' };
  await byOwner('PATCH', `${base}/inbound`, { catch_all: catchAll });
  await until('it is asked', () => app.sql(id, 'SELECT 1 FROM forward_targets WHERE asks = 1').length === 1);
  app.sql(id, "UPDATE forward_targets SET status = 'failed', asked_at = NULL");
  await byOwner('POST', `${base}/inbound/ask-again`, { address: catchAll.forward_to });
  await byOwner('POST', `${base}/inbound/disable`, {});
  const mail = `${base}/inbound/messages/${putMail(app, id, { state: 'held' })}`;
  await byOwner('POST', `${mail}/release`);
  const { thread_id } = (await app.request('GET', mail, undefined, owner.token)).body;
  await byOwner('PATCH', `${base}/inbound/threads/${thread_id}`, { done: true });
  await byOwner('POST', `${base}/inbound/threads/${thread_id}/notes`, { text: 'Igel-unter-dem-Busch' });
  secrets.push('Igel-unter-dem-Busch');
  const [note] = app.sql<{ id: string }>(id, 'SELECT id FROM inbound_notes');
  await byOwner('DELETE', `${base}/inbound/threads/${thread_id}/notes/${note?.id}`);
  const form = await byOwner('POST', `${base}/website-forms`, { preset: 'contact' });
  await byOwner('PATCH', `${base}/website-forms/${form.id}`, { is_open: false });
  await byOwner('DELETE', `${base}/website-forms/${form.id}`);
  const reply = await byOwner('POST', `${base}/saved-replies`, { name: 'Rezept', text: 'Es liegt bereit.' });
  await byOwner('PATCH', `${base}/saved-replies/${reply.id}`, { name: 'Rezepte' });
  await byOwner('DELETE', `${base}/saved-replies/${reply.id}`);
  await byOwner('DELETE', mail);

  await byOwner('PATCH', '/api/auth/me', { language: 'en' });
  await byOwner('PUT', '/api/auth/password', { password: PASSWORD });
  await byOwner('DELETE', '/api/auth/password');

  const report = { email: 'reporter@example.net', subject: 'Spam', description: 'Ich habe nichts bestellt.' };
  await app.request('POST', '/api/public/abuse', report);
  const { body: tickets } = await app.request<List<{ id: string }>>(
    'GET',
    '/api/admin/abuse-tickets',
    undefined,
    app.adminToken,
  );
  await done('PATCH', `/api/admin/abuse-tickets/${tickets.data[0]?.id}`, { stage: 'investigating' });
  await app.request('POST', '/api/public/waitlist', { email: 'new@example.net', plan: 'praxis' });
  const { body: waiting } = await app.request<List<{ id: string }>>(
    'GET',
    '/api/admin/waitlist',
    undefined,
    app.adminToken,
  );
  await done('DELETE', `/api/admin/waitlist/${waiting.data[0]?.id}`);
  await done('POST', '/api/admin/sign-in-links', { email: OPERATOR });
  for (const action of ['probe', 'reset']) await done('POST', `/api/admin/upstreams/capture/${action}`);
  await byOwner('POST', `${base}/restore-managed-domain`);
  await byOwner('POST', '/api/auth/logout');

  // It moves from here to here.
  const { id: moving } = await app.createPractice();
  const arrival = `/api/admin/arrivals/${moving}`;
  const freeze = async () => {
    const path = `/api/practices/${moving}/freeze`;
    return (await app.request<{ freeze: string; key: string }>('POST', path, {}, app.adminToken)).body;
  };
  await freeze();
  await done('DELETE', `/api/practices/${moving}/freeze`);
  const frozen = await freeze();
  secrets.push(frozen.key);
  const { body: whole, digest } = await readFrozen(app.home, moving);
  const new_host = { origin: app.origin, host: 'mail.example.com', mail: { host: '127.0.0.1', port: 25 } };
  await done('POST', `/api/practices/${moving}/move`, { freeze: frozen.freeze, new_host });
  await done('POST', `/api/admin/moves/${moving}/copy`);
  await done('DELETE', arrival);
  await done('PUT', arrival, whole);
  await done('POST', arrival, { key: frozen.key, digest, slug: 'praxis' });
  await done('POST', `${arrival}/begin`);
  const [slug] = app.sql<{ slug: string }>(null, 'SELECT slug FROM tenants WHERE id = ?', moving);
  await done('POST', `/api/practices/${moving}/erase`, slug);
  await until('no notice waits', () => app.sql(null, 'SELECT 1 FROM notices').length === 0);

  const entries = [...(await audit(`${base}/audit`)), ...(await audit('/api/admin/audit'))];
  expect(new Set(entries.map(({ action }) => action))).toEqual(declaredActions);
  for (const entry of entries) {
    expect(entry.client_address, entry.action).toBe('127.0.0.1');
    expect(entry.request_id, entry.action).toMatch(/^[0-9a-f-]{36}$/);
    expect(entry.target.id, entry.action).not.toBe('');
    expect(['operator', 'member'], entry.action).toContain(entry.actor.kind);
    expect([entry.before, entry.after], entry.action).not.toEqual([null, null]);
  }
  const told = JSON.stringify(entries);
  expect(secrets).toHaveLength(18);
  for (const secret of secrets) expect(told).not.toContain(secret);
});

test.each(Object.entries({ german, english }))(
  'the page of the audit names every action in %s',
  (_, words) => {
    const unnamed = [...declaredActions].filter((action) => {
      const [noun = '', verb = ''] = action.split('.');
      return !Object.hasOwn(words.nouns, noun) || !Object.hasOwn(words.verbs, verb);
    });
    expect(unnamed).toEqual([]);
  },
);
