import { expect, test } from 'vitest';
import { parseTagList, writeTagList } from '#src/mail/tag-list.ts';

test.each([
  ['nothing', '', []],
  [
    'white space around everything',
    ' v = DMARC1 ;\tp= none ; ',
    [
      ['v', 'DMARC1'],
      ['p', 'none'],
    ],
  ],
  [
    'an empty value',
    'v=DKIM1; p=',
    [
      ['v', 'DKIM1'],
      ['p', ''],
    ],
  ],
  ['an equals sign within a value', 'p=AAA==;', [['p', 'AAA==']]],
  ['white space within a value', 'p=AA AA', [['p', 'AA AA']]],
  [
    'names are case-sensitive',
    'p=1; P=2',
    [
      ['p', '1'],
      ['P', '2'],
    ],
  ],
])('reads %s', (_says, text, expected) => {
  const list = parseTagList(text);
  expect(list.tags.map(({ name, value }) => [name, value])).toEqual(expected);
  expect(list.problems).toEqual([]);
});

test('reports malformed and repeated tags, and the first of a name counts', () => {
  const list = parseTagList('v=DMARC1; p=reject; strictly; p=none; =x; 1=2');
  expect(list.problems).toEqual([
    { kind: 'malformed', text: 'strictly' },
    { kind: 'duplicate', text: 'p=none' },
    { kind: 'malformed', text: '=x' },
    { kind: 'malformed', text: '1=2' },
  ]);
  expect(list.get('p')).toBe('reject');
  expect(list.get('sp')).toBeUndefined();
});

test('writes what it reads', () => {
  expect(writeTagList(parseTagList('v=BIMI1;l=https://a.example/b.svg ;a=').tags)).toBe(
    'v=BIMI1; l=https://a.example/b.svg; a=',
  );
});
