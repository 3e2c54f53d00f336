// A start on the files of the first release: they are brought to the present form, and all goes on as before.
import { hash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newId } from '#src/kernel/id.ts';
import { DAY, toIso } from '#src/kernel/time.ts';
import { startApp } from '#test/support/app.ts';
import { makeOwner, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { insert, writeEarlierRelease } from './earlier-release.ts';

const HOST = 'praxis.send.example.com';

/** A practice with a token, one message sent yesterday to two recipients, one still queued, and one captured. */
const writeFirstRelease = async (home: string) => {
  const now = Date.now();
  const release = await writeEarlierRelease(home, 1, now);
  const practice = await release.addPractice('praxis', [HOST]);
  const sent = newId();
  const queued = newId();
  const [anna, bernd] = ['anna@example.org', 'bernd@example.org'];
  release.addMessages(practice, [
    { id: sent, host: HOST, to: [anna, bernd], status: 'processed', createdAt: now - DAY },
    { id: queued, host: HOST, to: [anna], status: 'queued', createdAt: now },
  ]);
  insert(practice.db, 'captures', {
    id: newId(),
    message_id: sent,
    recipient: 'anna@example.org',
    return_path: 'b@example.org',
    captured_at: now,
    size_bytes: 5,
    source: Buffer.from('plain'),
  });
  release.close();
  const { sender, ids } = practice;
  return { sender, ids, sent, queued, now };
};

test('on the files of the first release everything goes on, and they take what is new', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'app-'));
  const { sender, ids, sent, queued, now } = await writeFirstRelease(home);
  const app = await startApp({ home, config: unlimitedSignIn });
  onTestFinished(() => app.remove());
  const { base, token } = sender;

  // What waited goes out, what was sent is still shown, the token still lets in.
  await app.untilStatus(sender, queued, 'processed');
  expect(await app.message(sender, sent)).toMatchObject({ subject: 'Ihr Termin', status: 'processed' });
  await app.untilStatus(sender, await app.send(sender), 'processed');
  const tokens = await app.request('GET', `${base}/api-tokens`, undefined, token);
  expect(tokens.body).toMatchObject({
    data: [{ id: ids.token, name: 'server', expires_at: null, allowed_addresses: null }],
  });

  // A mailbox in clear is gone; what is captured from now on can be read.
  const captures = await app.request<{ data: { id: string }[] }>('GET', `${base}/captures`, undefined, token);
  expect(captures.body.data).toHaveLength(2);
  const source = await app.request('GET', `${base}/captures/${captures.body.data[0]?.id}`, undefined, token);
  expect(source.text).toContain('Am Montag');

  // Counted per day, what was sent before included.
  const day = (at: number) => Math.floor(at / DAY);
  const counters = app.sql<{ day: number; accepted: number }>(
    ids.tenant,
    'SELECT day, sum(accepted) AS accepted FROM counters WHERE route_id = ? GROUP BY day ORDER BY day',
    ids.outgoing,
  );
  expect(counters[0]).toEqual({ day: day(now - DAY), accepted: 2 });
  expect(counters.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(4);

  // It gets an owner, who signs in and sees it; its audit has begun. The service's own tenant has been made beside it.
  await makeOwner(app, ids.tenant, 'erika@example.org');
  const erika = await signIn(app, 'erika@example.org');
  const me = await app.request('GET', '/api/auth/me', undefined, erika.token);
  expect(me.body).toMatchObject({ practices: [{ practice_id: ids.tenant }] });
  const audit = await app.request('GET', `${base}/audit`, undefined, erika.token);
  expect(audit.body).toMatchObject({ data: [{ action: 'member.make_owner' }] });
  const purposes = app.sql<{ purpose: string }>(null, 'SELECT purpose FROM tenants ORDER BY number');
  expect(purposes.map(({ purpose }) => purpose)).toEqual(['practice', 'system']);
});

/** The migrations known to the release before caps, footers and suppressions. */
const BEFORE_CAPS = 3;

test('on the files of the release before caps and footers, what was accepted counts, waits and answers on', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'app-'));
  const now = Date.now();
  const release = await writeEarlierRelease(home, BEFORE_CAPS, now);
  const practice = await release.addPractice('praxis', [HOST]);
  const [anna, bernd] = ['anna@example.org', 'bernd@example.org'];
  const id = newId();
  const days = [now - 40 * DAY, now - 39 * DAY, now];
  release.addMessages(practice, [
    { id: newId(), host: HOST, to: [anna, bernd], status: 'processed', createdAt: days[0] ?? 0 },
    { id: newId(), host: HOST, to: [anna], status: 'processed', createdAt: days[1] ?? 0 },
    { id, host: HOST, to: [anna], status: 'queued', createdAt: now },
  ]);
  const { sender, ids, db } = practice;
  // The digest is of what that release stored for this body.
  insert(db, 'idempotency_keys', {
    project_id: ids.project,
    key: 'before',
    request_hash: hash(
      'sha256',
      '{"to":"anna@example.org","subject":"Ihr Termin","text":"Am Montag."}',
      'buffer',
    ),
    status: 202,
    response_json: JSON.stringify({ id, message_id: id, status: 'queued' }),
    created_at: now,
  });
  release.close();
  const app = await startApp({ home, config: { service: { public_origin: 'https://mail.example.com' } } });
  onTestFinished(() => app.remove());

  const key = { 'Idempotency-Key': 'before' };
  const body = { text: 'Am Montag.', subject: 'Ihr Termin', to: anna };
  const again = await app.request('POST', `${sender.base}/send`, body, sender.token, key);
  expect([again.status, again.body]).toEqual([202, { id, message_id: id, status: 'queued' }]);

  // It goes out as it was accepted: without a way to unsubscribe, of which nobody had decided.
  await app.untilStatus(sender, id, 'processed');
  const captures = await app.request<{ data: { id: string }[] }>(
    'GET',
    `${sender.base}/captures`,
    undefined,
    sender.token,
  );
  const source = `${sender.base}/captures/${captures.body.data[0]?.id}`;
  expect((await app.request('GET', source, undefined, sender.token)).text).not.toMatch(
    /^list-unsubscribe|abmelden/im,
  );

  const sums = new Map<string, number>();
  for (const [day, mails] of [
    [days[0], 2],
    [days[1], 1],
    [days[2], 1],
  ] as const) {
    const month = toIso(day ?? 0).slice(0, 7);
    sums.set(month, (sums.get(month) ?? 0) + mails);
  }
  const usage = app.sql<{ month: string; accepted: number; told: number }>(
    ids.tenant,
    'SELECT * FROM monthly_usage',
  );
  expect(usage).toEqual([...sums].map(([month, accepted]) => ({ month, accepted, told: 0 })));
  expect(app.sql(ids.tenant, 'SELECT * FROM daily_volume')).toEqual(
    [2, 1, 1].map((mails, index) => ({
      day: Math.floor((days[index] ?? 0) / DAY),
      stream: 'transactional',
      mails,
    })),
  );
});

/** The migrations known to the release before reports, tracking and pauses by the guardrail. */
const BEFORE_FEEDBACK = 4;

test('on the files of the release before feedback, a paused practice waits for its resumption, and what was refused counts as tried', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'app-'));
  const now = Date.now();
  const today = Math.floor(now / DAY);
  const release = await writeEarlierRelease(home, BEFORE_FEEDBACK, now);
  const pause = { paused_at: now - DAY, pause_by: 'operator', pause_reason: 'Rückfrage' };
  const practice = await release.addPractice('praxis', [HOST], pause);
  const [refused, reported, queued] = [newId(), newId(), newId()];
  release.addMessages(practice, [
    { id: refused, host: HOST, to: ['anna@example.org'], status: 'processed', createdAt: now },
    { id: reported, host: HOST, to: ['bernd@example.org'], status: 'processed', createdAt: now },
    { id: queued, host: HOST, to: ['cem@example.org'], status: 'queued', createdAt: now },
  ]);
  const { sender, ids, db } = practice;
  // One was turned away at our own connection; of the other, which had been handed over, a report told.
  for (const [seq, type, data] of [
    [1, 'message.hard_bounced', { attempt: 1 }],
    [2, 'message.sent', { attempt: 1 }],
    [2, 'message.hard_bounced', {}],
  ] as const)
    insert(db, 'events', {
      id: newId(),
      message_seq: seq,
      recipient_id: seq,
      type,
      at: now,
      data_json: JSON.stringify({ upstream: 'relay', ...data }),
    });
  db.prepare('UPDATE counters SET sent = 1, hard_bounced = 2 WHERE day = ?').run(today);
  release.close();
  const app = await startApp({ home });
  onTestFinished(() => app.remove());
  const { base, token } = sender;

  const paused = await app.request('GET', base, undefined, token);
  expect(paused.body).toMatchObject({ status: 'paused', pause: { by: 'operator', reason: 'Rückfrage' } });
  expect((await app.message(sender, queued)).status).toBe('queued');
  expect(app.sql(ids.tenant, 'SELECT sent, refused, hard_bounced FROM counters')).toEqual([
    { sent: 1, refused: 1, hard_bounced: 2 },
  ]);
  const found = await app.request<{ data: { id: string }[] }>(
    'GET',
    `${base}/messages/search?q=termin`,
    undefined,
    token,
  );
  expect(found.body.data.map(({ id }) => id)).toEqual([queued, reported, refused]);

  await app.request('POST', `${base}/resume`, undefined, app.adminToken);
  await app.untilStatus(sender, queued, 'processed');
  expect(app.sql(ids.tenant, 'SELECT sent, refused, hard_bounced FROM counters')).toEqual([
    { sent: 2, refused: 1, hard_bounced: 2 },
  ]);
});
