// Writes Excel workbooks of one visible sheet, as Excel does: texts shared, dates as numbers with a style.
import { zipOf } from './zip.ts';

export type Cell = string | number | boolean | Date | null;

const DAY = 86_400_000;
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const columnName = (index: number): string =>
  index < 26
    ? String.fromCharCode(65 + index)
    : columnName(Math.floor(index / 26) - 1) + columnName(index % 26);

/** Rows by their numbers; others are not in the file. */
export const workbookOf = (
  rows: Readonly<Record<number, readonly Cell[]>>,
  parts: Readonly<Record<string, string | Buffer>> = {},
): Buffer => {
  const texts: string[] = [];
  const cellOf = (value: Cell, row: string, index: number): string => {
    const at = `r="${columnName(index)}${row}"`;
    if (value === null) return '';
    if (value instanceof Date) return `<c ${at} s="1"><v>${value.getTime() / DAY + 25_569}</v></c>`;
    if (typeof value === 'boolean') return `<c ${at} t="b"><v>${Number(value)}</v></c>`;
    if (typeof value === 'number') return `<c ${at}><v>${value}</v></c>`;
    return `<c ${at} t="s"><v>${texts.push(value) - 1}</v></c>`;
  };
  const data = Object.entries(rows)
    .map(
      ([row, cells]) =>
        `<row r="${row}">${cells.map((value, index) => cellOf(value, row, index)).join('')}</row>`,
    )
    .join('');
  return zipOf({
    '[Content_Types].xml': `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Alt" sheetId="1" state="hidden" r:id="rId9"/><sheet name="Adressen" sheetId="2" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships><Relationship Id="rId9" Target="worksheets/sheet9.xml"/><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/styles.xml': `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `${XML}<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData></worksheet>`,
    'xl/worksheets/sheet9.xml': `${XML}<worksheet xmlns="${MAIN}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>verborgen@example.org</t></is></c></row></sheetData></worksheet>`,
    'xl/sharedStrings.xml': `${XML}<sst xmlns="${MAIN}">${texts.map((text) => `<si><r><t xml:space="preserve">${escaped(text)}</t></r><rPh sb="0" eb="1"><t>lies</t></rPh></si>`).join('')}</sst>`,
    ...parts,
  });
};
