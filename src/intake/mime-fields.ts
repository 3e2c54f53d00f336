// The header fields of a submitted message: the addresses in it, the fields for this service (X-Service-*, and those that programs
// written for other services set), and the other fields that are kept. The envelope decides who gets it. Pure; throws AppError for what cannot be taken over.
import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { nearest } from '#src/kernel/nearest.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { textOf } from '#src/kernel/validate.ts';
import { AddressError } from '#src/mail/address.ts';
import { readMailboxes } from '#src/mail/address-field.ts';
import { cleanText, decodeWords } from '#src/mail/decode-text.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { ParsedMessage } from '#src/mail/mime-parts.ts';
import { withoutInvisibles } from '#src/mail/visible-text.ts';
import { kindNames } from '#src/messages/kinds.ts';
import type { Draft } from './draft.ts';
import { headerProblem } from './gates/envelope-gates.ts';
import { slugOfStream } from './pascal-fields.ts';
import { idempotencyKey, MAX_HEADERS_GIVEN, metadata, routeName, tag } from './send-fields.ts';

type DraftFields = Pick<
  Draft,
  'to' | 'cc' | 'replyTo' | 'subject' | 'route' | 'kind' | 'tags' | 'metadata' | 'headers' | 'settings'
>;

export interface MimeFields extends DraftFields {
  readonly from: Mailbox;
  /** The Message-ID with angle brackets; null where there is none that can be kept. */
  readonly messageId: string | null;
  readonly projectId: string | null;
  readonly idempotencyKey: string | null;
}

const OWN = 'x-service-';
const STREAM = 'X-PM-Message-Stream';

/** The names of each field for this service: its own, and those of services that senders come from. */
const names = {
  tags: ['X-Service-Tag', 'X-PM-Tag', 'X-LM-Tag'],
  kind: ['X-Service-Kind'],
  route: ['X-Service-Route', STREAM, 'X-Lettermint-Route'],
  project: ['X-Service-Project'],
  trackOpens: ['X-Service-Track-Opens', 'X-PM-TrackOpens'],
  trackClicks: ['X-Service-Track-Clicks', 'X-PM-TrackLinks'],
  idempotencyKey: ['X-Service-Idempotency-Key', 'Resend-Idempotency-Key'],
} as const;
type Meaning = keyof typeof names;

/** A key of the metadata follows. */
const METADATA = /^(?:x-service|x-pm|x-lm)-metadata-(.+)$/i;
const MAX_SUBJECT = 998;
const MAX_NAME_SHOWN = 76;
/** RFC 5322 §3.6.4 as programs write it. */
const MESSAGE_ID = /^<[\w!#$%&'*+\-/=?^`{|}~.:]{1,128}@[\w!#$%&'*+\-/=?^`{|}~.:[\]]{1,120}>$/;

const refused = (field: string, message: Text): AppError =>
  new AppError('invalid_request', say`The field ${field} ${message}.`, {
    hint: say`Correct that field of the message.`,
    extra: { fields: [{ path: `header.${field}`, message }] },
  });

const refusedTwice = (field: string, first: string): AppError =>
  refused(field, field === first ? say`is there more than once` : say`is there beside ${first}`);

const clean = (value: string): string => cleanText(decodeWords(value));

type Fields = ParsedMessage['fields'];
const valuesOf = (fields: Fields, name: string): string[] =>
  fields.filter(([field]) => field.toLowerCase() === name.toLowerCase()).map(([, value]) => value);

const mailboxesOf = (fields: Fields, name: string): Mailbox[] => {
  try {
    return valuesOf(fields, name).flatMap(readMailboxes);
  } catch (error) {
    if (error instanceof AddressError) throw refused(name, error.text);
    throw error;
  }
};

/** RFC 5322 §3.6 allows several with a Sender; a DKIM signature is for one domain, so one address is allowed here. */
const fromOf = (fields: Fields): Mailbox => {
  const [from, ...others] = mailboxesOf(fields, 'From');
  if (valuesOf(fields, 'From').length > 1) throw refused('From', say`is there more than once`);
  if (from === undefined) throw refused('From', say`is missing`);
  if (others.length > 0) throw refused('From', say`has more than one address`);
  return from;
};

const checked = <T>(schema: z.ZodType<T>, field: string, value: unknown): T => {
  const { data, error } = schema.safeParse(value);
  if (error) throw refused(field, say`is not usable: ${textOf(error.issues[0]?.message ?? 'malformed')}`);
  return data;
};

const ownFields = Object.values(names).map(([own]) => own);
const knownFields: ReadonlySet<string> = new Set(ownFields.map((name) => name.toLowerCase()));

const oneOf = <T>(fields: Fields, meaning: Meaning, schema: z.ZodType<T>): T | null => {
  const [found, other] = names[meaning].flatMap((name) =>
    valuesOf(fields, name).map((value) => [name, clean(value)] as const),
  );
  if (found === undefined) return null;
  const [name, value] = found;
  if (other) throw refusedTwice(other[0], name);
  return checked(schema, name, name === STREAM ? slugOfStream(value) : value);
};

const refuseUnknown = (fields: Fields): void => {
  for (const [name] of fields) {
    const lower = name.toLowerCase();
    if (!lower.startsWith(OWN) || METADATA.test(name) || knownFields.has(lower)) continue;
    const meant = nearest(name, ownFields);
    throw new AppError('header_not_allowed', say`There is no field ${name.slice(0, MAX_NAME_SHOWN)}.`, {
      ...(meant === undefined ? {} : { hint: say`Perhaps ${meant} was meant.` }),
      extra: { header: name.slice(0, MAX_NAME_SHOWN) },
    });
  }
};

const MAX_TAGS = 20;
const tagsOf = (fields: Fields): string[] => {
  const byKey = new Map<string, string>();
  for (const field of names.tags)
    for (const item of valuesOf(fields, field).flatMap((value) => clean(value).split(','))) {
      const name = item.trim();
      if (name === '' || byKey.has(name.toLowerCase())) continue;
      if (byKey.size === MAX_TAGS) throw refused(field, say`leads to more than ${MAX_TAGS} tags`);
      byKey.set(name.toLowerCase(), checked(tag, field, name));
    }
  return [...byKey.values()];
};

/** Keys as they are written: letters, digits and hyphens survive every path. */
const metadataOf = (fields: Fields): Record<string, string> => {
  const fieldOf = new Map<string, string>();
  let found: Record<string, string> = {};
  for (const [name, value] of fields) {
    const key = METADATA.exec(name)?.[1];
    if (key === undefined) continue;
    const field = name.slice(0, MAX_NAME_SHOWN);
    const first = fieldOf.get(key);
    if (first !== undefined) throw refusedTwice(field, first);
    fieldOf.set(key, field);
    found = checked(metadata, field, { ...found, [key]: clean(value) });
  }
  return found;
};

const tracking = z.stringbool({
  truthy: ['true', 'HtmlAndText', 'HtmlOnly', 'TextOnly'],
  falsy: ['false', 'None'],
  error: 'expected true or false',
});

const settingsOf = (fields: Fields): Draft['settings'] => ({
  track_opens: oneOf(fields, 'trackOpens', tracking) ?? undefined,
  track_clicks: oneOf(fields, 'trackClicks', tracking) ?? undefined,
});

/** A mail program adds many fields of its own (Outlook X-MS-Exchange-*), which its user cannot see: those that may not be set
 * are left out, and so are repetitions. */
const othersOf = (fields: Fields, controls: readonly string[]): (readonly [string, string])[] => {
  const kept = new Map<string, readonly [string, string]>();
  for (const [name, raw] of fields) {
    const lower = name.toLowerCase();
    const value = clean(raw);
    if (kept.has(lower) || value === '' || headerProblem(name, value, controls) !== null) continue;
    if (kept.size < MAX_HEADERS_GIVEN) kept.set(lower, [name, value]);
  }
  return [...kept.values()];
};

const messageIdOf = (fields: Fields): string | null => {
  const [value = '', ...others] = valuesOf(fields, 'Message-ID');
  return others.length === 0 && MESSAGE_ID.test(value) ? value : null;
};

export const fieldsOf = (fields: Fields, controls: readonly string[]): MimeFields => {
  refuseUnknown(fields);
  const subject = withoutInvisibles(clean(valuesOf(fields, 'Subject')[0] ?? ''));
  if (subject.length > MAX_SUBJECT) throw refused('Subject', say`has more than ${MAX_SUBJECT} characters`);
  return {
    from: fromOf(fields),
    to: mailboxesOf(fields, 'To'),
    cc: mailboxesOf(fields, 'Cc'),
    replyTo: mailboxesOf(fields, 'Reply-To'),
    subject,
    messageId: messageIdOf(fields),
    route: oneOf(fields, 'route', routeName),
    kind: oneOf(fields, 'kind', z.enum(kindNames)),
    projectId: oneOf(fields, 'project', idSchema),
    idempotencyKey: oneOf(fields, 'idempotencyKey', idempotencyKey),
    settings: settingsOf(fields),
    tags: tagsOf(fields),
    metadata: metadataOf(fields),
    headers: othersOf(fields, controls),
  };
};
