// Finds the report in a mail (RFC 9990 §3.1, RFC 8460 §5.3), by its content rather than by what the mail calls it: gzip, zip or
// plain, attached or as the body. The first one found is read. Packed content is unpacked within bounds, so that a bomb ends early.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readDirectory, readEntryContent, ZipError } from '#src/content/attachments/zip.ts';
import { decodeWords } from '#src/mail/decode-text.ts';
import { type AggregateReport, createAggregateReader, xmlText } from '#src/mail/dmarc-report.ts';
import { hostOf, ReportFault } from '#src/mail/domain-report.ts';
import { fieldValue, headOf, readFields } from '#src/mail/field-block.ts';
import { leavesOf, type MimePart, parseMessage } from '#src/mail/mime-parts.ts';
import { readTlsReport, type TlsReport } from '#src/mail/tls-report.ts';

export type FoundReport =
  | { readonly kind: 'dmarc'; readonly report: AggregateReport }
  | { readonly kind: 'tls'; readonly report: TlsReport };

/** What the mail says of its report outside of it; so a report that cannot be read still leads to the domain's owner. */
export interface ReportClue {
  /** Null where it is not said. */
  readonly domain: string | null;
  /** The domain in From. */
  readonly sender: string | null;
}

const MIB = 1_024 * 1_024;
/** Packed reports of the largest receivers have some 100 KiB. */
const MAX_MAIL_BYTES = 4 * MIB;
/** About 20,000 records have room in it. */
const MAX_XML_BYTES = 8 * MIB;
/** JSON is read at once. */
const MAX_JSON_BYTES = MIB;
const MAX_ENTRIES = 20;
/** Parts that look like a report and are none: each may unpack to as much as a report. */
const MAX_UNREADABLE = 3;
/** Characters that are read before others have their turn: about 2 ms. */
const PIECE = 65_536;

const unzip = promisify(gunzip);

const tooLarge = (cause?: unknown): ReportFault =>
  new ReportFault('too_large', 'The report is larger than this service reads.', cause);

const gunzipped = async (packed: Buffer): Promise<Buffer> => {
  try {
    return await unzip(packed, { maxOutputLength: MAX_XML_BYTES });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(error);
    throw new ReportFault('damaged', 'The gzip file cannot be unpacked.', error);
  }
};

/** The first entry that is a file, as its name says where several are. */
const unzipped = (packed: Buffer): Buffer => {
  try {
    const files = readDirectory(packed).filter(({ name }) => !/\/$|^__MACOSX\//.test(name));
    if (files.length > MAX_ENTRIES)
      throw new ReportFault('forbidden', 'The zip file has more files than a report.');
    const file = files.find(({ name }) => /\.(?:xml|json)$/i.test(name)) ?? files[0];
    if (file === undefined) throw new ReportFault('no_report', 'The zip file is empty.');
    if (file.isEncrypted) throw new ReportFault('forbidden', 'The zip file is encrypted.');
    if (file.size > MAX_XML_BYTES) throw tooLarge();
    return readEntryContent(packed, file, MAX_XML_BYTES);
  } catch (error) {
    if (error instanceof ZipError)
      throw new ReportFault('damaged', `The zip file cannot be read: ${error.message}.`, error);
    throw error;
  }
};

const isGzip = (content: Buffer): boolean => content[0] === 0x1f && content[1] === 0x8b;
const isZip = (content: Buffer): boolean => content.toString('latin1', 0, 4) === 'PK\x03\x04';

/** The form, by the first characters; null where it is neither. */
const formOf = (content: Buffer): 'xml' | 'json' | null => {
  const start = xmlText(content.subarray(0, 1_000)).trimStart();
  if (/^<(?:\?xml|!--|!doctype\s(?!html)|(?:[\w.-]+:)?feedback\b)/i.test(start)) return 'xml';
  return start.startsWith('{') ? 'json' : null;
};

const readXml = async (content: Buffer): Promise<FoundReport> => {
  const text = xmlText(content);
  const reader = createAggregateReader();
  for (let at = 0; at < text.length; at += PIECE) {
    reader.write(text.slice(at, at + PIECE));
    await nextTurn();
  }
  return { kind: 'dmarc', report: reader.end() };
};

/** Takes so many bytes of a mail, and of what it unpacks to; false where too many were read recently. */
export type TakeBytes = (bytes: number) => boolean;

/** Too many bytes of reports were read recently. */
export class ReportsBusy extends Error {
  override readonly name = 'ReportsBusy';
}

/** Null where the part has no report and does not look as if it had one. */
const readPart = async ({ type, content }: MimePart, take: TakeBytes): Promise<FoundReport | null> => {
  // The text for people; of an XHTML one the first line would look like a report.
  if (type === 'text/html') return null;
  const plain = isGzip(content) ? await gunzipped(content) : isZip(content) ? unzipped(content) : content;
  if (plain !== content && !take(plain.length)) throw new ReportsBusy();
  const form = formOf(plain);
  if (form === null && plain !== content) throw new ReportFault('no_report', 'The file in it is no report.');
  if (form === null) return null;
  if (form === 'xml') return readXml(plain);
  if (plain.length > MAX_JSON_BYTES) throw tooLarge();
  return { kind: 'tls', report: readTlsReport(xmlText(plain)) };
};

/** @throws ReportFault: that of the first part that looked like a report; ReportsBusy */
export const findReport = async (source: Buffer, take: TakeBytes = () => true): Promise<FoundReport> => {
  if (source.length > MAX_MAIL_BYTES) throw tooLarge();
  if (!take(source.length)) throw new ReportsBusy();
  const message = await parseMessage(source, 'keep').catch((error: unknown) => {
    throw new ReportFault('damaged', 'The mail has too many parts, or too long a header.', error);
  });
  let fault: ReportFault | null = null;
  let unreadable = 0;
  for (const part of leavesOf(message.root)) {
    if (unreadable === MAX_UNREADABLE) break;
    try {
      const found = await readPart(part, take);
      if (found) return found;
    } catch (error) {
      if (!(error instanceof ReportFault)) throw error;
      fault ??= error;
      unreadable += 1;
    }
  }
  throw fault ?? new ReportFault('no_report', 'The mail has no report in it.');
};

/** `receiver!domain!begin!end`, and perhaps more (RFC 9990 §3.1.1). */
const FILE_NAME = /\bname\*?=[^!\r\n]{1,300}!([\w.-]{1,255})!\d/i;
const SUBJECT = /\breport[ -]domain:\s*([\w.-]{1,255})/i;
const MAX_SCANNED = 65_536;

export const clueIn = (source: Buffer): ReportClue => {
  const fields = readFields(headOf(source));
  const named =
    fieldValue(fields, 'tls-report-domain') ??
    SUBJECT.exec(decodeWords(fieldValue(fields, 'subject') ?? ''))?.[1] ??
    FILE_NAME.exec(source.toString('latin1', 0, MAX_SCANNED))?.[1];
  const sender = /@([^\s@<>"(),:;]{1,255})>?\s*$/.exec(fieldValue(fields, 'from') ?? '')?.[1];
  return { domain: hostOf(named), sender: hostOf(sender) };
};
