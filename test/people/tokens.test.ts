import { beforeEach, describe, expect, test } from 'vitest';
import { credentialStore, tokenStore } from '#src/accounts/entry/token-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { anonymous, type Caller, type Permission, permissions } from '#src/kernel/access.ts';
import { systemChange } from '#src/kernel/change.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { hashBearer } from '#src/kernel/credentials.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { removeMember } from '#src/people/members.ts';
import { createToken, mintable, type NewToken, revokeToken } from '#src/people/tokens.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';
import { openPractice } from './practice.ts';

const clock = createTestClock();
const TEAM = { name: 'server', scope: 'team', projectId: null } as const;
const everything: Caller = { ...anonymous, kind: 'operator', permissions: new Set(permissions) };
const queue = createKeyedQueue();
const byMaker = () => ({ caller: everything, change: systemChange('token.create') });
const byOperator = () => ({ caller: everything, change: systemChange('token.revoke') });

let storage: Storage;
let tenantId: string;
beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  tenantId = await createSampleTenant(storage);
});

const letsIn = (token: string): Promise<boolean> =>
  storage.platform.read((db) => credentialStore(db).find(hashBearer(token))?.revoked_at === null);
const shown = () => storage.tenants.read(tenantId, (db) => tokenStore(db).all());

const minting = (caller: Caller, wanted: NewToken) =>
  storage.tenants.read(tenantId, (db) => mintable(db, caller, wanted));

/** The storage with one of its two files out of order. */
const broken = (part: 'platform' | 'tenants'): Storage => ({
  ...storage,
  [part]: { ...storage[part], write: () => Promise.reject(new Error('no disk')) },
});

describe('making a token', () => {
  test('gives one that works and is shown without its secret', async () => {
    const { row, token } = await createToken({ storage, clock, queue }, tenantId, TEAM, byMaker());
    expect(token).toMatch(/^svc_team_[0-9A-Za-z]{43}$/);
    expect(await letsIn(token)).toBe(true);
    expect(await shown()).toEqual([row]);
    expect(JSON.stringify(await shown())).not.toContain(token.slice('svc_team_'.length));
  });

  test('for a project bears its prefix', async () => {
    const projectId = await storage.tenants.read(tenantId, (db) => tenantStore(db).defaultProject().id);
    const { token } = await createToken(
      { storage, clock, queue },
      tenantId,
      { name: 'form', scope: 'project', projectId },
      byMaker(),
    );
    expect(token).toMatch(/^svc_proj_[0-9A-Za-z]{43}$/);
  });

  test('for a project that does not exist makes nothing', async () => {
    const wanted = { name: 'form', scope: 'project', projectId: newId() } as const;
    await expect(createToken({ storage, clock, queue }, tenantId, wanted, byMaker())).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await shown()).toEqual([]);
  });

  test('twice gives two different ones', async () => {
    const [first, second] = await Promise.all(
      [1, 2].map(() => createToken({ storage, clock, queue }, tenantId, TEAM, byMaker())),
    );
    expect(first?.token).not.toBe(second?.token);
  });

  test('that is cut off leaves none that works unseen', async () => {
    await expect(
      createToken({ storage: broken('tenants'), clock, queue }, tenantId, TEAM, byMaker()),
    ).rejects.toThrow('no disk');
    expect(storage.platform.peek((db) => db.prepare('SELECT count(*) FROM credentials').pluck().get())).toBe(
      0,
    );
    await expect(
      createToken({ storage: broken('platform'), clock, queue }, tenantId, TEAM, byMaker()),
    ).rejects.toThrow('no disk');
    expect(storage.platform.peek((db) => db.prepare('SELECT count(*) FROM credentials').pluck().get())).toBe(
      0,
    );
    // Its owner sees it and can revoke it.
    const [left] = await shown();
    await revokeToken({ storage, clock, queue }, tenantId, left?.id ?? '', byOperator());
    expect(await shown()).toEqual([]);
  });
});

describe('revoking a token', () => {
  test('ends it at once and takes its record away', async () => {
    const { row, token } = await createToken({ storage, clock, queue }, tenantId, TEAM, byMaker());
    await revokeToken({ storage, clock, queue }, tenantId, row.id, byOperator());
    expect(await letsIn(token)).toBe(false);
    expect(await shown()).toEqual([]);
    await expect(
      revokeToken({ storage, clock, queue }, tenantId, row.id, byOperator()),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('that is cut off leaves none that works unseen', async () => {
    const { row, token } = await createToken({ storage, clock, queue }, tenantId, TEAM, byMaker());
    await expect(
      revokeToken({ storage: broken('platform'), clock, queue }, tenantId, row.id, byOperator()),
    ).rejects.toThrow('no disk');
    expect(await shown()).toEqual([row]);
    await expect(
      revokeToken({ storage: broken('tenants'), clock, queue }, tenantId, row.id, byOperator()),
    ).rejects.toThrow('no disk');
    expect(await letsIn(token)).toBe(false);
    expect(await shown()).toEqual([row]);
    await revokeToken({ storage, clock, queue }, tenantId, row.id, byOperator());
    expect(await shown()).toEqual([]);
  });

  test('of another tenant is not possible', async () => {
    const other = await createSampleTenant(storage, 'Andere');
    const { row, token } = await createToken({ storage, clock, queue }, tenantId, TEAM, byMaker());
    await expect(revokeToken({ storage, clock, queue }, other, row.id, byOperator())).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await letsIn(token)).toBe(true);
  });
});

test('who was removed since the request came in makes none', async () => {
  const at = await openPractice();
  await at.makeOwner('owner@example.org');
  const { id } = await at.makeOwner('boss@example.org');
  const byBoss = await at.by('boss@example.org');
  await removeMember(at.deps, at.tenantId, id, at.byOperator());
  await expect(createToken({ ...at.deps, queue }, at.tenantId, TEAM, byBoss)).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await at.storage.tenants.read(at.tenantId, (db) => tokenStore(db).all())).toEqual([]);
});

describe('making and revoking at once', () => {
  test('leaves none that works unseen', async () => {
    const { platform } = storage;
    let meanwhile: Promise<unknown> | null = null;
    // Between the halves of the creation the record is listed already: the moment to revoke it.
    const late: typeof platform.write = async (work) => {
      const [row] = await shown();
      meanwhile ??= Promise.allSettled([
        revokeToken({ storage, clock, queue }, tenantId, row?.id ?? '', byOperator()),
      ]);
      await Promise.race([meanwhile, new Promise((resolve) => setTimeout(resolve, 50))]);
      return platform.write(work);
    };
    const slow = { ...storage, platform: { ...platform, write: late } };
    const { token } = await createToken({ storage: slow, clock, queue }, tenantId, TEAM, byMaker());
    await meanwhile;
    expect([await letsIn(token), await shown()]).toEqual([false, []]);
  });
});

test('a practice has a bounded number of tokens, for the list shows all', async () => {
  await storage.tenants.write(tenantId, (db) => {
    const row = { scope: 'team', project_id: null, expires_at: null, allowed_json: null } as const;
    for (let i = 0; i < 1_000; i++)
      tokenStore(db).insert({
        id: newId(),
        hash: Buffer.alloc(32),
        name: 'n',
        ...row,
        created_at: 0,
        last_used_at: null,
      });
  });
  const oneMore = createToken({ storage, clock, queue }, tenantId, TEAM, byMaker());
  await expect(oneMore).rejects.toMatchObject({ code: 'conflict' });
  await revokeToken({ storage, clock, queue }, tenantId, (await shown())[0]?.id ?? '', byOperator());
  await createToken({ storage, clock, queue }, tenantId, TEAM, byMaker());
});

describe('what the audit keeps', () => {
  const audited = () =>
    storage.tenants.read(tenantId, (db) =>
      db
        .prepare<[], { action: string; target_id: string; before_json: string; after_json: string }>(
          "SELECT action, target_id, before_json, after_json FROM audit WHERE target_type = 'token' ORDER BY seq",
        )
        .all(),
    );

  test('is the record before and after, and no secret', async () => {
    const limits = { expiresAt: clock.now() + 1, allowed: ['192.0.2.0/24'] };
    const { row, token } = await createToken(
      { storage, clock, queue },
      tenantId,
      { ...TEAM, ...limits },
      byMaker(),
    );
    await revokeToken({ storage, clock, queue }, tenantId, row.id, byOperator());
    const [made, revoked, ...more] = await audited();
    expect(more).toEqual([]);
    expect(made).toMatchObject({ action: 'token.create', target_id: row.id, before_json: null });
    expect(JSON.parse(made?.after_json ?? '')).toMatchObject({
      name: 'server',
      allowed_addresses: ['192.0.2.0/24'],
    });
    expect(revoked).toMatchObject({
      action: 'token.revoke',
      before_json: made?.after_json,
      after_json: null,
    });
    expect(JSON.stringify([made, revoked])).not.toContain(token);
  });

  test('is nothing where nothing was made', async () => {
    const wanted = { name: 'form', scope: 'project', projectId: newId() } as const;
    await expect(createToken({ storage, clock, queue }, tenantId, wanted, byMaker())).rejects.toThrow();
    expect(await audited()).toEqual([]);
  });
});

describe('a token never has more permissions than its maker', () => {
  const P1 = '018f0000-0000-7000-8000-0000000000a1';
  const P2 = '018f0000-0000-7000-8000-0000000000a2';
  const member = (granted: readonly Permission[], projects: readonly string[] | null = null): Caller => ({
    ...anonymous,
    kind: 'member',
    permissions: new Set(granted),
    projects: projects && new Set(projects),
  });
  const sending: readonly Permission[] = ['tokens.manage', 'messages.send', 'messages.view', 'stats.view'];
  const all = permissions.filter((permission) => permission !== 'billing.manage');
  const ofProject = { name: 'n', scope: 'project', projectId: P1 } as const;

  const verdicts: readonly (readonly [who: string, Caller, NewToken, string | null])[] = [
    ['the operator a team token', everything, TEAM, null],
    ['who has all but billing a team token', member(all), TEAM, null],
    ['who manages tokens only a team token', member(['tokens.manage']), TEAM, 'messages.send'],
    ['who manages tokens only a project token', member(['tokens.manage']), ofProject, 'messages.send'],
    ['who may not see statistics a project token', member(sending.slice(0, 3)), ofProject, 'stats.view'],
    ['who may send and see a project token', member(sending), ofProject, null],
    ['who may send and see a team token', member(sending), TEAM, 'messages.view_content'],
    ['who has the project a token for it', member(sending, [P1]), ofProject, null],
    ['who has another project a token for it', member(sending, [P2]), ofProject, 'not_found'],
  ];
  test.each(verdicts)('%s', async (_, caller, wanted, refusal) => {
    const minted = minting(caller, wanted);
    if (refusal === null) expect(await minted).toEqual(wanted);
    else if (refusal === 'not_found') await expect(minted).rejects.toMatchObject({ code: 'not_found' });
    else await expect(minted).rejects.toMatchObject({ code: 'forbidden', extra: { permission: refusal } });
  });

  const END = 2_000_000_000_000;
  const NETS = ['192.0.2.0/24', '2001:db8::/32'];
  const narrowings: readonly (readonly [
    what: string,
    Partial<NewToken>,
    Partial<NewToken> | 'body.expires_at' | 'body.allowed_addresses',
  ])[] = [
    ['inherits expiry and addresses', {}, { expiresAt: END, allowed: NETS }],
    ['may end earlier', { expiresAt: END - 1 }, { expiresAt: END - 1, allowed: NETS }],
    ['may not end later', { expiresAt: END + 1 }, 'body.expires_at'],
    ['may not last for ever', { expiresAt: null }, 'body.expires_at'],
    [
      'may have fewer addresses',
      { allowed: ['192.0.2.128/25'] },
      { expiresAt: END, allowed: ['192.0.2.128/25'] },
    ],
    ['may not have others', { allowed: ['192.0.2.1', '198.51.100.1'] }, 'body.allowed_addresses'],
    ['may not have a wider network', { allowed: ['192.0.0.0/16'] }, 'body.allowed_addresses'],
  ];
  test.each(narrowings)('a token made by a limited one %s', async (_, wanted, expected) => {
    const limits = { expiresAt: END, allowed: NETS };
    const { row } = await createToken({ storage, clock, queue }, tenantId, { ...TEAM, ...limits }, byMaker());
    const caller: Caller = { ...everything, kind: 'team_token', credentialId: row.id };
    const minted = minting(caller, { ...TEAM, ...wanted });
    if (typeof expected !== 'string') expect(await minted).toEqual({ ...TEAM, ...expected });
    else
      await expect(minted).rejects.toMatchObject({
        code: 'invalid_request',
        extra: { fields: [{ path: expected }] },
      });
  });

  test('a token that is revoked meanwhile makes none', async () => {
    const caller: Caller = { ...everything, kind: 'team_token', credentialId: newId() };
    await expect(minting(caller, TEAM)).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });
});
