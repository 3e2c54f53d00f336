import { describe, expect, test } from 'vitest';
import { MAX_DEPTH, MAX_VALUES, parseJson } from '#src/http/json.ts';
import type { AppError } from '#src/kernel/errors.ts';
import { FileOctets, formatPath } from '#src/kernel/fields.ts';

const refusal = (bytes: Uint8Array | string): AppError => {
  try {
    parseJson(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  } catch (thrown) {
    return thrown as AppError;
  }
  throw new Error('it was taken');
};

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('documents that are taken', () => {
  test.each([
    ['an object', '{"a":[1,true,null,"x"]}', { a: [1, true, null, 'x'] }],
    ['a document behind a byte order mark', '\ufeff{"a":1}', { a: 1 }],
    ['a surrogate pair as escapes', '"\\ud83d\\ude00"', '😀'],
    ['NUL as an escape', '"\\u0000"', '\0'],
  ])('%s', (_, text, value) => {
    expect(parseJson(Buffer.from(text))).toEqual(value);
  });

  test('the deepest nesting allowed', () => {
    expect(() => parseJson(Buffer.from(nested(MAX_DEPTH)))).not.toThrow();
  });

  test.each([
    ['as many values as allowed', ['[', '0,'.repeat(MAX_VALUES - 1), '0]']],
    ['any number of commas and brackets in a string', ['"', ',[{'.repeat(MAX_VALUES), '"']],
    ['such a string with quotes in it', ['"', '\\",[{'.repeat(MAX_VALUES), '"']],
    ['such a string that ends in a backslash', ['"', ',[{'.repeat(MAX_VALUES), '\\\\"']],
    [
      'a long string with a quote in it, and what looks like values behind it',
      ['"', 'A'.repeat(MAX_VALUES), '\\"', ',[{'.repeat(MAX_VALUES), '"'],
    ],
    ['many short strings', ['[', '"a",'.repeat(MAX_VALUES - 1), '"\\\\"]']],
  ])('%s', (_, parts) => {
    const text = parts.join('');
    expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
  });
});

describe('a document with a file in base64', () => {
  const file = 'QUJD'.repeat(20_000);
  test.each([
    ['among other values', `{"a":"${file}","b":[1,"${file}QQ==",null]}`],
    ['as the whole document', `"${file}"`],
    ['whose text is also a key', `{"${file}" \n${' '.repeat(200)}:"${file}","x":{"${file}":1}}`],
    ['beside others that are not quite base64', `["${file}","${file}\\n","é${file}","${file}é","${file}A"]`],
    ['under a name that objects have', `{"__proto__":"${file}"}`],
  ])('%s is what JSON.parse makes of it', (_, text) => {
    expect(parseJson(Buffer.from(text))).toStrictEqual(JSON.parse(text));
  });

  const fields = [['content', 'name']] as const;
  test.each([
    ['', `[{"name":"a","content":"${file}"}]`],
    [' before its name, with white space', `[{"content" \r\n\t: "${file}","name":""}]`],
    [' with padding', `[{"name":"a","content":"${file}QQ=="}]`],
    [' with padding that says more than it has to', `[{"name":"a","content":"${file}QR=="}]`],
  ])('is decoded in a field for files%s', (_, text) => {
    const [{ content }] = parseJson(Buffer.from(text), fields) as [{ content: FileOctets }];
    expect(content).toBeInstanceOf(FileOctets);
    expect(content.octets.equals(Buffer.from(JSON.parse(text)[0].content, 'base64'))).toBe(true);
    expect(JSON.stringify(content)).toBe(JSON.stringify(content.octets.toString('base64')));
  });

  test.each([
    ['of another name', `{"name":"a","text":"${file}QR=="}`],
    ['of a name that ends alike', `{"name":"a","a\\"content":"${file}","discontent":"${file}"}`],
    ['in a list', `{"name":"a","content":["${file}"]}`],
    ['without a name beside it', `{"content":"${file}","name":1}`],
    ['that is short', '{"name":"a","content":"QUJD"}'],
    ['that is nearly base64', `{"name":"a","content":"${file}\\n"}`],
    ['with the letters of base64url', `{"name":"a","content":"${file}__--"}`],
    ['with padding within', `{"name":"a","content":"${file}QQ==QUJD"}`],
    ['without its padding', `{"name":"a","content":"${file}QQ"}`],
    ['with nothing but padding at its end', `{"name":"a","content":"${file}===="}`],
  ])('%s is a text where files have fields', (_, text) => {
    expect(parseJson(Buffer.from(text), fields)).toStrictEqual(JSON.parse(text));
  });

  test.each([`["${file}`, `["${file}"`, `["${file}"x]`, `["${file}\n"]`])(
    'that is no JSON is refused with the place of the fault',
    (text) => {
      const words = (() => {
        try {
          return JSON.parse(text);
        } catch (error) {
          return (error as Error).message.split(/, "|, \.\.\./)[0];
        }
      })();
      expect(refusal(text).message).toBe(`The body is not JSON: ${words}.`);
    },
  );
});

describe('documents that are refused', () => {
  test.each([
    ['an overlong form', [0x22, 0xc0, 0x80, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut character', [0x22, 0xc3, 0x22]],
    ['UTF-16', [0x7b, 0x00, 0x7d, 0xd8]],
  ])('%s is no UTF-8', (_, bytes) => {
    const error = refusal(new Uint8Array(bytes));
    expect(error.code).toBe('invalid_json');
    expect(error.message).toContain('UTF-8');
  });

  test.each([
    ['in a string', '{"a":{"b c":["x","\\udc00"]}}', 'body.a["b c"][1]'],
    ['in a key', '{"a":{"\\ud800":1}}', 'body.a'],
    ['in reverse order', '"\\ude00\\ud83d"', 'body'],
  ])('half a surrogate pair %s is placed', (_, text, path) => {
    const error = refusal(text);
    expect(error.code).toBe('invalid_request');
    expect(error.extra.fields).toEqual([{ path, message: expect.stringContaining('surrogate') }]);
  });

  test.each([[MAX_DEPTH + 1], [MAX_VALUES]])('nesting to a depth of %i is refused', (depth) => {
    const error = refusal(nested(depth));
    expect(error.code).toBe('invalid_request');
    expect(error.message).toContain(`deeper than ${MAX_DEPTH}`);
  });

  test.each([
    ['an array', ['[', '0,'.repeat(MAX_VALUES), '0]']],
    ['an object', ['{', Array.from({ length: MAX_VALUES + 1 }, (_, n) => `"k${n}":0`).join(), '}']],
    ['empty objects', ['[', '{},'.repeat(MAX_VALUES / 2), '{}]']],
    ['empty arrays', ['[', '[],'.repeat(MAX_VALUES / 2), '[]]']],
    ['nesting', [nested(MAX_VALUES + 1)]],
    ['what is not even JSON', [','.repeat(1_000_000)]],
    ['what follows strings', ['["\\\\","\\"",', '0,'.repeat(MAX_VALUES), '0]']],
  ])('too many values are refused in %s', (_, parts) => {
    const error = refusal(parts.join(''));
    expect(error.code).toBe('invalid_request');
    expect(error.extra.fields).toEqual([{ path: 'body', message: `has more than ${MAX_VALUES} values` }]);
  });

  test('the refusal quotes nothing of the document', () => {
    const error = refusal('{"password": hunter2}');
    expect(error.message).toBe("The body is not JSON: Unexpected token 'h'.");
    expect(JSON.stringify(error)).not.toContain('hunter');
    expect(error.cause).toBeUndefined();
  });

  test.each([
    ['nothing but spaces', '  ', 'Unexpected end of JSON input'],
    ['a bare word', 'hello', "Unexpected token 'h'"],
    ['a word that the engine quotes alone', 'undefined', null],
    ['a cut string', '"hunter', 'Unterminated string in JSON at position 7'],
    [
      'a line break in a string',
      '"hun\nter"',
      'Bad control character in string literal in JSON at position 4',
    ],
    ['an unknown escape', '"hunter\\x"', 'Bad escaped character in JSON at position 8'],
    ['a comma too many in an array', '["hunter",]', "Unexpected token ']'"],
    ['a comma too many in a long document', `["${'hunter'.repeat(20)}",]`, "Unexpected token ']'"],
    ['a comma before the first item', '[,"hunter"]', "Unexpected token ','"],
    ['a quote that nothing expects', '{"a":1 "hunter":2}', "Expected ',' or '}' after property value"],
    ['a key without quotes', '{hunter:1}', "Expected property name or '}' in JSON at position 1"],
    ['two documents', '{} "hunter"', 'Unexpected non-whitespace character after JSON at position 3'],
  ])('%s is named in the words of the parser, without the document', (_, text, words) => {
    const { message } = refusal(text);
    expect(
      message.startsWith(words === null ? 'The body is not JSON.' : `The body is not JSON: ${words}`),
    ).toBe(true);
    expect(message).not.toMatch(/hunter|undefined/);
  });
});

test('paths read like code and stay short', () => {
  expect(formatPath('body', ['to', 0, 'email'])).toBe('body.to[0].email');
  expect(formatPath('body', ['a.b'])).toBe('body["a.b"]');
  expect(formatPath('body', ['x'.repeat(1000)]).length).toBeLessThan(100);
  expect(formatPath('body', Array(100).fill('a')).length).toBeLessThan(100);
});
