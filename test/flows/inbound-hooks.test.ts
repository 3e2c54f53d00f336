// Inbound hooks over HTTP: made and managed by a practice, and used by programs that have nothing but an address and a secret.
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { DAY, SECOND } from '#src/kernel/time.ts';
import { kindNames } from '#src/messages/kinds.ts';
import { type Message, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking, ISO, refused, UNKNOWN_ID, UUID } from '#test/support/asking.ts';
import { join, unlimitedSignIn } from '#test/support/people.ts';
import { startPlayedRspamd } from '#test/support/played-rspamd.ts';
import { createTestClock } from '#test/support/storage.ts';

interface Hook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly [field: string]: unknown;
}
interface Entry {
  readonly action: string;
  readonly before: unknown;
  readonly after: unknown;
}
type Answer = Refusal & { readonly id: string; readonly status: string; readonly suppressed?: string[] };

const SIMULATOR = 'success@simulator.mail.example.com';
const LAST_USED_JOB = 'note when inbound hooks were used';
const WRONG = `hooksec_${'0'.repeat(43)}`;
const message = {
  to: SIMULATOR,
  subject: 'Ihre Anfrage',
  text: 'Wir haben Ihre Anfrage erhalten.',
  message_kind: 'transactional',
};

const clock = createTestClock(Date.now());
let app: TestApp;
let sender: Sender;
let hooks: string;
const { call, list, pages } = asking(() => ({ app, token: sender.token }));

beforeAll(async () => {
  app = await startApp({ clock, runsTwice: true, config: unlimitedSignIn });
});
afterAll(() => app?.remove());
beforeEach(async () => {
  sender = await app.createSender({ plan: 'praxis' });
  hooks = `${sender.base}/inbound-hooks`;
});

const make = async (fields: object = {}, at = hooks, token = sender.token): Promise<Hook> => {
  const answer = await call<Hook>('POST', at, { name: 'Kontaktformular', ...fields }, token);
  if (answer.status !== 201) throw new Error(`no hook: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};
const sendBy = (
  { url }: Pick<Hook, 'url'>,
  secret: string | undefined,
  fields: object = {},
  headers: Record<string, string> = {},
  to = app,
) =>
  to.request<Answer>('POST', new URL(url).pathname, { ...message, ...fields }, undefined, {
    ...(secret === undefined ? {} : { 'X-Service-Hook-Secret': secret }),
    ...headers,
  });
const statusBy = async (hook: Hook, secret = hook.secret): Promise<number> =>
  (await sendBy(hook, secret)).status;
const audited = async (): Promise<readonly Entry[]> =>
  (await list<Entry>(`${sender.base}/audit`, app.adminToken)).filter(({ action }) =>
    action.startsWith('inbound_hook.'),
  );
const practiceIs = (path: string, body: object) =>
  app.request('POST', `${sender.base}${path}`, body, app.adminToken);

describe('a hook', () => {
  test('is made with a secret that is shown this once', async () => {
    const { secret, ...record } = await make();
    expect(secret).toMatch(/^hooksec_[0-9A-Za-z]{43}$/);
    expect(record).toEqual({
      id: UUID,
      name: 'Kontaktformular',
      project_id: null,
      url: `${new URL(record.url).origin}/api/public/hooks/${record.id}/send`,
      previous_secret_until: null,
      created_at: ISO,
      last_used_at: null,
    });
    expect(await list(hooks)).toEqual([record]);
    expect(await audited()).toMatchObject([
      { action: 'inbound_hook.create', before: null, after: { id: record.id } },
    ]);
  });

  test('sends through the whole pipeline, and what it sent is delivered with the source `hook`', async () => {
    const hook = await make();
    const answer = await sendBy(hook, hook.secret, { reply_to: 'anna@example.org', tag: 'kontakt' });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ id: UUID, message_id: answer.body.id, status: 'queued' });
    const sent = await app.untilStatus(sender, answer.body.id, 'delivered');
    expect(sent).toMatchObject({
      source: 'hook',
      message_kind: 'transactional',
      tags: ['kontakt'],
      route: { slug: 'outgoing' },
    });
    expect(sent.decisions.length).toBeGreaterThan(5);
    const timeline = await call<{ data: { type: string }[] }>(
      'GET',
      `${sender.base}/messages/${answer.body.id}/events`,
    );
    expect(timeline.body.data.map(({ type }) => type)).toContain('message.delivered');
  });

  test('is used under the id of its practice too: the secret says which hook it is, also after a rotation', async () => {
    const project = await call('POST', `${sender.base}/projects`, { name: 'Recall' });
    const [first, second] = [await make(), await make({ project_id: project.body.id })];
    const rotated = await call<Hook>('POST', `${hooks}/${second.id}/rotate`);
    const url = first.url.replace(first.id, sender.practice.id);
    for (const secret of [second.secret, rotated.body.secret]) {
      const { status, body } = await sendBy({ url }, secret);
      expect(status).toBe(202);
      expect(await app.message(sender, body.id)).toMatchObject({ project_id: project.body.id });
    }
    clock.set(clock.now() + DAY);
    await refused('unauthorized', sendBy({ url }, second.secret));
    const { practice } = await app.createSender();
    await refused(
      'unauthorized',
      sendBy({ url: url.replace(sender.practice.id, practice.id) }, first.secret),
    );
    await app.runJob(LAST_USED_JOB);
    expect(await list(hooks)).toMatchObject([{ last_used_at: null }, { last_used_at: ISO }]);
  });

  test('shows when it was last used', async () => {
    const hook = await make();
    await sendBy(hook, WRONG);
    await app.runJob(LAST_USED_JOB);
    expect(await list(hooks)).toMatchObject([{ last_used_at: null }]);
    await sendBy(hook, hook.secret);
    await app.runJob(LAST_USED_JOB);
    expect(await list(hooks)).toMatchObject([{ last_used_at: ISO }]);
  });

  test('sends for its project, and for the default one where it names none', async () => {
    const project = await call('POST', `${sender.base}/projects`, { name: 'Recall' });
    const hook = await make({ project_id: project.body.id });
    const { body } = await sendBy(hook, hook.secret);
    expect(await app.message(sender, body.id)).toMatchObject({ project_id: project.body.id });
    const [usual] = await list<{ id: string; is_default: boolean }>(`${sender.base}/projects`);
    const other = await make();
    const { body: second } = await sendBy(other, other.secret);
    expect(usual?.is_default).toBe(true);
    expect(await app.message(sender, second.id)).toMatchObject({ project_id: usual?.id });
    await refused('not_found', call('POST', hooks, { name: 'a', project_id: UNKNOWN_ID }));
  });

  describe('sends what a single send would', () => {
    let hook: Hook;
    let who: Sender;
    beforeAll(async () => {
      who = await app.createSender({ plan: 'gruppe' });
      await app.completeLegal(who.practice.id);
      hook = await make({}, `${who.base}/inbound-hooks`, who.token);
      await app.request('POST', `${who.base}/suppression`, { address: 'weg@example.org' }, who.token);
    });
    const became = async ({ status, body }: { readonly status: number; readonly body: Answer }) => {
      const { code, error, hint } = body;
      if (status !== 202) return { status, code, error, hint };
      const sent = await app.message(who, body.id);
      const { route, message_kind, from, subject, text, score, to, reply_to, tags } = sent;
      const decisions = sent.decisions?.map(({ gate, verdict }) => [gate, verdict]);
      const answer = { status, code, hint, keys: Object.keys(body) };
      return { ...answer, route, message_kind, from, subject, text, score, to, reply_to, tags, decisions };
    };
    const bodies: readonly object[] = [
      ...[undefined, 'outgoing', 'broadcast', 'keine'].flatMap((route) =>
        [undefined, ...kindNames].map((message_kind) => ({ message_kind, ...(route && { route }) })),
      ),
      { text: 'Nur heute 50 % Rabatt, jetzt bestellen!' },
      { to: 'weg@example.org' },
      { to: 'weg@example.org, erika@example.org' },
      { to: ['Erika <erika@example.org>', 'ERIKA@example.org'], reply_to: 'post@praxis.example', tag: 'a' },
      { to: 'erika' },
      { to: [] },
      { subject: '' },
      { subject: 'a\nb' },
      { text: '' },
      { message_kind: 'keine' },
    ];
    test.each(bodies.map((body) => [JSON.stringify(body), body] as const))('%s', async (_, fields) => {
      const body = { ...message, ...fields };
      const single = await app.request<Answer>('POST', `${who.base}/send`, body, who.token);
      expect(await became(await sendBy(hook, hook.secret, body))).toEqual(await became(single));
    });
  });

  test('is tried out by a mail to the simulator', async () => {
    const hook = await make();
    const answer = await call<Answer>('POST', `${hooks}/${hook.id}/test`);
    expect(answer.status).toBe(202);
    const sent: Message = await app.untilStatus(sender, answer.body.id, 'delivered');
    expect(sent).toMatchObject({ source: 'hook', message_kind: 'test', to: [{ address: SIMULATOR }] });
    await refused('not_found', call('POST', `${hooks}/${UNKNOWN_ID}/test`));
  });

  test('there are at most 50 of', async () => {
    for (let count = 0; count < 50; count += 1) await make({ name: `Formular ${count}` });
    await refused('conflict', call('POST', hooks, { name: 'Eins zu viel' }));
    expect((await pages(hooks, 30)).map((page) => page.length)).toEqual([30, 20]);
  });
});

describe('a message by a hook', () => {
  test('has the fields of a message that need no knowledge of the practice', async () => {
    const hook = await make();
    for (const field of ['from', 'html', 'headers', 'attachments', 'project_id', 'bcc'])
      await refused('invalid_request', sendBy(hook, hook.secret, { [field]: 'x' }), `body.${field}`);
    for (const field of ['to', 'subject', 'text'])
      await refused('invalid_request', sendBy(hook, hook.secret, { [field]: undefined }), `body.${field}`);
    await refused('invalid_request', sendBy(hook, hook.secret, { message_kind: 'x' }), 'body.message_kind');
    expect((await sendBy(hook, hook.secret, { message_kind: undefined })).status).toBe(202);
  });

  test('is refused and suppressed like one by a token', async () => {
    const hook = await make();
    const suppressed = { to: 'weg@example.org' };
    await call('POST', `${sender.base}/suppression`, { address: suppressed.to });
    expect((await sendBy(hook, hook.secret, suppressed)).body).toMatchObject({
      status: 'suppressed',
      code: 'recipient_suppressed',
    });
    await refused('invalid_recipient', sendBy(hook, hook.secret, { to: 'erika' }));
    await practiceIs('/pause', { reason: 'Die Liste wird geprüft.' });
    await refused('tenant_paused', sendBy(hook, hook.secret));
  });

  test('goes to no one outside the allowlist in safe mode', async () => {
    const hook = await make();
    await practiceIs('/safe-mode', { enabled: true });
    await refused('safe_mode_recipient', sendBy(hook, hook.secret, { to: 'erika@example.org' }));
    expect(await statusBy(hook)).toBe(202);
  });

  test('is kept as failed where its content is blocked', async () => {
    const rspamd = await startPlayedRspamd();
    onTestFinished(() => rspamd.stop());
    const scanned = await startApp({ config: { scanners: { rspamd: { url: rspamd.url } } } });
    onTestFinished(() => scanned.remove());
    rspamd.reject('verboten');
    const who = await scanned.createSender();
    const path = `${who.base}/inbound-hooks`;
    const { body: hook } = await scanned.request<Hook>('POST', path, { name: 'Formular' }, who.token);
    const { body } = await sendBy(hook, hook.secret, { text: 'Das ist verboten.' }, {}, scanned);
    expect(body).toMatchObject({ code: 'content_blocked', message_id: UUID });
    const kept = await scanned.message(who, String(body.message_id));
    expect(kept).toMatchObject({ status: 'failed', source: 'hook' });
  });

  test('is sent once under one idempotency key', async () => {
    const hook = await make();
    const key = { 'Idempotency-Key': 'anfrage-4711' };
    const first = await sendBy(hook, hook.secret, {}, key);
    const again = await sendBy(hook, hook.secret, {}, key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    await refused('idempotency_conflict', sendBy(hook, hook.secret, { text: 'Anders.' }, key));
  });

  test('is bounded in size', async () => {
    const hook = await make();
    await refused('body_too_large', sendBy(hook, hook.secret, { text: 'x'.repeat(300_000) }));
  });
});

describe('the secret', () => {
  test('an unknown hook and a wrong secret are one refusal', async () => {
    const hook = await make();
    const url = hook.url.replace(hook.id, UNKNOWN_ID);
    const answers = [
      await sendBy(hook, WRONG),
      await sendBy({ url }, hook.secret),
      await sendBy(hook, `${hook.secret}x`),
      await sendBy(hook, ''),
      await sendBy(hook, WRONG, { no_such_field: 1 }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    await refused('unauthorized', sendBy(hook, undefined));
    // An API token is none, and neither is the secret as a bearer.
    await refused('unauthorized', sendBy(hook, sender.token));
    await refused('unauthorized', sendBy(hook, undefined, {}, { Authorization: `Bearer ${hook.secret}` }));
  });

  test('after a rotation both are valid for a day, then the new one alone', async () => {
    const hook = await make();
    const rotated = await call<Hook>('POST', `${hooks}/${hook.id}/rotate`);
    expect(rotated.body).toMatchObject({ id: hook.id, previous_secret_until: ISO });
    const { secret } = rotated.body;
    expect(secret).not.toBe(hook.secret);
    clock.set(clock.now() + DAY - SECOND);
    expect([await statusBy(hook), await statusBy(hook, secret)]).toEqual([202, 202]);
    clock.set(clock.now() + SECOND);
    expect([await statusBy(hook), await statusBy(hook, secret)]).toEqual([401, 202]);
    expect(await list(hooks)).toMatchObject([{ previous_secret_until: null }]);
  });

  test('of two rotations in a row the last two secrets are valid', async () => {
    const hook = await make();
    const rotate = async () => (await call<Hook>('POST', `${hooks}/${hook.id}/rotate`, {})).body.secret;
    const [second, third] = [await rotate(), await rotate()];
    expect(await Promise.all([hook.secret, second, third].map((secret) => statusBy(hook, secret)))).toEqual([
      401, 202, 202,
    ]);
  });

  test('that has become known is revoked at once', async () => {
    const hook = await make();
    const rotated = await call<Hook>('POST', `${hooks}/${hook.id}/rotate`, { revoke_previous: true });
    expect(rotated.body.previous_secret_until).toBeNull();
    expect([await statusBy(hook), await statusBy(hook, rotated.body.secret)]).toEqual([401, 202]);
    expect((await audited()).find(({ action }) => action === 'inbound_hook.rotate')?.after).toMatchObject({
      previous_secret_revoked: true,
    });
  });

  test('of a hook whose creation a crash cut off comes by a rotation', async () => {
    const hook = await make();
    app.sql(null, 'DELETE FROM inbound_hooks WHERE id = ?', hook.id);
    expect(await statusBy(hook)).toBe(401);
    const rotated = await call<Hook>('POST', `${hooks}/${hook.id}/rotate`);
    expect([await statusBy(hook), await statusBy(hook, rotated.body.secret)]).toEqual([401, 202]);
  });

  test('of a deleted hook opens nothing at once', async () => {
    const [hook, other] = [await make(), await make()];
    expect((await call('DELETE', `${hooks}/${hook.id}`)).status).toBe(204);
    expect([await statusBy(hook), await statusBy(other)]).toEqual([401, 202]);
    await refused('not_found', call('DELETE', `${hooks}/${hook.id}`));
    await refused('not_found', call('POST', `${hooks}/${hook.id}/rotate`));
    expect((await audited()).map(({ action }) => action).toSorted()).toEqual([
      'inbound_hook.create',
      'inbound_hook.create',
      'inbound_hook.delete',
    ]);
    expect(JSON.stringify(await audited())).not.toContain('hooksec_');
  });

  test('of one practice is nothing in another, whose hooks it cannot change', async () => {
    const mine = await make();
    const theirs = await app.createSender();
    const other = await make({}, `${theirs.base}/inbound-hooks`, theirs.token);
    expect([await statusBy(mine, other.secret), await statusBy(other, mine.secret)]).toEqual([401, 401]);
    const { body } = await sendBy(other, other.secret);
    expect(await app.message(theirs, body.id)).toMatchObject({ source: 'hook' });
    await refused('not_found', call('GET', `${sender.base}/messages/${body.id}`));
    for (const [method, path] of [
      ['POST', '/rotate'],
      ['POST', '/test'],
      ['DELETE', ''],
    ] as const)
      await refused('not_found', call(method, `${hooks}/${other.id}${path}`));
    expect(await statusBy(other)).toBe(202);
  });
});

test('who may not send can list hooks, and gets no secret of one', async () => {
  const hook = await make();
  const role = await call(
    'POST',
    `${sender.base}/roles`,
    { name: 'Postfach', permissions: ['inbound.view', 'inbound.manage'] },
    app.adminToken,
  );
  const { token } = await join(app, sender.practice.id, 'postfach@example.org', { role_id: role.body.id });
  expect(await list(hooks, token)).toHaveLength(1);
  for (const path of ['', `/${hook.id}/rotate`, `/${hook.id}/test`]) {
    const body = path === '' ? { name: 'Formular' } : undefined;
    const answer = await call('POST', hooks + path, body, token);
    expect([answer.status, answer.body.permission]).toEqual([403, 'messages.send']);
  }
  expect(await statusBy(hook)).toBe(202);
  expect((await call('DELETE', `${hooks}/${hook.id}`, undefined, token)).status).toBe(204);
});

test('a token with limits makes no hook, which would have none', async () => {
  const limits = [
    { expires_at: new Date(clock.now() + DAY).toISOString() },
    { allowed_addresses: ['127.0.0.1'] },
  ];
  const hook = await make();
  for (const limit of limits) {
    const body = { name: 'CI', scope: 'team', ...limit };
    const { token } = (await call<{ token: string }>('POST', `${sender.base}/api-tokens`, body)).body;
    for (const path of [hooks, `${hooks}/${hook.id}/rotate`]) {
      const given = path === hooks ? { name: 'Kontaktformular' } : {};
      await refused('forbidden', call('POST', path, given, token));
    }
  }
  expect(await statusBy(hook)).toBe(202);
});

describe('limits', () => {
  test('each hook has its own, and wrong secrets hold up wrong secrets alone', async () => {
    const limits = {
      hook_rate: { per_second: 1, burst: 3 },
      sign_in_rate: { per_address: { per_minute: 4 } },
    };
    const limited = await startApp({ clock: createTestClock(Date.now()), config: { limits } });
    try {
      const { base, token } = await limited.createSender();
      const made = async () =>
        (await limited.request<Hook>('POST', `${base}/inbound-hooks`, { name: 'Formular' }, token)).body;
      const [one, other] = [await made(), await made()];
      const codes = async (hook: Hook, secret: string, count: number) => {
        const statuses: number[] = [];
        for (let at = 0; at < count; at += 1)
          statuses.push((await sendBy(hook, secret, {}, {}, limited)).status);
        return statuses;
      };
      expect(await codes(one, WRONG, 6)).toEqual([401, 401, 401, 401, 429, 429]);
      expect(await codes(one, one.secret, 4)).toEqual([202, 202, 202, 429]);
      expect(await codes(other, other.secret, 1)).toEqual([202]);
    } finally {
      await limited.remove();
    }
  });
});
