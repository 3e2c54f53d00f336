// The page of a person's lists. Its link is the one to unsubscribe, at another path, so that every mail leads to it.
import { z } from 'zod';
import type { AudienceContext } from '#src/audience/context.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { trackingText } from '#src/audience/subscribers/tracking.ts';
import { unknownLinkPage } from '#src/feedback/unsubscribe/page.ts';
import { mailLinkQuery } from '#src/kernel/fields.ts';
import { HTML_TYPE, linkedPage } from '#src/kernel/page.ts';
import { defineRoute, type RequestContext, type Route, type RouteResult } from '#src/kernel/route.ts';
import { decodeUnsubscribeToken, PREFERENCES_PATH, UNSUBSCRIBE_PATH } from '#src/mail/copy-links.ts';
import { decideTracking, leaveLists, lookAtPreferences, type PreferencesView } from './preferences.ts';
import { preferencesPage } from './preferences-page.ts';
import { namedBy, visitorOf } from './visitor.ts';

const query = mailLinkQuery.extend({
  do: z
    .enum(['all', 'object', 'agree'])
    .optional()
    .catch(undefined)
    .describe(
      '`all`: leave all lists; `object`: opens and clicks are recorded no more; `agree`: they may be',
    ),
});
type Query = z.output<typeof query>;

/** One field for each list that the person leaves, named by its id. */
const body = z
  .record(z.string().max(100), z.string().max(100))
  .optional()
  .meta({ examples: [{ '0198c5b2-6c9e-7d21-9f6f-3a1d5b0e7c44': 'leave' }] });

export const preferencesRoutes = (context: AudienceContext): Route[] => {
  const { files, clock, config, feedback } = context;
  const serviceName = config().service.name;

  const respond = async (
    t: string,
    { namedLanguage, language }: RequestContext,
    find: (tenantId: string, recipientId: number) => Promise<PreferencesView | null>,
    chose: boolean,
  ): Promise<RouteResult> => {
    const named = namedBy(context, decodeUnsubscribeToken(feedback.unsubscribeKey, t));
    const view = named && (await find(named.tenantId, named.row));
    if (view === null) return unknownLinkPage(language, serviceName);
    const links = { preferences: `${PREFERENCES_PATH}?t=${t}`, unsubscribe: `${UNSUBSCRIBE_PATH}?t=${t}` };
    const shown = namedLanguage ?? [...view.lists, ...view.left][0]?.language ?? language;
    return preferencesPage(shown, serviceName, view, links, chose);
  };
  const look = (tenantId: string, recipientId: number) =>
    files.read(tenantId, (db) => lookAtPreferences(db, context, recipientId));

  const shared = { ...linkedPage, path: PREFERENCES_PATH, tag: 'Lists', query } as const;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      id: 'getPreferencesPage',
      usedBy: 'who follows the preferences link of a mail',
      summary: 'The page with the lists of a sender that a person is on',
      description:
        'Its link is that of a mail to unsubscribe, at this path. Changes nothing: machines follow links too.',
      handle: ({ query: { t = '' } }: { query: Query }, request) => respond(t, request, look, true),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      id: 'updatePreferences',
      usedBy: 'who follows the preferences link of a mail',
      summary: 'Leave some lists of a sender, or all, object to tracking, or agree to it',
      description: 'The buttons of the page: it names each list that the person leaves as a field.',
      audit: { none: 'the person concerned decides; the consent ledger is the record' },
      form: true,
      body,
      responses: {
        ...linkedPage.responses,
        400: { description: 'The page again: no list was chosen.', body: HTML_TYPE },
      },
      handle: ({ query: { t = '', do: what }, body: chosen = {} }, request) => {
        if (what === 'object' || what === 'agree') {
          const { namedLanguage, language } = request;
          const shown = (lists: readonly ListRow[]) => namedLanguage ?? lists[0]?.language ?? language;
          return respond(
            t,
            request,
            (tenantId, recipientId) =>
              files.write(tenantId, (db) =>
                decideTracking(
                  db,
                  context,
                  recipientId,
                  { agrees: what === 'agree', shown: (lists) => trackingText(db, shown(lists)) },
                  visitorOf(request),
                  clock.now(),
                ),
              ),
            true,
          );
        }
        const isAll = what === 'all';
        if (!isAll && Object.keys(chosen).length === 0) return respond(t, request, look, false);
        return respond(
          t,
          request,
          (tenantId, recipientId) =>
            files.write(tenantId, (db) =>
              leaveLists(
                db,
                context,
                recipientId,
                ({ id }) => isAll || Object.hasOwn(chosen, id),
                visitorOf(request),
                clock.now(),
              ),
            ),
          true,
        );
      },
    }),
  ];
};
