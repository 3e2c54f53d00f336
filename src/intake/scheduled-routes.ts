// Cancelling and rescheduling over HTTP.
import { z } from 'zod';
import { idSchema } from '#src/kernel/fields.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { cancelScheduled, reschedule, type ScheduledDeps } from './scheduled.ts';
import { sendAnswer } from './schema.ts';
import { scheduledAt } from './send-fields.ts';

const params = z.strictObject({ id: idSchema.describe('the practice'), messageID: idSchema });

export const scheduledRoutes = (deps: ScheduledDeps): Route[] => {
  const shared = {
    tag: 'Messages',
    access: 'messages.send',
    stability: 'stable',
    params,
  } as const;
  return [
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/messages/{messageID}/cancel',
      summary: 'Cancel a message that waits for its time',
      description:
        'While it is `pending`. It becomes `failed`, nobody gets it, and it does not count towards any cap.',
      audit: 'message.cancel',
      responses: { 200: { description: 'It is not sent.', body: sendAnswer } },
      errors: ['conflict', 'not_found', 'forbidden'],
      handle: async ({ params: { id, messageID } }, { caller, change }) => ({
        status: 200,
        body: await cancelScheduled(deps, { tenantId: id, messageId: messageID, caller, change }),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      path: '/api/practices/{id}/messages/{messageID}',
      summary: 'Give a message that waits for its time another one',
      description: 'While it is `pending`. The limits of the warm-up hold for the new day.',
      audit: 'message.reschedule',
      body: z.strictObject({
        scheduled_at: scheduledAt.describe('at most 30 days ahead; a time that has passed means at once'),
      }),
      responses: { 200: { description: 'It leaves at that time.', body: sendAnswer } },
      errors: ['conflict', 'not_found', 'forbidden', 'warmup_not_ready', 'warmup_cap_reached'],
      handle: async ({ params: { id, messageID }, body }, { caller, change }) => ({
        status: 200,
        body: await reschedule(
          deps,
          { tenantId: id, messageId: messageID, caller, change },
          Date.parse(body.scheduled_at),
        ),
      }),
    }),
  ];
};
