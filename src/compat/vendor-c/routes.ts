// Sending in vendor C's form: all messages of a request are accepted, or none is.
import { replayHeaders } from '#src/intake/http-send.ts';
import type { IntakeContext } from '#src/intake/intake-context.ts';
import type { SendAnswer } from '#src/intake/schema.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { defineRoute, type ForeignShape, type Route } from '#src/kernel/route.ts';
import { sendingRoute, sendTranslatedBatch } from '../sending.ts';
import { type Mail, mailSchema, translator } from './mail.ts';

export const vendorCRoutes = (intake: IntakeContext, shape: ForeignShape): Route[] => [
  defineRoute({
    ...sendingRoute,
    shape,
    tag: 'Compatibility: vendor C shape',
    path: `${shape.base}/mail/send`,
    id: 'vendorcSend',
    summary: `Send up to ${defaultLimits.batch} messages, one for each personalization`,
    body: mailSchema,
    responses: {
      200: { description: 'It would be sent; nothing is kept (`sandbox_mode`).' },
      202: {
        description: 'It is on the disk and will be sent; X-Message-Id is the id of the first message.',
      },
    },
    handle: async ({ body }, context) => {
      const toNative = translator(body);
      const items = body.personalizations.map((one): Mail => ({ ...body, personalizations: [one] }));
      const isTrial = body.mail_settings?.sandbox_mode?.enable === true;
      const { body: answers, replayed } = await sendTranslatedBatch(intake, 'vendor-c', items, context, {
        isAtomic: true,
        isTrial,
        toNative: (item) => toNative(item as Mail),
      });
      if (isTrial) return { status: 200 };
      const [first] = answers as readonly SendAnswer[];
      return { status: 202, headers: { 'X-Message-Id': first?.id ?? '', ...replayHeaders(replayed) } };
    },
  }),
];
