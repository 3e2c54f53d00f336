// Mail in vendor C's form as bodies of native sends: one for each personalization, which is a message with recipients of its own.
// What is done in another way here, and would change who gets what, the schema refuses. Pure.
import { z } from 'zod';
import { bodyText, sendFields } from '#src/intake/send-fields.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { say } from '#src/kernel/say.ts';
import { flatModel, mailboxText, refused, withoutParameters, withoutSpace } from '../known-fields.ts';

const MAX_SUBSTITUTIONS = 10_000;

const mailbox = z
  .strictObject({
    // A comma would make several addresses of one.
    email: z.string().regex(/^[^\s<>,;@]+@[^\s<>,;@]+$/, 'does not contain a valid address'),
    name: z.string().optional(),
  })
  .meta({ id: 'VendorCMailbox' });
const mailboxes = z.array(mailbox).max(1_000);
const texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));
const headers = z.record(z.string(), z.string());
const sendAt = z.int().min(0).max(10_000_000_000).describe('seconds since 1970');
const setting = z.looseObject({ enable: z.boolean().optional() });
const settingsOf = (...served: readonly string[]) =>
  z.record(z.string(), setting).refine(
    (given) => {
      const on = Object.entries(given).filter(([, { enable }]) => enable);
      return on.every(([name, { substitution_tag: tag }]) => served.includes(name) && !tag);
    },
    `can enable only ${served.join(' and ')}, without \`substitution_tag\``,
  );
const notHere = (why: string) => z.never(why).optional().describe('refused');
const { subject, template, route, message_kind, project_id } = sendFields;

const personalization = z.strictObject({
  to: mailboxes.min(1),
  cc: mailboxes.optional(),
  bcc: mailboxes.optional(),
  from: mailbox.optional(),
  subject,
  headers: headers.optional(),
  substitutions: texts
    .refine(
      (tags) => JSON.stringify(tags).length <= MAX_SUBSTITUTIONS && !Object.hasOwn(tags, ''),
      `expected tags that are not empty, with at most ${MAX_SUBSTITUTIONS} characters in all`,
    )
    .optional(),
  dynamic_template_data: z.record(z.string(), z.unknown()).optional(),
  custom_args: texts.optional(),
  send_at: sendAt.optional(),
});

const attachment = z.strictObject({
  content: z.string().describe('base64'),
  filename: z.string(),
  type: z.string().optional(),
  disposition: z.enum(['inline', 'attachment']).optional(),
  content_id: z.string().optional().describe('counts where it is inline'),
});

export const mailSchema = z
  .strictObject({
    personalizations: z.array(personalization).min(1).max(defaultLimits.batch),
    from: mailbox.optional().describe("the practice's default From where absent"),
    reply_to: mailbox.optional(),
    reply_to_list: mailboxes.optional(),
    subject,
    content: z
      .array(z.strictObject({ type: z.enum(['text/plain', 'text/html']), value: bodyText.min(1) }))
      .refine((parts) => new Set(parts.map(({ type }) => type)).size === parts.length, 'has two of one type')
      .optional(),
    attachments: z.array(attachment).optional(),
    template_id: template.describe('name or id of a stored template of this service'),
    headers: headers.optional(),
    categories: z.array(z.string()).max(10).optional(),
    custom_args: texts.optional(),
    send_at: sendAt.optional(),
    mail_settings: settingsOf('sandbox_mode').optional(),
    tracking_settings: settingsOf('click_tracking', 'open_tracking').optional(),
    asm: notHere('there are no unsubscribe groups: marketing mail has its link to unsubscribe by itself'),
    batch_id: notHere('mail is cancelled by POST /api/practices/{id}/messages/{messageID}/cancel'),
    ip_pool_name: notHere('the operator chooses by which relay mail leaves'),
    sections: notHere('write them into `content` or `substitutions`'),
    route: route.describe('an extension'),
    message_kind: message_kind.describe('an extension'),
    project_id: project_id.describe('an extension'),
    practice_id: project_id.describe('an extension'),
  })
  .refine(({ reply_to, reply_to_list }) => !reply_to || !reply_to_list, {
    path: ['reply_to_list'],
    message: 'cannot be given beside `reply_to`',
  })
  .refine((mail) => !mail.template_id || mail.personalizations.every((one) => !one.substitutions), {
    path: ['template_id'],
    message: 'takes `dynamic_template_data`, not `substitutions`',
  })
  .meta({
    id: 'VendorCMail',
    examples: [
      {
        personalizations: [{ to: [{ email: 'erika@example.org', name: 'Erika Muster' }] }],
        subject: 'Ihre Unterlagen liegen bereit',
        content: [{ type: 'text/plain', value: 'Ihre Unterlagen liegen am Empfang für Sie bereit.' }],
      },
    ],
  });

export type Mail = z.output<typeof mailSchema>;

const toText = ({ email, name = '' }: z.output<typeof mailbox>) => mailboxText({ address: email, name });

/**
 * How to make the native body of each personalization, given in a mail that has that one alone. All together must not be larger
 * than a request may be: each keeps content and attachments of its own.
 */
export const translator = ({ personalizations, content = [], attachments = [] }: Mail) => {
  let left = defaultLimits.body_bytes;
  const tooMuch = say`need more than ${defaultLimits.body_bytes} bytes of content and attachments together`;
  const spend = (characters: number): void => {
    left -= characters;
    if (left < 0) throw refused('body.personalizations', tooMuch, say`Send some with another request.`);
  };
  const shared = [...content.map(({ value }) => value), ...attachments.map((one) => one.content)];
  spend(personalizations.length * shared.reduce((sum, { length }) => sum + length, 0));

  /** Longer tags win, and what a value says is not looked at again. */
  const substitute = (given: string | undefined, tags: Readonly<Record<string, string>> = {}) => {
    const names = Object.keys(tags).toSorted((a, b) => b.length - a.length);
    if (given === undefined || names.length === 0) return given;
    return given.replace(new RegExp(names.map((name) => RegExp.escape(name)).join('|'), 'g'), (name) => {
      const value = tags[name] ?? '';
      spend(Math.max(0, value.length - name.length));
      return value;
    });
  };
  const written = (type: string) => content.find((part) => part.type === type)?.value;
  const files = attachments.map((one) => ({
    filename: one.filename,
    content: withoutSpace(one.content),
    content_type: withoutParameters(one.type),
    content_id: one.disposition === 'inline' ? one.content_id : undefined,
  }));

  return ({ personalizations: [one], tracking_settings: tracked, ...mail }: Mail): unknown => {
    if (!one) throw new Error('the schema asks for one');
    const { from = mail.from, send_at: seconds = mail.send_at } = one;
    return {
      from: from && toText(from),
      to: one.to.map(toText),
      cc: one.cc?.map(toText),
      bcc: one.bcc?.map(toText),
      reply_to: (mail.reply_to_list ?? (mail.reply_to && [mail.reply_to]))?.map(toText),
      subject: substitute(one.subject ?? mail.subject, one.substitutions),
      text: substitute(written('text/plain'), one.substitutions),
      html: substitute(written('text/html'), one.substitutions),
      template: mail.template_id,
      data: one.dynamic_template_data && flatModel(one.dynamic_template_data),
      headers: { ...mail.headers, ...one.headers },
      tags: mail.categories,
      metadata: { ...mail.custom_args, ...one.custom_args },
      scheduled_at: seconds === undefined ? undefined : new Date(seconds * 1_000).toISOString(),
      settings: {
        track_opens: tracked?.open_tracking?.enable,
        track_clicks: tracked?.click_tracking?.enable,
      },
      attachments: files,
      route: mail.route,
      message_kind: mail.message_kind,
      project_id: mail.project_id,
    };
  };
};
