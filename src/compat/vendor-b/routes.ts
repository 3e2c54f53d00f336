// Sending in vendor B's form.
import { z } from 'zod';
import type { IntakeContext } from '#src/intake/intake-context.ts';
import type { ItemRefusal } from '#src/intake/many.ts';
import { pascalFields } from '#src/intake/pascal-fields.ts';
import type { SendAnswer } from '#src/intake/schema.ts';
import { asItComes } from '#src/kernel/fields.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import {
  defineRoute,
  type ForeignShape,
  type RequestContext,
  type Route,
  type RouteResult,
} from '#src/kernel/route.ts';
import { sendingRoute, sendTranslated, sendTranslatedBatch } from '../sending.ts';
import { vendorBRefusal } from '../shapes.ts';
import { asItem, asSent, sentItem, sentSchema } from './answers.ts';
import { toNative, toNativeWithTemplate } from './to-native.ts';

const TOO_MANY_MESSAGES = 410;

const messageSchema = z.object(pascalFields).meta({ id: 'VendorBMessage' });
const templatedSchema = z
  .object({
    TemplateAlias: z.string().describe("the template's name or id"),
    TemplateModel: z
      .record(z.string(), z.unknown())
      .describe('values of the placeholders; `{{a.b}}` is b in a'),
    ...pascalFields,
  })
  .omit({ Subject: true, TextBody: true, HtmlBody: true })
  .meta({ id: 'VendorBTemplatedMessage' });

const example = {
  To: 'erika@example.org',
  Subject: 'Ihre Unterlagen liegen bereit',
  TextBody: 'Guten Tag Frau Muster, Ihre Unterlagen liegen am Empfang für Sie bereit.',
};
const templated = {
  To: 'erika@example.org',
  TemplateAlias: 'erinnerung',
  TemplateModel: { name: 'Frau Muster', tag: 'Montag' },
};

type Translate = (given: unknown) => unknown;

export const vendorBRoutes = (intake: IntakeContext, shape: ForeignShape): Route[] => {
  const shared = { ...sendingRoute, shape, tag: 'Compatibility: vendor B shape' } as const;
  const oneAnswer = {
    200: { description: 'It is on the disk and will be sent.', body: sentSchema },
    422: { description: 'It is refused; 406 where all recipients are suppressed.', body: vendorBRefusal },
  };
  const eachAnswer = {
    200: { description: 'Each in its place, also where all are refused.', body: z.array(sentItem) },
    422: { description: 'The whole is refused; 410 where it has too many messages.', body: vendorBRefusal },
  };

  const send = async (
    translate: Translate,
    given: unknown,
    context: RequestContext,
  ): Promise<RouteResult> => {
    const native = translate(given);
    const accepted = await sendTranslated(intake, 'vendor-b', native, context);
    if (accepted.kind === 'blocked') throw accepted.error;
    return asSent({ native, answer: accepted.answer, now: intake.clock.now() });
  };

  const sendEach = async (
    translate: Translate,
    given: readonly unknown[],
    context: RequestContext,
  ): Promise<RouteResult> => {
    if (given.length > defaultLimits.batch) {
      const Message = `A batch has at most ${defaultLimits.batch} messages: send the others with another one.`;
      return { status: 422, body: { ErrorCode: TOO_MANY_MESSAGES, Message } };
    }
    const natives = given.map(translate);
    const { body } = await sendTranslatedBatch(intake, 'vendor-b', natives, context);
    const items = body as readonly (SendAnswer | ItemRefusal)[];
    const now = intake.clock.now();
    return { status: 200, body: items.map((item, index) => asItem(natives[index], item, now)) };
  };

  return [
    defineRoute({
      ...shared,
      path: `${shape.base}/email`,
      id: 'vendorbSend',
      summary: 'Send a message',
      body: asItComes(messageSchema, { examples: [example] }),
      responses: oneAnswer,
      handle: ({ body }, context) => send(toNative, body, context),
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/email/withTemplate`,
      id: 'vendorbSendTemplate',
      summary: 'Send a message made from a stored template',
      body: asItComes(templatedSchema, { examples: [templated] }),
      responses: oneAnswer,
      handle: ({ body }, context) => send(toNativeWithTemplate, body, context),
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/email/batch`,
      id: 'vendorbSendBatch',
      summary: `Send up to ${defaultLimits.batch} messages`,
      body: z.array(asItComes(messageSchema)).meta({ examples: [[example]] }),
      responses: eachAnswer,
      handle: ({ body }, context) => sendEach(toNative, body, context),
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/email/batchWithTemplates`,
      id: 'vendorbSendTemplateBatch',
      summary: `Send up to ${defaultLimits.batch} messages made from stored templates`,
      body: z
        .object({ Messages: z.array(asItComes(templatedSchema)) })
        .meta({ examples: [{ Messages: [templated] }] }),
      responses: eachAnswer,
      handle: ({ body }, context) => sendEach(toNativeWithTemplate, body.Messages, context),
    }),
  ];
};
