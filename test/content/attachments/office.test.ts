import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contentProblem } from '#src/content/attachments/file-content.ts';
import { type CompoundPart, compoundFileOf } from '#test/fixtures/compound-file.ts';
import { contentOf, openDocumentParts, packageParts } from '#test/fixtures/file-contents.ts';
import { type ZipPart, zipOf } from '#test/fixtures/zip-file.ts';

const WRONG = 'its content is not what its name says';
const MACROS = 'it has macros';
const ENCRYPTED = 'it is encrypted, so that no one can check it';
const REMOTE = 'it fetches something from another place when it is opened';
const PROGRAM = 'it holds a program';
const DAMAGED = 'the directory is damaged';

const types = (content: string) => ({ name: '[Content_Types].xml', content });
const relations = (...list: [type: string, target: string, mode?: string][]): ZipPart => ({
  name: 'word/_rels/document.xml.rels',
  content: `<Relationships>${list
    .map(
      ([type, target, mode = 'External']) =>
        `<Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}" TargetMode="${mode}"/>`,
    )
    .join('')}</Relationships>`,
});
const docx = (...parts: ZipPart[]) => zipOf(packageParts('docx', ...parts));
const document = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

describe('a document of the newer office programs', () => {
  const rows: [name: string, content: Buffer, problem: string | null][] = [
    ['a plain one', docx(), null],
    ['one with a comment at its end', zipOf(packageParts('docx'), 'made by us'), null],
    [
      'one with its sizes in ZIP64 fields',
      zipOf(packageParts('docx').map((part) => ({ ...part, isZip64: true }))),
      null,
    ],
    ['one with stored parts', zipOf(packageParts('docx').map((part) => ({ ...part, isStored: true }))), null],
    [
      'one with links to pages and pictures',
      docx(relations(['hyperlink', 'https://a.example/'], ['image', 'https://a.example/b.png'])),
      null,
    ],
    [
      'one made of a template on its writer’s disk',
      docx(relations(['attachedTemplate', 'file:///C:\\Vorlagen\\Brief.dotx'])),
      null,
    ],
    [
      'one with an object in itself',
      docx(relations(['oleObject', 'embeddings/oleObject1.bin', 'Internal'])),
      null,
    ],
    [
      'one made of a template elsewhere, behind a sign that seems to end its element',
      docx(relations(['attachedTemplate', 'https://a.example/t.dotm?a>b'])),
      REMOTE,
    ],
    ['a table as a text', zipOf(packageParts('xlsx')), WRONG],
    ['slides as a text', zipOf(packageParts('pptx')), WRONG],
    ['another program’s text', zipOf(openDocumentParts('odt')), WRONG],
    ['any archive', zipOf([{ name: 'a.txt', content: 'a' }]), WRONG],
    ['an empty archive', zipOf([]), WRONG],
    [
      'a template as a document',
      docx(types(`<Override ContentType="${document.replace('document.main', 'template.main')}"/>`)),
      WRONG,
    ],
    ['macros by their part', docx({ name: 'word/vbaProject.bin', content: 'x' }), MACROS],
    ['macros in capitals', docx({ name: 'WORD/VBAPROJECT.BIN', content: 'x' }), MACROS],
    [
      'macros by the type of the document',
      docx(types('<Override ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/>')),
      MACROS,
    ],
    [
      'macros in a part of another name',
      docx(
        types(
          `<Override ContentType="${document}"/><Override ContentType="application/vnd.ms-office.vbaProject"/>`,
        ),
      ),
      MACROS,
    ],
    [
      'macros whose type is in UTF-16',
      docx({
        name: '[Content_Types].xml',
        content: Buffer.from(
          '\ufeff<Override ContentType="application/vnd.ms-office.vbaProject"/>',
          'utf16le',
        ),
      }),
      MACROS,
    ],
    [
      'macros whose type is written in numbers',
      docx(types('<Override ContentType="application/vnd.ms-office.vba&#80;roject"/>')),
      MACROS,
    ],
    [
      'old macro sheets',
      zipOf(packageParts('xlsx', { name: 'xl/macrosheets/sheet1.xml', content: 'x' })),
      MACROS,
    ],
    [
      'a template from the network',
      docx(relations(['attachedTemplate', 'https://evil.example/a.dotm'])),
      REMOTE,
    ],
    ['a template from a share', docx(relations(['attachedTemplate', '\\\\evil.example\\a\\b.dotm'])), REMOTE],
    [
      'a template from a share as address',
      docx(relations(['attachedTemplate', 'file://evil.example/a/b.dotm'])),
      REMOTE,
    ],
    [
      'an object from the network',
      docx(relations(['oleObject', 'mhtml:http://evil.example/a!x-usc:http://evil.example/a'])),
      REMOTE,
    ],
    [
      'a second relation to the network',
      docx(relations(['hyperlink', 'https://a.example/'], ['frame', 'http://evil.example/'])),
      REMOTE,
    ],
    [
      'such a relation in UTF-16',
      docx({
        ...relations(['frame', 'http://evil.example/']),
        content: Buffer.from(`\ufeff${relations(['frame', 'http://evil.example/']).content}`, 'utf16le'),
      }),
      REMOTE,
    ],
    ['a program among its parts', docx({ name: 'word/embeddings/a.exe', content: 'MZ' }), PROGRAM],
    ['a locked part', zipOf(packageParts('docx').map((part) => ({ ...part, flags: 1 }))), ENCRYPTED],
    [
      'an encrypted one',
      compoundFileOf([
        { name: 'EncryptionInfo', content: Buffer.alloc(100) },
        { name: 'EncryptedPackage', content: Buffer.alloc(5_000) },
      ]),
      ENCRYPTED,
    ],
    ['the older form', Buffer.from(contentOf('doc')), WRONG],
    [
      'two parts of one name',
      docx({ name: 'a.xml', content: 'a' }, { name: 'A.xml', content: 'b' }),
      'two entries have the same name',
    ],
    [
      'a part with a path that leaves it',
      docx({ name: '../a.xml', content: 'a' }),
      'an entry has a path that leaves it',
    ],
    [
      'a part that is larger than it says',
      docx({ ...types('x'.repeat(100_000)), claimedSize: 100 }),
      'an entry cannot be unpacked',
    ],
    [
      'a part that is smaller than it says',
      docx({ ...types('x'), claimedSize: 100 }),
      'it unpacks to far more than it is',
    ],
    [
      'a part with another name inside',
      docx({ ...types(`<Override ContentType="${document}"/>`), localName: '[Content_Typos].xml' }),
      'its directory and its entries disagree',
    ],
    [
      'a bomb',
      docx({ name: 'a.xml', content: Buffer.alloc(12 * 1_024 * 1_024) }),
      'it unpacks to far more than it is',
    ],
    [
      'parts in the same place',
      docx(
        { name: 'a.xml', content: 'a'.repeat(50_000), isStored: true },
        ...Array.from({ length: 5 }, (_, index) => ({
          name: `${index}.xml`,
          content: '',
          isStored: true,
          claimedPacked: 50_000,
          claimedOffset: 0,
        })),
      ),
      'its entries overlap',
    ],
    [
      'a bomb of many parts',
      docx(
        ...Array.from({ length: 20 }, (_, index) => ({
          name: `${index}.xml`,
          content: Buffer.alloc(1_024 * 1_024),
        })),
      ),
      'it unpacks to far more than it is',
    ],
    [
      'a claim of a gigabyte',
      docx({ name: 'a.xml', content: 'a', claimedSize: 1e9 }),
      'it unpacks to far more than it is',
    ],
    [
      'too many parts',
      docx(...Array.from({ length: 1_000 }, (_, index) => ({ name: `${index}.xml`, content: '' }))),
      'it has more than 1000 entries',
    ],
    ['only its beginning', docx().subarray(0, 200), 'its end is missing'],
    ['something behind its end', Buffer.concat([docx(), Buffer.from('x')]), 'its end is missing'],
    ['something before its directory', Buffer.concat([docx().subarray(0, 10), docx()]), DAMAGED],
  ];
  test.each(rows)('%s: %3$s', (_, content, problem) => {
    expect(contentProblem(content, 'docx')).toBe(problem);
  });

  test.each(['docx', 'xlsx', 'pptx'])('%s is known by its main part', (extension) => {
    for (const other of ['docx', 'xlsx', 'pptx'])
      expect(contentProblem(contentOf(other), extension)).toBe(other === extension ? null : WRONG);
  });

  test('a file of another ZIP writer', { tags: 'debian/python3' }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'office-'));
    try {
      const script = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as out:
    out.writestr('[Content_Types].xml', '<Types><Override PartName="/word/document.xml" ContentType="${document}"/></Types>')
    out.writestr('word/document.xml', '<w:document/>' * 10000)
    if sys.argv[2] == 'macros': out.writestr('word/vbaProject.bin', b'x')
`;
      for (const [kind, problem] of [
        ['plain', null],
        ['macros', MACROS],
      ] as const) {
        const path = join(folder, `${kind}.docx`);
        execFileSync('python3', ['-c', script, path, kind]);
        expect(contentProblem(readFileSync(path), 'docx')).toBe(problem);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('an OpenDocument file', () => {
  const odt = (...parts: ZipPart[]) => zipOf(openDocumentParts('odt', ...parts));
  const [mimetype, ...others] = openDocumentParts('odt');
  const rows: [name: string, content: Buffer, problem: string | null][] = [
    ['a plain one', odt(), null],
    [
      'one with an empty library',
      odt(
        { name: 'Basic/script-lc.xml', content: '' },
        { name: 'Basic/Standard/script-lb.xml', content: '' },
      ),
      null,
    ],
    ['a table as a text', zipOf(openDocumentParts('ods')), WRONG],
    [
      'a template as a text',
      odt({ name: 'mimetype', content: 'application/vnd.oasis.opendocument.text-template', isStored: true }),
      WRONG,
    ],
    ['its type not first', zipOf([...others, ...(mimetype ? [mimetype] : [])]), WRONG],
    ['its type packed', zipOf([...(mimetype ? [{ ...mimetype, isStored: false }] : []), ...others]), WRONG],
    [
      'no manifest',
      zipOf(openDocumentParts('odt').filter(({ name }) => name !== 'META-INF/manifest.xml')),
      WRONG,
    ],
    ['Basic macros', odt({ name: 'Basic/Standard/Module1.xml', content: 'x' }), MACROS],
    ['Python macros', odt({ name: 'Scripts/python/a.py', content: 'x' }), MACROS],
    [
      'an encrypted one',
      odt({ name: 'META-INF/manifest.xml', content: '<manifest:encryption-data/>' }),
      ENCRYPTED,
    ],
  ];
  test.each(rows)('%s: %3$s', (_, content, problem) => {
    expect(contentProblem(content, 'odt')).toBe(problem);
  });
});

describe('a document of the older office programs', () => {
  const record = (id: number, data: Buffer): Buffer => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(id, 0);
    head.writeUInt16LE(data.length, 2);
    return Buffer.concat([head, data]);
  };
  const sheet = (kind: number): Buffer => record(0x85, Buffer.from([0, 0, 0, 0, 0, kind, 1, 0, 65]));
  const end = record(0x0a, Buffer.alloc(0));
  const workbook = (...records: Buffer[]): CompoundPart => ({
    name: 'Workbook',
    content: Buffer.concat([record(0x0809, Buffer.alloc(16)), ...records, end]),
  });
  const word: CompoundPart = { name: 'WordDocument', content: Buffer.alloc(5_000) };
  const encryptedWord = Buffer.alloc(5_000);
  encryptedWord.writeUInt16LE(0x0100, 10);
  const filler = Array.from({ length: 200 }, (_, index) => ({
    name: `Stream ${index}`,
    content: Buffer.alloc(100),
  }));

  const rows: [name: string, extension: string, parts: readonly CompoundPart[], problem: string | null][] = [
    ['a text', 'doc', [word], null],
    ['a text among many streams', 'doc', [...filler, word], null],
    ['a large text', 'doc', [{ name: 'WordDocument', content: Buffer.alloc(3_000_000) }], null],
    ['a table', 'xls', [workbook(sheet(0))], null],
    ['a table of an older version', 'xls', [{ name: 'Book', content: Buffer.alloc(100) }], null],
    ['a large table', 'xls', [workbook(sheet(0), record(0xfc, Buffer.alloc(8_000)))], null],
    ['slides', 'ppt', [{ name: 'PowerPoint Document', content: Buffer.alloc(10) }], null],
    ['a table as a text', 'doc', [workbook()], WRONG],
    ['a text as a table', 'xls', [word], WRONG],
    ['an installer', 'doc', [{ name: '䡀㼿䕷䑬㹪䒲䠯', content: Buffer.alloc(10) }], WRONG],
    ['a stored mail', 'doc', [word, { name: '__properties_version1.0', content: Buffer.alloc(10) }], WRONG],
    ['macros of a text', 'doc', [word, { name: 'Macros' }, { name: 'VBA' }], MACROS],
    [
      'macros behind many streams',
      'doc',
      [word, ...filler, { name: '_VBA_PROJECT', content: Buffer.alloc(9) }],
      MACROS,
    ],
    ['macros of a table', 'xls', [workbook(), { name: '_VBA_PROJECT_CUR' }], MACROS],
    ['old macro sheets', 'xls', [workbook(sheet(0), sheet(1))], MACROS],
    [
      'old macro sheets of a large table',
      'xls',
      [workbook(record(0xfc, Buffer.alloc(8_000)), sheet(1))],
      MACROS,
    ],
    ['an encrypted table', 'xls', [workbook(record(0x2f, Buffer.alloc(6)))], ENCRYPTED],
    ['an encrypted text', 'doc', [{ name: 'WordDocument', content: encryptedWord }], ENCRYPTED],
    [
      'an encrypted newer one as an older',
      'doc',
      [{ name: 'EncryptedPackage', content: Buffer.alloc(10) }],
      ENCRYPTED,
    ],
  ];
  test.each(rows)('%s as %s: %4$s', (_, extension, parts, problem) => {
    expect(contentProblem(compoundFileOf(parts), extension)).toBe(problem);
  });

  test('an endless chain, and one that leads out of the file', () => {
    for (const next of [0, 0x00ffffff]) {
      const file = compoundFileOf([word]);
      // The table of chains is the last sector; each sector now leads to the same one.
      for (let at = file.length - 512; at < file.length; at += 4) file.writeUInt32LE(next, at);
      expect(contentProblem(file, 'doc')).toBe('it is damaged');
    }
  });
});
