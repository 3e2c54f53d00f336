// What someone who is signed in does about their own memberships: accept an invitation, leave a practice.
import { z } from 'zod';
import { idSchema } from '#src/kernel/fields.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { acceptMembership, leavePractice } from './joining.ts';
import { membershipSchema, presentMembership } from './member-schema.ts';
import type { MemberDeps } from './members.ts';
import { accountOf } from './sessions.ts';

const params = z.strictObject({ practiceID: idSchema });
const PATH = '/api/auth/memberships/{practiceID}';
const shared = { tag: 'Members and roles', access: 'session', stability: 'stable', params } as const;

export const membershipRoutes = (deps: MemberDeps): Route[] => [
  defineRoute({
    ...shared,
    method: 'post',
    path: `${PATH}/accept`,
    summary: 'Accept an invitation',
    audit: 'member.accept',
    responses: { 200: { description: 'The practice, and who you are in it.', body: membershipSchema } },
    handle: async ({ params: { practiceID } }, { caller, change }) => {
      const { practice, row, role } = await acceptMembership(deps, accountOf(caller), practiceID, change);
      return { status: 200, body: presentMembership(practice, row, role) };
    },
  }),
  defineRoute({
    ...shared,
    method: 'delete',
    path: PATH,
    summary: 'Leave a practice, or decline its invitation',
    description: 'With the last membership the account goes, and its sessions with it.',
    audit: 'member.leave',
    responses: { 204: { description: 'You have no business there any more.' } },
    errors: ['conflict'],
    handle: async ({ params: { practiceID } }, { caller, change }) => {
      await leavePractice(deps, accountOf(caller), practiceID, change);
      return { status: 204 };
    },
  }),
];
