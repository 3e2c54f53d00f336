import { describe, expect, test } from 'vitest';
import {
  effectivePermissions,
  grantOf,
  isLastOwner,
  lacksFor,
  type MemberStatus,
  type Role,
  roleNameKey,
  type SystemRoleSlug,
  systemRoles,
} from '#src/accounts/entry/rules.ts';
import { anonymous, type Caller, type Permission, permissions } from '#src/kernel/access.ts';

const custom = (...granted: Permission[]): Role => ({
  id: '018f0000-0000-7000-8000-0000000000c1',
  slug: null,
  name: 'Custom',
  permissions: granted,
});
const allOfThem = custom(...permissions);

const holder = (role: Role): Caller => ({
  ...anonymous,
  kind: 'member',
  permissions: effectivePermissions(role, true),
  isOwner: role.slug === 'owner',
});
const operator: Caller = {
  ...anonymous,
  kind: 'operator',
  permissions: new Set(permissions),
  isOwner: true,
};

describe('who may give, change and take away which role', () => {
  const { owner, admin, member, editor, viewer } = systemRoles;
  const all: readonly Role[] = [owner, admin, member, editor, viewer];
  const manager = custom('members.manage');
  const readingManager = custom('members.manage', 'messages.view', 'stats.view', 'inbound.view');

  const table: readonly (readonly [who: string, Caller, Partial<Record<SystemRoleSlug, string>>])[] = [
    ['the operator', operator, {}],
    ['an owner', holder(owner), {}],
    ['an admin', holder(admin), { owner: 'owner' }],
    ['who has every permission and is no owner', holder(allOfThem), { owner: 'owner' }],
    [
      'who manages members only',
      holder(manager),
      {
        owner: 'owner',
        admin: 'messages.send',
        member: 'messages.send',
        editor: 'messages.send',
        viewer: 'messages.view',
      },
    ],
    [
      'who manages members and may read',
      holder(readingManager),
      { owner: 'owner', admin: 'messages.send', member: 'messages.send', editor: 'messages.send' },
    ],
  ];
  const cells = table.flatMap(([who, caller, lacking]) =>
    all.map((role) => ({ who, caller, role: role.slug ?? '', lacks: lacking[role.slug ?? 'owner'] })),
  );
  test.each(cells)('$who deals with $role: lacks $lacks', ({ caller, role, lacks }) => {
    expect(lacksFor(caller, systemRoles[role as SystemRoleSlug])).toBe(lacks);
  });

  test.each<[string, Caller, Role, string | undefined]>([
    ['an admin, of billing', holder(admin), custom('billing.manage'), 'billing.manage'],
    ['an owner, of everything', holder(owner), allOfThem, undefined],
    ['who manages members, of the same', holder(manager), manager, undefined],
    ['who manages members, of more', holder(manager), readingManager, 'messages.view'],
  ])('a custom role: %s', (_, caller, role, lacks) => {
    expect(lacksFor(caller, role)).toBe(lacks);
  });
});

describe('the last owner', () => {
  const owners = (...statuses: MemberStatus[]) =>
    statuses.map((status, index) => ({ id: String(index), status }));
  test.each<[string, MemberStatus[], string, boolean]>([
    ['the only one', ['active'], '0', true],
    ['one of two', ['active', 'active'], '0', false],
    ['the only active one beside an invited one', ['active', 'invited'], '0', true],
    ['an invited one beside an active one', ['active', 'invited'], '1', false],
    ['the only one, invited', ['invited'], '0', true],
    ['one of two invited ones', ['invited', 'invited'], '1', false],
    ['somebody else', ['active'], 'other', false],
    ['somebody where there is none', [], '0', false],
  ])('%s', (_, statuses, id, expected) => {
    expect(isLastOwner(owners(...statuses), id)).toBe(expected);
  });
});

describe('projects of a member', () => {
  const { owner, member } = systemRoles;
  const all = { allProjects: true, projectIds: [] };
  const some = { allProjects: false, projectIds: ['a'] };
  test.each<[string, Parameters<typeof grantOf>, object]>([
    ['all where nothing is said', [{}, null, member], all],
    ['some', [{ allProjects: false, projectIds: ['a'] }, null, member], some],
    ['some need naming', [{ allProjects: false }, null, member], { path: 'project_ids' }],
    ['some are not none', [{ allProjects: false, projectIds: [] }, null, member], { path: 'project_ids' }],
    ['all are not some', [{ projectIds: ['a'] }, null, member], { path: 'project_ids' }],
    ['all, with no names', [{ allProjects: true, projectIds: [] }, some, member], all],
    ['as before where nothing is said', [{}, some, member], some],
    ['others than before', [{ projectIds: ['b'] }, some, member], { ...some, projectIds: ['b'] }],
    ['all instead of some', [{ allProjects: true }, some, member], all],
    ['some instead of all need naming', [{ allProjects: false }, all, member], { path: 'project_ids' }],
    ['an owner has all', [{ allProjects: false, projectIds: ['a'] }, null, owner], { path: 'all_projects' }],
    ['who becomes an owner gets all only by saying so', [{}, some, owner], { path: 'all_projects' }],
    ['who becomes an owner and gets all', [{ allProjects: true }, some, owner], all],
  ])('%s', (_, args, expected) => {
    expect(grantOf(...args)).toMatchObject(expected);
  });
});

test('names of roles are the same however they are typed', () => {
  expect(new Set(['Büro', 'BÜRO', 'Bu\u0308ro', 'ｂüro'].map(roleNameKey)).size).toBe(1);
});
