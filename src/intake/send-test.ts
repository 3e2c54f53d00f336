// Sends one message that shows whether sending works: a sample to an address of one's own, or a mail to the simulator,
// whose answer (delivery, bounce, complaint, automatic reply) then comes back as those of the world do.
import { z } from 'zod';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { AddressError, parseAddress } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { accept, SEND_ERRORS } from './accept.ts';
import { type Draft, draftWith, invalidField } from './draft.ts';
import { acceptedResult } from './http-send.ts';
import type { IntakeContext } from './intake-context.ts';
import { sendAnswer } from './schema.ts';

const simulated = ['success', 'bounce', 'complaint', 'ooto'] as const;
const MAX_ADDRESS_TEXT = 1_000;

const body = z
  .strictObject({
    kind: z
      .enum(['quality', ...simulated])
      .describe('`quality`: a sample message to `to`; the others: a mail to the simulator, which answers so'),
    to: z.string().max(MAX_ADDRESS_TEXT).optional().describe('required by `quality`, not used by the others'),
    project_id: idSchema
      .optional()
      .describe("the credential's own where it has one, else the practice's default project"),
  })
  .meta({ examples: [{ kind: 'success' }] });
type SendTestBody = z.output<typeof body>;

interface Words {
  readonly subject: string;
  readonly text: string;
}

const sample: Readonly<Record<Language, (name: string) => Words>> = {
  de: (name) => ({
    subject: `Beispielnachricht von ${name}`,
    text: [
      'Guten Tag,',
      `so kommen E-Mails von ${name} bei Ihnen an. Bitte sehen Sie nach, ob diese Nachricht im Posteingang liegt und ob die Umlaute stimmen: Ä, Ö, Ü, ä, ö, ü, ß.`,
      `Freundliche Grüße\n${name}`,
    ].join('\n\n'),
  }),
  en: (name) => ({
    subject: `Sample message from ${name}`,
    text: [
      'Hello,',
      `this is how mail from ${name} arrives. Please check that this message is in your inbox and that these letters are shown as they should be: Ä, Ö, Ü, ä, ö, ü, ß.`,
      `Kind regards\n${name}`,
    ].join('\n\n'),
  }),
};

const trial: Readonly<Record<Language, (kind: string, name: string) => Words>> = {
  de: (kind, name) => ({
    subject: `Test mit dem Postfach-Simulator: ${kind}`,
    text: `Diese Nachricht von ${name} geht an den Postfach-Simulator.`,
  }),
  en: (kind, name) => ({
    subject: `Test with the mailbox simulator: ${kind}`,
    text: `This message from ${name} goes to the mailbox simulator.`,
  }),
};

const asHtml = (text: string, language: Language): string => {
  const paragraphs = text.split('\n\n').map((one) => `<p>${escapeHtml(one).replaceAll('\n', '<br>')}</p>`);
  return `<!doctype html><html lang="${language}"><body>${paragraphs.join('\n')}</body></html>`;
};

const recipientOf = ({ kind, to }: SendTestBody, simulatorDomain: string): Mailbox => {
  if (kind !== 'quality') return parseAddress(`${kind}@${simulatorDomain}`);
  if (to === undefined) throw invalidField('to', 'is required for a sample message');
  try {
    return parseAddress(to);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw new AppError('invalid_recipient', `to: ${error.message}`, { extra: { recipients: [to] } });
  }
};

/** `name`: of the practice. */
export const sampleDraft = (
  kind: SendTestBody['kind'],
  to: Mailbox,
  language: Language,
  name: string,
): Draft => {
  const isSample = kind === 'quality';
  const { subject, text } = isSample ? sample[language](name) : trial[language](kind, name);
  return draftWith({
    to: [to],
    subject,
    text,
    html: isSample ? asHtml(text, language) : null,
    route: 'outgoing',
    kind: isSample ? 'quality' : 'test',
    tags: ['send-test'],
  });
};

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
    handle: async ({ params: { id }, body: asked }, { caller, language }) => {
      const to = recipientOf(asked, intake.simulatorDomain);
      const accepted = await accept(intake, {
        tenantId: id,
        projects: caller.projects,
        projectId: asked.project_id ?? null,
        source: 'api',
        draft: (db) => sampleDraft(asked.kind, to, language, tenantStore(db).practice().name),
        idempotency: null,
      });
      return acceptedResult(accepted);
    },
  }),
];
