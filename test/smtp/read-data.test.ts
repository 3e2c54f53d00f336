import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readData } from '#src/smtp/read-data.ts';

test.each([
  ['', 'taken'],
  ['a\r\nb\r\n\r\n', 'taken'],
  ['a\nb\r\n', '5.5.2 bare <LF> received'],
  ['a\r\n\nb\r\n', '5.5.2 bare <LF> received'],
  ['\nb\r\n', '5.5.2 bare <LF> received'],
  ['a\rb\r\n', '5.5.2 bare <CR> received'],
  ['a\r\r\n', '5.5.2 bare <CR> received'],
  ['a\r\nb\0\r\n', '5.6.0 the message holds a NUL, which must be encoded (base64)'],
])('%j is %s, wherever its pieces end', async (text, outcome) => {
  const content = Buffer.from(text);
  for (let cut = 0; cut <= content.length; cut += 1) {
    const pieces = [content.subarray(0, cut), content.subarray(cut)].filter(({ length }) => length > 0);
    const read = readData(Readable.from(pieces), 0, 1_000, () => true).then(
      (bytes) => (bytes.equals(content) ? 'taken' : bytes.toString()),
      (error) => error.message,
    );
    expect(await read, `cut at ${cut}`).toBe(outcome);
  }
});
