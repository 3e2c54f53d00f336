import { describe, expect, test } from 'vitest';
import { newId } from '#src/kernel/id.ts';
import { openContent, sealContent } from '#src/messages/sealed-content.ts';
import { testSealingKey } from '#test/support/keys.ts';

const KEY = testSealingKey(3);
const ID = newId();
const CONTENT = { text: 'Ihr Code: 123456 — schöne Grüße', html: null };
const sealed = {
  ...sealContent(KEY, ID, CONTENT),
  headers_json: '[]',
  calendar_json: null,
  parts_json: null,
};

const altered = (): typeof sealed => {
  const bytes = Buffer.from(sealed.sealed ?? '');
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  return { ...sealed, sealed: bytes };
};

describe('sealed content', () => {
  test('shows neither text nor HTML, and decrypts to the same content', () => {
    expect(sealed).toMatchObject({ text: null, html: null });
    expect(sealed.sealed?.includes('123456')).toBe(false);
    expect(openContent(KEY, ID, sealed)).toMatchObject(CONTENT);
  });

  test('keeps an HTML part apart from the text', () => {
    const both = { text: 'Text', html: '<p>HTML</p>' };
    const row = { ...sealContent(KEY, ID, both), headers_json: '[]', calendar_json: null, parts_json: null };
    expect(openContent(KEY, ID, row)).toMatchObject(both);
  });

  test.each([
    ['under another key', testSealingKey(4), ID, sealed],
    ['as another message’s', KEY, newId(), sealed],
    ['with a byte altered', KEY, ID, altered()],
    ['cut short', KEY, ID, { ...sealed, sealed: Buffer.alloc(3, 1) }],
  ])('does not open %s', (_, key, id, row) => {
    expect(() => openContent(key, id, row)).toThrow('the sealed content of the message cannot be opened');
  });
});

test('a row that is not sealed is returned unchanged', () => {
  const row = {
    text: 'Guten Tag',
    html: null,
    sealed: null,
    headers_json: '[]',
    calendar_json: null,
    parts_json: null,
  };
  expect(openContent(KEY, ID, row)).toBe(row);
});
