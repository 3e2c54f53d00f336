// Checks documents of office programs ([MS-CFB], ECMA-376 part 2, OASIS OpenDocument 1.3 part 2): one must be what its name
// says, without macros and programs, not encrypted, and must not load anything from another place when it is opened. The
// answers are words for the sender, or null. Pure.
import { type CompoundFile, CompoundFileError, readCompoundFile } from './compound-file.ts';
import { readDirectory, readEntryContent, type ZipEntry, ZipError } from './zip.ts';

const NOT_WHAT_IT_SAYS = 'its content is not what its name says';
const MACROS = 'it has macros';
const ENCRYPTED = 'it is encrypted, so that no one can check it';
const REMOTE = 'it fetches something from another place when it is opened';
const PROGRAM = 'it holds a program';

/** Octets. Large presentations have some hundred kilobytes of types, and as much of relations in total. */
const MAX_PART = 2 * 1_024 * 1_024;
const MAX_RELATIONS = 4 * 1_024 * 1_024;

const mainTypes: Readonly<Record<string, string>> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml',
};
const odfTypes: Readonly<Record<string, string>> = {
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
};
const mainStreams: Readonly<Record<string, readonly string[]>> = {
  doc: ['WordDocument'],
  xls: ['Workbook', 'Book'],
  ppt: ['PowerPoint Document'],
};

/** Decodes UTF-16 (XML 1.0 §4.3.3) and character references, because both hide words from a search. */
const xmlText = (part: Buffer): string => {
  const isLittle = part[0] === 0xff && part[1] === 0xfe;
  const isBig = part[0] === 0xfe && part[1] === 0xff;
  const text =
    isLittle || isBig
      ? new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(part)
      : part.toString('utf8');
  return text.replace(/&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));/gi, (whole, hex?: string, decimal?: string) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
};

const PROGRAMS = /\.(?:exe|dll|scr|com|bat|cmd|ps1|vbs|vbe|jse?|wsf|hta|jar|msi|lnk|cpl|pif)$/i;

/** Relations that load something without a click. Hyperlinks, pictures and links to other tables are usual. */
const LOADING = /\/(?:attachedTemplate|oleObject|frame|subDocument|afChunk|control)$/;
/** A target that is no path on the reader's own disks. */
const REMOTE_TARGET = /^(?:\\\\|\/\/|(?!file:\/\/\/?[a-z]:)[a-z][a-z0-9+.-]+:)/i;

const attributePattern = (name: string): RegExp =>
  new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]{0,4000})"|'([^']{0,4000})')`);
const TARGET_MODE = attributePattern('TargetMode');
const TYPE = attributePattern('Type');
const TARGET = attributePattern('Target');

const valueIn = (element: string, attribute: RegExp): string => {
  const [, quoted, other] = attribute.exec(element) ?? [];
  return quoted ?? other ?? '';
};

/** A quoted value may have `>`, but none may have `<`, so no search reads beyond the next element. */
const RELATIONSHIP = /<(?:\w{1,20}:)?Relationship\s[^<>"']*(?:(?:"[^"<]*"|'[^'<]*')[^<>"']*){0,100}>/g;

const loadsRemote = (relations: string): boolean =>
  relations.includes('External') &&
  (relations.match(RELATIONSHIP) ?? []).some(
    (element) =>
      valueIn(element, TARGET_MODE) === 'External' &&
      LOADING.test(valueIn(element, TYPE)) &&
      REMOTE_TARGET.test(valueIn(element, TARGET)),
  );

const packageProblem = (
  content: Uint8Array,
  entries: readonly ZipEntry[],
  extension: string,
): string | null => {
  const types = entries.find(({ name }) => name.toLowerCase() === '[content_types].xml');
  if (!types) return NOT_WHAT_IT_SAYS;
  const declared = xmlText(readEntryContent(content, types, MAX_PART)).toLowerCase();
  if (/macroenabled|vnd\.ms-office\.vbaproject|macrosheet/.test(declared)) return MACROS;
  if (entries.some(({ name }) => /(?:^|\/)vbaproject\.bin$|\/macrosheets\//i.test(name))) return MACROS;
  if (!declared.includes(mainTypes[extension] ?? '\0')) return NOT_WHAT_IT_SAYS;
  let left = MAX_RELATIONS;
  for (const entry of entries) {
    if (!/\.rels$/i.test(entry.name)) continue;
    left -= entry.size;
    if (left < 0) throw new ZipError('its relations are too large');
    if (loadsRemote(xmlText(readEntryContent(content, entry, MAX_PART)))) return REMOTE;
  }
  return null;
};

const openDocumentProblem = (
  content: Uint8Array,
  entries: readonly ZipEntry[],
  extension: string,
): string | null => {
  // Part 2, 3.3: the type is the first entry and stored, so that it can be read without unpacking.
  const type = entries.find(({ offset }) => offset === 0);
  if (type?.name !== 'mimetype' || type.method !== 0) return NOT_WHAT_IT_SAYS;
  if (readEntryContent(content, type, 200).toString('latin1').trim() !== odfTypes[extension])
    return NOT_WHAT_IT_SAYS;
  const hasMacros = entries.some(({ name }) =>
    /^basic\/[^/]+\/(?!script-l[bc]\.xml$)[^/]+\.xml$|^scripts\/.*[^/]$/i.test(name),
  );
  if (hasMacros) return MACROS;
  const manifest = entries.find(({ name }) => name === 'META-INF/manifest.xml');
  if (!manifest) return NOT_WHAT_IT_SAYS;
  return xmlText(readEntryContent(content, manifest, MAX_PART)).includes('encryption-data')
    ? ENCRYPTED
    : null;
};

const zipProblem = (content: Uint8Array, extension: string): string | null => {
  const entries = readDirectory(content);
  if (entries.some(({ isEncrypted }) => isEncrypted)) return ENCRYPTED;
  if (entries.some(({ name }) => PROGRAMS.test(name))) return PROGRAM;
  return Object.hasOwn(odfTypes, extension)
    ? openDocumentProblem(content, entries, extension)
    : packageProblem(content, entries, extension);
};

/** The types of a workbook's records ([MS-XLS] 2.3). */
const BOUND_SHEET = 0x0085;
const FILE_PASS = 0x002f;
const END_OF_PART = 0x000a;
const MACRO_SHEET = 1;
const WORKBOOK_LOOKED_AT = 1_024 * 1_024;

const workbookProblem = (workbook: Buffer): string | null => {
  for (let at = 0; at + 4 <= workbook.length; ) {
    const record = workbook.readUInt16LE(at);
    const length = workbook.readUInt16LE(at + 2);
    if (record === FILE_PASS) return ENCRYPTED;
    if (record === BOUND_SHEET && at + 10 <= workbook.length && (workbook[at + 9] ?? 0) === MACRO_SHEET)
      return MACROS;
    if (record === END_OF_PART) return null;
    at += 4 + length;
  }
  return null;
};

/** [MS-DOC] 2.5.2: the bit fEncrypted. */
const isEncryptedText = (document: Buffer): boolean =>
  document.length >= 12 && (document.readUInt16LE(10) & 0x0100) !== 0;

const MACRO_STORAGES: ReadonlySet<string> = new Set(['macros', 'vba', '_vba_project', '_vba_project_cur']);

const compoundProblem = ({ entries, read }: CompoundFile, extension: string): string | null => {
  if (entries.some(({ name }) => name === 'EncryptedPackage' || name === 'EncryptionInfo')) return ENCRYPTED;
  if (entries.some(({ name }) => name.startsWith('__properties_version') || name.startsWith('__substg')))
    return NOT_WHAT_IT_SAYS;
  const main = entries.find(({ name, type }) => type === 2 && mainStreams[extension]?.includes(name));
  if (!main) return NOT_WHAT_IT_SAYS;
  if (entries.some(({ name }) => MACRO_STORAGES.has(name.toLowerCase()))) return MACROS;
  if (extension === 'xls') return workbookProblem(read(main, WORKBOOK_LOOKED_AT));
  return extension === 'doc' && isEncryptedText(read(main, 64)) ? ENCRYPTED : null;
};

const ZIP_START = Buffer.from('PK\x03\x04', 'latin1');
const COMPOUND_START = Buffer.from('d0cf11e0a1b11ae1', 'hex');

const startsWith = (content: Uint8Array, start: Buffer): boolean =>
  start.equals(content.subarray(0, start.length));

/** Documents of newer programs are ZIP files; if they are encrypted, they are compound files with the document inside. */
export const officeProblem = (content: Uint8Array, extension: string): string | null => {
  const isCompound = startsWith(content, COMPOUND_START);
  try {
    if (Object.hasOwn(mainStreams, extension))
      return isCompound ? compoundProblem(readCompoundFile(content), extension) : NOT_WHAT_IT_SAYS;
    if (startsWith(content, ZIP_START)) return zipProblem(content, extension);
    if (!isCompound) return NOT_WHAT_IT_SAYS;
    const { entries } = readCompoundFile(content);
    return entries.some(({ name }) => name === 'EncryptedPackage') ? ENCRYPTED : NOT_WHAT_IT_SAYS;
  } catch (error) {
    if (error instanceof ZipError || error instanceof CompoundFileError) return error.message;
    throw error;
  }
};
