// What was asked for, in the form the gates and the store work with: aliases merged, addresses parsed, tags unique,
// attachments decoded. Pure; throws AppError for what cannot be understood.

import { typeOfFilename } from '#src/content/attachment-policy.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import {
  AddressError,
  addressKey,
  parseAddress,
  parseAddressList,
  withoutInvisibles,
} from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import type { Kind } from '#src/messages/kinds.ts';
import type { Invitation } from '#src/messages/settings.ts';
import type { RecipientField } from '#src/messages/store.ts';
import type { SendBody } from './schema.ts';

export interface DraftAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly contentId: string | null;
  readonly content: Uint8Array;
}

export interface Draft {
  readonly from: Mailbox | null;
  /** Without duplicates: To wins over Cc, Cc over Bcc. */
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  /** Slug or id; null: the default. */
  readonly route: string | null;
  readonly kind: Kind | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly attachments: readonly DraftAttachment[];
  readonly settings: {
    readonly track_opens?: boolean | undefined;
    readonly track_clicks?: boolean | undefined;
    /** Of the route where absent. */
    readonly plain_text_fallback?: boolean | undefined;
  };
  readonly calendar: Invitation | null;
  /** When it is to go out, ms; null: at once. */
  readonly scheduledAt: number | null;
  /** Text and HTML are this content with these values: what is stored instead of them. */
  readonly shared: { readonly id: number; readonly data: MergeData } | null;
}

const invalidField = (path: string, message: string): AppError =>
  new AppError('invalid_request', 'The message cannot be understood.', {
    extra: { fields: [{ path, message }] },
  });

const parseField = (
  code: 'invalid_request' | 'invalid_recipient',
  field: string,
  text: string,
): Mailbox[] => {
  try {
    return parseAddressList(text);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    if (code === 'invalid_request') throw invalidField(`body.${field}`, error.message);
    throw new AppError('invalid_recipient', `${field}: ${error.message}`, {
      extra: { recipients: [text.slice(0, 254)] },
    });
  }
};

/** Also where they are duplicates: parsing takes 10 µs each. Far above what one message may have. */
const MAX_TYPED_CHARACTERS = 131_072;

const mailboxes = (
  code: Extract<ErrorCode, 'invalid_request' | 'invalid_recipient'>,
  field: string,
  given: string | string[] | undefined,
): Mailbox[] =>
  bounded(field, given).flatMap((text) => (text.trim() === '' ? [] : parseField(code, field, text)));

const bounded = (field: string, given: string | string[] | undefined): string[] => {
  const texts = given === undefined ? [] : Array.isArray(given) ? given : [given];
  if (texts.reduce((sum, { length }) => sum + length, 0) <= MAX_TYPED_CHARACTERS) return texts;
  throw invalidField(`body.${field}`, `must have at most ${MAX_TYPED_CHARACTERS} characters in all`);
};

const parseFrom = (text: string | undefined): Mailbox | null => {
  if (text === undefined) return null;
  try {
    return parseAddress(text);
  } catch (error) {
    if (error instanceof AddressError) throw invalidField('body.from', error.message);
    throw error;
  }
};

const recipientFields: readonly RecipientField[] = ['to', 'cc', 'bcc'];

const uniqueRecipients = (body: SendBody): Record<RecipientField, Mailbox[]> => {
  const seen = new Set<string>();
  const unique: Record<RecipientField, Mailbox[]> = { to: [], cc: [], bcc: [] };
  for (const field of recipientFields) {
    for (const mailbox of mailboxes('invalid_recipient', field, body[field])) {
      const key = addressKey(mailbox.address);
      if (seen.has(key)) continue;
      seen.add(key);
      unique[field].push(mailbox);
    }
  }
  return unique;
};

const merge = (field: string, value: string | undefined, alias: string | undefined): string | null => {
  if (value !== undefined && alias !== undefined && value !== alias) {
    throw invalidField(`body.${field}_body`, `says something else than ${field}, whose alias it is`);
  }
  return value ?? alias ?? null;
};

const uniqueTags = (body: SendBody): string[] => {
  const given = [
    body.tag,
    ...(body.tags ?? []).map((item) => (typeof item === 'string' ? item : `${item.name}:${item.value}`)),
  ];
  const byKey = new Map<string, string>();
  for (const item of given) {
    const trimmed = item?.trim();
    if (trimmed && !byKey.has(trimmed.toLowerCase())) byKey.set(trimmed.toLowerCase(), trimmed);
  }
  return [...byKey.values()];
};

const decode = ({
  filename,
  content,
  content_type,
  content_id,
}: NonNullable<SendBody['attachments']>[number]): DraftAttachment => {
  const name = filename.normalize('NFC');
  return {
    filename: name,
    contentType: (content_type ?? typeOfFilename(name) ?? 'application/octet-stream').toLowerCase(),
    contentId: content_id?.replace(/^<|>$/g, '') ?? null,
    content: Buffer.from(content, 'base64'),
  };
};

export const toDraft = (body: SendBody): Draft => {
  const text = merge('text', body.text, body.text_body);
  const html = merge('html', body.html, body.html_body);
  if (text === null && html === null) throw invalidField('body.text', 'one of text and html is required');
  const subject = withoutInvisibles(body.subject);
  if (subject.trim() === '') throw invalidField('body.subject', 'must not be empty');
  return {
    from: parseFrom(body.from),
    ...uniqueRecipients(body),
    replyTo: mailboxes('invalid_request', 'reply_to', body.reply_to),
    subject,
    text,
    html,
    route: body.route ?? null,
    kind: body.message_kind ?? null,
    tags: uniqueTags(body),
    metadata: body.metadata ?? {},
    headers: Object.entries(body.headers ?? {}),
    attachments: (body.attachments ?? []).map(decode),
    settings: body.settings ?? {},
    calendar: null,
    scheduledAt: null,
    shared: null,
  };
};
