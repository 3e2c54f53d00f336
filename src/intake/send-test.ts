// Sends one message that shows whether sending works: a sample to an address of one's own, or a mail to the simulator,
// whose answer (delivery, bounce, complaint, automatic reply) then comes back as those of the world do.
import { z } from 'zod';
import { type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { memberLanguageOf } from '#src/kernel/language.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { AddressError, parseAddress } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { type Accepted, accept, SEND_ERRORS } from './accept.ts';
import { type Draft, invalidField } from './draft.ts';
import { acceptedResult } from './http-send.ts';
import type { IntakeContext } from './intake-context.ts';
import { sampleDraft, sampleKinds } from './sample-drafts.ts';
import { sendAnswer } from './schema.ts';

const MAX_ADDRESS_TEXT = 1_000;
export const sampleAddress = z.string().max(MAX_ADDRESS_TEXT);

const body = z
  .strictObject({
    kind: z
      .enum(sampleKinds)
      .describe('`quality`: a sample message to `to`; the others: a mail to the simulator, which answers so'),
    to: sampleAddress.optional().describe('required by `quality`, not used by the others'),
    project_id: idSchema
      .optional()
      .describe("the credential's own where it has one, else the practice's default project"),
  })
  .meta({ examples: [{ kind: 'success' }] });
type SendTestBody = z.output<typeof body>;

/** Throws `invalid_recipient`. */
export const sampleRecipient = (to: string): Mailbox => {
  try {
    return parseAddress(to);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw new AppError('invalid_recipient', say`to: ${error.text}`, { extra: { recipients: [to] } });
  }
};

const recipientOf = ({ kind, to }: SendTestBody, simulatorDomain: string): Mailbox => {
  if (kind !== 'quality') return parseAddress(`${kind}@${simulatorDomain}`);
  if (to === undefined) throw invalidField('to', say`is required for a sample message`);
  return sampleRecipient(to);
};

/** A sample, through all that a send goes through. */
export interface SampleSend {
  readonly tenantId: string;
  readonly projects: Caller['projects'];
  readonly projectId: string | null;
  readonly draft: (practice: PracticeRow) => Draft;
}

export const sendSample = (intake: IntakeContext, { draft, ...sender }: SampleSend): Promise<Accepted> =>
  accept(intake, {
    ...sender,
    source: 'api',
    draft: (db) => draft(tenantStore(db).practice()),
    idempotency: null,
  });

export const sendTestRoutes = (intake: IntakeContext): Route[] => [
  defineRoute({
    method: 'post',
    path: '/api/practices/{id}/send-test',
    tag: 'Send',
    id: 'sendTestMessage',
    summary: 'Send a sample message, or a test mail to the mailbox simulator',
    access: 'messages.send',
    audit: { none: 'a message is its own record' },
    stability: 'stable',
    params: z.strictObject({ id: idSchema.describe('the practice') }),
    body,
    responses: { 202: { description: 'It is on the disk and will be sent.', body: sendAnswer } },
    errors: SEND_ERRORS,
    handle: async ({ params: { id }, body: asked }, { caller, language, answerLanguage }) => {
      const to = recipientOf(asked, intake.simulatorDomain);
      const accepted = await sendSample(intake, {
        tenantId: id,
        projects: caller.projects,
        projectId: asked.project_id ?? null,
        draft: ({ name }) => sampleDraft(asked.kind, to, memberLanguageOf(language), name),
      });
      return acceptedResult(accepted, answerLanguage);
    },
  }),
];
