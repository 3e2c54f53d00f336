import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type AccountRow, accountStore } from '#src/accounts/entry/account-store.ts';
import { createEnterTenant, createMayCreatePractice, tenantsOf } from '#src/accounts/entry/enter.ts';
import { type MemberRow, memberStore } from '#src/accounts/entry/member-store.ts';
import { systemRoles } from '#src/accounts/entry/rules.ts';
import { anonymous, type Caller } from '#src/kernel/access.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { createSampleTenant, openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const KEY = 'erika@example.org';

let directory: string;
let storage: Storage;
let tenantId: string;
let account: AccountRow;
let caller: Caller;

beforeEach(async () => {
  directory = await temporaryDirectory();
  storage = await openTestStorage(directory);
  tenantId = await createSampleTenant(storage);
  account = await storage.platform.write((db) => accountStore(db).ensure(KEY, KEY, 'de', 0));
  caller = {
    ...anonymous,
    kind: 'member',
    credentialId: 'session',
    name: KEY,
    account: { id: account.id, email: KEY, emailKey: KEY },
  };
});

const inIndex = (tenant = tenantId) =>
  storage.platform.write((db) => accountStore(db).join(account.id, tenant));
const inFile = async (fields: Partial<MemberRow> = {}, tenant = tenantId): Promise<MemberRow> => {
  const row: MemberRow = {
    id: newId(),
    email_key: KEY,
    email: KEY,
    role_id: systemRoles.member.id,
    status: 'active',
    all_projects: 1,
    project_ids_json: '[]',
    language: 'de',
    invitation_hash: null,
    invitation_expires_at: null,
    created_at: 0,
    accepted_at: 0,
    ...fields,
  };
  await storage.tenants.write(tenant, (db) => memberStore(db).insert(row));
  return row;
};
const enter = (id = tenantId, as = caller) => createEnterTenant(storage)(as, id);

describe('entering a practice', () => {
  test('an active member is who the practice says', async () => {
    await inIndex();
    const { id } = await inFile();
    expect(await enter()).toEqual({
      ...caller,
      tenantId,
      memberId: id,
      permissions: new Set(systemRoles.member.permissions),
      projects: null,
      isOwner: false,
    });
  });

  test('an owner is one, and may all', async () => {
    await inIndex();
    await inFile({ role_id: systemRoles.owner.id });
    expect(await enter()).toMatchObject({
      isOwner: true,
      permissions: new Set(systemRoles.owner.permissions),
    });
  });

  test('who is limited to projects may only what belongs to projects, in those', async () => {
    const projects = [newId(), newId()];
    await inIndex();
    await inFile({
      role_id: systemRoles.admin.id,
      all_projects: 0,
      project_ids_json: JSON.stringify(projects),
    });
    const entered = await enter();
    expect(entered?.projects).toEqual(new Set(projects));
    expect(entered?.permissions.has('messages.send')).toBe(true);
    expect(entered?.permissions.has('members.manage')).toBe(false);
  });

  test('a custom role gives what it holds, from the moment it is changed', async () => {
    const roleId = newId();
    const role = { id: roleId, name: 'Empfang', permissions_json: '["stats.view"]', created_at: 0 };
    await storage.tenants.write(tenantId, (db) => memberStore(db).insertRole(role));
    await inIndex();
    await inFile({ role_id: roleId });
    expect((await enter())?.permissions).toEqual(new Set(['stats.view']));
    await storage.tenants.write(tenantId, (db) =>
      memberStore(db).updateRole({ ...role, permissions_json: '["messages.view"]' }),
    );
    expect((await enter())?.permissions).toEqual(new Set(['messages.view']));
    await storage.tenants.write(tenantId, (db) => memberStore(db).removeRole(roleId));
    expect(await enter()).toBeNull();
  });

  test.each<{ name: string; set: () => Promise<unknown> }>([
    { name: 'who is in neither', set: async () => undefined },
    { name: 'whom only the index knows', set: () => inIndex() },
    { name: 'whom only the file knows', set: () => inFile() },
    {
      name: 'who is only invited',
      set: async () => {
        await inIndex();
        await inFile({ status: 'invited', accepted_at: null });
      },
    },
    {
      name: 'whose role is no more',
      set: async () => {
        await inIndex();
        await inFile({ role_id: newId() });
      },
    },
    {
      name: 'who was removed from the file',
      set: async () => {
        await inIndex();
        const { id } = await inFile();
        await storage.tenants.write(tenantId, (db) => memberStore(db).remove(id));
      },
    },
  ])('is nothing for one $name', async ({ set }) => {
    await set();
    expect(await enter()).toBeNull();
  });

  test('is nothing in another practice, and opens no file for it', async () => {
    const other = await createSampleTenant(storage, 'Andere');
    await inIndex();
    await inFile();
    let opened = 0;
    const watched: Storage = {
      ...storage,
      tenants: {
        ...storage.tenants,
        read: (id, work) => {
          opened += 1;
          return storage.tenants.read(id, work);
        },
      },
    };
    for (const id of [other, newId()]) expect(await createEnterTenant(watched)(caller, id)).toBeNull();
    expect(opened).toBe(0);
  });

  test('is nothing for one who is not signed in', async () => {
    expect(await enter(tenantId, anonymous)).toBeNull();
  });
});

describe('making practices', () => {
  const may = () => createMayCreatePractice(storage)(caller);

  test.each<{ name: string; fields: Partial<MemberRow>; is: boolean }>([
    { name: 'an owner may', fields: { role_id: systemRoles.owner.id }, is: true },
    { name: 'an admin may', fields: { role_id: systemRoles.admin.id }, is: true },
    { name: 'a member may not', fields: { role_id: systemRoles.member.id }, is: false },
    { name: 'an editor may not', fields: { role_id: systemRoles.editor.id }, is: false },
    {
      name: 'an invited owner may not',
      fields: { role_id: systemRoles.owner.id, status: 'invited' },
      is: false,
    },
  ])('$name', async ({ fields, is }) => {
    await inIndex();
    await inFile(fields);
    expect(await may()).toBe(is);
  });

  test('no one may without a practice, or without an account', async () => {
    await inFile({ role_id: systemRoles.owner.id });
    expect(await may()).toBe(false);
    expect(await createMayCreatePractice(storage)(anonymous)).toBe(false);
  });

  test('one practice of many is enough, also where another cannot be read', async () => {
    await inIndex();
    await inFile({ role_id: systemRoles.owner.id });
    expect(await may()).toBe(true);
    const second = await createSampleTenant(storage, 'Zweite');
    await inIndex(second);
    await storage.close();
    await rm(join(directory, 'tenants', tenantId), { recursive: true });
    storage = await openTestStorage(directory);
    await inFile({ role_id: systemRoles.viewer.id }, second);
    expect(await may()).toBe(false);
    const third = await createSampleTenant(storage, 'Dritte');
    await inIndex(third);
    await inFile({ role_id: systemRoles.admin.id }, third);
    expect(await may()).toBe(true);
  });
});

test('practices are found page by page, in their order', async () => {
  const ids = Array.from({ length: 120 }, () => newId());
  await storage.platform.write((db) => {
    const insert = db.prepare("INSERT INTO tenants (id, slug, state, created_at) VALUES (?, ?, 'active', 0)");
    for (const [index, id] of ids.entries()) insert.run(id, `t${index}`);
    for (const id of ids) accountStore(db).join(account.id, id);
  });
  expect(await Array.fromAsync(tenantsOf(storage, account.id))).toEqual(ids);
});
