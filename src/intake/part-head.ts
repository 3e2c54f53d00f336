// The header of a submitted part as it leaves: type, parameters, disposition and Content-* fields as they came, each once and in
// ASCII. A file has the one name that the policy was asked about, because readers differ in which of two names they take. Pure.
import { decodeWords } from '#src/mail/decode-text.ts';
import { encodeParameter, encodeUnstructured, isHeaderValueSafe } from '#src/mail/header-field.ts';
import type { MimePart, PartHead } from '#src/mail/mime-parts.ts';
import type { SubmittedPart } from '#src/messages/submitted-part.ts';

type Head = Pick<SubmittedPart, 'type' | 'fields'>;
type Parameters = MimePart['parameters'];

/** Length and digest are left out: they are not true of another encoding. */
const KEPT_FIELDS = [
  'Content-ID',
  'Content-Description',
  'Content-Location',
  'Content-Language',
  'Content-Class',
];

/** RFC 6838 §4.2 */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;
/** The name of a parameter without the marks of RFC 2231, which are written where a value needs them. */
const PARAMETER_NAME = /^[a-z0-9!#$&+.^_`|~-]{1,40}$/;
const NEEDS_NO_QUOTES = /^[\w.+-]{1,60}$/;

/** Whether it is shown as text of the message, and is no file. */
export const isBody = ({ type, disposition, filename }: PartHead): boolean =>
  (type === 'text/plain' || type === 'text/html') &&
  disposition !== 'attachment' &&
  (filename === null || disposition === null);

const withParameters = (value: string, parameters: Parameters): string =>
  [
    value,
    ...parameters.map(([name, text]) =>
      NEEDS_NO_QUOTES.test(text) ? `${name}=${text}` : encodeParameter(name, text),
    ),
  ].join(';\r\n ');

const kept = (parameters: Parameters, ...without: readonly string[]): Parameters =>
  parameters.filter(
    ([name, value]) => PARAMETER_NAME.test(name) && !without.includes(name) && isHeaderValueSafe(value),
  );

const NAMES = ['name', 'filename'];

/** With that name wherever they have one. A name that no header can have is one that the policy refuses. */
const named = (parameters: Parameters, filename: string): Parameters =>
  filename === '' || !isHeaderValueSafe(filename)
    ? kept(parameters, ...NAMES)
    : parameters.map(([name, value]) => [name, NAMES.includes(name) ? filename : value]);

export const mediaTypeOf = ({ type }: PartHead, fallback: string): string =>
  MEDIA_TYPE.test(type) ? type : fallback;

const contentFields = ({ fields }: MimePart): string =>
  KEPT_FIELDS.map((name) => {
    const value = fields.find(([given]) => given.toLowerCase() === name.toLowerCase())?.[1] ?? '';
    const text = decodeWords(value);
    return text === '' || !isHeaderValueSafe(text) ? '' : encodeUnstructured(name, text);
  }).join('');

/** `parameters` are those of the disposition. */
const fieldsOf = (
  part: MimePart,
  parameters: Parameters,
  disposition: MimePart['disposition'] = part.disposition,
): string =>
  disposition === null
    ? contentFields(part)
    : `Content-Disposition: ${withParameters(disposition, parameters)}\r\n${contentFields(part)}`;

/** What is no file has no file's name, and its size changes. */
const fieldsOfNoFile = (part: MimePart): string =>
  fieldsOf(part, kept(part.dispositionParameters, ...NAMES, 'size'));

export const headOfMultipart = (part: MimePart): Head => ({
  type: withParameters(mediaTypeOf(part, 'multipart/mixed'), kept(part.parameters, 'boundary')),
  fields: fieldsOfNoFile(part),
});

/** `boundary` is in what is signed. */
export const headOfSigned = (part: MimePart, boundary: string): Head => ({
  type: `${withParameters(part.type, kept(part.parameters, 'boundary'))};\r\n boundary="${boundary}"`,
  fields: fieldsOfNoFile(part),
});

/** The head of a part that leaves in UTF-8. */
export const headOfText = (part: MimePart): Head => ({
  type: withParameters(part.type, [['charset', 'utf-8'], ...kept(part.parameters, 'charset', ...NAMES)]),
  fields: fieldsOfNoFile(part),
});

/** Text that is a file is never shown as a part of the message: the content rules have not read it. */
export const headOfFile = (part: MimePart): Head => {
  const filename = part.filename?.normalize('NFC') ?? '';
  const isTable = part.type.startsWith('text/') && part.type !== 'text/calendar';
  return {
    type: withParameters(
      mediaTypeOf(part, 'application/octet-stream'),
      named(kept(part.parameters, 'boundary'), filename),
    ),
    fields: fieldsOf(
      part,
      named(kept(part.dispositionParameters), filename),
      isTable ? 'attachment' : part.disposition,
    ),
  };
};
