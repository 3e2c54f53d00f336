// Campaigns over HTTP once they are sent: their recipients and the links that were followed.
import { z } from 'zod';
import type { AudienceContext } from '#src/audience/context.ts';
import type { Caller } from '#src/kernel/access.ts';
import { CSV_TYPE, csvFile, csvQuery } from '#src/kernel/csv-file.ts';
import { AppError } from '#src/kernel/errors.ts';
import { decodeCursor, encodeCursor, listOf, listQuery } from '#src/kernel/list.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { campaignOf } from './change.ts';
import { exportRecipients, recipientPage, recipientSchema, recipientState } from './results.ts';
import { campaignResultsStore } from './results-store.ts';
import { campaignParams, ONE, requireWhole, shared } from './routes.ts';

const EXPORTS_PER_MINUTE = 10;

/** Recipients are people's mail. */
const requireView = (caller: Caller): void => {
  requireWhole(caller);
  if (caller.permissions.has('messages.view')) return;
  throw new AppError('forbidden', say`The recipients of a campaign need a permission of their own.`, {
    extra: { permission: 'messages.view' },
  });
};

export const campaignResultRoutes = ({ files, clock }: AudienceContext): Route[] => {
  const limit = createRateCheck(
    clock,
    () => perMinute(EXPORTS_PER_MINUTE),
    say`Recipients are exported ${EXPORTS_PER_MINUTE} times a minute at most.`,
  );
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: `${ONE}/recipients`,
      id: 'listCampaignRecipients',
      summary: 'Recipients of a campaign, by what happened to them',
      description:
        'With `messages.view`. In the order of their hand-over. A page may have fewer than `limit`, even none, while `next_cursor` is set.',
      params: campaignParams,
      query: z.strictObject({ ...listQuery, state: recipientState }),
      responses: { 200: { description: 'The recipients.', body: listOf(recipientSchema) } },
      errors: ['forbidden', 'not_found'],
      handle: async ({ params, query }, { caller }) => {
        requireView(caller);
        const after = decodeCursor(query.cursor) ?? 0;
        const { data, next } = await files.read(params.id, (db) => {
          const { seq } = campaignOf(db, params.campaignID);
          return recipientPage(db, seq, query.state, after, query.limit);
        });
        return { status: 200, body: { data, next_cursor: next === null ? null : encodeCursor(next) } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: `${ONE}/recipients/export`,
      id: 'exportCampaignRecipients',
      summary: 'Recipients of a campaign as a file',
      description:
        'With `messages.view`. Cells that a spreadsheet program would run as a formula are led by an apostrophe.',
      params: campaignParams,
      query: z.strictObject({ state: recipientState, ...csvQuery }),
      responses: { 200: { description: 'CSV with a head line.', body: CSV_TYPE } },
      errors: ['forbidden', 'not_found', 'rate_limited'],
      handle: async ({ params, query }, request) => {
        requireView(request.caller);
        limit(params.id);
        const { seq } = await files.read(params.id, (db) => campaignOf(db, params.campaignID));
        const reading = { files, tenantId: params.id, request, language: query.language };
        return csvFile('recipients.csv', exportRecipients(reading, seq, query.state, requireView));
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: `${ONE}/links`,
      id: 'listCampaignLinks',
      summary: 'Links of a campaign that people followed',
      params: campaignParams,
      responses: {
        200: {
          description: 'Those with the most people first; machines are not counted.',
          body: z
            .strictObject({
              data: z.array(z.strictObject({ url: z.string(), clicks: z.int(), recipients: z.int() })),
            })
            .meta({ id: 'CampaignLinks' }),
        },
      },
      errors: ['forbidden', 'not_found'],
      handle: async ({ params }, { caller }) => {
        requireWhole(caller);
        const data = await files.read(params.id, (db) =>
          campaignResultsStore(db).links(campaignOf(db, params.campaignID).seq),
        );
        return { status: 200, body: { data } };
      },
    }),
  ];
};
