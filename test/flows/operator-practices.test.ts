// Practices as the operator and their members make, see and change them.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type List, letter, startApp, type TestApp } from '#test/support/app.ts';
import { asking, type Found, refused } from '#test/support/asking.ts';
import {
  join,
  type Mail,
  mailsTo,
  type Person,
  signIn,
  systemTenant,
  unlimitedSignIn,
} from '#test/support/people.ts';
import { until } from '#test/support/process.ts';

let app: TestApp;
const { call, list, pages } = asking(() => ({ app, token: app.adminToken }));

beforeAll(async () => {
  app = await startApp({ config: unlimitedSignIn });
});
afterAll(() => app?.remove());

let people = 0;
const newAddress = (): string => {
  people += 1;
  return `person-${people}@example.org`;
};

/** A practice made for someone, who has signed in. */
const practiceWithOwner = async (fields: Readonly<Record<string, unknown>> = {}) => {
  const email = newAddress();
  const practice = await app.createPractice({ owner_email: email, ...fields });
  return { practice, base: `/api/practices/${practice.id}`, owner: await signIn(app, email) };
};

const idsOf = async (person: Person): Promise<readonly string[]> =>
  (await list('/api/practices', person.token)).map(({ id }) => id);

/** The first mail to the address that says so. */
const mailThatSays = async (email: string, words: string): Promise<Mail> => {
  let found: Mail | undefined;
  await until(`a mail to ${email} about ${words}`, async () => {
    found = (await mailsTo(app, email)).find(({ text }) => text.includes(words));
    return found !== undefined;
  });
  return found as Mail;
};

/** Practices in the registry and directories of theirs. */
const stored = async () => ({
  rows: app.sql<{ id: string }>(null, 'SELECT id FROM tenants').map(({ id }) => id),
  directories: (await app.files()).filter((name) => /^tenants\/[^/]+$/.test(name)).length,
});

describe('a practice made by the operator', () => {
  test('has the owner he names, who gets a mail and signs in', async () => {
    const email = newAddress();
    const practice = await app.createPractice({ owner_email: email, name: 'Praxis Nord', language: 'en' });
    await mailThatSays(email, 'Praxis Nord');
    const owner = await signIn(app, email);
    expect(await list('/api/practices', owner.token)).toEqual([practice]);
    expect((await call('PATCH', `/api/practices/${practice.id}`, { name: 'Nord' }, owner.token)).status).toBe(
      200,
    );
  });

  test('writes to the owner in the language he chooses', async () => {
    const subjects = await Promise.all(
      ['de', 'en'].map(async (language) => {
        const email = newAddress();
        await app.createPractice({ owner_email: email, language });
        return (await mailThatSays(email, 'Praxis am Markt')).subject;
      }),
    );
    expect(new Set(subjects).size).toBe(2);
  });

  test('has no owner where he names none', async () => {
    const { id } = await app.createPractice();
    const found = (await list<Found>('/api/admin/practices?limit=200')).find((row) => row.id === id);
    expect(found).toMatchObject({ members: 0, owners: [] });
  });

  test('has the plan he chooses, also by the other path', async () => {
    const { status, body } = await call('POST', '/api/projects', { name: 'Nord', plan: 'praxis' });
    expect([status, body.plan]).toEqual([201, 'praxis']);
  });

  const addresses = ['nobody', 'a@b', 'Anna <anna@example.org>', 'a@example.org, b@example.org', ''];
  test.each(addresses)('is not made for the owner %j', async (owner_email) => {
    const before = await stored();
    await refused(
      'invalid_request',
      call('POST', '/api/practices', { name: 'Nord', owner_email }),
      'body.owner_email',
    );
    expect(await stored()).toEqual(before);
  });

  test('leaves two entries in its audit where it has an owner: the practice and the owner', async () => {
    const { base } = await practiceWithOwner();
    const entries = await list<{ action: string; request_id: string }>(`${base}/audit`);
    expect(entries.map(({ action }) => action)).toEqual(['member.make_owner', 'practice.create']);
    expect(new Set(entries.map(({ request_id }) => request_id)).size).toBe(1);
  });
});

describe('a practice made by a member', () => {
  test('is theirs, and no mail is sent', async () => {
    const { owner, practice } = await practiceWithOwner();
    const { status, body } = await call('POST', '/api/practices', { name: 'Zweite' }, owner.token);
    expect([status, body.plan]).toEqual([201, 'test']);
    expect(await idsOf(owner)).toEqual([practice.id, body.id]);
    const me = await call<{ practices: { practice_id: string; role: { slug: string } }[] }>(
      'GET',
      '/api/auth/me',
      undefined,
      owner.token,
    );
    const role = me.body.practices.find(({ practice_id }) => practice_id === body.id)?.role.slug;
    expect(role).toBe('owner');
    // The operator's next practice sends a mail, and mails leave in their order.
    await app.createPractice({ name: 'Dritte', owner_email: owner.email });
    await mailThatSays(owner.email, 'Dritte');
    const texts = (await mailsTo(app, owner.email)).map(({ text }) => text).join();
    expect(texts).not.toContain('Zweite');
  });

  test('may name the member as owner, however the address is written', async () => {
    const { owner } = await practiceWithOwner();
    const asked = { name: 'Zweite', owner_email: owner.email.toUpperCase() };
    expect((await call('POST', '/api/practices', asked, owner.token)).status).toBe(201);
  });

  const refusals = [{ plan: 'gruppe' }, { plan: 'test' }, { owner_email: 'someone.else@example.org' }];
  test.each(refusals)('is not made with %j', async (fields) => {
    const { owner } = await practiceWithOwner();
    const before = await stored();
    const answer = await call('POST', '/api/practices', { name: 'Zweite', ...fields }, owner.token);
    expect([answer.status, answer.body.code, answer.body.permission]).toEqual([403, 'forbidden', undefined]);
    expect(await stored()).toEqual(before);
  });

  test('is not made by who is neither Owner nor Admin anywhere', async () => {
    const { practice } = await practiceWithOwner();
    const viewer = await join(app, practice.id, newAddress(), { role_id: 'viewer' });
    await refused('forbidden', call('POST', '/api/practices', { name: 'Meine' }, viewer.token));
    const token = await app.createToken(practice.id);
    await refused('forbidden', call('POST', '/api/practices', { name: 'Meine' }, token));
  });

  test('is the 20th at the most, also where many are asked for at once', async () => {
    const { owner } = await practiceWithOwner();
    const ask = () => call('POST', '/api/practices', { name: 'Viele' }, owner.token);
    const answers = await Promise.all(Array.from({ length: 22 }, ask));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(19);
    expect(answers.filter(({ body }) => body.code === 'conflict')).toHaveLength(3);
    expect(await idsOf(owner)).toHaveLength(20);
    const numbers = () => app.sql(null, "SELECT seq FROM sqlite_sequence WHERE name = 'tenants'");
    const given = numbers();
    await refused('conflict', ask());
    // It was refused before anything was made.
    expect(numbers()).toEqual(given);
    const { rows, directories } = await stored();
    expect(directories).toBe(rows.length);
  });
});

describe('the practices of a member', () => {
  test('are those they have joined, page by page', async () => {
    const { owner } = await practiceWithOwner();
    const more = await Promise.all(
      ['a', 'b'].map((name) => call('POST', '/api/practices', { name }, owner.token)),
    );
    await practiceWithOwner();
    const ids = await idsOf(owner);
    expect(ids.toSorted()).toEqual(expect.arrayContaining(more.map(({ body }) => body.id)));
    expect(ids).toHaveLength(3);
    const byPages = await pages('/api/practices', 2, owner.token);
    expect(byPages.map((page) => page.map(({ id }) => id))).toEqual([ids.slice(0, 2), ids.slice(2)]);
  });

  test('are not those they are only invited to, nor those they were removed from', async () => {
    const first = await practiceWithOwner();
    const second = await practiceWithOwner();
    const members = `${second.base}/members`;
    const { body } = await call('POST', members, { email: first.owner.email, role_id: 'viewer' });
    expect(await idsOf(first.owner)).toEqual([first.practice.id]);
    const accept = `/api/auth/memberships/${second.practice.id}/accept`;
    expect((await call('POST', accept, undefined, first.owner.token)).status).toBe(200);
    expect(await idsOf(first.owner)).toEqual([first.practice.id, second.practice.id]);
    expect((await call('DELETE', `${members}/${body.id}`)).status).toBe(204);
    expect(await idsOf(first.owner)).toEqual([first.practice.id]);
  });

  test('of a token are its own', async () => {
    const sender = await app.createSender();
    expect(await list('/api/practices', sender.token)).toEqual([sender.practice]);
  });
});

describe('renaming', () => {
  test('is for who manages the practice, and leaves slug and host', async () => {
    const { practice, base, owner } = await practiceWithOwner({ name: 'Vorher' });
    const viewer = await join(app, practice.id, newAddress(), { role_id: 'viewer' });
    const { status, body } = await call('PATCH', base, { name: 'Nachher' }, owner.token);
    expect([status, body]).toEqual([200, { ...practice, name: 'Nachher' }]);
    expect((await call('GET', base)).body).toMatchObject(body);
    await refused('forbidden', call('PATCH', base, { name: 'Anders' }, viewer.token));
    for (const name of ['', 'a\nb', 'x'.repeat(201)])
      await refused('invalid_request', call('PATCH', base, { name }), 'body.name');
    await refused('invalid_request', call('PATCH', base, { name: 'x', plan: 'gruppe' }));
  });
});

describe('what the operator decides', () => {
  test('the plan', async () => {
    const { base, owner, practice } = await practiceWithOwner();
    const { status, body } = await call('POST', `${base}/plan`, { plan: 'praxis' });
    expect([status, body]).toEqual([200, { ...practice, plan: 'praxis', monthly_cap: 20_000 }]);
    await refused('forbidden', call('POST', `${base}/plan`, { plan: 'gruppe' }, owner.token));
    await refused('invalid_request', call('POST', `${base}/plan`, { plan: 'gold' }), 'body.plan');
    expect((await call('GET', base)).body.plan).toBe('praxis');
  });

  test('safe mode, which holds at the next message', async () => {
    const sender = await app.createSender();
    const safeMode = `${sender.base}/safe-mode`;
    const send = () => call('POST', `${sender.base}/send`, letter, sender.token);
    expect((await call('POST', safeMode, { enabled: true })).body.safe_mode).toBe(true);
    await refused('safe_mode_recipient', send());
    expect((await call('POST', safeMode, { enabled: false })).body.safe_mode).toBe(false);
    expect((await send()).status).toBe(202);
    await refused('forbidden', call('POST', safeMode, { enabled: false }, sender.token));
    await refused('invalid_request', call('POST', safeMode, {}), 'body.enabled');
  });

  test('what plans there are he can read', async () => {
    const { body } = await call<List<unknown>>('GET', '/api/admin/plans');
    expect(body.data).toEqual([
      { plan: 'test', monthly_cap: 200, custom_roles: false },
      { plan: 'supporter', monthly_cap: 1_000, custom_roles: false },
      { plan: 'termin', monthly_cap: 5_000, custom_roles: false },
      { plan: 'praxis', monthly_cap: 20_000, custom_roles: true },
      { plan: 'gruppe', monthly_cap: 100_000, custom_roles: true },
    ]);
  });
});

describe("the operator's list", () => {
  const all = (query = '') => list<Found>(`/api/admin/practices?limit=200${query}`);

  test('shows members, owners and what was used of the plan', async () => {
    const { practice, base, owner } = await practiceWithOwner({ plan: 'termin' });
    await call('POST', `${base}/members`, { email: newAddress(), role_id: 'viewer' });
    const token = await app.createToken(practice.id);
    const recipients = ['a@example.org', 'b@example.org', 'c@example.org', 'd@example.org', 'e@example.org'];
    for (const to of [recipients, 'f@example.org'])
      expect((await call('POST', `${base}/send`, { ...letter, to }, token)).status).toBe(202);
    const month = new Date().toISOString().slice(0, 7);
    const found = (await all()).find(({ id }) => id === practice.id);
    const { id, name, slug, status, plan, monthly_cap, safe_mode, domain, created_at } = practice;
    expect(found).toEqual({
      ...{ id, name, slug, status, plan, monthly_cap, safe_mode, domain, created_at },
      approval: 'not_needed',
      members: 2,
      owners: [owner.email],
      usage: { month, accepted: 6, share: 6 / 5_000 },
      storage: { state: 'ok', since: null },
    });
  });

  test('is filtered and comes in pages', async () => {
    for (const plan of ['supporter', 'test', 'supporter']) await app.createPractice({ plan });
    const everything = await all();
    const supporters = everything.filter(({ plan }) => plan === 'supporter');
    expect(supporters.length).toBeGreaterThanOrEqual(2);
    expect(await all('&plan=supporter')).toEqual(supporters);
    expect(await all('&status=paused')).toEqual([]);
    expect(await all('&status=active&plan=supporter')).toEqual(supporters);
    for (const limit of [1, 3, 7]) {
      const byPages = await pages<Found>('/api/admin/practices', limit);
      expect(byPages.flat()).toEqual(everything);
      expect(byPages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    }
    await refused('invalid_request', call('GET', '/api/admin/practices?plan=gold'), 'query.plan');
  });

  test('a page of a filter ends where it is full, and the next goes on behind it', async () => {
    // Three in a row: however they are read together, two of them are.
    for (const plan of ['supporter', 'supporter', 'supporter']) await app.createPractice({ plan });
    const found: Found[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const target: string = `/api/admin/practices?plan=supporter&limit=1${cursor && `&cursor=${cursor}`}`;
      const { body } = await call<List<Found>>('GET', target);
      expect(body.data.length).toBeLessThanOrEqual(1);
      found.push(...body.data);
      cursor = body.next_cursor;
    }
    expect(found).toEqual(await all('&plan=supporter'));
  });

  test('leaves out the system practice, which he finds when he asks for it', async () => {
    const id = systemTenant(app);
    expect((await all()).map((row) => row.id)).not.toContain(id);
    expect((await list('/api/practices?limit=200')).map((row) => row.id)).not.toContain(id);
    expect(await list('/api/admin/practices?purpose=system')).toMatchObject([{ id, safe_mode: false }]);
    const one = await call('GET', `/api/practices/${id}`);
    expect([one.status, one.body.name]).toEqual([200, 'Sendwerk']);
  });

  test.each([
    ['plan', { plan: 'test' }],
    ['safe-mode', { enabled: true }],
    ['owners', { email: 'anna@example.org' }],
    ['members', { email: 'anna@example.org', role_id: 'viewer' }],
  ])('the system practice takes no change that would cut off or expose its mail: %s', async (what, body) => {
    await refused('conflict', call('POST', `/api/practices/${systemTenant(app)}/${what}`, body));
  });

  test('is for the operator', async () => {
    const { owner } = await practiceWithOwner();
    for (const target of ['/api/admin/practices', '/api/admin/plans', '/api/admin/audit']) {
      await refused('forbidden', call('GET', target, undefined, owner.token));
      expect((await app.request('GET', target)).status).toBe(401);
    }
  });
});

test('a practice whose file cannot be read hides no other', async () => {
  const before = await startApp({ config: unlimitedSignIn });
  const email = 'anna@example.org';
  const make = () => before.createPractice({ owner_email: email });
  const [sound, broken] = [await make(), await make()];
  const { token } = await signIn(before, email);
  const ownToken = await before.createToken(broken.id);
  await before.stop();
  const file = path.join(before.home, 'data', 'tenants', broken.id, 'tenant.db');
  await writeFile(file, 'no database'.repeat(1_000));

  const after = await startApp({ config: unlimitedSignIn, home: before.home });
  try {
    const read = async (target: string, credential: string) =>
      (await after.request<List<Found>>('GET', target, undefined, credential)).body.data;
    expect(await read('/api/practices', after.adminToken)).toEqual([sound]);
    expect(await read('/api/practices', token)).toEqual([sound]);
    const listed = await read('/api/admin/practices', after.adminToken);
    expect(listed).toEqual([
      expect.objectContaining({ id: sound.id, owners: [email] }),
      {
        id: broken.id,
        slug: broken.slug,
        unavailable: true,
        storage: { state: 'unreadable', since: expect.any(String) },
      },
    ]);
    expect(await read('/api/admin/practices?plan=gruppe', after.adminToken)).toEqual(listed.slice(1));
    // Whose own practice it is learns that it cannot be read, not that it is gone.
    expect((await after.request('GET', '/api/practices', undefined, ownToken)).status).toBe(503);
  } finally {
    await after.remove();
  }
});
