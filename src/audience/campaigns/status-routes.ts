// What people do with a campaign, over HTTP. What is refused for all of its recipients is refused here already.
import type { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import { SEND_ERRORS } from '#src/intake/accept.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { campaignOf } from './change.ts';
import { type StatusChange, withStatus } from './change-status.ts';
import { storedCampaign } from './preview.ts';
import { campaignSchema, presentCampaign } from './record.ts';
import { campaignParams, ONE, requireSending, requireWhole, shared } from './routes.ts';
import { scheduleBody, scheduleOf } from './schema.ts';
import { campaignStore } from './store.ts';
import { type CampaignContext, requireReady } from './try.ts';

export const statusRoutes = (context: CampaignContext): Route[] => {
  const { files, clock, hold, wake } = context;

  const change = async (
    { id, campaignID }: z.output<typeof campaignParams>,
    { caller, change: by, speak }: RequestContext,
    { verb, schedule }: Pick<StatusChange, 'verb' | 'schedule'>,
  ) => {
    requireWhole(caller);
    if (verb !== 'pause' && verb !== 'cancel') requireSending(caller);
    if (verb === 'send' || verb === 'schedule') await requireReady(context, id, storedCampaign(campaignID));
    const release = await hold(id);
    try {
      const body = await files.write(id, (db) => {
        const now = clock.now();
        const before = campaignOf(db, campaignID);
        const after = withStatus(db, before, {
          verb,
          ...(schedule && { schedule }),
          identity: files.identify(id),
          now,
        });
        campaignStore(db).update(after);
        const shown = ({ status, reason, schedule_at, time_zone }: typeof before) => ({
          status,
          reason,
          schedule_at,
          time_zone,
        });
        const entry = {
          target: { type: 'campaign', id: campaignID },
          before: shown(before),
          after: shown(after),
        };
        auditStore(db).record(by, entry, now);
        return presentCampaign(db, after, speak);
      });
      return { status: 200, body };
    } finally {
      release();
      wake(id);
    }
  };

  const one = {
    ...shared,
    method: 'post',
    params: campaignParams,
    responses: { 200: { description: 'The campaign as it is now.', body: campaignSchema } },
  } as const;
  const sending = [
    ...new Set([
      'not_found',
      'conflict',
      'forbidden',
      ...SEND_ERRORS,
      'no_recipients',
      'rate_limited',
    ] as const),
  ];
  const changing = ['not_found', 'conflict', 'forbidden'] as const;
  return [
    defineRoute({
      ...one,
      path: `${ONE}/send`,
      id: 'sendCampaign',
      summary: 'Send a campaign now',
      description:
        'To each person on its lists once, who is active and has consented by then. What every message of it would be refused with is the answer already, as is a pause of the practice and its safe mode, and that it would reach no one (`no_recipients`); what comes up while it is sent and passes later (warm-up, plan, such a pause) makes it wait, and `waiting` says until when. Needs `messages.send` besides.',
      audit: 'campaign.send',
      errors: sending,
      handle: ({ params }, request) => change(params, request, { verb: 'send' }),
    }),
    defineRoute({
      ...one,
      path: `${ONE}/schedule`,
      id: 'scheduleCampaign',
      summary: 'Schedule a campaign',
      description:
        'It is sent at that time by itself. `PATCH` with `schedule_at: null` makes it a draft again. Needs `messages.send` besides.',
      audit: 'campaign.schedule',
      body: scheduleBody,
      errors: sending,
      handle: ({ params, body }, request) =>
        change(params, request, { verb: 'schedule', schedule: scheduleOf(body, clock.now()) }),
    }),
    defineRoute({
      ...one,
      path: `${ONE}/pause`,
      id: 'pauseCampaign',
      summary: 'Pause a campaign',
      description:
        'No one is handed over any more; messages that are queued already (`counts.queued`) still leave, unless it is cancelled.',
      audit: 'campaign.pause',
      errors: changing,
      handle: ({ params }, request) => change(params, request, { verb: 'pause' }),
    }),
    defineRoute({
      ...one,
      path: `${ONE}/resume`,
      id: 'resumeCampaign',
      summary: 'Resume a campaign',
      description:
        'It goes on with the next person; no one gets it twice. Also after it has paused itself: what it counted until now no longer stops it. Needs `messages.send` besides.',
      audit: 'campaign.resume',
      errors: changing,
      handle: ({ params }, request) => change(params, request, { verb: 'resume' }),
    }),
    defineRoute({
      ...one,
      path: `${ONE}/cancel`,
      id: 'cancelCampaign',
      summary: 'Cancel a campaign',
      description:
        'For good, also once it is `sent` as long as messages of it are queued. These are taken out of the queue within seconds and become `failed`; only what is under way still leaves.',
      audit: 'campaign.cancel',
      errors: changing,
      handle: ({ params }, request) => change(params, request, { verb: 'cancel' }),
    }),
  ];
};
