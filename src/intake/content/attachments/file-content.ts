// Whether a file's content is what its extension says. Bounded: beginnings and ends, directories of archives; no file is
// looked at whole but for NUL and UTF-8, which take a millisecond for 10 MiB. Answers with words for its sender. Pure.
import { isUtf8 } from 'node:buffer';
import { officeProblem } from './office.ts';
import { endsAsZip } from './zip.ts';

const NOT_WHAT_IT_SAYS = 'its content is not what its name says';
const HEAD_BYTES = 1_024;
const TEXT_LOOKED_AT = 65_536;
/** At each end of a PDF: where its catalog and its first objects stand. */
const PDF_LOOKED_AT = 1_048_576;

const asBuffer = (content: Uint8Array): Buffer =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength);

type Check = (content: Uint8Array) => string | null;

/** The beginning as latin1. */
const begins =
  (pattern: RegExp): Check =>
  (content) =>
    pattern.test(asBuffer(content).toString('latin1', 0, HEAD_BYTES)) ? null : NOT_WHAT_IT_SAYS;

/** Also an archive to those who read from the end: whoever checks it sees another file than whoever opens it. */
const isNoArchive: Check = (content) => (endsAsZip(content) ? 'it is an archive as well' : null);

/** An action that starts a program. What hides in compressed objects is for the virus scanner. */
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

/** Controls but tab, line ends, form feed and the end mark of old programs. */
const CONTROLS = /[\0-\x08\x0b\x0e-\x19\x1b-\x1f\x7f]/;
/** What starts a document, an archive, a script or a page. */
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
  // Without a byte order mark any octets are Latin-1; with one it says that it is UTF-8.
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

/** Null where it is what an allowed extension says. */
export const contentProblem = (content: Uint8Array, extension: string): string | null => {
  const check = Object.hasOwn(checks, extension) ? checks[extension] : undefined;
  return check === undefined ? NOT_WHAT_IT_SAYS : check(content);
};
