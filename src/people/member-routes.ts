// Members of a practice: list, invite, change, remove; and owners by the operator's word.

import { z } from 'zod';
import {
  inviteBody,
  memberSchema,
  membershipSchema,
  ownerBody,
  patchMemberBody,
  presentMember,
  presentMembership,
} from '#src/accounts/entry/member-schema.ts';
import { memberStore } from '#src/accounts/entry/member-store.ts';
import { systemRoles } from '#src/accounts/entry/rules.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { type InviteDeps, inviteMember } from './inviting.ts';
import { acceptMembership, leavePractice } from './joining.ts';
import { makeOwner, type PeopleDeps, removeMember, roleOf, updateMember } from './members.ts';
import { accountOf } from './sessions.ts';

const memberParams = z.strictObject({ ...tenantParams.shape, memberID: idSchema });
const PATH = '/api/practices/{id}/members';
const MEMBER_PATH = `${PATH}/{memberID}`;
const shared = { tag: 'Members and roles', stability: 'stable' } as const;

const grant =
  'Only roles whose permissions the caller has, before and after; only owners deal with owners. A practice always ' +
  'keeps one owner.';

export const memberRoutes = (deps: InviteDeps): Route[] => [
  defineRoute({
    ...shared,
    method: 'get',
    path: PATH,
    id: 'listMembers',
    summary: 'Members',
    access: 'members.manage',
    params: tenantParams,
    query: z.strictObject(listQuery),
    responses: { 200: { description: 'Invited ones too.', body: listOf(memberSchema) } },
    handle: async ({ params: { id }, query }) => {
      const body = await deps.storage.tenants.read(id, (db) =>
        pageOf(memberStore(db).all(), query, (row) => presentMember(row, roleOf(db, row))),
      );
      return { status: 200, body };
    },
  }),
  defineRoute({
    ...shared,
    method: 'post',
    path: PATH,
    id: 'inviteMember',
    summary: 'Invite a member by mail',
    description: `The link in the mail is valid for seven days; inviting the address again makes a new one. ${grant}`,
    access: 'members.manage',
    audit: 'member.invite',
    params: tenantParams,
    body: inviteBody,
    responses: {
      200: { description: 'Was invited already: role and projects are as given now.', body: memberSchema },
      201: { description: 'The member, `invited`.', body: memberSchema },
    },
    errors: ['conflict', 'rate_limited'],
    handle: async ({ params: { id }, body }, context) => {
      const invited = {
        email: body.email,
        roleId: body.role_id,
        allProjects: body.all_projects,
        projectIds: body.project_ids,
        language: body.language,
      };
      const { row, role, isNew } = await inviteMember(deps, id, invited, context);
      return { status: isNew ? 201 : 200, body: presentMember(row, role) };
    },
  }),
  defineRoute({
    ...shared,
    method: 'patch',
    path: MEMBER_PATH,
    id: 'updateMember',
    summary: "Change a member's role or projects",
    description: grant,
    access: 'members.manage',
    audit: 'member.update',
    params: memberParams,
    body: patchMemberBody,
    responses: { 200: { description: 'The member; it holds from their next request.', body: memberSchema } },
    errors: ['conflict'],
    handle: async ({ params: { id, memberID }, body }, context) => {
      const patch = { roleId: body.role_id, allProjects: body.all_projects, projectIds: body.project_ids };
      const { row, role } = await updateMember(deps, id, memberID, patch, context);
      return { status: 200, body: presentMember(row, role) };
    },
  }),
  defineRoute({
    ...shared,
    method: 'delete',
    path: MEMBER_PATH,
    id: 'removeMember',
    summary: 'Remove a member',
    description: grant,
    access: 'members.manage',
    audit: 'member.remove',
    params: memberParams,
    responses: { 204: { description: 'They can no longer enter the practice.' } },
    errors: ['conflict'],
    handle: async ({ params: { id, memberID } }, context) => {
      await removeMember(deps, id, memberID, context);
      return { status: 204 };
    },
  }),
  defineRoute({
    ...shared,
    method: 'post',
    path: '/api/practices/{id}/owners',
    id: 'makeOwner',
    summary: 'Make an address an owner',
    access: 'operator',
    audit: 'member.make_owner',
    params: tenantParams,
    body: ownerBody,
    responses: {
      200: { description: 'Was a member already, and is an active owner now.', body: memberSchema },
      201: { description: 'The owner, active; a mail is sent to them.', body: memberSchema },
    },
    errors: ['conflict'],
    handle: async ({ params: { id }, body }, context) => {
      const { row, isNew } = await makeOwner(deps, id, body.email, body.language, context);
      return { status: isNew ? 201 : 200, body: presentMember(row, systemRoles.owner) };
    },
  }),
];

const OWN_PATH = '/api/auth/memberships/{practiceID}';
const own = { ...shared, access: 'session', params: z.strictObject({ practiceID: idSchema }) } as const;

/** What a person who is signed in does about their own memberships. */
export const membershipRoutes = (deps: PeopleDeps): Route[] => [
  defineRoute({
    ...own,
    method: 'post',
    path: `${OWN_PATH}/accept`,
    id: 'acceptMembership',
    summary: 'Accept an invitation',
    audit: 'member.accept',
    responses: { 200: { description: 'The practice, and who you are in it.', body: membershipSchema } },
    handle: async ({ params: { practiceID } }, { caller, change }) => {
      const { practice, row, role } = await acceptMembership(deps, accountOf(caller), practiceID, change);
      return { status: 200, body: presentMembership(practice, row, role) };
    },
  }),
  defineRoute({
    ...own,
    method: 'delete',
    path: OWN_PATH,
    id: 'leavePractice',
    summary: 'Leave a practice, or decline its invitation',
    description: 'With the last membership the account goes, and its sessions with it.',
    audit: 'member.leave',
    responses: { 204: { description: 'You can no longer enter the practice.' } },
    errors: ['conflict'],
    handle: async ({ params: { practiceID } }, { caller, change }) => {
      await leavePractice(deps, accountOf(caller), practiceID, change);
      return { status: 204 };
    },
  }),
];
