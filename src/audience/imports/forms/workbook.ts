// Excel workbooks (.xlsx, ECMA-376): the cells of the first sheet. The archive is read by yauzl, which unpacks as a stream and
// compares sizes, and the XML by htmlparser2, which knows no entities but the five of XML: so what a file may unpack to is bounded
// here by what comes, and nothing is in memory but its texts. Libraries for whole workbooks load all of it at once.
import { Parser } from 'htmlparser2';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import type { Reason } from '../reasons.ts';
import { UnreadableFile } from '../unreadable.ts';
import { createCsvRows, MAX_CELL } from './csv-rows.ts';
import { isTimeFormat, serialAsText } from './workbook-times.ts';

const MIB = 1_024 * 1_024;
/** The bytes of all parts that are read. */
const MAX_UNPACKED = 128 * MIB;
/** The bytes of the rows that are made of them. */
const MAX_MADE = 32 * MIB;
const MAX_ENTRIES = 2_000;
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 500;
/** Texts that cells share, in all: count, and code units. */
const MAX_TEXTS = 1_000_000;
const MAX_TEXTS_LENGTH = 32 * MIB;

const tooLarge = (what: string): UnreadableFile => new UnreadableFile(['large_workbook', what]);

interface Handlers {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/** Names without their namespaces' prefixes. */
const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The parts of workbooks have some ten levels; the parser's list of open elements is slow when it is long. */
const MAX_DEPTH = 50;
/** A tag or comment that is longer is none of a workbook; the parser would hold it as a whole. */
const MAX_TAG = MIB;

/** Counts what it reads against what all parts may have. */
const createPartReader = (zip: ZipFile, entries: ReadonlyMap<string, Entry>) => {
  let unpacked = 0;
  /** False where there is no such part. */
  return async (path: string, { open, text, close }: Handlers): Promise<boolean> => {
    const entry = entries.get(path);
    if (!entry) return false;
    let depth = 0;
    let sinceEvent = 0;
    const parser = new Parser(
      {
        onopentag: (name, attributes) => {
          depth += 1;
          sinceEvent = 0;
          if (depth > MAX_DEPTH) throw new UnreadableFile(['bad_workbook']);
          open?.(localName(name), attributes);
        },
        ontext: (data) => {
          sinceEvent = 0;
          text?.(data);
        },
        onclosetag: (name) => {
          sinceEvent = 0;
          depth -= 1;
          close?.(localName(name));
        },
      },
      { xmlMode: true, decodeEntities: true },
    );
    const decoder = new TextDecoder();
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      unpacked += (chunk as Buffer).length;
      if (unpacked > MAX_UNPACKED) throw tooLarge(`${MAX_UNPACKED / MIB} MiB`);
      sinceEvent += (chunk as Buffer).length;
      parser.write(decoder.decode(chunk as Buffer, { stream: true }));
      if (sinceEvent > MAX_TAG) throw new UnreadableFile(['bad_workbook']);
    }
    parser.end();
    return true;
  };
};
type ReadPart = ReturnType<typeof createPartReader>;

interface Workbook {
  readonly sheet: string | null;
  /** Days are counted from 1904 instead of 1900. */
  readonly from1904: boolean;
}

const readWorkbook = async (read: ReadPart): Promise<Workbook> => {
  const sheets: { id: string; isHidden: boolean }[] = [];
  let from1904 = false;
  await read('xl/workbook.xml', {
    open: (name, attributes) => {
      const id = attributes['r:id'] ?? Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
      if (name === 'sheet' && id !== undefined)
        sheets.push({ id, isHidden: attributes.state !== undefined && attributes.state !== 'visible' });
      if (name === 'workbookPr') from1904 = /^(?:1|true)$/.test(attributes.date1904 ?? '');
    },
  });
  const first = sheets.find(({ isHidden }) => !isHidden) ?? sheets[0];
  let sheet: string | null = null;
  await read('xl/_rels/workbook.xml.rels', {
    open: (name, { Id, Target = '' }) => {
      if (name === 'Relationship' && Id !== undefined && Id === first?.id)
        sheet = Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`;
    },
  });
  return { sheet, from1904 };
};

const readSharedTexts = async (read: ReadPart): Promise<readonly string[]> => {
  const texts: string[] = [];
  let length = 0;
  let text = '';
  let isText = false;
  let isPhonetic = false;
  await read('xl/sharedStrings.xml', {
    open: (name) => {
      if (name === 'si') text = '';
      if (name === 'rPh') isPhonetic = true;
      isText = name === 't' && !isPhonetic;
    },
    text: (data) => {
      if (isText && text.length < MAX_CELL) text += data;
    },
    close: (name) => {
      isText = false;
      if (name === 'rPh') isPhonetic = false;
      if (name !== 'si') return;
      texts.push(text);
      length += text.length;
      if (texts.length > MAX_TEXTS || length > MAX_TEXTS_LENGTH) throw tooLarge(`${MAX_TEXTS} texts`);
    },
  });
  return texts;
};

/** Numbers of the cell styles that show a time. */
const readTimeStyles = async (read: ReadPart): Promise<ReadonlySet<number>> => {
  const formats = new Map<number, string>();
  const styles = new Set<number>();
  let isInCells = false;
  let index = 0;
  await read('xl/styles.xml', {
    open: (name, { numFmtId, formatCode = '' }) => {
      if (name === 'numFmt' && formats.size < MAX_ENTRIES) formats.set(Number(numFmtId), formatCode);
      if (name === 'cellXfs') isInCells = true;
      if (name !== 'xf' || !isInCells) return;
      if (isTimeFormat(Number(numFmtId), formats.get(Number(numFmtId)))) styles.add(index);
      index += 1;
    },
    close: (name) => {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return styles;
};

/** `BC12`: 54. */
const columnOf = (reference: string): number => {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '')
    column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
};

const readSheet = async (
  read: ReadPart,
  { sheet, from1904 }: Workbook,
  texts: readonly string[],
  times: ReadonlySet<number>,
): Promise<readonly Buffer[]> => {
  const made = createCsvRows();
  const parts: Buffer[] = [];
  let size = 0;
  let row = 0;
  let cells: string[] = [];
  let column = -1;
  let type = '';
  let style = 0;
  let text = '';
  let isText = false;
  const cellText = (): string => {
    if (type === 's') return texts[Number(text)] ?? '';
    if (type === 'b') return text === '1' ? 'true' : 'false';
    if (type === 'e') return '';
    return type === '' || type === 'n'
      ? times.has(style)
        ? serialAsText(Number(text), from1904)
        : text
      : text;
  };
  const keep = (isEnd: boolean): void => {
    const taken = made.take(isEnd);
    if (!taken) return;
    parts.push(taken);
    size += taken.length;
    if (size > MAX_MADE) throw tooLarge(`${MAX_MADE / MIB} MiB`);
  };
  const isThere = await read(sheet ?? '', {
    open: (name, { r = '', t = '', s = '0' }) => {
      if (name === 'row') {
        row = Number(r) || row + 1;
        if (row > MAX_ROWS) throw tooLarge(`${MAX_ROWS} rows`);
        cells = [];
        column = -1;
      } else if (name === 'c') {
        column = r === '' ? column + 1 : columnOf(r);
        [type, style, text] = [t, Number(s), ''];
      }
      isText = name === 'v' || (name === 't' && type === 'inlineStr');
    },
    text: (data) => {
      if (isText && text.length < MAX_CELL) text += data;
    },
    close: (name) => {
      isText = false;
      if (name === 'c' && text !== '' && column >= 0 && column < MAX_COLUMNS) {
        while (cells.length < column) cells.push('');
        cells[column] = cellText();
      }
      if (name === 'row' && cells.length > 0) {
        made.add(row, cells);
        keep(false);
      }
    },
  });
  if (!isThere) throw new UnreadableFile(['bad_workbook']);
  keep(true);
  return parts;
};

const otherForm = (names: ReadonlySet<string>): Reason => {
  if (names.has('content.xml')) return ['other_table', 'LibreOffice'];
  if (names.has('Index/Document.iwa') || names.has('Index.zip')) return ['other_table', 'Apple Numbers'];
  if (names.has('xl/workbook.bin')) return ['old_excel'];
  if (names.has('word/document.xml')) return ['no_table', 'Word'];
  return ['archive'];
};

/** Rows of comma-separated values, on the lines that have their numbers in the sheet. Throws UnreadableFile. */
export const workbookRows = async (bytes: Buffer): Promise<readonly Buffer[]> => {
  try {
    const zip = await fromBufferPromise(bytes, { autoClose: false });
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) {
      if (entries.size >= MAX_ENTRIES) throw tooLarge(`${MAX_ENTRIES} parts`);
      entries.set(entry.fileName, entry);
    }
    if (!entries.has('xl/workbook.xml')) throw new UnreadableFile(otherForm(new Set(entries.keys())));
    const read = createPartReader(zip, entries);
    const workbook = await readWorkbook(read);
    return await readSheet(read, workbook, await readSharedTexts(read), await readTimeStyles(read));
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(['bad_workbook']);
  }
};
