// What was sent by a form, judged by its fields. A stranger wrote all of it: controls and invisible characters go, and what is left is
// text and files, never markup, a header field or an address that anything is sent to before it is proved. Pure.
import { findRefusedAttachment, meantType } from '#src/content/attachment-policy.ts';
import type { FormWords } from '#src/inbound/words.ts';
import { cleanText } from '#src/mail/decode-text.ts';
import { parseEmail } from '#src/mail/email.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { withoutInvisibles } from '#src/mail/visible-text.ts';
import type { Attachment } from '#src/messages/compose/message.ts';
import { LONGEST, megabytesOf, type Typed } from './html.ts';
import type { FormField, FormSettings } from './schema.ts';

export type Posted = Readonly<Record<string, string | File>>;

/** In the order of the fields. */
export interface Filled {
  readonly field: FormField;
  /** Lines of text; of a file none. Empty: it was left empty. */
  readonly lines: readonly string[];
}

export interface FormPost {
  readonly filled: readonly Filled[];
  readonly files: readonly Attachment[];
  /** What was typed, cleaned; null: none was given. */
  readonly name: string | null;
  readonly email: Address | null;
}

export interface Problem {
  readonly key: string;
  readonly text: string;
}

const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/;
/** What browsers that know no field for a day let people type. */
const TYPED_DAY = /^(\d{1,2})[./](\d{1,2})[./](\d{4})$/;
const PHONE = /^\+?[\d ()/.-]{3,40}$/;

/** `2030-12-31`; null: no day. */
const dayOf = (text: string): string | null => {
  const [, day = '', month = '', year = ''] = TYPED_DAY.exec(text) ?? [];
  const iso = year === '' ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = ISO_DAY.test(iso) ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== iso ? null : iso;
};

const cleanLines = (text: string): string[] => {
  const lines = text.split('\n').map((line) =>
    withoutInvisibles(line.replace(/\p{Cc}+/gu, ' '))
      .toWellFormed()
      .trimEnd(),
  );
  while (lines[0] === '') lines.shift();
  while (lines.at(-1) === '') lines.pop();
  return lines;
};

type Words = FormWords['page']['problems'];

/** Lines, or what is wrong. */
const readText = (field: FormField, text: string, say: Words): readonly string[] | string => {
  const { type, label, choices } = field;
  if (type === 'consent') return text === '' ? [] : ['yes'];
  if (text.length > LONGEST[type]) return say.long(label, String(LONGEST[type]));
  const lines =
    type === 'long_text' ? cleanLines(text) : [cleanText(withoutInvisibles(text))].filter(Boolean);
  const [first] = lines;
  if (first === undefined) return [];
  if (type === 'email') return parseEmail(first) === null ? say.email(label) : lines;
  if (type === 'phone') return PHONE.test(first) ? lines : say.phone(label);
  if (type === 'choice') return choices?.includes(first) ? lines : say.choice(label);
  if (type === 'date') {
    const day = dayOf(first);
    return day === null ? say.date(label) : [day];
  }
  return lines;
};

const readFile = async (
  { label }: FormField,
  file: File,
  settings: FormSettings,
  say: Words,
): Promise<Attachment | string> => {
  if (file.size > settings.file_bytes) return say.fileSize(label, megabytesOf(settings.file_bytes, settings));
  const filename = file.name.normalize('NFC');
  const contentType = meantType(
    (file.type || 'application/octet-stream').toLowerCase().split(';', 1)[0] ?? '',
    filename,
  );
  const content = Buffer.from(await file.arrayBuffer());
  return findRefusedAttachment([{ filename, contentType, content }]) === null
    ? { filename, contentType, content }
    : say.file(label);
};

/** What was typed, for the form that is shown again. */
export const typedIn = ({ fields }: FormSettings, posted: Posted): Typed =>
  Object.fromEntries(
    fields.flatMap(({ key }) => {
      const value = Object.hasOwn(posted, key) ? posted[key] : undefined;
      return typeof value === 'string' ? [[key, value]] : [];
    }),
  );

/** Fields that the form does not have are passed over: the HTML on a site may be an older one. */
export const readPost = async (
  settings: FormSettings,
  posted: Posted,
  say: Words,
): Promise<FormPost | readonly Problem[]> => {
  const filled: Filled[] = [];
  const files: Attachment[] = [];
  const problems: Problem[] = [];
  for (const field of settings.fields) {
    const { key, type, label, required } = field;
    const value = Object.hasOwn(posted, key) ? posted[key] : undefined;
    // JSON has no files, and a file in a field for text has come as its text.
    const isFile = value instanceof File;
    const read =
      type === 'file'
        ? isFile
          ? await readFile(field, value, settings, say)
          : []
        : readText(field, typeof value === 'string' ? value : '', say);
    if (typeof read === 'string') problems.push({ key, text: read });
    else if (!Array.isArray(read)) files.push(read as Attachment);
    else if (required && read.length === 0) problems.push({ key, text: say.missing(label) });
    if (typeof read !== 'string') filled.push({ field, lines: Array.isArray(read) ? read : [] });
  }
  if (problems.length > 0) return problems;
  const lineOf = (type: FormField['type']): string | null =>
    filled.find(({ field }) => field.type === type)?.lines[0] ?? null;
  const email = lineOf('email');
  const address = email === null ? undefined : parseEmail(email)?.email;
  return { filled, files, name: lineOf('name'), email: (address as Address | undefined) ?? null };
};
