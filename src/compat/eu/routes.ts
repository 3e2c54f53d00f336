// The EU generic shape: the native body and answer of a send, at paths of its own, and what its clients ask about a message.
import { z } from 'zod';
import { batchItem } from '#src/intake/bulk-schema.ts';
import { acceptedResult, replayHeaders, senderOf } from '#src/intake/http-send.ts';
import type { IntakeContext } from '#src/intake/intake-context.ts';
import { sendAnswer, sendBody } from '#src/intake/schema.ts';
import { sendFields } from '#src/intake/send-fields.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { asItComes, idSchema } from '#src/kernel/fields.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { defineRoute, type ForeignShape, type Route } from '#src/kernel/route.ts';
import { presentMessage, visibleMessage } from '#src/messages/present.ts';
import { known, knownEach, withoutParameters, withoutSpace } from '../known-fields.ts';
import { sendingRoute, sendTranslated, sendTranslatedBatch } from '../sending.ts';
import { euMessage, presentEuMessage } from './message.ts';

const example = {
  to: 'erika@example.org',
  subject: 'Ihre Unterlagen liegen bereit',
  text: 'Guten Tag Frau Muster, Ihre Unterlagen liegen am Empfang für Sie bereit.',
};

const names = Object.keys(sendFields);
const attachmentNames = ['filename', 'content', 'content_type', 'content_id'];
const settingNames = ['track_opens', 'track_clicks', 'plain_text_fallback'];

const toNative = (given: unknown): unknown =>
  known(given, names, {
    attachments: (list) =>
      knownEach(list, attachmentNames, { content: withoutSpace, content_type: withoutParameters }),
    settings: (settings) => known(settings, settingNames),
  });

export const euRoutes = (
  intake: IntakeContext,
  files: Pick<TenantFiles, 'read'>,
  shape: ForeignShape,
): Route[] => {
  const ofShape = { shape, tag: 'Compatibility: EU shape', stability: 'stable' } as const;
  const shared = { ...sendingRoute, ...ofShape } as const;
  return [
    defineRoute({
      ...ofShape,
      method: 'get',
      path: `${shape.base}/ping`,
      id: 'euPing',
      summary: 'Whether the service answers and the token is right',
      access: 'authenticated',
      responses: { 200: { description: 'It is.', body: 'text/plain' } },
      handle: () => ({ status: 200, contentType: 'text/plain; charset=utf-8', body: 'pong' }),
    }),
    defineRoute({
      ...ofShape,
      method: 'get',
      path: `${shape.base}/messages/{messageID}`,
      id: 'euGetMessage',
      summary: 'One message',
      access: 'messages.view',
      params: z.strictObject({ messageID: idSchema }),
      responses: { 200: { description: 'The message in the form of this shape.', body: euMessage } },
      handle: async ({ params }, context) => ({
        status: 200,
        body: await files.read(senderOf(context).tenantId, (db) =>
          presentEuMessage(
            presentMessage(db, visibleMessage(db, params.messageID, context.caller), context.caller),
          ),
        ),
      }),
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/send`,
      id: 'euSend',
      summary: 'Send a message',
      description: 'The body of a native send; fields that it does not have are ignored.',
      body: asItComes(sendBody, { examples: [example] }),
      responses: { 202: { description: 'It is on the disk and will be sent.', body: sendAnswer } },
      handle: async ({ body }, context) =>
        acceptedResult(await sendTranslated(intake, 'eu', toNative(body), context), context.answerLanguage),
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/send/batch`,
      id: 'euSendBatch',
      summary: `Send up to ${defaultLimits.batch} messages`,
      description:
        'An array of bodies as of a single send, each answered in its place as in the native batch.',
      body: z
        .array(asItComes(sendBody))
        .max(defaultLimits.batch)
        .meta({ examples: [[example]] }),
      responses: {
        202: { description: 'At least one was accepted.', body: z.array(batchItem) },
        422: { description: 'None was accepted.', body: z.array(batchItem) },
      },
      handle: async ({ body }, context) => {
        const {
          status,
          body: items,
          replayed,
        } = await sendTranslatedBatch(intake, 'eu', body.map(toNative), context);
        return { status, body: items, headers: replayHeaders(replayed) };
      },
    }),
  ];
};
