// Which attachments may be sent: type, number and size. The same facts are told by GET /api/meta, so that a client can
// check before it uploads. Pure.

const MIB = 1_024 * 1_024;

/** Extensions that are allowed, with the types each may be declared as; the first is the one used where none is. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  pdf: ['application/pdf'],
  doc: ['application/msword'],
  docx: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  xls: ['application/vnd.ms-excel'],
  xlsx: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ppt: ['application/vnd.ms-powerpoint'],
  pptx: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  odt: ['application/vnd.oasis.opendocument.text'],
  ods: ['application/vnd.oasis.opendocument.spreadsheet'],
  odp: ['application/vnd.oasis.opendocument.presentation'],
  csv: ['text/csv', 'application/csv', 'text/plain'],
  tsv: ['text/tab-separated-values', 'text/plain'],
  ics: ['text/calendar', 'application/ics'],
  png: ['image/png'],
  jpg: ['image/jpeg'],
  jpeg: ['image/jpeg'],
  gif: ['image/gif'],
  webp: ['image/webp'],
};

/** Inner extensions that hide what a file is (`rechnung.exe.pdf`), and the ones most often tried as outer ones. */
const rejectedExtensions: readonly string[] = (
  '7z apk app bat bz2 cab cmd com cpl dll dmg docm dotm exe gz hta htm html iso jar js jse lnk mjs msi msp ' +
  'pif pkg potm pptm ps1 rar reg scr sh svg swf tar tgz vb vbe vbs wsf xhtml xlam xlsm xltm xz zip'
).split(' ');
const rejected: ReadonlySet<string> = new Set(rejectedExtensions);

export const attachmentPolicy = {
  max_count: 5,
  max_bytes_each: 10 * MIB,
  max_bytes_total: 30 * MIB,
  allowed_types: [...new Set(Object.values(allowed).flat())],
  allowed_extensions: Object.keys(allowed),
  rejected_extensions: rejectedExtensions,
} as const;

const MAX_FILENAME_BYTES = 150;
/** Control, bidirectional and zero-width characters, and what separates paths. */
const SUSPICIOUS = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff/\\]/u;

const extensionsOf = (filename: string): string[] =>
  filename
    .toLowerCase()
    .split('.')
    .slice(1)
    .map((part) => part.trim());

/** Types the extension may be declared as; `constructor` and its like are on every object, but no extensions. */
const typesOf = (extension: string | undefined): readonly string[] | undefined =>
  extension !== undefined && Object.hasOwn(allowed, extension) ? allowed[extension] : undefined;

/** The type to declare for a file whose sender named none; undefined where its extension is not allowed. */
export const typeOfFilename = (filename: string): string | undefined =>
  typesOf(extensionsOf(filename).at(-1))?.[0];

interface AttachmentFacts {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Uint8Array;
}

const zip = /^PK\x03\x04/;
const ole = /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/;
/** Text has no NUL; programs do, near their beginning. Nor is it what starts a document, an archive or a script. */
const plain = /^(?!PK\x03\x04|%PDF-|Rar!|\x1f\x8b|#!)[^\0]*$/;
/** How the content of each type begins, read as latin1; so much of it is looked at. */
const HEAD_BYTES = 1_024;
const beginnings: Readonly<Record<string, RegExp>> = {
  pdf: /%PDF-/,
  ...Object.fromEntries(['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp'].map((name) => [name, zip])),
  ...Object.fromEntries(['doc', 'xls', 'ppt'].map((name) => [name, ole])),
  ...Object.fromEntries(['csv', 'tsv', 'ics'].map((name) => [name, plain])),
  png: /^\x89PNG\r\n\x1a\n/,
  jpg: /^\xff\xd8\xff/,
  jpeg: /^\xff\xd8\xff/,
  gif: /^GIF8[79]a/,
  webp: /^RIFF[\s\S]{4}WEBP/,
};

const isWhatItSays = (extension: string, content: Uint8Array): boolean =>
  beginnings[extension]?.test(Buffer.from(content.subarray(0, HEAD_BYTES)).toString('latin1')) ?? false;

/** Why the attachment is not allowed, in words for its sender; null where it is. */
const problemOf = ({ filename, contentType, content }: AttachmentFacts): string | null => {
  const extensions = extensionsOf(filename);
  const types = typesOf(extensions.at(-1));
  const hidden = extensions.slice(0, -1).find((extension) => rejected.has(extension));
  if (SUSPICIOUS.test(filename)) return 'the file name holds control, direction or path characters';
  if (Buffer.byteLength(filename) > MAX_FILENAME_BYTES)
    return `the file name is longer than ${MAX_FILENAME_BYTES} bytes`;
  if (!types) return 'this type of file is not allowed';
  if (hidden !== undefined) return `the double extension .${hidden}.${extensions.at(-1)} is suspicious`;
  if (!types.includes(contentType)) return `the type ${contentType} does not match the file name`;
  if (content.length === 0) return 'it is empty';
  if (!isWhatItSays(extensions.at(-1) ?? '', content)) return 'its content is not what its name says';
  if (content.length > attachmentPolicy.max_bytes_each)
    return `it is larger than ${attachmentPolicy.max_bytes_each} bytes`;
  return null;
};

/** The first attachment that is not allowed, and why; null where all are. */
export const findRefusedAttachment = (
  attachments: readonly AttachmentFacts[],
): { attachment: string; reason: string } | null => {
  const { max_count, max_bytes_total } = attachmentPolicy;
  for (const attachment of attachments) {
    const reason = problemOf(attachment);
    if (reason !== null) return { attachment: attachment.filename, reason };
  }
  const surplus = attachments[max_count];
  if (surplus) return { attachment: surplus.filename, reason: `more than ${max_count} attachments` };
  const total = attachments.reduce((sum, { content }) => sum + content.length, 0);
  const last = attachments.at(-1);
  return total > max_bytes_total && last
    ? { attachment: last.filename, reason: `all together are larger than ${max_bytes_total} bytes` }
    : null;
};
