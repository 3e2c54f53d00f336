// The link of an invitation: for programs (accept and be signed in), and as a page for people in the languages of the
// service. Opening the link changes nothing, because mail scanners open it too; accepting takes a POST. The page signs
// no one in: any site can post a form with an invitation of its own, and would sign its victim in to that account.
import { z } from 'zod';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, HTML_TYPE, page } from '#src/kernel/page.ts';
import { defineRoute, type RequestContext, type Route, type RouteResult } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { acceptInvitation, type Membership, viewInvitation } from './joining.ts';
import type { PeopleDeps } from './members.ts';
import { sessionAnswerSchema } from './session-schema.ts';
import type { Sessions } from './sessions.ts';
import { wordsIn } from './words.ts';

export interface PagePlace {
  readonly language: Language;
  readonly serviceName: string;
  /** The address at which people sign in. */
  readonly origin: string;
}

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

/** A link to the dashboard, or to a practice in it. */
const link = ({ language, serviceName, origin }: PagePlace, practice?: string): string =>
  `<p><a href="${escapeHtml(dashboardLink(origin, practice === undefined ? 'app' : { practice, page: 'start' }))}">${escapeHtml(wordsIn(language).invitation.signIn(serviceName))}</a></p>`;

/** Programs that open links press no button, so accepting takes one. The form posts to the address of the page. */
export const invitationPage = (place: PagePlace, { practice, row }: Membership): RouteResult => {
  const { invited, invitedText, accept, ignore } = wordsIn(place.language).invitation;
  const form = `<form method="post"><button type="submit">${escapeHtml(accept)}</button></form>`;
  const body = `${paragraph(invitedText(practice.name, row.email))}\n${form}\n<p class="note">${escapeHtml(ignore)}</p>`;
  return page({ ...place, title: invited, body });
};

export const acceptedPage = (place: PagePlace, { practice, row }: Membership): RouteResult => {
  const { accepted, acceptedText } = wordsIn(place.language).invitation;
  const body = `${paragraph(acceptedText(practice.name, row.email))}\n${link(place, practice.id)}`;
  return page({ ...place, title: accepted, body });
};

export const goneInvitationPage = (place: PagePlace): RouteResult => {
  const { gone, goneText } = wordsIn(place.language).invitation;
  return page({ ...place, status: 404, title: gone, body: `${paragraph(goneText)}\n${link(place)}` });
};

export interface InvitationDeps extends PeopleDeps {
  readonly sessions: Pick<Sessions, 'issue' | 'endBrought' | 'answer'>;
  readonly serviceName: string;
  /** The origin has no slash at its end. */
  readonly origin: string;
}

const acceptBody = z
  .strictObject({ token: z.string().max(200).describe('of the link in the mail') })
  .meta({ examples: [{ token: 'svc_inv_0000' }] });
const pageParams = z.strictObject({ token: z.string().meta({ examples: ['svc_inv_0000'] }) });
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
      id: 'acceptInvitation',
      usedBy: 'programs that sign members in by themselves',
      summary: 'Accept an invitation and sign in',
      description: 'The token shows that the mailbox is yours, as a one-time code does.',
      access: 'public',
      rate: 'sign_in',
      audit: 'member.accept',
      stability: 'stable',
      body: acceptBody,
      responses: { 200: { description: 'The session.', body: sessionAnswerSchema } },
      errors: ['not_found'],
      handle: async ({ body }, context) => {
        const accepted = await acceptInvitation(deps, body.token, context, deps.sessions);
        if (accepted !== null) return deps.sessions.answer(accepted.session);
        throw new AppError('not_found', say`The invitation is unknown, expired or used up.`, {
          hint: say`Ask to be invited again; who is a member already signs in by one-time code.`,
        });
      },
    }),
    defineRoute({
      ...pageRoute,
      method: 'get',
      id: 'getInvitationPage',
      usedBy: 'who follows the link of an invitation',
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
      id: 'acceptInvitationOnPage',
      usedBy: 'who follows the link of an invitation',
      summary: 'Accept an invitation on its page',
      rate: 'sign_in',
      audit: 'member.accept',
      responses: {
        200: { description: 'A page that says so. It signs no one in.', body: HTML_TYPE },
        404: gone,
      },
      handle: async ({ params: { token } }, context) => {
        const membership = await acceptInvitation(deps, token, context, null);
        const place = placeOf(context);
        return membership === null ? goneInvitationPage(place) : acceptedPage(place, membership);
      },
    }),
  ];
};
