// Checks whether a file's content is what its extension says. It reads only beginnings, ends and the directories of archives;
// only the checks for NUL and UTF-8 read whole files, 1 ms for 10 MiB. The answers are words for the sender. Pure.
import { isUtf8 } from 'node:buffer';
import { officeProblem } from './office.ts';
import { endsAsZip } from './zip.ts';

const NOT_WHAT_IT_SAYS = 'its content is not what its name says';
const HEAD_BYTES = 1_024;
const TEXT_LOOKED_AT = 65_536;
/** Octets at each end of a PDF, which have its catalog and its first objects. */
const PDF_LOOKED_AT = 1_048_576;

const asBuffer = (content: Uint8Array): Buffer =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength);

type Check = (content: Uint8Array) => string | null;

/** The pattern is applied to the beginning of the file as Latin-1. */
const begins =
  (pattern: RegExp): Check =>
  (content) =>
    pattern.test(asBuffer(content).toString('latin1', 0, HEAD_BYTES)) ? null : NOT_WHAT_IT_SAYS;

/** Programs find a ZIP archive from the end of a file, so the same file could be an image for one program and an archive for
 * another. */
const isNoArchive: Check = (content) => (endsAsZip(content) ? 'it is an archive as well' : null);

/** An action that starts a program. Compressed objects are left to the virus scanner. */
const LAUNCH = /\/S\s{0,20}\/Launch\b|\/Launch\s{0,20}<</;
const startsNoProgram: Check = (content) => {
  const file = asBuffer(content);
  const ends = [
    file.subarray(0, PDF_LOOKED_AT),
    file.subarray(Math.max(PDF_LOOKED_AT, file.length - PDF_LOOKED_AT)),
  ];
  const launches = ends.some((end) => end.includes('/Launch') && LAUNCH.test(end.toString('latin1')));
  return launches ? 'it starts a program when it is opened' : null;
};

/** Control characters without tab, line ends, form feed and the end mark of old programs. */
const CONTROLS = /[\0-\x08\x0b\x0e-\x19\x1b-\x1f\x7f]/;
/** The beginnings of documents, archives, scripts and pages. */
const FOREIGN_START =
  /^(?:PK\x03\x04|PK\x05\x06|%PDF-|%!PS|Rar!|7z\xbc\xaf|\x1f\x8b|BZh[1-9]1AY|MSCF|\{\\rtf|#!|<\?|<!doctype|<(?:html|head|body|script|svg|iframe|meta|xml|a|img|div|table|form|style)[\s>/])/i;
const isText: Check = (content) => {
  const file = asBuffer(content);
  const start = file
    .subarray(0, TEXT_LOOKED_AT)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '');
  if (file.includes(0) || CONTROLS.test(start) || FOREIGN_START.test(start.trimStart()))
    return NOT_WHAT_IT_SAYS;
  // Only a file with a byte order mark must be UTF-8; without one any octets may be Latin-1.
  return file.subarray(0, 3).equals(BYTE_ORDER_MARK) && !isUtf8(file) ? NOT_WHAT_IT_SAYS : null;
};
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const all =
  (...checks: readonly Check[]): Check =>
  (content) => {
    for (const check of checks) {
      const problem = check(content);
      if (problem !== null) return problem;
    }
    return null;
  };

const office = (extension: string): readonly [string, Check] => [
  extension,
  (content) => officeProblem(content, extension),
];
const image = (pattern: RegExp): Check => all(begins(pattern), isNoArchive);
const jpeg = image(/^\xff\xd8\xff/);

const checks: Readonly<Record<string, Check>> = {
  pdf: all(begins(/%PDF-/), isNoArchive, startsNoProgram),
  ...Object.fromEntries('doc docx xls xlsx ppt pptx odt ods odp'.split(' ').map(office)),
  csv: isText,
  tsv: isText,
  ics: all(begins(/^(?:\xef\xbb\xbf)?\s*BEGIN:VCALENDAR\b/i), isText),
  png: image(/^\x89PNG\r\n\x1a\n/),
  jpg: jpeg,
  jpeg,
  gif: image(/^GIF8[79]a/),
  webp: image(/^RIFF[\s\S]{4}WEBP/),
};

/** Null if the content is what an allowed extension says. */
export const contentProblem = (content: Uint8Array, extension: string): string | null => {
  const check = Object.hasOwn(checks, extension) ? checks[extension] : undefined;
  return check === undefined ? NOT_WHAT_IT_SAYS : check(content);
};
