// Invitations over HTTP: by mail, accepted by the link, on its page or signed in; and how many there may be.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE } from '#src/kernel/time.ts';
import { type Refusal, startApp, type TestApp } from '#test/support/app.ts';
import { type Found, ISO, refused, UNKNOWN_ID, UUID } from '#test/support/asking.ts';
import {
  invitationIn,
  mailsTo,
  makeOwner,
  type Person,
  signIn,
  unlimitedSignIn,
} from '#test/support/people.ts';
import { createTestClock } from '#test/support/storage.ts';
import { type Workplace, workplaces } from './workplace.ts';

let app: TestApp;
let place: Workplace;
beforeAll(async () => {
  app = await startApp({ runsTwice: true, config: unlimitedSignIn });
  place = await open('praxis');
});
afterAll(() => app?.remove());

const {
  call,
  list,
  newEmail,
  open,
  membersOf,
  memberOf,
  enlist,
  invite,
  invited,
  mailTo,
  makeProject,
  actionsOf,
} = workplaces(
  () => app,
  () => place.owner.token,
);

interface Session {
  readonly token: string;
  readonly account: { readonly email: string };
}
const accept = (token: string) => app.request<Session>('POST', '/api/auth/accept-invitation', { token });

describe('an invitation', () => {
  test('goes out by mail, is accepted by its link, and signs in', async () => {
    const email = newEmail();
    const { status, body: member } = await invite(place, { email, role_id: 'viewer' });
    expect(status).toBe(201);
    const viewer = { id: '00000000-0000-7000-8000-000000000005', slug: 'viewer', name: 'Viewer' };
    const record = { id: UUID, email, role: viewer, all_projects: true, project_ids: [], created_at: ISO };
    expect(member).toEqual({ ...record, status: 'invited', accepted_at: null });
    const mail = await mailTo(email, 0);
    expect(mail.text).toContain('Praxis am Markt');
    expect(mail.text).toContain(place.owner.email);

    const accepted = await accept(invitationIn(mail));
    expect([accepted.status, accepted.body.account.email]).toEqual([200, email]);
    expect(await memberOf(place, email)).toEqual({ ...member, status: 'active', accepted_at: ISO });
    const own = await app.request('GET', place.base, undefined, accepted.body.token);
    expect(own.status).toBe(200);
    await refused('forbidden', call('GET', `${place.base}/members`, undefined, accepted.body.token));
    await refused(
      'not_found',
      call('POST', '/api/auth/accept-invitation', { token: invitationIn(mail) }, ''),
    );
    const entries = await list<Record<string, unknown>>(
      `${place.base}/audit?target_id=${member.id}`,
      place.owner.token,
    );
    expect(entries).toMatchObject([
      { action: 'member.accept', actor: { kind: 'member', name: email }, after: { status: 'active' } },
      { action: 'member.invite', actor: { name: place.owner.email }, before: null, after: { email } },
    ]);
  });

  test('sent again ends the former one, and sets role and projects again', async () => {
    const email = newEmail();
    const first = await invited(place, email);
    const project = await makeProject(place, 'Recall');
    const seen = (await mailsTo(app, email)).length;
    const limited = { role_id: 'editor', all_projects: false, project_ids: [project] };
    const again = await invite(place, { email: email.toUpperCase(), ...limited });
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ email, role: { slug: 'editor' }, project_ids: [project] });
    await refused('not_found', call('POST', '/api/auth/accept-invitation', { token: first }, ''));
    const { status } = await accept(invitationIn(await mailTo(email, seen)));
    expect(status).toBe(200);
    expect(await memberOf(place, email)).toMatchObject({ status: 'active', role: { slug: 'editor' } });
    await refused('conflict', invite(place, { email, role_id: 'viewer' }));
  });

  test('is written in the language asked for', async () => {
    const email = newEmail();
    await invite(place, { email, role_id: 'viewer', language: 'en' });
    const english = await mailTo(email, 0);
    await invite(place, { email, role_id: 'viewer', language: 'de' });
    const german = await mailTo(email, 1);
    expect(german.subject).not.toBe(english.subject);
    expect(german.text).toMatch(/Einladung/);
    expect(english.text).not.toMatch(/Einladung/);
  });

  const bad: readonly (readonly [what: string, body: object, field: string])[] = [
    ['without a role', { email: 'a@example.org' }, 'body.role_id'],
    ['without an address', { role_id: 'viewer' }, 'body.email'],
    ['to no address', { email: 'a@b', role_id: 'viewer' }, 'body.email'],
    ['to two addresses', { email: 'a@example.org, b@example.org', role_id: 'viewer' }, 'body.email'],
    ['to a name', { email: 'A <a@example.org>', role_id: 'viewer' }, 'body.email'],
    ['with an unknown role', { email: 'a@example.org', role_id: UNKNOWN_ID }, 'body.role_id'],
    ['with a role by its name', { email: 'a@example.org', role_id: 'Viewer' }, 'body.role_id'],
    [
      'to an unknown project',
      { email: 'a@example.org', role_id: 'viewer', all_projects: false, project_ids: [UNKNOWN_ID] },
      'body.project_ids[0]',
    ],
    [
      'to a project twice',
      {
        email: 'a@example.org',
        role_id: 'viewer',
        all_projects: false,
        project_ids: [UNKNOWN_ID, UNKNOWN_ID],
      },
      'body.project_ids',
    ],
    [
      'to some projects that are none',
      { email: 'a@example.org', role_id: 'viewer', all_projects: false, project_ids: [] },
      'body.project_ids',
    ],
    [
      'to all projects and some',
      { email: 'a@example.org', role_id: 'viewer', project_ids: [UNKNOWN_ID] },
      'body.project_ids',
    ],
    [
      'of an owner to some projects',
      { email: 'a@example.org', role_id: 'owner', all_projects: false, project_ids: [UNKNOWN_ID] },
      'body.all_projects',
    ],
    ['in another language', { email: 'a@example.org', role_id: 'viewer', language: 'it' }, 'body.language'],
  ];
  test.each(bad)('%s is not sent', async (_, body, field) => {
    await refused('invalid_request', invite(place, body), field);
    expect((await membersOf(place)).map(({ email }) => email)).not.toContain('a@example.org');
    expect(await mailsTo(app, 'a@example.org')).toEqual([]);
  });
});

describe('the page of an invitation', () => {
  const page = async (method: 'GET' | 'POST' | 'HEAD', token: string, language = 'de') => {
    const headers = { 'Accept-Language': language, 'Content-Type': 'application/x-www-form-urlencoded' };
    const response = await fetch(`${app.origin}/invitation/${token}`, { method, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  test('shows the practice and one button, and changes nothing', async () => {
    const at = await open('praxis', 'Praxis <b>"Öl" & Söhne</b>');
    const email = newEmail();
    const token = await invited(at, email);
    await page('HEAD', token);
    const { status, headers, text } = await page('GET', token);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('Praxis &lt;b&gt;&quot;Öl&quot; &amp; Söhne&lt;/b&gt;');
    expect(text.match(/<(?:form|button|input)\b/g)).toEqual(['<form', '<button']);
    expect(text).not.toContain('<b>');
    expect(text).not.toContain(at.owner.email);
    expect(await memberOf(at, email)).toMatchObject({ status: 'invited' });
    expect((await page('GET', token, 'en')).text).toContain('invites you');
  });

  test('accepts by its button, once, and signs no one in', async () => {
    const email = newEmail();
    const token = await invited(place, email);
    const { status, headers, text } = await page('POST', token);
    expect([status, headers.getSetCookie()]).toEqual([200, []]);
    expect(text).toContain(email);
    expect(text).not.toContain('svc_sess_');
    expect(await memberOf(place, email)).toMatchObject({ status: 'active' });
    const again = await page('POST', token);
    expect([again.status, again.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect((await page('GET', token)).status).toBe(404);
    expect((await signIn(app, email)).email).toBe(email);
  });

  test.each(['nonsense', `svc_inv_${'0'.repeat(43)}`, '%00', 'a'.repeat(2_000)])(
    'says in the same style that %s is no invitation',
    async (token) => {
      const german = await page('GET', token);
      const english = await page('POST', token, 'en');
      expect([german.status, english.status]).toEqual([404, 404]);
      expect(german.text).toMatch(/^<!doctype html>[\s\S]*gilt nicht mehr/);
      expect(english.text).toMatch(/^<!doctype html>[\s\S]*no longer valid/);
      expect(german.text).not.toContain(token);
    },
  );
});

describe('memberships of who is signed in', () => {
  const own = (method: string, id: string, person: Person) =>
    call<Refusal & Found>(method, `/api/auth/memberships/${id}`, undefined, person.token);

  test('are accepted without the mail, and left', async () => {
    const other = await open('praxis');
    const person = await enlist(place, 'viewer');
    const token = await invited(other, person.email, 'admin');
    await refused('not_found', call('GET', other.base, undefined, person.token));
    const accepted = await own('POST', `${other.id}/accept`, person);
    expect(accepted).toMatchObject({
      status: 200,
      body: { practice_id: other.id, status: 'active', role: { slug: 'admin' }, all_projects: true },
    });
    expect((await own('POST', `${other.id.toUpperCase()}/accept`, person)).body).toEqual(accepted.body);
    await refused('not_found', call('POST', '/api/auth/accept-invitation', { token }, ''));
    expect((await call('GET', other.base, undefined, person.token)).status).toBe(200);

    expect((await own('DELETE', other.id, person)).status).toBe(204);
    await refused('not_found', call('GET', other.base, undefined, person.token));
    await refused('not_found', own('DELETE', other.id, person));
    expect((await call('GET', place.base, undefined, person.token)).status).toBe(200);
    expect((await actionsOf(other)).slice(0, 3)).toEqual(['member.leave', 'member.accept', 'member.invite']);
  });

  test('are declined', async () => {
    const other = await open('praxis');
    const person = await enlist(place, 'viewer');
    const token = await invited(other, person.email);
    expect((await own('DELETE', other.id, person)).status).toBe(204);
    await refused('not_found', call('POST', '/api/auth/accept-invitation', { token }, ''));
    expect((await membersOf(other)).map(({ email }) => email)).toEqual([other.owner.email]);
  });

  test('with the last of them the account and its sessions go', async () => {
    const person = await enlist(place, 'viewer');
    expect((await own('DELETE', place.id, person)).status).toBe(204);
    await refused('unauthorized', call('GET', '/api/auth/me', undefined, person.token));
    expect(app.sql(null, 'SELECT 1 FROM accounts WHERE email = ?', person.email)).toEqual([]);
  });

  test('of others are none', async () => {
    const other = await open('praxis');
    for (const id of [other.id, UNKNOWN_ID]) {
      const answer = own('POST', `${id}/accept`, place.owner);
      await refused('not_found', answer);
      expect((await answer).body.error).toBe('There is no such practice.');
      await refused('not_found', own('DELETE', id, place.owner));
    }
  });
});

test('no address is flooded with invitations, and no practice and no account writes to everyone', async () => {
  const limited = await startApp({
    // The clock does not move, so no limit is refilled meanwhile.
    clock: createTestClock(Date.now()),
    config: {
      limits: { sign_in_rate: { per_address: { per_minute: 1_000 }, per_email: { per_minute: 3 } } },
    },
  });
  try {
    const [{ id }, second, third] = [
      await limited.createPractice(),
      await limited.createPractice(),
      await limited.createPractice(),
    ];
    for (const practice of [id, second.id]) await makeOwner(limited, practice, 'owner@example.org');
    for (const practice of [id, third.id]) await makeOwner(limited, practice, 'other@example.org');
    const { token } = await signIn(limited, 'owner@example.org');
    const { token: other } = await signIn(limited, 'other@example.org');
    const ask = (email: string, by = token, practice = id) =>
      limited.request<Refusal>(
        'POST',
        `/api/practices/${practice}/members`,
        { email, role_id: 'viewer' },
        by,
      );
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) statuses.push((await ask('victim@example.org')).status);
    expect(statuses).toEqual([201, 200, 200, 429]);
    // At once: one after the other they would wait for the disk two hundred times.
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, count) => ask(`person-${count}@example.org`)),
    );
    const refusals = answers.filter(({ status }) => status !== 201);
    expect(refusals.map(({ status }) => status)).toEqual([429, 429, 429]);
    expect(Number(refusals[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask('late@example.org', limited.adminToken)).status).toBe(201);
    // The account is limited in another practice of its own, the practice by whichever account, and nothing else.
    const elsewhere = await ask('late@example.org', token, second.id);
    expect([elsewhere.status, Number(elsewhere.headers.get('retry-after'))]).toEqual([
      429,
      expect.any(Number),
    ]);
    expect((await ask('later@example.org', other)).status).toBe(429);
    expect((await ask('later@example.org', other, third.id)).status).toBe(201);
  } finally {
    await limited.remove();
  }
});

test('one address is invited by one practice, and by one account, ten times a day at most, however patiently', async () => {
  const clock = createTestClock(Date.now());
  const patient = await startApp({ clock });
  try {
    const [{ id }, other] = [await patient.createPractice(), await patient.createPractice()];
    await makeOwner(patient, id, 'owner@example.org');
    for (const email of ['owner@example.org', 'other@example.org']) await makeOwner(patient, other.id, email);
    const { token } = await signIn(patient, 'owner@example.org');
    const { token: otherOwner } = await signIn(patient, 'other@example.org');
    const ask = (email: string, practice = id, by = token) =>
      patient.request('POST', `/api/practices/${practice}/members`, { email, role_id: 'viewer' }, by);
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++) {
      clock.set(clock.now() + MINUTE);
      statuses.push((await ask('victim@example.org')).status);
    }
    expect(statuses).toEqual([201, ...Array(9).fill(200), 429, 429]);
    expect((await ask('someone@example.org')).status).toBe(201);
    expect((await ask('victim@example.org', other.id)).status).toBe(429);
    expect((await ask('victim@example.org', other.id, otherOwner)).status).toBe(201);
    clock.set(clock.now() + 3 * 60 * MINUTE);
    expect((await ask('victim@example.org')).status).toBe(200);
  } finally {
    await patient.remove();
  }
});
