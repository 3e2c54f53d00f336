import { beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '#src/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { createAuthenticate } from '#src/people/authenticate.ts';
import { tokenStore } from '#src/people/store.ts';
import { createToken, hashToken, revokeToken } from '#src/people/tokens.ts';
import { tenantStore } from '#src/tenants/store.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const clock = createTestClock();
const TEAM = { name: 'server', scope: 'team', projectId: null } as const;
const lastUsed = { note: () => undefined, flush: async () => undefined };

let storage: Storage;
let tenantId: string;
beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  tenantId = await createSampleTenant(storage);
});

const letsIn = async (token: string): Promise<boolean> => {
  const authenticate = createAuthenticate({ platform: storage.platform, adminToken: null, lastUsed });
  return (await authenticate({ bearer: token, adminToken: null })) !== null;
};
const shown = () => storage.tenants.read(tenantId, (db) => tokenStore(db).all());

/** The storage with one of its two files out of order. */
const broken = (part: 'platform' | 'tenants'): Storage => ({
  ...storage,
  [part]: { ...storage[part], write: () => Promise.reject(new Error('no disk')) },
});

describe('making a token', () => {
  test('gives one that works and is shown without its secret', async () => {
    const { row, token } = await createToken({ storage, clock }, tenantId, TEAM);
    expect(token).toMatch(/^svc_team_[0-9A-Za-z]{43}$/);
    expect(await letsIn(token)).toBe(true);
    expect(await shown()).toEqual([row]);
    expect(JSON.stringify(await shown())).not.toContain(token.slice('svc_team_'.length));
  });

  test('for a project bears its prefix', async () => {
    const projectId = await storage.tenants.read(tenantId, (db) => tenantStore(db).defaultProject().id);
    const { token } = await createToken({ storage, clock }, tenantId, {
      name: 'form',
      scope: 'project',
      projectId,
    });
    expect(token).toMatch(/^svc_proj_[0-9A-Za-z]{43}$/);
  });

  test('for a project that does not exist makes nothing', async () => {
    const wanted = { name: 'form', scope: 'project', projectId: newId() } as const;
    await expect(createToken({ storage, clock }, tenantId, wanted)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await shown()).toEqual([]);
  });

  test('twice gives two different ones', async () => {
    const [first, second] = await Promise.all(
      [1, 2].map(() => createToken({ storage, clock }, tenantId, TEAM)),
    );
    expect(first?.token).not.toBe(second?.token);
  });

  test('that is cut off leaves none that works unseen', async () => {
    await expect(createToken({ storage: broken('tenants'), clock }, tenantId, TEAM)).rejects.toThrow(
      'no disk',
    );
    expect(storage.platform.peek((db) => db.prepare('SELECT count(*) FROM credentials').pluck().get())).toBe(
      0,
    );
    await expect(createToken({ storage: broken('platform'), clock }, tenantId, TEAM)).rejects.toThrow(
      'no disk',
    );
    expect(storage.platform.peek((db) => db.prepare('SELECT count(*) FROM credentials').pluck().get())).toBe(
      0,
    );
    // Its owner sees it and can revoke it.
    const [left] = await shown();
    await revokeToken({ storage, clock }, tenantId, left?.id ?? '');
    expect(await shown()).toEqual([]);
  });
});

describe('revoking a token', () => {
  test('ends it at once and takes its record away', async () => {
    const { row, token } = await createToken({ storage, clock }, tenantId, TEAM);
    await revokeToken({ storage, clock }, tenantId, row.id);
    expect(await letsIn(token)).toBe(false);
    expect(await shown()).toEqual([]);
    await expect(revokeToken({ storage, clock }, tenantId, row.id)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('that is cut off leaves none that works unseen', async () => {
    const { row, token } = await createToken({ storage, clock }, tenantId, TEAM);
    await expect(revokeToken({ storage: broken('platform'), clock }, tenantId, row.id)).rejects.toThrow(
      'no disk',
    );
    expect(await shown()).toEqual([row]);
    await expect(revokeToken({ storage: broken('tenants'), clock }, tenantId, row.id)).rejects.toThrow(
      'no disk',
    );
    expect(await letsIn(token)).toBe(false);
    expect(await shown()).toEqual([row]);
    await revokeToken({ storage, clock }, tenantId, row.id);
    expect(await shown()).toEqual([]);
  });

  test('of another tenant is not possible', async () => {
    const other = await createSampleTenant(storage, 'Andere');
    const { row, token } = await createToken({ storage, clock }, tenantId, TEAM);
    await expect(revokeToken({ storage, clock }, other, row.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await letsIn(token)).toBe(true);
  });
});

test('a token is stored as its SHA-256', () => {
  expect(hashToken('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
