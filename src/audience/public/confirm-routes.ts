// The link of a confirmation mail. GET confirms in one click, but where the list wants two steps, and
// not for what is plainly a machine: then the page has a button. POST is that button, and that of "No, thanks".
import { z } from 'zod';
import type { AudienceContext } from '#src/audience/context.ts';
import { linkedPage } from '#src/kernel/page.ts';
import { defineRoute, type RequestContext, type Route, type RouteResult } from '#src/kernel/route.ts';
import { CONFIRM_PATH, decodeConfirmToken } from '#src/mail/copy-links.ts';
import { answerRequest, lookAtRequest } from './confirm.ts';
import { confirmPage, unknownConfirmPage } from './pages.ts';
import { namedBy, visitorOf } from './visitor.ts';

/** Unknown ones are ignored: mail programs and click counters add theirs. */
const query = z.object({
  token: z
    .string()
    .optional()
    .describe('of the link in the mail')
    .meta({ examples: ['AbCdEf'] }),
  do: z.enum(['decline']).optional().catch(undefined).describe('`decline`: no, thanks'),
});
type Query = z.output<typeof query>;

export const confirmRoutes = (context: AudienceContext): Route[] => {
  const { files, clock, linkKey, config } = context;
  const serviceName = config().service.name;

  /** `way`: of the answer; null: the page is only shown. */
  const respond = async (
    { token = '', do: what }: Query,
    request: RequestContext,
    wayFor: (visitor: ReturnType<typeof visitorOf>) => 'link' | 'button' | null,
  ): Promise<RouteResult> => {
    const named = namedBy(context, decodeConfirmToken(linkKey, token));
    const unknown = () => unknownConfirmPage(request.language, serviceName);
    if (named === null) return unknown();
    const { tenantId, row: requestSeq } = named;
    const link = { token, requestSeq };
    const now = clock.now();
    const before = await files.read(tenantId, (db) => lookAtRequest(db, context, link, now));
    if (before === null) return unknown();
    const visitor = visitorOf(request);
    const way = wayFor(visitor);
    const isDone =
      way === null || (way === 'link' && (before.list.two_steps === 1 || before.state !== 'asked'));
    const view = isDone
      ? before
      : await files.write(tenantId, (db) =>
          answerRequest(db, context, link, { way, declines: what === 'decline', visitor }, now),
        );
    if (view === null) return unknown();
    const language = request.namedLanguage ?? view.list.language;
    return confirmPage(language, serviceName, `${CONFIRM_PATH}?token=${token}`, view);
  };

  const shared = {
    ...linkedPage,
    path: CONFIRM_PATH,
    tag: 'Lists',
    query,
  } as const;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      id: 'confirmSubscription',
      usedBy: 'who follows the link of a confirmation mail',
      summary: 'The link of a confirmation mail',
      description:
        'Confirms the subscription at once; called again, it changes nothing. It changes nothing either, and shows a page with a button, where the list asks for two steps, for HEAD, for what a browser loads ahead (`Sec-Purpose`), and for known machines. The link works for seven days.',
      handle: ({ query: given }: { query: Query }, request) =>
        respond({ ...given, do: undefined }, request, ({ machine }) => (machine === null ? 'link' : null)),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      id: 'answerConfirmation',
      usedBy: 'who follows the link of a confirmation mail',
      summary: 'Confirm a subscription, or decline it',
      description: 'The buttons of the page. Whatever the body is, the link alone counts.',
      audit: { none: 'the person concerned decides; the consent ledger is the record' },
      handle: ({ query: given }: { query: Query }, request) => respond(given, request, () => 'button'),
    }),
  ];
};
