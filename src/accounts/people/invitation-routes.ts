// The link of an invitation: for programs (accept and be signed in), and as a page for people. Following the link
// changes nothing, for mail scanners do so too; accepting takes a POST. The page signs nobody in: a form can be posted
// from any site and with the invitation of whoever made it, and would sign its victim in as them.
import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import { HTML_TYPE } from '#src/kernel/page.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { acceptedPage, goneInvitationPage, invitationPage, type PagePlace } from './invitation-page.ts';
import { acceptInvitation, viewInvitation } from './joining.ts';
import type { MemberDeps } from './members.ts';
import { type Sessions, sessionAnswerSchema } from './sessions.ts';

export interface InvitationDeps extends MemberDeps {
  readonly sessions: Pick<Sessions, 'issue' | 'answer'>;
  readonly serviceName: string;
  /** Without a slash at its end. */
  readonly origin: string;
}

const acceptBody = z.strictObject({ token: z.string().max(200).describe('of the link in the mail') });
const pageParams = z.strictObject({ token: z.string() });
const PAGE_PATH = '/invitation/{token}';
const pageRoute = {
  path: PAGE_PATH,
  tag: 'Public pages',
  access: 'public',
  stability: 'stable',
  params: pageParams,
} as const;
const gone = { description: 'The invitation is no longer valid.', body: HTML_TYPE };

export const invitationRoutes = (deps: InvitationDeps): Route[] => {
  const placeOf = ({ language }: RequestContext): PagePlace => ({
    language,
    serviceName: deps.serviceName,
    origin: deps.origin,
  });
  return [
    defineRoute({
      method: 'post',
      path: '/api/auth/accept-invitation',
      tag: 'Sign-in',
      summary: 'Accept an invitation and sign in',
      description: 'The token shows that the mailbox is yours, as a one-time code does.',
      access: 'public',
      rate: 'sign_in',
      audit: 'member.accept',
      stability: 'stable',
      body: acceptBody,
      responses: { 200: { description: 'The session.', body: sessionAnswerSchema } },
      errors: ['not_found'],
      handle: async ({ body }, { change }) => {
        const accepted = await acceptInvitation(deps, body.token, change, deps.sessions);
        if (accepted !== null) return deps.sessions.answer(accepted.session);
        throw new AppError('not_found', 'The invitation is unknown, expired or used up.', {
          hint: 'Ask to be invited again; who is a member already signs in by one-time code.',
        });
      },
    }),
    defineRoute({
      ...pageRoute,
      method: 'get',
      summary: 'The page of an invitation',
      responses: { 200: { description: 'The page, with a button to accept.', body: HTML_TYPE }, 404: gone },
      handle: async ({ params: { token } }, context) => {
        const membership = await viewInvitation(deps, token);
        const place = placeOf(context);
        return membership === null ? goneInvitationPage(place) : invitationPage(place, membership);
      },
    }),
    defineRoute({
      ...pageRoute,
      method: 'post',
      summary: 'Accept an invitation on its page',
      rate: 'sign_in',
      audit: 'member.accept',
      responses: {
        200: { description: 'A page that says so. It signs nobody in.', body: HTML_TYPE },
        404: gone,
      },
      handle: async ({ params: { token } }, context) => {
        const membership = await acceptInvitation(deps, token, context.change, null);
        const place = placeOf(context);
        return membership === null ? goneInvitationPage(place) : acceptedPage(place, membership);
      },
    }),
  ];
};
