import { expect, test } from 'vitest';
import { generateDkimKeyPair } from '#src/domains/keys/keys.ts';
import { DAY, HOUR, toIso } from '#src/kernel/time.ts';
import { type KeyScene, settledSender, startKeyScene, type Verdict } from '#test/flows/key-scene.ts';
import type { List, Sender } from '#test/support/app.ts';

const HOST = 'praxis-am-markt.send.example.com';
const REVOKED = 'v=DKIM1; p=';

const results = (verdicts: readonly Verdict[]): string[] =>
  verdicts.map(({ algorithm, result }) => `${algorithm} ${result}`);
const BOTH_PASS = ['rsa-sha256 pass', 'ed25519-sha256 pass'];

const rolesOf = async (scene: KeyScene, sender: Sender): Promise<string[]> =>
  (await scene.keys(sender)).map(({ role }) => role);

/** What the DNS says at the target of a token. */
const served = async ({ resolve }: KeyScene, selector: string): Promise<string> =>
  ((await resolve(`${selector}.dkim.mail.example.com`, 'TXT')) as string[][])
    .map((strings) => strings.join(''))
    .join('|');

/** Rows of a file without what a look writes anew. */
const stored = ({ app }: KeyScene, { practice }: Sender) => ({
  keys: app.sql(practice.id, 'SELECT domain, token, role, sealed_key FROM dkim_keys ORDER BY token'),
  audit: app.sql(practice.id, 'SELECT action FROM audit'),
  tokens: app.sql(null, 'SELECT token, record FROM dkim_tokens ORDER BY token'),
  work: app.sql(null, 'SELECT keys_at FROM domain_work WHERE tenant_id = ?', practice.id),
});

test('a practice sees its keys, what each is for and what happens next, and no private part', async () => {
  const scene = await startKeyScene();
  const sender = await scene.app.createSender();
  const now = scene.clock.now();
  const [active, next, ed25519, ...others] = await scene.keys(sender);
  expect(others).toEqual([]);
  const made = {
    host: HOST,
    selector: expect.stringMatching(/^[a-z2-7]{24}$/),
    imported: false,
    created_at: toIso(now),
    published_at: toIso(now),
    retired_at: null,
    hint: '',
  };
  expect(active).toEqual({
    ...made,
    algorithm: 'rsa-sha256',
    role: 'active',
    position: 1,
    record: await served(scene, active?.selector ?? ''),
    activated_at: toIso(now),
    next_step: 'retire',
    next_step_at: expect.any(String),
  });
  const days = (Date.parse(active?.next_step_at ?? '') - now) / DAY;
  expect(days).toBeGreaterThan(161);
  expect(days).toBeLessThanOrEqual(180);
  expect(next).toMatchObject({ ...made, role: 'next', position: 2, activated_at: null });
  expect(next).toMatchObject({ next_step: 'activate', next_step_at: active?.next_step_at });
  expect(ed25519).toMatchObject({ ...made, algorithm: 'ed25519-sha256', role: 'active', position: 3 });
});

test('a key is rotated by schedule, to the hour when it is seen, and the audit names the service', async () => {
  const scene = await startKeyScene();
  const sender = await settledSender(scene);
  scene.pass(181 * DAY);
  await scene.lookAfterKeys();
  expect(await rolesOf(scene, sender)).toEqual(['retiring', 'active', 'retiring']);
  expect(results(await scene.sendAndVerify(sender))).toEqual(['rsa-sha256 pass']);
  const { body } = await scene.app.request<List<{ actor: unknown; before: unknown; after: unknown }>>(
    'GET',
    `${sender.base}/audit?action=dkim.rotate`,
    undefined,
    scene.app.adminToken,
  );
  expect(body.data).toMatchObject([
    {
      actor: { kind: 'system' },
      before: [{ role: 'active' }, { role: 'next' }, { role: 'active' }],
      after: [{ role: 'retiring' }, { role: 'active' }, { role: 'retiring' }],
    },
  ]);
});

test('a replaced key stays published as long as mail is tried, also when a reload makes that longer', async () => {
  const scene = await startKeyScene();
  const sender = await settledSender(scene);
  await scene.rotate(sender);
  const daysKept = async (): Promise<number> => {
    const { retired_at, next_step_at } = await scene.key(sender, 1);
    return (Date.parse(next_step_at ?? '') - Date.parse(retired_at ?? '')) / DAY;
  };
  expect(await daysKept()).toBe(14);
  await scene.app.reconfigure({ queue: { give_up: { transactional: '30d' } } });
  expect(await daysKept()).toBe(31);
});

test('a second rotation is refused until another key is ready, and says when that is', async () => {
  const scene = await startKeyScene();
  const sender = await settledSender(scene);
  expect((await scene.rotate(sender)).status).toBe(200);
  const readyAt = scene.clock.now() + 14 * DAY + HOUR;
  const before = stored(scene, sender);
  const { status, body } = await scene.rotate(sender);
  expect([status, body.code]).toEqual([409, 'conflict']);
  expect(body.hint).toBe(`One can from ${toIso(readyAt)} on.`);
  expect(stored(scene, sender)).toEqual(before);

  scene.clock.set(readyAt - HOUR);
  await scene.lookAfterKeys();
  scene.clock.set(readyAt);
  expect((await scene.rotate(sender)).status).toBe(200);
  expect(results(await scene.sendAndVerify(sender))).toEqual(['rsa-sha256 pass']);
});

test.each([
  ['a host of somebody else', { host: 'other.send.example.com' }, 404, /no keys for other/],
  ['a host of no name', { host: '..' }, 404, /no keys for/],
  ['a field that is none', { hosts: HOST }, 400, /hosts/],
])('%s is not rotated', async (_, body, status, says) => {
  const scene = await startKeyScene();
  const answer = await scene.rotate(await settledSender(scene), body);
  expect(answer.status).toBe(status);
  expect(answer.body.error).toMatch(says);
});

test.each<[string, (scene: KeyScene, selector: string) => void, RegExp]>([
  [
    'is not there',
    ({ app }, selector) => app.sql(null, 'DELETE FROM dkim_tokens WHERE token = ?', selector),
    /No key is published .* must be a CNAME to /,
  ],
  [
    'is another key',
    ({ app }, selector) =>
      app.sql(
        null,
        `UPDATE dkim_tokens SET record = (SELECT record FROM dkim_tokens WHERE position = 1 LIMIT 1) WHERE token = ?`,
        selector,
      ),
    /Another key is published/,
  ],
  [
    'is withdrawn',
    ({ app }, selector) =>
      app.sql(null, `UPDATE dkim_tokens SET record = ? WHERE token = ?`, REVOKED, selector),
    /withdrawn/,
  ],
])(
  'where the DNS shows that the next key %s, a rotation is refused and changes nothing',
  async (_, spoil, hint) => {
    const scene = await startKeyScene();
    const sender = await settledSender(scene);
    spoil(scene, (await scene.key(sender, 2)).selector);
    const before = stored(scene, sender);
    for (const body of [{}, { compromised: true }]) {
      const answer = await scene.rotate(sender, body);
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
      expect(answer.body.hint).toMatch(hint);
    }
    expect(stored(scene, sender)).toEqual(before);
    expect(results(await scene.sendAndVerify(sender))).toEqual(BOTH_PASS);
  },
);

test('where the DNS does not answer, the schedule waits an hour and tries again', async () => {
  const dead = '127.0.0.1:9';
  const config = { dns: { authoritative: { listen: '127.0.0.1:0' }, resolvers: [dead] } };
  const scene = await startKeyScene({ config });
  const sender = await settledSender(scene);
  scene.pass(181 * DAY);
  await scene.lookAfterKeys();
  expect(await rolesOf(scene, sender)).toEqual(['active', 'next', 'active']);
  expect(stored(scene, sender).work).toEqual([{ keys_at: scene.clock.now() + HOUR }]);
  const { status, body } = await scene.rotate(sender);
  expect(status).toBe(409);
  expect(body.hint).toMatch(/could not be found out/);
});

test('a compromised key is withdrawn at once and another signs; its token gets a new key a day later', async () => {
  const scene = await startKeyScene();
  const sender = await settledSender(scene);
  const [leaked, , ed25519] = await scene.keys(sender);
  const forged = await scene.sendAndVerify(sender);
  expect(results(forged)).toEqual(BOTH_PASS);
  expect((await scene.rotate(sender, { compromised: true })).status).toBe(200);
  expect(await rolesOf(scene, sender)).toEqual(['revoked', 'active', 'revoked']);
  for (const { selector } of [leaked, ed25519].flatMap((key) => key ?? []))
    expect(await served(scene, selector)).toBe(REVOKED);
  const [old] = scene.receiver.messages;
  expect(results(await scene.verify(old?.content ?? Buffer.alloc(0)))).not.toContain('rsa-sha256 pass');
  expect(results(await scene.sendAndVerify(sender))).toEqual(['rsa-sha256 pass']);

  scene.pass(DAY);
  await scene.lookAfterKeys();
  const renewed = await scene.keys(sender);
  expect(renewed.map(({ role }) => role)).toEqual(['next', 'active', 'next']);
  expect(await served(scene, leaked?.selector ?? '')).toBe(renewed[0]?.record);
  expect(renewed[0]?.record).not.toBe(leaked?.record);
});

test('where both keys leak in one day, the retiring one signs again, and then there is a way out', async () => {
  const scene = await startKeyScene();
  const sender = await settledSender(scene);
  expect((await scene.rotate(sender)).status).toBe(200);
  expect((await scene.rotate(sender, { compromised: true })).status).toBe(200);
  expect(await rolesOf(scene, sender)).toEqual(['active', 'revoked', 'retiring']);
  expect(results(await scene.sendAndVerify(sender))).toEqual(['rsa-sha256 pass']);

  const before = stored(scene, sender);
  const { status, body } = await scene.rotate(sender, { compromised: true });
  expect(status).toBe(409);
  expect(body.hint).toContain(toIso(scene.clock.now() + DAY + HOUR));
  expect(body.hint).toContain('pause the practice');
  expect(stored(scene, sender)).toEqual(before);
  scene.pass(DAY);
  await scene.lookAfterKeys();
  expect((await scene.rotate(sender, { compromised: true })).status).toBe(200);
  expect(results(await scene.sendAndVerify(sender))).toEqual(['rsa-sha256 pass']);
});

/** The registry takes no records of keys until the result is called. */
const breakRegistry = ({ app }: KeyScene) => {
  app.sql(
    null,
    "CREATE TRIGGER broken BEFORE UPDATE ON dkim_tokens BEGIN SELECT RAISE(ABORT, 'out of order'); END",
  );
  return () => app.sql(null, 'DROP TRIGGER broken');
};

test('what a fault leaves between file and registry when a token is renewed is made good by the next look', async () => {
  const scene = await startKeyScene();
  const sender = await settledSender(scene);
  await scene.rotate(sender);
  scene.pass(14 * DAY);
  const mend = breakRegistry(scene);
  await scene.lookAfterKeys();
  const left = await scene.keys(sender);
  expect(left.map(({ role, published_at }) => `${role} ${published_at === null}`)).toEqual([
    'next true',
    'active false',
    'next true',
  ]);
  // The DNS has the key from before, which must not be taken for the new one.
  expect(await served(scene, left[0]?.selector ?? '')).not.toBe(left[0]?.record);
  for (const body of [{}, { compromised: true }]) expect((await scene.rotate(sender, body)).status).toBe(409);
  scene.pass(2 * HOUR);
  await scene.lookAfterKeys();
  expect(results(await scene.sendAndVerify(sender))).toEqual(['rsa-sha256 pass']);

  mend();
  scene.pass(2 * HOUR);
  await scene.lookAfterKeys();
  for (const { selector, record } of left) expect(await served(scene, selector)).toBe(record);
  expect((await scene.rotate(sender)).status).toBe(409);
  scene.pass(HOUR);
  await scene.lookAfterKeys();
  expect(results(await scene.sendAndVerify(sender))).toEqual(BOTH_PASS);
  expect((await scene.rotate(sender)).status).toBe(200);
  expect(results(await scene.sendAndVerify(sender))).toEqual(['rsa-sha256 pass']);
  await expect(scene.app.stop()).rejects.toThrow(/out of order/);
});

test('what a fault leaves when a compromised key is withdrawn is made good by the next look', async () => {
  const scene = await startKeyScene();
  const sender = await settledSender(scene);
  const [leaked] = await scene.keys(sender);
  const mend = breakRegistry(scene);
  expect((await scene.rotate(sender, { compromised: true })).status).toBe(500);
  expect(await rolesOf(scene, sender)).toEqual(['revoked', 'active', 'revoked']);
  expect(results(await scene.sendAndVerify(sender))).toEqual(['rsa-sha256 pass']);
  mend();
  // It is due at once, not when the keys would have been looked at anyway.
  await scene.lookAfterKeys();
  expect(await served(scene, leaked?.selector ?? '')).toBe(REVOKED);
  expect(results(await scene.sendAndVerify(sender))).toEqual(['rsa-sha256 pass']);
  await expect(scene.app.stop()).rejects.toThrow(/out of order/);
});

test('a registry that was brought back from an older backup is brought up to date by the next look', async () => {
  const scene = await startKeyScene();
  const sender = await settledSender(scene);
  const before = scene.app.sql<{ token: string; record: string }>(
    null,
    'SELECT token, record FROM dkim_tokens',
  );
  await scene.rotate(sender);
  scene.pass(14 * DAY);
  await scene.lookAfterKeys();
  const after = await scene.keys(sender);
  for (const { token, record } of before)
    scene.app.sql(null, 'UPDATE dkim_tokens SET record = ? WHERE token = ?', record, token);
  expect(results(await scene.sendAndVerify(sender))).toEqual(['rsa-sha256 pass']);
  scene.pass(7 * DAY);
  await scene.lookAfterKeys();
  for (const { selector, record } of after) expect(await served(scene, selector)).toBe(record);
  expect(results(await scene.sendAndVerify(sender))).toContain('rsa-sha256 pass');
});

test('keys of a new practice whose tokens are missing in the registry are published the next time', async () => {
  const scene = await startKeyScene();
  const sender = await scene.app.createSender();
  scene.app.sql(null, 'DELETE FROM dkim_tokens WHERE tenant_id = ?', sender.practice.id);
  await scene.lookAfterKeys();
  expect(results(await scene.sendAndVerify(sender))).toEqual(BOTH_PASS);
});

test('one practice whose file cannot be read does not keep the others from their turn', async () => {
  const scene = await startKeyScene();
  const broken = await scene.app.createSender({ name: 'Praxis Kaputt' });
  const sender = await settledSender(scene);
  scene.app.sql(broken.practice.id, 'ALTER TABLE dkim_keys RENAME TO dkim_keys_gone');
  scene.pass(181 * DAY);
  await scene.lookAfterKeys();
  expect(await rolesOf(scene, sender)).toEqual(['retiring', 'active', 'retiring']);
  expect(
    scene.app.sql(null, 'SELECT keys_at FROM domain_work WHERE tenant_id = ?', broken.practice.id),
  ).toEqual([{ keys_at: scene.clock.now() + HOUR }]);
  scene.app.sql(broken.practice.id, 'ALTER TABLE dkim_keys_gone RENAME TO dkim_keys');
  await expect(scene.app.stop()).rejects.toThrow(/keys of a practice are left as they are/);
});

test('a clock that was a year ahead for a while does not put off the next looks by a year', async () => {
  const scene = await startKeyScene();
  const sender = await scene.app.createSender({ domain: 'praxis.example' });
  const now = scene.clock.now();
  const late = now + 366 * DAY;
  scene.app.sql(null, 'UPDATE domain_work SET check_at = ?, keys_at = ?', late, late);
  await scene.lookAfterKeys();
  const [work] = scene.app.sql<{ check_at: number; keys_at: number }>(
    null,
    'SELECT check_at, keys_at FROM domain_work WHERE tenant_id = ?',
    sender.practice.id,
  );
  expect(work).toEqual({ check_at: now, keys_at: now + 7 * DAY });
});

test('the keys of a host that has been out of use for two months are removed, with its tokens', async () => {
  const scene = await startKeyScene();
  const sender = await scene.app.createSender({ domain: 'praxis.example' });
  const countOf = (table: string, file: string | null, column: string) =>
    scene.app.sql(file, `SELECT * FROM ${table} WHERE ${column} = 'praxis.example'`).length;
  const counts = () => [
    countOf('dkim_keys', sender.practice.id, 'domain'),
    countOf('sending_domains', sender.practice.id, 'name'),
    countOf('dkim_tokens', null, 'domain'),
  ];
  expect(counts()).toEqual([3, 1, 3]);
  await scene.app.request('POST', `${sender.base}/restore-managed-domain`, undefined, sender.token);
  const [key] = (await scene.keys(sender)).filter(({ host }) => host === 'praxis.example');
  expect(key).toMatchObject({ next_step: 'remove', next_step_at: toIso(scene.clock.now() + 60 * DAY) });
  const pass = async (time: number) => {
    scene.pass(time);
    await scene.lookAfterKeys();
  };
  await pass(59 * DAY);
  expect(counts()).toEqual([3, 1, 3]);
  await pass(DAY);
  expect(counts()).toEqual([0, 0, 0]);
  expect(await rolesOf(scene, sender)).toEqual(['active', 'next', 'active']);
});

test('keys are made two at a time, whoever asks for them: others wait for the threads that sync', async () => {
  let underWay = 0;
  let most = 0;
  const { app } = await startKeyScene({
    generateKeyPair: async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      const pair = await generateDkimKeyPair('ed25519-sha256');
      underWay -= 1;
      return pair;
    },
  });
  const senders = await Promise.all([1, 2, 3, 4].map((number) => app.createSender({ name: `P${number}` })));
  await Promise.all(
    senders.map(({ base, token }, number) =>
      app.request('POST', `${base}/custom-domain`, { domain: `d${number}.example` }, token),
    ),
  );
  expect(most).toBe(2);
});
