// What was asked for, in the form that the gates and the store work with: aliases merged, addresses parsed, tags unique,
// attachments decoded. Pure; throws AppError for what cannot be understood.

import { meantType } from '#src/content/attachment-policy.ts';
import { AppError } from '#src/kernel/errors.ts';
import { FileOctets } from '#src/kernel/fields.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { unfit } from '#src/kernel/validate.ts';
import { AddressError, addressKey, parseAddress, parseAddressList } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { withoutInvisibles } from '#src/mail/visible-text.ts';
import type { Kind } from '#src/messages/kinds.ts';
import type { Invitation } from '#src/messages/settings.ts';
import type { RecipientField } from '#src/messages/store.ts';
import type { SubmittedPart } from '#src/messages/submitted-part.ts';
import { bareContentId, withPlainReferences } from './inline-images.ts';
import { toInvitation } from './invitation.ts';
import { writtenAs } from './pascal-fields.ts';
import type { SendBody } from './schema.ts';
import type { sendFields } from './send-fields.ts';

export interface DraftAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly contentId: string | null;
  readonly content: Uint8Array;
  /** The file is kept in what was signed, so its row has no content of its own. */
  readonly isSigned?: boolean;
  /** No other message has its octets: they are freed when they are not needed any more. */
  readonly isOwn?: boolean;
  /** The practice's image that it is. */
  readonly imageSeq?: number;
}

export interface Draft {
  readonly from: Mailbox | null;
  /** The recipients without duplicates: To wins over Cc, Cc over Bcc. */
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
    /** Absent: as the route says. */
    readonly plain_text_fallback?: boolean | undefined;
  };
  readonly calendar: Invitation | null;
  /** When it is to go out, ms; null: at once. */
  readonly scheduledAt: number | null;
  /** Stored instead of text and HTML, which are this content with these values. */
  readonly shared: { readonly id: number; readonly data: MergeData } | null;
  /** To and Cc as shown, where they name others than this message goes to: those get it in another way. */
  readonly shown?: { readonly to: readonly Mailbox[]; readonly cc: readonly Mailbox[] };
  /** The tree in which a mail program submitted it: text, HTML and attachments are its parts. */
  readonly parts?: SubmittedPart;
  /** The Message-ID that it came with, in angle brackets. */
  readonly messageId?: string;
  /** Names of lists that it is about: see `Content`. */
  readonly names?: readonly string[];
  /** The id of the stored template that it was made from. */
  readonly templateId?: string | undefined;
}

/** A draft in which everything that is not given is absent. */
export const draftWith = (fields: Pick<Draft, 'to' | 'subject'> & Partial<Draft>): Draft => ({
  from: null,
  cc: [],
  bcc: [],
  replyTo: [],
  text: null,
  html: null,
  route: null,
  kind: null,
  tags: [],
  metadata: {},
  headers: [],
  attachments: [],
  settings: {},
  calendar: null,
  scheduledAt: null,
  shared: null,
  ...fields,
});

export const invalidField = (path: string, message: Text): AppError =>
  unfit([{ path: `body.${path}`, message }]);

/** The name that the client gave the field. */
export const nameOf = (body: SendBody, field: keyof typeof sendFields): string =>
  body[writtenAs]?.[field] ?? field;

/** One message never has that many addresses. Duplicates count too, because parsing takes 10 µs for each. */
const MAX_TYPED_CHARACTERS = 131_072;

interface Parsed {
  readonly mailboxes: readonly Mailbox[];
  /** The texts that are no addresses, and why. */
  readonly faults: readonly { readonly given: string; readonly message: Text }[];
}

/** `name`: of the field. */
const parseMailboxes = (name: string, given: string | string[] | undefined): Parsed => {
  const mailboxes: Mailbox[] = [];
  const faults: { given: string; message: Text }[] = [];
  for (const text of bounded(name, given)) {
    if (text.trim() === '') continue;
    try {
      mailboxes.push(...parseAddressList(text));
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      faults.push({ given: text, message: error.text });
    }
  }
  return { mailboxes, faults };
};

const replyTo = (body: SendBody): readonly Mailbox[] => {
  const name = nameOf(body, 'reply_to');
  const { mailboxes, faults } = parseMailboxes(name, body.reply_to);
  if (faults.length > 0) throw unfit(faults.map(({ message }) => ({ path: `body.${name}`, message })));
  return mailboxes;
};

const bounded = (name: string, given: string | string[] | undefined): string[] => {
  const texts = given === undefined ? [] : Array.isArray(given) ? given : [given];
  if (texts.reduce((sum, { length }) => sum + length, 0) <= MAX_TYPED_CHARACTERS) return texts;
  throw invalidField(name, say`must have at most ${MAX_TYPED_CHARACTERS} characters in all`);
};

/** `name`: of its field. */
export const parseFrom = (text: string | undefined, name = 'from'): Mailbox | null => {
  if (text === undefined) return null;
  try {
    return parseAddress(text);
  } catch (error) {
    if (error instanceof AddressError) throw invalidField(name, error.text);
    throw error;
  }
};

const recipientFields: readonly RecipientField[] = ['to', 'cc', 'bcc'];

/** More would not help who corrects them. */
const MAX_SHOWN_RECIPIENTS = 50;
const MAX_SHOWN_CHARACTERS = 254;

/** Throws `invalid_recipient` with all texts that are no addresses; its words are of the first. */
const uniqueRecipients = (body: SendBody): Record<RecipientField, Mailbox[]> => {
  const seen = new Set<string>();
  const unique: Record<RecipientField, Mailbox[]> = { to: [], cc: [], bcc: [] };
  const wrong: { readonly given: string; readonly text: Text }[] = [];
  for (const field of recipientFields) {
    const name = nameOf(body, field);
    const { mailboxes, faults } = parseMailboxes(name, body[field]);
    wrong.push(...faults.map(({ given, message }) => ({ given, text: say`${name}: ${message}` })));
    for (const mailbox of mailboxes) {
      const key = addressKey(mailbox.address);
      if (seen.has(key)) continue;
      seen.add(key);
      unique[field].push(mailbox);
    }
  }
  const [first] = wrong;
  if (first === undefined) return unique;
  const shown = wrong.slice(0, MAX_SHOWN_RECIPIENTS).map(({ given }) => given.slice(0, MAX_SHOWN_CHARACTERS));
  throw new AppError('invalid_recipient', first.text, { extra: { recipients: shown } });
};

const merge = (field: string, value: string | undefined, alias: string | undefined): string | null => {
  if (value !== undefined && alias !== undefined && value !== alias) {
    throw invalidField(`${field}_body`, say`has another value than ${field}, whose alias it is`);
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

const headersOf = ({ headers = {} }: SendBody): Draft['headers'] =>
  Array.isArray(headers) ? headers.map(({ name, value }) => [name, value]) : Object.entries(headers);

const decode = ({
  filename,
  content,
  content_type,
  content_id,
}: NonNullable<SendBody['attachments']>[number]): DraftAttachment => {
  const name = filename.normalize('NFC');
  return {
    filename: name,
    contentType: meantType((content_type ?? 'application/octet-stream').toLowerCase(), name),
    contentId: content_id === undefined ? null : bareContentId(content_id),
    ...(content instanceof FileOctets
      ? { content: content.octets, isOwn: true }
      : { content: Buffer.from(content, 'base64') }),
  };
};

/** Refuses two attachments with one id: mail programs differ in which of them the HTML shows. */
const attachmentsOf = (body: SendBody): DraftAttachment[] => {
  const decoded = (body.attachments ?? []).map(decode);
  const ids = decoded.map(({ contentId }) => contentId);
  const again = ids.findIndex((id, index) => id !== null && ids.indexOf(id) < index);
  if (again === -1) return decoded;
  const name = nameOf(body, 'attachments');
  const inner = name === 'attachments' ? 'content_id' : 'ContentID';
  throw invalidField(`${name}[${again}].${inner}`, say`is the id of an earlier attachment too`);
};

/** What a template can give. */
type Writing = Pick<Draft, 'subject' | 'text' | 'html'>;

const writingReaders = (body: SendBody) => ({
  text: () => merge('text', body.text, body.text_body),
  html: () => merge('html', body.html, body.html_body),
  subject: () => {
    const subject = withoutInvisibles(body.subject ?? '');
    if (subject.trim() === '') throw invalidField(nameOf(body, 'subject'), say`must not be empty`);
    return subject;
  },
});

/**
 * What the readers return, all of which are asked. Throws the faults that they found in fields as one error, and what one threw of
 * another kind where no field has a fault.
 */
const readAll = <T extends object>(readers: { readonly [K in keyof T]: () => T[K] }): T => {
  const read: Partial<T> = {};
  const thrown: unknown[] = [];
  for (const name of Object.keys(readers) as (keyof T)[]) {
    try {
      read[name] = readers[name]();
    } catch (error) {
      thrown.push(error);
    }
  }
  if (thrown.length === 0) return read as T;
  const faults = thrown.flatMap((error) => (error instanceof AppError ? (error.fields ?? []) : []));
  throw thrown.length > 1 && faults.length > 0 ? unfit(faults) : thrown[0];
};

/** The draft without subject, text and HTML: `withWriting` adds them. */
type Frame = Omit<Draft, keyof Writing>;

export const frameOf = (body: SendBody): Frame => framed(body, readAll(frameReaders(body)));

/** What may be refused. */
const frameReaders = (body: SendBody) => ({
  from: () => parseFrom(body.from, nameOf(body, 'from')),
  recipients: () => uniqueRecipients(body),
  replyTo: () => replyTo(body),
  attachments: () => attachmentsOf(body),
  calendar: () => (body.calendar === undefined ? null : toInvitation(body.calendar)),
});

interface Framing extends Pick<Draft, 'from' | 'replyTo' | 'attachments' | 'calendar'> {
  readonly recipients: Record<RecipientField, Mailbox[]>;
}

const framed = (body: SendBody, { from, recipients, replyTo, attachments, calendar }: Framing): Frame => ({
  from,
  ...recipients,
  replyTo,
  route: body.route ?? null,
  kind: body.message_kind ?? null,
  tags: uniqueTags(body),
  metadata: body.metadata ?? {},
  headers: headersOf(body),
  attachments,
  settings: body.settings ?? {},
  calendar,
  scheduledAt: body.scheduled_at === undefined ? null : Date.parse(body.scheduled_at),
  shared: null,
});

export const withWriting = (frame: Frame, { subject, text, html }: Writing): Draft => {
  const ids = frame.attachments.flatMap(({ contentId }) => contentId ?? []);
  return { ...frame, subject, text, html: html && withPlainReferences(html, ids) };
};

/** The draft of a body without a template. */
export const toDraft = (body: SendBody): Draft => {
  const { text, html, subject, ...framing } = readAll<Writing & Framing>({
    ...writingReaders(body),
    ...frameReaders(body),
  });
  return withWriting(framed(body, framing), { text, html, subject });
};
