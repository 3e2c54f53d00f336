import { beforeEach, describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { anonymous, type Credentials } from '#src/kernel/access.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { DAY } from '#src/kernel/time.ts';
import { createAuthenticate } from '#src/people/authenticate.ts';
import type { NewToken } from '#src/people/tokens.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  type TestClock,
  temporaryDirectory,
} from '#test/support/storage.ts';
import { mintToken } from './practice.ts';

const ADMIN = 'the-operator-token';
const ADDRESS = '192.0.2.7';
const START = 1_700_000_000_000;
const nothing: Credentials = {
  bearer: null,
  adminToken: null,
  cookie: null,
  csrfToken: null,
  isWrite: false,
  isOnceMore: false,
};

let clock: TestClock;
let storage: Storage;
let tenantId: string;
let projectId: string;
let team: string;
let project: string;
let noted: string[];
let asked: unknown[];

const mint = async (fields: Partial<NewToken> = {}): Promise<string> =>
  (await mintToken(storage, clock, tenantId, fields)).token;

beforeEach(async () => {
  clock = createTestClock(START);
  storage = await openTestStorage(await temporaryDirectory());
  tenantId = await createSampleTenant(storage);
  projectId = await storage.tenants.read(tenantId, (db) => tenantStore(db).defaultProject().id);
  team = await mint({ name: 'server' });
  project = await mint({ name: 'form', scope: 'project', projectId });
  noted = [];
  asked = [];
});

const someone = { ...anonymous, kind: 'member', credentialId: 'session' } as const;

const authenticate = (
  credentials: Partial<Credentials>,
  options: { readonly configured?: string | null; readonly from?: string } = {},
) =>
  createAuthenticate({
    platform: storage.platform,
    clock,
    adminToken: options.configured === undefined ? ADMIN : options.configured,
    lastUsed: {
      note: (_, tokenId) => {
        noted.push(tokenId);
      },
      notedAt: () => undefined,
      forget: () => undefined,
      flush: async () => undefined,
    },
    sessions: {
      byBearer: async (bearer, isOnceMore) => {
        asked.push(isOnceMore ? `${bearer} once more` : bearer);
        return someone;
      },
      byCookie: async (given) => {
        asked.push(given);
        return someone;
      },
    },
  })({ ...nothing, ...credentials }, options.from ?? ADDRESS);

describe('who it is', () => {
  test('the operator, who belongs to no tenant', async () => {
    const caller = await authenticate({ adminToken: ADMIN });
    expect(caller).toMatchObject({ kind: 'operator', tenantId: null, projects: null, isOwner: true });
    expect(caller.permissions.has('billing.manage')).toBe(true);
    expect(noted).toEqual([]);
  });

  test('a team token, which manages no members and no billing', async () => {
    const caller = await authenticate({ bearer: team });
    expect(caller).toMatchObject({
      kind: 'team_token',
      name: 'server',
      tenantId,
      projects: null,
      isOwner: false,
    });
    expect(caller.permissions.has('messages.send')).toBe(true);
    expect(caller.permissions.has('billing.manage')).toBe(false);
    expect(caller.permissions.has('members.manage')).toBe(false);
    expect(noted).toEqual([caller.credentialId]);
  });

  test('a project token, which sends and reads of its project only', async () => {
    const caller = await authenticate({ bearer: project });
    expect(caller).toMatchObject({
      kind: 'project_token',
      name: 'form',
      tenantId,
      projects: new Set([projectId]),
    });
    expect([...(caller.permissions ?? [])].sort()).toEqual(['messages.send', 'messages.view', 'stats.view']);
  });

  test('a person who is signed in, by bearer or cookie of a live session', async () => {
    const bearer = `svc_sess_${'a'.repeat(43)}`;
    expect(await authenticate({ bearer })).toBe(someone);
    const cookie = { cookie: 'svc_session=x', csrfToken: 'y', isWrite: true };
    expect(await authenticate(cookie)).toBe(someone);
    expect(asked).toEqual([bearer, { ...cookie, isOnceMore: false }]);
  });

  test('as before, where a request asks once more, and nothing is used by that', async () => {
    const isOnceMore = true;
    const bearer = `svc_sess_${'a'.repeat(43)}`;
    expect(await authenticate({ bearer: team, isOnceMore })).toMatchObject({ kind: 'team_token' });
    expect(noted).toEqual([]);
    const cookie = { cookie: 'svc_session=x', csrfToken: null, isWrite: false, isOnceMore };
    await authenticate({ bearer, isOnceMore });
    await authenticate(cookie);
    expect(asked).toEqual([`${bearer} once more`, cookie]);
  });
});

describe('no caller', () => {
  test.each<{ name: string; bearer: () => string | null; admin: string | null; configured?: string | null }>([
    { name: 'without credentials', bearer: () => null, admin: null },
    { name: 'with an empty bearer', bearer: () => '', admin: null },
    { name: 'with an unknown token', bearer: () => `svc_team_${'a'.repeat(43)}`, admin: null },
    { name: 'with a token that lacks its last character', bearer: () => team.slice(0, -1), admin: null },
    { name: 'with a token that has one more', bearer: () => `${team}a`, admin: null },
    { name: 'with a token in another case', bearer: () => team.toUpperCase(), admin: null },
    { name: 'with a token under another prefix', bearer: () => team.replace('team', 'proj'), admin: null },
    { name: 'with a token without its prefix', bearer: () => team.slice('svc_team_'.length), admin: null },
    { name: 'with the admin token as a bearer', bearer: () => ADMIN, admin: null },
    { name: 'with an admin token that is longer', bearer: () => null, admin: `${ADMIN}x` },
    { name: 'with an empty admin token', bearer: () => null, admin: '' },
    { name: 'as operator where there is none', bearer: () => null, admin: '', configured: null },
  ])('$name', async ({ bearer, admin, configured = ADMIN }) => {
    await expect(authenticate({ bearer: bearer(), adminToken: admin }, { configured })).rejects.toMatchObject(
      {
        code: 'unauthorized',
      },
    );
    expect(noted).toEqual([]);
  });
});

describe('a token that expires', () => {
  test('lets in until then and not after', async () => {
    const bearer = await mint({ expiresAt: START + DAY });
    clock.set(START + DAY - 1);
    await authenticate({ bearer });
    noted = [];
    clock.set(START + DAY);
    await expect(authenticate({ bearer })).rejects.toThrow('expired at');
    expect(noted).toEqual([]);
  });
});

describe('a token that is tied to networks', () => {
  test.each<{ allowed: string[] | null; from: string; lets: boolean }>([
    { allowed: null, from: '203.0.113.9', lets: true },
    { allowed: ['192.0.2.0/24', '2001:db8::/32'], from: '192.0.2.255', lets: true },
    { allowed: ['192.0.2.0/24', '2001:db8::/32'], from: '2001:db8:ffff::1', lets: true },
    { allowed: ['192.0.2.0/24', '2001:db8::/32'], from: '192.0.3.0', lets: false },
    { allowed: ['192.0.2.0/24', '2001:db8::/32'], from: '2001:db9::1', lets: false },
    { allowed: ['192.0.2.7'], from: '192.0.2.7', lets: true },
    { allowed: ['192.0.2.7'], from: '192.0.2.8', lets: false },
    { allowed: ['0.0.0.0/0'], from: '2001:db8::1', lets: false },
    { allowed: ['192.0.2.0/24'], from: '', lets: false },
  ])('$allowed from $from: $lets', async ({ allowed, from, lets }) => {
    const bearer = await mint({ allowed });
    const isLetIn = await authenticate({ bearer }, { from }).then(
      () => true,
      () => false,
    );
    expect(isLetIn).toBe(lets);
    expect(noted).toHaveLength(lets ? 1 : 0);
  });
});
