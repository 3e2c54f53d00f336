// The names that another widely used send API gives to the same fields: `Subject` for `subject`. They are accepted beside
// the native ones. As in that API, null and the empty text mean absent. Pure.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import * as fields from './send-fields.ts';

const attachment = z.strictObject({
  Name: fields.filename,
  Content: fields.fileContent,
  ContentType: fields.mediaType.nullish(),
  ContentID: z.union([fields.contentId, z.literal('')]).nullish(),
});

const header = z.strictObject({ Name: z.string(), Value: z.string() });
const emptyOr = <T extends z.ZodType>(schema: T) => z.union([schema, z.literal('')]).nullish();

const linkTracking = ['None', 'HtmlAndText', 'HtmlOnly', 'TextOnly'] as const;

export const pascalFields = {
  From: fields.from.nullish().describe('alias of from'),
  To: fields.addresses.nullish().describe('alias of to'),
  Cc: fields.addresses.nullish().describe('alias of cc'),
  Bcc: fields.addresses.nullish().describe('alias of bcc'),
  ReplyTo: fields.addresses.nullish().describe('alias of reply_to'),
  Subject: fields.subject.nullish().describe('alias of subject'),
  TextBody: fields.bodyText.nullish().describe('alias of text'),
  HtmlBody: fields.bodyText.nullish().describe('alias of html'),
  Tag: emptyOr(fields.tag).describe('alias of tag'),
  Metadata: fields.metadata.nullish().describe('alias of metadata'),
  Headers: z.array(header).max(fields.MAX_HEADERS_GIVEN).nullish().describe('alias of headers'),
  Attachments: z
    .array(attachment)
    .max(fields.MAX_ATTACHMENTS_GIVEN)
    .nullish()
    .describe('alias of attachments'),
  TrackOpens: z.boolean().nullish().describe('alias of settings.track_opens'),
  TrackLinks: z
    .enum(linkTracking)
    .nullish()
    .describe('`None` is settings.track_clicks off, any other value on'),
  MessageStream: emptyOr(fields.routeName).describe('alias of route; `outbound` is the route `outgoing`'),
};

type PascalBody = z.output<z.ZodObject<typeof pascalFields>>;
type NativeBody = z.output<z.ZodObject<typeof fields.sendFields>>;
const SETTING = 'settings.';
/** Natively, settings are one level deeper. */
type Target = keyof NativeBody | `${typeof SETTING}${keyof NonNullable<NativeBody['settings']>}`;

interface Alias {
  readonly native: Target;
  /** Returns the native form. */
  readonly translate?: (given: never) => unknown;
}

const nativeAttachments = (given: NonNullable<PascalBody['Attachments']>) =>
  given.map(({ Name, Content, ContentType, ContentID }) => ({
    filename: Name,
    content: Content,
    ...(ContentType ? { content_type: ContentType } : {}),
    ...(ContentID ? { content_id: ContentID } : {}),
  }));

/** The slug of the route that a name of a stream means. */
export const slugOfStream = (stream: string): string =>
  stream.toLowerCase() === 'outbound' ? 'outgoing' : stream.toLowerCase();

const aliases: Readonly<Record<keyof PascalBody, Alias>> = {
  From: { native: 'from' },
  To: { native: 'to' },
  Cc: { native: 'cc' },
  Bcc: { native: 'bcc' },
  ReplyTo: { native: 'reply_to' },
  Subject: { native: 'subject' },
  TextBody: { native: 'text' },
  HtmlBody: { native: 'html' },
  Tag: { native: 'tag' },
  Metadata: { native: 'metadata' },
  Headers: {
    native: 'headers',
    translate: (given: NonNullable<PascalBody['Headers']>) =>
      given.map(({ Name, Value }) => ({ name: Name, value: Value })),
  },
  Attachments: { native: 'attachments', translate: nativeAttachments },
  TrackOpens: { native: 'settings.track_opens' },
  TrackLinks: {
    native: 'settings.track_clicks',
    translate: (given: (typeof linkTracking)[number]) => given !== 'None',
  },
  MessageStream: {
    native: 'route',
    translate: slugOfStream,
  },
};

const names = Object.keys(aliases) as (keyof PascalBody)[];

/** The names by their native fields, `settings.track_opens` among them. */
export const pascalNames: Readonly<Record<string, string>> = Object.fromEntries(
  names.map((name) => [aliases[name].native, name]),
);

/** The name that the client gave a field, where it is not the native one: problems use it. It is no part of the request. */
export const writtenAs = Symbol('written as');
export type WrittenAs = { readonly [writtenAs]?: Readonly<Record<string, string>> };

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

type Named = Omit<NativeBody, 'to'> & { to?: NativeBody['to'] | undefined };

const nativeNames = Object.keys(fields.sendFields) as (keyof NativeBody)[];

/** Puts the fields in the order of the native names, so that both forms have one digest under an idempotency key. */
const inOrder = (native: Readonly<Record<string, unknown>>): Named =>
  Object.fromEntries(
    nativeNames.flatMap((name) => (native[name] === undefined ? [] : [[name, native[name]]])),
  );

/** The same body with native names only. Both forms of a field must have the same value. */
export const toNativeNames = (
  body: Named & PascalBody,
  conflict: (name: string, native: string) => void,
): Named & WrittenAs => {
  if (names.every((name) => body[name] === undefined)) return body;
  const native: Record<string, unknown> = { ...body };
  const settings: Record<string, unknown> = { ...body.settings };
  const written: Record<string, string> = {};
  for (const name of names) {
    if (!isGiven(body[name])) continue;
    const { native: target, translate } = aliases[name];
    const value = translate ? translate(body[name] as never) : body[name];
    const setting = target.startsWith(SETTING) ? target.slice(SETTING.length) : null;
    const place = setting === null ? native : settings;
    const key = setting ?? target;
    if (place[key] === undefined) written[target] = name;
    else if (!isDeepStrictEqual(place[key], value)) conflict(name, target);
    place[key] = value;
  }
  if (Object.keys(settings).length > 0) native.settings = settings;
  return { ...inOrder(native), [writtenAs]: written };
};
