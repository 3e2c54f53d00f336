import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { isFormType, parseForm } from '#src/http/form.ts';
import { AppError } from '#src/kernel/errors.ts';
import { defineRoute } from '#src/kernel/route.ts';
import { dial, readAll, startServer } from './fixture.ts';

const BOUNDARY = '----geckoformboundary0123456789';
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
const URL_ENCODED = 'application/x-www-form-urlencoded';

const bytes = (text: string | Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
const part = (disposition: string, value: string, boundary = BOUNDARY): string =>
  `--${boundary}\r\nContent-Disposition: ${disposition}\r\n\r\n${value}\r\n`;
const field = (name: string, value: string, boundary = BOUNDARY): string =>
  part(`form-data; name="${name}"`, value, boundary);
const end = (boundary = BOUNDARY): string => `--${boundary}--\r\n`;

/** What is wrong with it, in the words of the refusal. */
const refusalOf = async (body: string | Uint8Array, type: string): Promise<string> => {
  const error = await parseForm(bytes(body), type).then(
    (fields) => {
      throw new Error(`taken as ${JSON.stringify(fields)}`);
    },
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw error;
  expect(error.code).toBe('invalid_request');
  return error.message;
};

describe('forms that are taken', () => {
  const latin1 = Buffer.concat([
    bytes(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n`),
    bytes('Content-Type: text/plain; charset=iso-8859-1\r\n\r\n'),
    Buffer.from('M\xfcller', 'latin1'),
    bytes(`\r\n${end()}`),
  ]);
  const source = 'From: a@example.org\r\n\r\n\xff\x80';
  const upload = Buffer.concat([
    bytes(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"; filename="x.eml"\r\nContent-Type: message/rfc822\r\n\r\n`,
    ),
    Buffer.from(source, 'latin1'),
    bytes(`\r\n${end()}`),
  ]);
  const cases: [string, string, string | Uint8Array, Record<string, string>][] = [
    ['fields', MULTIPART, field('a', '1') + field('b', 'ü – 漢') + end(), { a: '1', b: 'ü – 漢' }],
    ['a last boundary without its line break', MULTIPART, `${field('a', '1')}--${BOUNDARY}--`, { a: '1' }],
    [
      'the shortest of boundaries',
      'multipart/form-data; boundary=x',
      field('a', '1', 'x') + end('x'),
      { a: '1' },
    ],
    [
      'a boundary in quotes',
      `multipart/form-data; boundary="${BOUNDARY}"`,
      field('a', '1') + end(),
      { a: '1' },
    ],
    ['another case', MULTIPART.replace('multipart', 'MultiPart'), field('a', '1') + end(), { a: '1' }],
    ['a preamble and an epilogue', MULTIPART, `hello\r\n${field('a', '1')}${end()}bye`, { a: '1' }],
    ['a long epilogue', MULTIPART, `${field('a', '1')}${end()}${'bye'.repeat(2_000)}`, { a: '1' }],
    ['a name without quotes', MULTIPART, part('form-data; name=a', '1') + end(), { a: '1' }],
    ['no field at all', MULTIPART, end(), {}],
    ['line breaks as browsers write them', MULTIPART, field('a', 'x\r\ny\r\n') + end(), { a: 'x\ny\n' }],
    ['what was not filled in is absent', MULTIPART, field('a', '') + field('b', '1') + end(), { b: '1' }],
    [
      'a file that was not chosen is absent',
      MULTIPART,
      part('form-data; name="a"; filename=""', '') + end(),
      {},
    ],
    [
      'a file is its text, its line breaks as they are',
      MULTIPART,
      upload,
      { a: 'From: a@example.org\r\n\r\n\ufffd\ufffd' },
    ],
    ['another charset is not guessed', MULTIPART, latin1, { a: 'M\ufffdller' }],
    ['a name of prototypes', MULTIPART, field('__proto__', '1') + end(), JSON.parse('{"__proto__":"1"}')],
    ['pairs', URL_ENCODED, 'a=1+2&b=%C3%BC%26', { a: '1 2', b: 'ü&' }],
    ['pairs with their charset', `${URL_ENCODED}; charset=UTF-8`, 'a=%C3%BC', { a: 'ü' }],
    ['broken escapes stay as they are', URL_ENCODED, 'a=%FF%zz%', { a: '\ufffd%zz%' }],
    ['empty pairs', URL_ENCODED, '&&a=&b&=&c=1', { c: '1' }],
  ];
  test.each(cases)('%s', async (_, type, body, expected) => {
    expect(isFormType(type)).toBe(true);
    expect(await parseForm(bytes(body), type)).toEqual(expected);
  });

  test('names of prototypes are fields like others', async () => {
    const fields = await parseForm(bytes('__proto__=1&constructor=2'), URL_ENCODED);
    expect(Object.keys(fields)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  });

  test('a hundred fields', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `f${index}`);
    const whole = names.map((name) => field(name, '1')).join('') + end();
    expect(Object.keys(await parseForm(bytes(whole), MULTIPART))).toHaveLength(100);
    const pairs = names.map((name) => `${name}=1`).join('&');
    expect(Object.keys(await parseForm(bytes(pairs), URL_ENCODED))).toHaveLength(100);
  });
});

describe('forms that are refused', () => {
  const NOT_WHOLE = '`body` is not a whole, well-formed form.';
  const TOO_MANY = '`body` has more than 100 fields.';
  test.each<[string, string, string, string]>([
    ['without a boundary in the header', 'multipart/form-data', field('a', '1') + end(), NOT_WHOLE],
    ['with another boundary', MULTIPART, field('a', '1', 'other') + end('other'), NOT_WHOLE],
    ['cut short behind a part', MULTIPART, field('a', '1'), NOT_WHOLE],
    ['cut short within a value', MULTIPART, field('a', '12345').slice(0, -4), NOT_WHOLE],
    ['cut short within a header', MULTIPART, `--${BOUNDARY}\r\nContent-Dis`, NOT_WHOLE],
    ['cut short within the last boundary', MULTIPART, field('a', '1') + end().slice(0, -6), NOT_WHOLE],
    ['with a part without a name', MULTIPART, part('form-data', '1') + end(), NOT_WHOLE],
    ['with a part without headers', MULTIPART, `--${BOUNDARY}\r\n\r\n1\r\n${end()}`, NOT_WHOLE],
    ['with bare line feeds', MULTIPART, (field('a', '1') + end()).replaceAll('\r\n', '\n'), NOT_WHOLE],
    ['that is JSON', MULTIPART, '{"a":1}', NOT_WHOLE],
    [
      'with a field twice',
      MULTIPART,
      field('a', '1') + field('a', '2') + end(),
      '`body.a` is in the form more than once.',
    ],
    ['with an empty field twice', URL_ENCODED, 'a=&a=1', '`body.a` is in the form more than once.'],
    ['with too many parts', MULTIPART, field('a', '1').repeat(101) + end(), TOO_MANY],
    ['with too many pairs', URL_ENCODED, 'a=1&'.repeat(101), TOO_MANY],
    ['with nothing but separators', URL_ENCODED, '&'.repeat(200_000), TOO_MANY],
  ])('%s', async (_, type, body, message) => {
    expect(await refusalOf(body, type)).toBe(message);
  });

  test.each<[string, string, string, string]>([
    ['parts', MULTIPART, field('a', '1').repeat(100_000), TOO_MANY],
    [
      'parts by the second of two types',
      `multipart/form-data; boundary=other, ${MULTIPART}`,
      field('a', '1').repeat(1_000) + end(),
      NOT_WHOLE,
    ],
    [
      'lines above a field',
      MULTIPART,
      part(`form-data; name="a"\r\n${'a:\r\n'.repeat(100_000)}b:`, '1') + end(),
      '`body` has a part with more than 4096 bytes above its content.',
    ],
  ])('with very many %s, of which none is parsed', async (_, type, body, message) => {
    const parse = vi.spyOn(Response.prototype, 'formData');
    onTestFinished(() => parse.mockRestore());
    expect(await refusalOf(body, type)).toBe(message);
    expect(parse).toHaveBeenCalledTimes(message === NOT_WHOLE ? 1 : 0);
  });

  test('however it is damaged, it is refused or read, and no more', async () => {
    const whole = bytes(
      field('a', '1') + part('form-data; name="b"; filename="x"', 'hello\r\n') + field('c', 'ü') + end(),
    );
    for (let at = 0; at < whole.length; at += 1) {
      for (const damage of [0x00, 0x0a, 0x0d, 0x22, 0x2d, 0xff]) {
        const damaged = Uint8Array.from(whole);
        damaged[at] = damage;
        const fields = await parseForm(damaged, MULTIPART).catch((error: unknown) => error);
        if (fields instanceof AppError) expect(fields.code).toBe('invalid_request');
        else expect(Object.values(fields as object).every((value) => typeof value === 'string')).toBe(true);
      }
      const cut = await parseForm(whole.slice(0, at), MULTIPART).catch((error: unknown) => error);
      // The very last bytes are the line break that is not needed.
      if (at < whole.length - 2) expect(cut).toBeInstanceOf(AppError);
    }
  });
});

describe('types', () => {
  test.each<[string, boolean]>([
    [MULTIPART, true],
    ['multipart/form-data', true],
    [URL_ENCODED, true],
    [`${URL_ENCODED};charset="utf-8"`, true],
    [`${URL_ENCODED}; charset=iso-8859-1`, false],
    ['multipart/form-database; boundary=x', false],
    ['multipart/mixed; boundary=x', false],
    ['text/plain', false],
    ['application/json', false],
    ['', false],
  ])('%j: %s', (type, expected) => {
    expect(isFormType(type)).toBe(expected);
  });
});

const common = {
  method: 'post',
  audit: { none: 'for the tests' },
  tag: 'Test',
  summary: 'For the tests.',
  access: 'public',
  stability: 'stable',
  bodyLimit: 1_000,
  responses: { 200: { description: 'what was sent', body: z.unknown() } },
} as const;
const letter = z.strictObject({ to: z.string(), text: z.string().min(3).optional() });
const formRoutes = [
  defineRoute({
    id: 'postForm',
    ...common,
    path: '/form',
    form: true,
    body: letter,
    handle: ({ body }) => ({ status: 200, body }),
  }),
  defineRoute({
    id: 'postButton',
    ...common,
    path: '/button',
    form: true,
    body: z.strictObject({ sure: z.string().optional() }),
    handle: ({ body }) => ({ status: 200, body: { pressed: body } }),
  }),
  defineRoute({
    id: 'postJson',
    ...common,
    path: '/json',
    body: letter,
    handle: ({ body }) => ({ status: 200, body }),
  }),
];

const formOf = (fields: Record<string, string>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
};

describe('over HTTP', () => {
  const post = async (path: string, body: RequestInit['body'], headers: Record<string, string> = {}) => {
    const server = await startServer({ routes: formRoutes });
    const response = await fetch(server.url + path, { method: 'POST', body: body ?? null, headers });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test('a route takes JSON and both forms alike', async () => {
    const fields = { to: 'Erika', text: 'Grüße' };
    const expected = { status: 200, body: fields };
    expect(await post('/form', formOf(fields))).toEqual(expected);
    expect(await post('/form', new URLSearchParams(fields))).toEqual(expected);
    expect(await post('/form', JSON.stringify(fields), { 'Content-Type': 'application/json' })).toEqual(
      expected,
    );
  });

  test('an empty optional field is absent, an empty required one is missing', async () => {
    expect(await post('/form', formOf({ to: 'Erika', text: '' }))).toEqual({
      status: 200,
      body: { to: 'Erika' },
    });
    expect(await post('/form', formOf({ to: '', text: 'abc' }))).toMatchObject({
      status: 400,
      body: { fields: [{ path: 'body.to', message: 'is required' }] },
    });
  });

  test.each(['__proto__', 'constructor', 'txet'])('a field %s that there is not is refused', async (name) => {
    const form = formOf({ to: 'Erika' });
    form.append(name, '1');
    const answer = await post('/form', form);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(JSON.stringify(answer.body.fields)).toContain(`unknown field \`${name}\``);
  });

  test('a form without a field is one', async () => {
    expect(await post('/button', new URLSearchParams())).toEqual({ status: 200, body: { pressed: {} } });
    expect(await post('/button', formOf({}))).toEqual({ status: 200, body: { pressed: {} } });
    expect(await post('/button', null)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  test('a form that breaks is refused', async () => {
    const answer = await post('/form', field('to', 'Erika'), { 'Content-Type': MULTIPART });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  test('other types are refused, with those that are taken', async () => {
    const refused = await post('/form', 'to=Erika', { 'Content-Type': 'text/plain' });
    expect(refused).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    for (const type of ['application/json', 'multipart/form-data', URL_ENCODED])
      expect(refused.body.hint).toContain(type);
    const encoded = { 'Content-Type': URL_ENCODED, 'Content-Encoding': 'gzip' };
    expect(await post('/form', 'to=Erika', encoded)).toMatchObject({ status: 415 });
  });

  test('a route that takes no forms takes none', async () => {
    const refused = await post('/json', formOf({ to: 'Erika' }));
    expect(refused).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect(refused.body.hint).not.toContain('multipart');
  });

  test('the bound of the body holds', async () => {
    const answer = await post('/form', formOf({ to: 'x'.repeat(1_000) }));
    expect(answer).toMatchObject({ status: 413, body: { code: 'body_too_large', limit_bytes: 1_000 } });
  });

  test('a form that arrives in pieces is put together', async () => {
    const server = await startServer({ routes: formRoutes });
    const socket = await dial(server.port);
    const answered = readAll(socket, '"Erika"');
    const body = Buffer.from(field('to', 'Erika') + end());
    socket.write(
      `POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: ${MULTIPART}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    for (const byte of body) await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
    expect(await answered).toMatch(/^HTTP\/1.1 200 /);
  });
});
