// The mail that is made of what was sent by a form: from the practice's own mailbox to the same, because the service has written it,
// with the name of the person and, if there is one, their address in Reply-To. All that was typed is in one part of plain text, each
// line of a longer text set in, so that none can pass for another field. Pure.
import { type FormWords, formWordsIn } from '#src/inbound/words.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { composeUnsigned } from '#src/messages/compose/mime.ts';
import type { Filled, FormPost } from './read-post.ts';
import type { FormSettings } from './schema.ts';

const line = ({ field, lines }: Filled, files: FormPost['files'], say: FormWords['mail']): string => {
  const [label = ''] = field.label.split('\n');
  if (field.type === 'consent') return `${label}\n  ${lines.length > 0 ? say.yes : say.none}`;
  if (field.type === 'file') return `${label}: ${files.length > 0 ? say.files : say.none}`;
  const [first] = lines;
  if (first === undefined) return `${label}: ${say.none}`;
  return field.type === 'long_text' ? `${label}:\n  ${lines.join('\n  ')}` : `${label}: ${first}`;
};

export interface FormMail {
  /** The id of the mail that it becomes. */
  readonly id: string;
  readonly settings: FormSettings;
  readonly post: FormPost;
  readonly mailbox: Address;
  /** ms since the epoch. */
  readonly now: number;
}

export const formMail = ({ id, settings, post, mailbox, now }: FormMail): Buffer => {
  const { language, title, proof } = settings;
  const say = formWordsIn(language).mail;
  const { name, email, files, filled } = post;
  const text = [
    say.intro(title),
    filled.map((one) => line(one, files, say)).join('\n'),
    ...(proof ? [] : [`-- \n${say.unproved}`]),
  ].join('\n\n');
  return composeUnsigned({
    internetMessageId: `<form.${id}@${addressDomain(mailbox)}>`,
    date: now,
    from: { address: mailbox, name: name ?? title },
    to: [{ address: mailbox }],
    cc: [],
    replyTo: email === null ? [] : [name === null ? { address: email } : { address: email, name }],
    subject: name === null ? title : `${title} – ${name}`,
    text: `${text}\n`,
    html: null,
    headers: [['X-Auto-Response-Suppress', 'All']],
    attachments: files,
  });
};
