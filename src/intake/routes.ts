// Sending over HTTP: single messages, batch, templated bulk, score, and messages that wait for their time.
import { z } from 'zod';
import { asItComes, idSchema } from '#src/kernel/fields.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { defineRoute, type RequestContext, type Route, type RouteResult } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { unfit } from '#src/kernel/validate.ts';
import { SEND_ERRORS } from './accept.ts';
import { sendBatch } from './batch.ts';
import { CONCERNS_ALL, sendBulk } from './bulk.ts';
import { type BulkBody, batchItem, bulkAnswer, bulkBody, bulkRefusal, flatQuery } from './bulk-schema.ts';
import { gateErrors } from './gates.ts';
import { acceptedResult, keyHeaders, keyOf, replayHeaders, senderOf, sendOne } from './http-send.ts';
import type { IntakeContext } from './intake-context.ts';
import type { Answered } from './many.ts';
import { cancelScheduled, DEPENDS_ON_TIME, reschedule } from './scheduled.ts';
import { type SendBody, sendAnswer, sendBody } from './schema.ts';
import { score, scoreAnswer } from './score.ts';
import { FILE_FIELDS, sendFields } from './send-fields.ts';
import { draftOf } from './templates/resolve.ts';

/** 30 MiB of attachments are 40 MiB of base64, and the texts beside them. */
const BODY_LIMIT_BYTES = defaultLimits.body_bytes;

const resultOf = ({ status, body, replayed }: Answered): RouteResult => ({
  status,
  body,
  headers: replayHeaders(replayed),
});

const send = async (intake: IntakeContext, body: SendBody, context: RequestContext): Promise<RouteResult> =>
  acceptedResult(await sendOne(intake, 'api', body, context), context.answerLanguage);

const practiceParams = z.strictObject({ id: idSchema.describe('the practice') });

const sending = {
  method: 'post',
  tag: 'Send',
  access: 'messages.send',
  audit: { none: 'a message is its own record' },
  stability: 'stable',
  headers: keyHeaders,
  bodyLimit: BODY_LIMIT_BYTES,
} as const;

const singleRoutes = (intake: IntakeContext): Route[] => {
  const single = {
    ...sending,
    body: sendBody,
    fileFields: FILE_FIELDS,
    responses: { 202: { description: 'It is on the disk and will be sent.', body: sendAnswer } },
    errors: SEND_ERRORS,
  } as const;
  return [
    defineRoute({
      ...single,
      path: '/api/practices/{id}/send',
      id: 'sendMessage',
      summary: 'Send a message',
      params: practiceParams,
      handle: ({ body }, context) => send(intake, body, context),
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/send/score',
      tag: 'Send',
      id: 'scoreMessage',
      summary: 'Rate a message without sending it',
      description:
        'Takes the body of a send. Rules and scanners look at its content and all gates say what they would; nothing is stored, no idempotency key is looked at. Words are German or English by Accept-Language.',
      access: 'messages.send',
      audit: { none: 'nothing is stored' },
      stability: 'stable',
      params: practiceParams,
      body: sendBody,
      bodyLimit: BODY_LIMIT_BYTES,
      responses: { 200: { description: 'What would become of it.', body: scoreAnswer } },
      errors: ['invalid_recipient', 'conflict', 'not_found', 'forbidden'],
      handle: async ({ body }, context) => {
        const { tenantId, tokenId, projects } = senderOf(context);
        const candidate = {
          source: 'api',
          tokenId,
          projects,
          projectId: body.project_id ?? null,
          draft: draftOf(body),
        } as const;
        return { status: 200, body: await score(intake, tenantId, candidate, context) };
      },
    }),
    defineRoute({
      ...single,
      path: '/api/emails',
      id: 'sendEmail',
      usedBy: 'programs whose token, or project, names the practice',
      summary: 'Send a message; the practice is that of the token, or of the project',
      query: flatQuery,
      handle: ({ body, query }, context) =>
        send(intake, { ...body, project_id: body.project_id ?? query.project_id }, context),
    }),
  ];
};

/** The codes of a request for many messages; each message is refused in its own place of the answer. */
const WHOLE_ERRORS = ['idempotency_in_progress', 'idempotency_conflict'] as const;

const manyRoutes = (intake: IntakeContext): Route[] => {
  const bulk = {
    ...sending,
    description:
      'One message a recipient, each with its own values in it and its own way to unsubscribe. Placeholders are `{{name}}`, values are escaped in HTML. An entry that lacks a value or has a malformed address is refused in its place of the answer, the others are sent. Rules look at each message, scanners at the first. Attachments cannot be sent so.',
    responses: {
      202: {
        description: 'One result a recipient, in their order; at least one was accepted.',
        body: bulkAnswer,
      },
      422: {
        description: 'None was accepted: the results, or the one refusal that concerns all of them.',
        body: bulkRefusal,
      },
    },
    errors: [...gateErrors(CONCERNS_ALL), ...WHOLE_ERRORS, 'conflict', 'not_found', 'forbidden'],
  } as const;
  const answerBulk = async (body: BulkBody, context: RequestContext): Promise<RouteResult> => {
    const key = keyOf(body.idempotency_key, context);
    return resultOf(
      await sendBulk(intake, { ...senderOf(context), log: context.log, speak: context.speak, body, key }),
    );
  };
  return [
    defineRoute({
      ...sending,
      path: '/api/practices/{id}/send/batch',
      id: 'sendBatch',
      usedBy: 'programs that send many different messages',
      summary: `Send up to ${defaultLimits.batch} messages`,
      description:
        'An array of bodies as of a single send. Each is answered in its place: as a single send is, or with `status_code` and the refusal. An item may have an `idempotency_key` of its own; the header Idempotency-Key is for the whole: after a broken connection, the same request again sends no item twice.',
      params: practiceParams,
      body: z
        .array(asItComes(sendBody))
        .max(defaultLimits.batch)
        .meta({
          examples: [
            [
              {
                to: 'erika@example.org',
                subject: 'Ihre Unterlagen liegen bereit',
                text: 'Guten Tag Frau Muster, Ihre Unterlagen liegen am Empfang für Sie bereit.',
              },
              {
                to: 'max@example.org',
                subject: 'Ihre Unterlagen liegen bereit',
                text: 'Guten Tag Herr Muster, Ihre Unterlagen liegen am Empfang für Sie bereit.',
              },
            ],
          ],
        }),
      responses: {
        202: { description: 'At least one was accepted.', body: z.array(batchItem) },
        422: { description: 'None was accepted.', body: z.array(batchItem) },
      },
      errors: WHOLE_ERRORS,
      handle: async ({ body }, context) => {
        const key = keyOf(undefined, context);
        return resultOf(
          await sendBatch(intake, {
            ...senderOf(context),
            log: context.log,
            speak: context.speak,
            source: 'batch',
            items: body,
            key,
          }),
        );
      },
    }),
    defineRoute({
      ...bulk,
      path: '/api/practices/{id}/send/bulk',
      id: 'sendBulk',
      usedBy: 'programs that send one template to many',
      summary: 'Send one template to many recipients',
      params: practiceParams,
      body: bulkBody,
      handle: ({ body }, context) => answerBulk(body, context),
    }),
    defineRoute({
      ...bulk,
      path: '/api/emails/send-bulk',
      id: 'sendBulkEmails',
      usedBy: 'programs whose token, or project, names the practice',
      summary:
        'Send one template to many recipients; the practice is that of the token, or of the project, which is required',
      query: flatQuery,
      body: bulkBody,
      handle: ({ body, query }, context) => {
        const project_id = body.project_id ?? query.project_id;
        if (project_id === undefined)
          throw unfit([{ path: 'body.project_id', message: say`is required here or in the query` }]);
        return answerBulk({ ...body, project_id }, context);
      },
    }),
  ];
};

const scheduledRoutes = (intake: IntakeContext): Route[] => {
  const shared = {
    tag: 'Messages',
    access: 'messages.send',
    stability: 'stable',
    params: practiceParams.extend({ messageID: idSchema }),
  } as const;
  return [
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/messages/{messageID}/cancel',
      id: 'cancelMessage',
      summary: 'Cancel a message that waits for its time',
      description:
        'While it is `pending`. It becomes `failed`, no one gets it, and it does not count towards any cap.',
      audit: 'message.cancel',
      responses: { 200: { description: 'It is not sent.', body: sendAnswer } },
      errors: ['conflict', 'not_found', 'forbidden'],
      handle: async ({ params: { id, messageID } }, { caller, change }) => ({
        status: 200,
        body: await cancelScheduled(intake, { tenantId: id, messageId: messageID, caller, change }),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      path: '/api/practices/{id}/messages/{messageID}',
      id: 'rescheduleMessage',
      summary: 'Give a message that waits for its time another one',
      description: 'While it is `pending`. The limits of the warm-up hold for the new day.',
      audit: 'message.reschedule',
      body: z
        .strictObject({ scheduled_at: sendFields.scheduled_at.unwrap() })
        .meta({ examples: [{ scheduled_at: '2026-12-07T08:00:00Z' }] }),
      responses: { 200: { description: 'It leaves at that time.', body: sendAnswer } },
      errors: [...gateErrors(DEPENDS_ON_TIME), 'conflict', 'not_found', 'forbidden'],
      handle: async ({ params: { id, messageID }, body }, { caller, change }) => ({
        status: 200,
        body: await reschedule(
          intake,
          { tenantId: id, messageId: messageID, caller, change },
          Date.parse(body.scheduled_at),
        ),
      }),
    }),
  ];
};

export const sendRoutes = (intake: IntakeContext): Route[] => [
  ...singleRoutes(intake),
  ...manyRoutes(intake),
  ...scheduledRoutes(intake),
];
