// Finds out what a file is, by its bytes, and makes text of it that is read row by row. What cannot be read is refused with what
// to do about it.
import type { FileForm } from '../job.ts';
import { encodingOf, textParts } from '../read-rows.ts';
import { UnreadableFile } from '../unreadable.ts';
import { isAddressList, listRows } from './address-list.ts';
import { cardRows } from './vcard.ts';
import { workbookRows } from './workbook.ts';

export interface OpenedFile {
  readonly form: FileForm;
  /** Null: of a workbook. */
  readonly encoding: string | null;
  /** UTF-8, of comma-separated values or, of a table, of what it had. */
  readonly parts: Iterable<Buffer>;
}

/** The bytes by which a file of text is recognized. */
const BEGINNING = 65_536;

function* encoded(parts: Iterable<string>): Generator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

const beginsWith = (bytes: Uint8Array, hex: string): boolean =>
  Buffer.from(bytes.subarray(0, hex.length / 2)).toString('hex') === hex;

const refuseBinary = (bytes: Uint8Array): void => {
  if (beginsWith(bytes, 'd0cf11e0')) throw new UnreadableFile(['old_excel']);
  if (beginsWith(bytes, '25504446')) throw new UnreadableFile(['no_table', 'PDF']);
  if (beginsWith(bytes, '1f8b') || beginsWith(bytes, '377abcaf') || beginsWith(bytes, '52617221'))
    throw new UnreadableFile(['archive']);
};

const refuseText = (beginning: string): void => {
  if (/^(?:version: *1\s+)?dn::? /.test(beginning)) throw new UnreadableFile(['ldif']);
  if (/^<(?:\?xml|!doctype|html|table)\b/i.test(beginning))
    throw new UnreadableFile(['no_table', 'HTML or XML']);
  if (/^(?:\{\s*"|\[\s*[{"])/.test(beginning)) throw new UnreadableFile(['no_table', 'JSON']);
};

/** Throws UnreadableFile. */
export const openFile = async (bytes: Uint8Array): Promise<OpenedFile> => {
  if (beginsWith(bytes, '504b0304'))
    return {
      form: 'workbook',
      encoding: null,
      parts: await workbookRows(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
    };
  refuseBinary(bytes);
  const encoding = encodingOf(bytes);
  const beginning = new TextDecoder(encoding).decode(bytes.subarray(0, BEGINNING)).trimStart();
  refuseText(beginning);
  const text = textParts(bytes, encoding);
  if (/^BEGIN:VCARD/i.test(beginning)) return { form: 'vcard', encoding, parts: cardRows(text) };
  if (isAddressList(beginning)) return { form: 'addresses', encoding, parts: listRows(text) };
  return { form: 'table', encoding, parts: encoded(text) };
};
