import { beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '#src/db/storage.ts';
import { createAuthenticate } from '#src/people/authenticate.ts';
import { createToken } from '#src/people/tokens.ts';
import { tenantStore } from '#src/tenants/store.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const ADMIN = 'the-operator-token';
const clock = createTestClock();

let storage: Storage;
let tenantId: string;
let projectId: string;
let team: string;
let project: string;
let noted: string[];

beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  tenantId = await createSampleTenant(storage);
  projectId = await storage.tenants.read(tenantId, (db) => tenantStore(db).defaultProject().id);
  const deps = { storage, clock };
  team = (await createToken(deps, tenantId, { name: 't', scope: 'team', projectId: null })).token;
  project = (await createToken(deps, tenantId, { name: 'p', scope: 'project', projectId })).token;
  noted = [];
});

const authenticate = (bearer: string | null, adminToken: string | null, configured: string | null = ADMIN) =>
  createAuthenticate({
    platform: storage.platform,
    adminToken: configured,
    lastUsed: {
      note: (_, tokenId) => {
        noted.push(tokenId);
      },
      flush: async () => undefined,
    },
  })({ bearer, adminToken });

describe('who it is', () => {
  test('the operator, who belongs to no tenant', async () => {
    const caller = await authenticate(null, ADMIN);
    expect(caller).toMatchObject({ kind: 'operator', tenantId: null, projectId: null });
    expect(caller?.permissions.has('billing.manage')).toBe(true);
    expect(noted).toEqual([]);
  });

  test('a team token, which manages no members and no billing', async () => {
    const caller = await authenticate(team, null);
    expect(caller).toMatchObject({ kind: 'team_token', tenantId, projectId: null });
    expect(caller?.permissions.has('messages.send')).toBe(true);
    expect(caller?.permissions.has('billing.manage')).toBe(false);
    expect(caller?.permissions.has('members.manage')).toBe(false);
    expect(noted).toEqual([caller?.credentialId]);
  });

  test('a project token, which sends and reads of its project only', async () => {
    const caller = await authenticate(project, null);
    expect(caller).toMatchObject({ kind: 'project_token', tenantId, projectId });
    expect([...(caller?.permissions ?? [])].sort()).toEqual(['messages.send', 'messages.view', 'stats.view']);
  });

  test('the admin token decides where both are given', async () => {
    expect(await authenticate(team, ADMIN)).toMatchObject({ kind: 'operator' });
    expect(await authenticate(team, 'wrong')).toBeNull();
  });
});

describe('nobody', () => {
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
    expect(await authenticate(bearer(), admin, configured)).toBeNull();
    expect(noted).toEqual([]);
  });
});
