// Which attachments may be sent: number, size, file name, extension, declared type and content, which must agree. GET
// /api/meta shows the same limits and lists, so that a client can check before it uploads. Pure.
import { said, say, type Text } from '#src/kernel/say.ts';
import { withoutSpelling } from '#src/mail/visible-text.ts';
import { contentProblem } from './attachments/file-content.ts';

const MIB = 1_024 * 1_024;

/** The allowed extensions, each with the types it may be declared as; the first is used if no type is declared. */
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

/** Extensions that are refused as inner extensions too, where they hide what a file is (`rechnung.exe.pdf`). */
const rejectedExtensions: readonly string[] = (
  '7z ace apk app appx arj bas bat bz2 cab chm cmd com cpl crx deb dll dmg docm dotm exe gadget gz hta htm html ' +
  'img iso jar jnlp js jse ksh lnk lzh mht mhtml mjs msc msi msix msp mst pif pkg potm ppam ppsm pptm ps1 psm1 ' +
  'py rar reg rpm scf scr sct sh shtml svg svgz swf tar tgz url vb vbe vbs vhd vhdx wim wsc wsf wsh xhtml xla ' +
  'xlam xll xlsb xlsm xltm xz zip zst'
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

const MAX_NAME_BYTES = 150;
/** Controls, characters that are invisible or change the direction, fillers, unpaired surrogates and path separators. */
const SUSPICIOUS = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u115f\u1160\u2028\u2029\u2800\u3164\uffa0/\\]|\u034f/u;
const AT_THE_EDGE = /^\s|\s$/;
/** Windows takes these names for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])\s*(?:\.|$)/i;

/** The last extension in lower case; undefined if there is none. */
const lastExtension = (filename: string): string | undefined => {
  const dot = filename.lastIndexOf('.');
  return dot === -1 ? undefined : filename.slice(dot + 1).toLowerCase();
};

/** All extensions but the last, normalized, so that `x․exe` with a one dot leader is `x.exe`. A colon separates too, because
 * `a.exe:b.pdf` is a stream of `a.exe`. */
const innerExtensions = (filename: string): string[] =>
  filename
    .normalize('NFKC')
    .toLowerCase()
    .split(/[.:]/)
    .slice(1, -1)
    .map((part) => part.trim());

/** Why other systems could not store a file of this name, or a reader would not see its type; null if it is fine. */
const nameProblem = (filename: string): Text | null => {
  if (SUSPICIOUS.test(withoutSpelling(filename)))
    return say`the file name holds control, direction or path characters`;
  if (Buffer.byteLength(filename.normalize('NFC')) > MAX_NAME_BYTES)
    return say`the file name is longer than ${MAX_NAME_BYTES} bytes`;
  if (AT_THE_EDGE.test(filename)) return say`the file name begins or ends with a blank`;
  if (DEVICE.test(filename)) return say`the file name is that of a device on Windows`;
  return null;
};

/** `constructor` and similar names are properties of every object, but no extensions. */
const typesOf = (extension: string | undefined): readonly string[] | undefined =>
  extension !== undefined && Object.hasOwn(allowed, extension) ? allowed[extension] : undefined;

/** The type of a file whose sender declared none; undefined if its extension is not allowed. */
export const typeOfFilename = (filename: string): string | undefined => typesOf(lastExtension(filename))?.[0];

/** Declarations that say nothing reliable. The file name then gives the type; the content is checked in every case. */
const VAGUE: ReadonlySet<string> = new Set(
  'application/octet-stream application/x-octet-stream binary/octet-stream application/download application/force-download application/x-download application/x-unknown application/x-pdf image/jpg image/pjpeg image/x-png text/x-csv text/comma-separated-values application/x-csv'.split(
    ' ',
  ),
);
/** Windows declares this type for CSV files if Excel is installed. */
const isMistakenCsv = (type: string, extension: string): boolean =>
  type === 'application/vnd.ms-excel' && extension === 'csv';

/** The media type that a declaration means. */
export const meantType = (declared: string, filename: string): string => {
  const extension = filename.split('.').at(-1)?.toLowerCase() ?? '';
  const byName = typeOfFilename(filename);
  return byName !== undefined && (VAGUE.has(declared) || isMistakenCsv(declared, extension))
    ? byName
    : declared;
};

interface AttachmentFacts {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Uint8Array;
}

/** Why the attachment is not allowed, in words for its sender; null if it is allowed. */
const problemOf = ({ filename, contentType, content }: AttachmentFacts): Text | null => {
  const problemOfName = nameProblem(filename);
  if (problemOfName !== null) return problemOfName;
  const extension = lastExtension(filename) ?? '';
  const types = typesOf(extension);
  if (!types) return say`this type of file is not allowed`;
  const hidden = innerExtensions(filename).find((inner) => rejected.has(inner));
  if (hidden !== undefined) return say`the double extension .${hidden}.${extension} is suspicious`;
  if (!types.includes(contentType)) return say`the type ${contentType} does not match the file name`;
  if (content.length === 0) return say`it is empty`;
  if (content.length > attachmentPolicy.max_bytes_each)
    return say`it is larger than ${attachmentPolicy.max_bytes_each} bytes`;
  const problem = contentProblem(content, extension);
  return problem === null ? null : said(problem);
};

/** The first attachment that is not allowed, and why; null if all are allowed. */
export const findRefusedAttachment = (
  attachments: readonly AttachmentFacts[],
): { attachment: string; reason: Text } | null => {
  const { max_count, max_bytes_total } = attachmentPolicy;
  // Counts and sizes first: too many or too large files are refused without the cost of reading them.
  const surplus = attachments[max_count];
  if (surplus) return { attachment: surplus.filename, reason: say`more than ${max_count} attachments` };
  const total = attachments.reduce((sum, { content }) => sum + content.length, 0);
  const last = attachments.at(-1);
  const each = attachments.find(({ content }) => content.length > attachmentPolicy.max_bytes_each);
  if (total > max_bytes_total && last && !each)
    return { attachment: last.filename, reason: say`all together are larger than ${max_bytes_total} bytes` };
  for (const attachment of attachments) {
    const reason = problemOf(attachment);
    if (reason !== null) return { attachment: attachment.filename, reason };
  }
  return null;
};
