// Other forms of files than tables: addresses as pasted, cards, workbooks, and what would take too much of the memory.
import { describe, expect, test } from 'vitest';
import { openFile } from '#src/audience/imports/forms/open-file.ts';
import { previewImport } from '#src/audience/imports/preview.ts';
import { workbookOf } from '#test/support/workbook.ts';
import { zipOf } from '#test/support/zip.ts';

const TAKES_ALL = { takes: () => true, learn: async () => {} };
const preview = async (file: string | Buffer) => {
  const found = await previewImport(
    await openFile(Buffer.from(file)),
    { columns: {}, fileName: null, status: 'pending', sendable: TAKES_ALL },
    'en',
  );
  return { ...found, people: found.first.map(({ address, name, state }) => [address, name, state]) };
};
const taken = (...people: readonly (readonly [string, string | null])[]) =>
  people.map(([address, name]) => [address, name, 'pending']);

const PASTED: readonly (readonly [text: string, people: ReturnType<typeof taken>])[] = [
  [
    '"Groß, Jürgen" <j@example.org>; a@example.org',
    taken(['j@example.org', 'Groß, Jürgen'], ['a@example.org', null]),
  ],
  [
    'Groß, Jürgen <j@example.org>, Öhl, Otto <o@example.org>',
    taken(['j@example.org', 'Groß, Jürgen'], ['o@example.org', 'Öhl, Otto']),
  ],
  [
    'a@example.org,b@example.org;c@example.org d@example.org',
    taken(...['a', 'b', 'c', 'd'].map((name) => [`${name}@example.org`, null] as const)),
  ],
  [
    'a@example.org; b@example.org\nc@example.org; d@example.org',
    taken(...['a', 'b', 'c', 'd'].map((name) => [`${name}@example.org`, null] as const)),
  ],
  [
    '\'Anna Berg\' <a@example.org> "Ben" <b@example.org>',
    taken(['a@example.org', 'Anna Berg'], ['b@example.org', 'Ben']),
  ],
  [
    'mailto:a@example.org\r\n\r\n<b@example.org>\r\n',
    taken(['a@example.org', null], ['b@example.org', null]),
  ],
  ['"Groß, Jürgen <j@example.org>"', taken(['j@example.org', 'Groß, Jürgen'])],
  [
    'a@example.org; "Nie zu <b@example.org>\nc@example.org',
    taken(['a@example.org', null], ['b@example.org', '"Nie zu'], ['c@example.org', null]),
  ],
];
test.each([
  '"Groß, Jürgen" <j@example.org>; kein.klammeraffe',
  'j@example.org; kein.klammeraffe',
  '"Groß, Jürgen" <j@example.org>\nkein.klammeraffe\n',
])('in %j the one without an @ is reported', async (text) => {
  const found = await preview(text);
  expect(found.first.map(({ address, state }) => [address, state])).toEqual([
    ['j@example.org', 'pending'],
    ['kein.klammeraffe', 'failed'],
  ]);
});
test.each(PASTED)('%j loses nobody', async (text, people) => {
  const found = await preview(text);
  expect(found).toMatchObject({ form: 'addresses', failure: null, people });
});

test.each([
  ['Anna;a@example.org;Kiel\nBen;b@example.org;Bonn', 2],
  ['a@example.org,"Berg, Ben"\nb@example.org,Anna', 2],
  ['E-Mail\na@example.org', 1],
])('%j is a table', async (text, people) => {
  const { form, counts } = await preview(text);
  expect({ form, pending: counts.pending }).toEqual({ form: 'table', pending: people });
});

test('a pasted line that is long loses nobody at the borders of its pieces', async () => {
  const people = Array.from({ length: 20_000 }, (_, index) => `"Nummer, ${index}" <p${index}@example.org>`);
  const found = await preview(people.join('; '));
  expect(found.rows).toEqual({ read: 20_000, is_complete: true });
  expect(found.counts).toMatchObject({ pending: 20_000, failed: 0 });
});

test('cards at the borders of pieces, with photos and old line ends, all come', async () => {
  const photo = ` ${'A'.repeat(73)}\r\n`.repeat(200);
  const card = (index: number) =>
    `BEGIN:VCARD\r\nVERSION:3.0\r\nPHOTO;ENCODING=b:/9j\r\n${photo}FN:Nummer\\, ${index}\r\nEMAIL;TYPE=INTERNET,PREF:p${index}@exam\r\n ple.org\r\nEND:VCARD\r\n`;
  const file = Array.from({ length: 300 }, (_, index) => card(index)).join('');
  const found = await preview(file);
  expect(found).toMatchObject({ form: 'vcard', counts: { pending: 300, failed: 0 } });
  expect(found.first[1]).toMatchObject({ line: 208, address: 'p1@example.org', name: 'Nummer, 1' });
  expect((await preview(file.replaceAll('\r\n', '\r'))).counts.pending).toBe(300);
});

describe('a workbook', () => {
  const MAIN = 'xl/worksheets/sheet1.xml';
  const rowOf = (row: number) =>
    `<row r="${row}"><c t="inlineStr"><is><t>a${row}@example.org</t></is></c></row>`;

  test('with texts in its cells and without numbers of cells is read', async () => {
    const sheet = `<worksheet><sheetData>${rowOf(1)}${rowOf(3)}</sheetData></worksheet>`;
    const found = await preview(workbookOf({}, { [MAIN]: sheet }));
    expect(found.first.map(({ line, address }) => [line, address])).toEqual([
      [1, 'a1@example.org'],
      [3, 'a3@example.org'],
    ]);
  });

  test.each([
    ['rows', { [MAIN]: `<worksheet><sheetData>${rowOf(1_048_577)}</sheetData></worksheet>` }],
    ['bytes', { [MAIN]: Buffer.alloc(129 * 1_024 * 1_024, '<worksheet/>      ') }],
    ['texts', { 'xl/sharedStrings.xml': `<sst>${'<si/>'.repeat(1_000_001)}</sst>` }],
    [
      'cells',
      {
        [MAIN]: `<worksheet><sheetData>${Array.from({ length: 40_000 }, (_, index) => `<row r="${index + 1}">${`<c t="str"><v>${'x'.repeat(900)}</v></c>`}</row>`).join('')}</sheetData></worksheet>`,
      },
    ],
  ])('that unpacks to too many %s is refused with what to do', { tags: ['slow'] }, async (_, parts) => {
    const file = workbookOf({ 1: ['E-Mail'] }, parts);
    expect(file.length).toBeLessThan(1_024 * 1_024);
    await expect(preview(file)).rejects.toThrow(/too much in it .* Save the sheet with the addresses/);
  });

  test.each([
    ['is nested without end', '<worksheet>'.repeat(2_000_000)],
    ['has a tag without end', `<worksheet ${'x'.repeat(20_000_000)}`],
    ['has a comment without end', `<worksheet><!--${'x'.repeat(20_000_000)}`],
  ])('whose XML %s is refused as damaged', async (_, sheet) => {
    await expect(preview(workbookOf({}, { [MAIN]: sheet }))).rejects.toThrow(/damaged/);
  });

  test('whose XML has entities of its own, or is broken off, harms nothing', async () => {
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';
    const sheet = `${bomb}<worksheet><sheetData><row><c t="inlineStr"><is><t>&b;@example.org</t></is></c></row><row><c`;
    const found = await preview(workbookOf({}, { [MAIN]: sheet }));
    expect(found.first[0]?.address).toBe('&b;@example.org');
    const many = Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`p${index}`, '']));
    await expect(preview(zipOf(many))).rejects.toThrow(/too much in it/);
  });
});

test('more columns than a subscriber has values are passed over', async () => {
  const columns = Array.from({ length: 80 }, (_, index) => `Feld ${index}`);
  const found = await preview(`E-Mail;${columns.join(';')}\na@example.org;${columns.join(';')}\n`);
  expect(found.counts.pending).toBe(1);
  expect(found.columns.filter(({ role }) => role === 'value')).toHaveLength(50);
  expect(found.columns.at(-1)).toMatchObject({ role: 'ignore', value: null });
});
