// What a request is answered whose credential does not let it in, and which of two counts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { makeOwner, signIn } from '#test/support/people.ts';
import { talkTo } from '#test/support/smtp-talk.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const START = Date.now();
const DAY = 86_400_000;

let app: TestApp;
let clock: TestClock;
let sender: Sender;
let revoked: string;
let expired: string;
let elsewhere: string;
let ended: string;

const ask = (headers: Readonly<Record<string, string>>) =>
  app.request<Refusal>('GET', sender.base, undefined, undefined, headers);
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

beforeAll(async () => {
  clock = createTestClock(START);
  app = await startApp({ clock, config: { smtp: { submission: { listen: '127.0.0.1:0' } } } });
  sender = await app.createSender();
  const { id } = sender.practice;
  revoked = await app.createToken(id, { name: 'revoked' });
  const { body } = await app.request<{ data: { id: string; name: string }[] }>(
    'GET',
    `${sender.base}/api-tokens`,
    undefined,
    sender.token,
  );
  const row = body.data.find(({ name }) => name === 'revoked');
  await app.request('DELETE', `${sender.base}/api-tokens/${row?.id}`, undefined, sender.token);
  expired = await app.createToken(id, { expires_at: new Date(START + 1_000).toISOString() });
  elsewhere = await app.createToken(id, { allowed_addresses: ['192.0.2.1'] });
  await makeOwner(app, id, 'owner@example.org');
  ended = (await signIn(app, 'owner@example.org')).token;
  await app.request('POST', '/api/auth/logout', {}, ended);
  clock.set(START + 2_000);
});
afterAll(async () => {
  await app.stop();
  await app.remove();
});

const UNKNOWN = `svc_team_${'0'.repeat(43)}`;

describe('a request that is not let in learns why', () => {
  test.each<[string, () => Readonly<Record<string, string>>, RegExp]>([
    ['nothing was sent', () => ({}), /has no credential/],
    ['a token without a scheme', () => ({ Authorization: sender.token }), /no scheme/],
    ['another scheme', () => ({ Authorization: 'Basic YTpi' }), /the scheme Basic, and expected is Bearer/],
    ['a scheme without a token', () => ({ Authorization: 'Bearer' }), /no token after/],
    ['an unknown token', () => bearer(UNKNOWN), /token is unknown/],
    ['what is no token of ours', () => bearer('sk_live_1'), /none of this service/],
    ['a revoked token', () => bearer(revoked), /was revoked/],
    ['a token that has ended', () => bearer(expired), /expired at \d{4}-/],
    ['a session that has ended', () => bearer(ended), /session is unknown or has ended/],
    ['a cookie of another', () => ({ Cookie: 'svc_session=x' }), /session is unknown or has ended/],
    ['a wrong admin token', () => ({ 'X-Admin-Token': 'x' }), /admin token is wrong/],
    ['both wrong', () => ({ ...bearer(revoked), 'X-Admin-Token': 'x' }), /was revoked\. The admin token is/],
  ])('%s', async (_, headers, error) => {
    const { status, body, text } = await ask(headers());
    expect({ status, ...body }).toMatchObject({
      status: 401,
      code: 'unauthorized',
      error: expect.stringMatching(error),
    });
    expect(text).not.toMatch(/svc_\w+_\w/);
  });

  test('but not whether a token exists that is for other addresses', async () => {
    const [one, other] = [await ask(bearer(elsewhere)), await ask(bearer(UNKNOWN))];
    expect([one.status, one.text]).toEqual([other.status, other.text]);
  });

  test('by SMTP too', async () => {
    const talk = await talkTo(app.submissionPorts.port ?? 0);
    await talk.hello();
    const plain = (password: string) => `AUTH PLAIN ${Buffer.from(`\0x\0${password}`).toString('base64')}`;
    expect(await talk.say(plain(revoked))).toMatch(/^535 5\.7\.8 unauthorized: The token was revoked\. /);
    expect(await talk.say(plain(expired))).toMatch(/^535 5\.7\.8 unauthorized: The token expired at /);
    expect(await talk.say(plain(UNKNOWN))).toMatch(/^535 5\.7\.8 unauthorized: The token is unknown\. /);
    talk.end();
  });
});

describe('of two credentials', () => {
  const wrongAdmin = { 'X-Admin-Token': 'x'.repeat(32) };
  test.each<[string, () => Readonly<Record<string, string>>, number]>([
    [
      'a right bearer counts beside a wrong admin token',
      () => ({ ...bearer(sender.token), ...wrongAdmin }),
      200,
    ],
    [
      'a right admin token counts beside a wrong bearer',
      () => ({ ...bearer(UNKNOWN), 'X-Admin-Token': app.adminToken }),
      200,
    ],
    [
      'a right admin token counts beside another scheme',
      () => ({ Authorization: 'Basic YTpi', 'X-Admin-Token': app.adminToken }),
      200,
    ],
    ['two right ones are refused', () => ({ ...bearer(sender.token), 'X-Admin-Token': app.adminToken }), 400],
  ])('%s', async (_, headers, status) => {
    const answer = await ask(headers());
    expect(answer.status, answer.text).toBe(status);
    if (status === 400)
      expect(answer.body).toMatchObject({
        code: 'invalid_request',
        fields: [{ path: 'header.Authorization' }, { path: 'header.X-Admin-Token' }],
      });
  });
});

test('a revoked token is forgotten after some months', async () => {
  clock.set(START + 91 * DAY);
  await app.runJob('remove dead sessions and codes');
  expect((await ask(bearer(revoked))).body.error).toMatch(/unknown/);
  expect((await ask(bearer(expired))).body.error).toMatch(/expired/);
});
