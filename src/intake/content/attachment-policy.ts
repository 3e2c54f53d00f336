// Which attachments may be sent: number and size, file name, extension, declared type and content, which must agree. The
// same facts are told by GET /api/meta, so that a client can check before it uploads. Pure.
import { contentProblem } from './attachments/file-content.ts';
import { extensionsOf, lastExtension, nameProblem } from './attachments/file-name.ts';

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

/** Types the extension may be declared as; `constructor` and its like are on every object, but no extensions. */
const typesOf = (extension: string | undefined): readonly string[] | undefined =>
  extension !== undefined && Object.hasOwn(allowed, extension) ? allowed[extension] : undefined;

/** The type to declare for a file whose sender named none; undefined where its extension is not allowed. */
export const typeOfFilename = (filename: string): string | undefined => typesOf(lastExtension(filename))?.[0];

/** What programs declare that know no better; the file name then says what it is, and the content is looked at all the same. */
const VAGUE: ReadonlySet<string> = new Set(
  'application/octet-stream application/x-octet-stream binary/octet-stream application/download application/force-download application/x-download application/x-unknown application/x-pdf image/jpg image/pjpeg image/x-png text/x-csv text/comma-separated-values application/x-csv'.split(
    ' ',
  ),
);
/** What a spreadsheet program registers itself for. */
const isMistakenCsv = (type: string, extension: string): boolean =>
  type === 'application/vnd.ms-excel' && extension === 'csv';

/** The media type that is meant by a declaration. */
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

/** Why the attachment is not allowed, in words for its sender; null where it is. */
const problemOf = ({ filename, contentType, content }: AttachmentFacts): string | null => {
  const ofName = nameProblem(filename);
  if (ofName !== null) return ofName;
  const extension = lastExtension(filename) ?? '';
  const types = typesOf(extension);
  if (!types) return 'this type of file is not allowed';
  const hidden = extensionsOf(filename)
    .slice(0, -1)
    .find((inner) => rejected.has(inner));
  if (hidden !== undefined) return `the double extension .${hidden}.${extension} is suspicious`;
  if (!types.includes(contentType)) return `the type ${contentType} does not match the file name`;
  if (content.length === 0) return 'it is empty';
  if (content.length > attachmentPolicy.max_bytes_each)
    return `it is larger than ${attachmentPolicy.max_bytes_each} bytes`;
  return contentProblem(content, extension);
};

/** The first attachment that is not allowed, and why; null where all are. */
export const findRefusedAttachment = (
  attachments: readonly AttachmentFacts[],
): { attachment: string; reason: string } | null => {
  const { max_count, max_bytes_total } = attachmentPolicy;
  // Before anything is looked into: what is too much is not worth the time.
  const surplus = attachments[max_count];
  if (surplus) return { attachment: surplus.filename, reason: `more than ${max_count} attachments` };
  const total = attachments.reduce((sum, { content }) => sum + content.length, 0);
  const last = attachments.at(-1);
  const each = attachments.find(({ content }) => content.length > attachmentPolicy.max_bytes_each);
  if (total > max_bytes_total && last && !each)
    return { attachment: last.filename, reason: `all together are larger than ${max_bytes_total} bytes` };
  for (const attachment of attachments) {
    const reason = problemOf(attachment);
    if (reason !== null) return { attachment: attachment.filename, reason };
  }
  return null;
};
