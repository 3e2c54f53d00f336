import { expect, test } from 'vitest';
import { csvLine, withoutGuard } from '#src/kernel/csv.ts';

test('cells with commas, quotes and line breaks are quoted, nothing is an empty cell', () => {
  expect(csvLine(['a', null, 'b,c', 'say "hi"', 'two\r\nlines', ''])).toBe(
    'a,,"b,c","say ""hi""","two\r\nlines",\r\n',
  );
});

test.each(['=1+1', '+49 40', '-b@example.org', '@cmd', '\tx', '\rx'])(
  '%j is kept from being a formula, and is read back as it was',
  (text) => {
    const [cell = ''] = csvLine([text])
      .replace(/^"|"?\r\n$/g, '')
      .split('\n');
    expect(cell).toBe(`'${text}`);
    expect(withoutGuard(`'${text}`)).toBe(text);
  },
);

test.each(["o'brien@example.org", "'quoted'", "'", '', 'a=b', "''=x"])('%j is left as it is', (text) => {
  expect(csvLine([text])).toBe(`${text}\r\n`);
  expect(withoutGuard(text)).toBe(text);
});
