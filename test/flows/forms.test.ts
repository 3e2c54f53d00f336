// Forms at every route of the running application that takes them: whatever is wrong with one is refused in the declared
// form and stores nothing.
import { afterAll, describe, expect, test } from 'vitest';
import { type Refusal, startApp } from '#test/support/app.ts';
import { describedPaths } from '#test/support/openapi.ts';
import { unlimitedSignIn } from '#test/support/people.ts';

const MULTIPART = 'multipart/form-data';
const URL_ENCODED = 'application/x-www-form-urlencoded';
const BOUNDARY = 'xYzZY';
const MULTIPART_TYPE = `${MULTIPART}; boundary=${BOUNDARY}`;

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly 'x-permission': string;
            readonly 'x-rate-limit'?: string;
            readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
          }
        >
      >
    >
  >;
}

const app = await startApp({ config: unlimitedSignIn });
afterAll(() => app.remove());
const takingForms = Object.entries(await describedPaths<Described['paths']>(app)).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, { requestBody }]) => requestBody !== undefined && MULTIPART in requestBody.content)
    .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

test('routes that take forms are these', () => {
  expect(takingForms.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
    'POST /api/practices/{id}/lists/{listID}/subscribers/import',
    'POST /api/practices/{id}/lists/{listID}/subscribers/import/preview',
    'POST /api/practices/{id}/suppression/import',
    'POST /api/public/abuse',
    'POST /api/public/form',
    'POST /api/public/preferences',
    'POST /api/public/subscribe',
    'POST /api/public/waitlist',
  ]);
});

const part = (name: string, value: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const END = `--${BOUNDARY}--\r\n`;
const EMAIL = part('email', 'erika@example.org');

interface Broken {
  readonly name: string;
  readonly type: string;
  readonly body: string;
  readonly code: string;
}
const broken: readonly Broken[] = [
  { name: 'nothing', type: URL_ENCODED, body: '', code: 'invalid_request' },
  { name: 'a form without fields', type: MULTIPART_TYPE, body: END, code: 'invalid_request' },
  { name: 'a form cut short', type: MULTIPART_TYPE, body: EMAIL, code: 'invalid_request' },
  { name: 'a form without its boundary', type: MULTIPART, body: EMAIL + END, code: 'invalid_request' },
  { name: 'an unknown field', type: MULTIPART_TYPE, body: part('a', '1') + END, code: 'invalid_request' },
  {
    name: 'the prototype',
    type: MULTIPART_TYPE,
    body: EMAIL + part('__proto__', '1') + END,
    code: 'invalid_request',
  },
  { name: 'a field twice', type: MULTIPART_TYPE, body: EMAIL + EMAIL + END, code: 'invalid_request' },
  { name: 'many fields', type: URL_ENCODED, body: 'a=1&'.repeat(2_000), code: 'invalid_request' },
  { name: 'a long form', type: URL_ENCODED, body: `email=${'x'.repeat(11_000_000)}`, code: 'body_too_large' },
  { name: 'another charset', type: `${URL_ENCODED}; charset=x`, body: 'a=1', code: 'unsupported_media_type' },
  { name: 'another type', type: 'text/plain', body: 'email=x', code: 'unsupported_media_type' },
  { name: 'a form that says it is JSON', type: 'application/json', body: 'email=x', code: 'invalid_json' },
];

const rows = (): unknown =>
  app
    .sql<{ name: string }>(null, "SELECT name FROM sqlite_schema WHERE type = 'table'")
    .map(({ name }) => [name, app.sql(null, `SELECT count(*) FROM ${name}`)]);

/** The import is for those who may, and takes files: its forms are tested with it. */
const forAnyone = takingForms.filter(
  // The page of preferences acts by its link alone, and answers with a page whatever the form says; the fields of a practice's own
  // form are that form's (website-forms.test.ts).
  ({ path }) => path.startsWith('/api/public/') && !/\/(?:preferences|form)$/.test(path),
);

describe.each(forAnyone)('$method $path', ({ method, path, operation }) => {
  test('is for anyone, and under the tight limit', () => {
    expect(operation).toMatchObject({ 'x-permission': 'public', 'x-rate-limit': 'sign_in' });
  });

  test.each(broken)('refuses $name and keeps nothing of it', async ({ type, body, code }) => {
    const before = rows();
    const answer = await app.request<Refusal>(method, path, Buffer.from(body), undefined, {
      'Content-Type': type,
    });
    expect(answer.body.code).toBe(code);
    expect(rows()).toEqual(before);
  });
});
