// Every mail that the description and the documents give as an example passes the check of a practice's mail.
// @module-tag slow
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startApp } from '#test/support/app.ts';
import { documentNames } from '#test/support/document-samples.ts';
import { describedPaths } from '#test/support/openapi.ts';

interface Mail {
  readonly kind: string;
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
}

const ROOT = path.join(import.meta.dirname, '..', '..');
const app = await startApp({ config: { service: { public_origin: 'https://mail.example.com' } } });
afterAll(() => app.remove());
const sender = await app.createSender({ plan: 'gruppe' });
await app.completeLegal(sender.practice.id);

const string = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string');

/** All that look like mail in an example, at any depth: in the native form, and in those of other services. */
const mailsIn = (value: unknown, usualKind: string): Mail[] => {
  if (Array.isArray(value)) return value.flatMap((one) => mailsIn(one, usualKind));
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Readonly<Record<string, unknown>>;
  const kind = string(fields.message_kind, fields.kind) ?? usualKind;
  const subject = string(fields.subject, fields.Subject);
  const text = string(fields.text, fields.text_body, fields.TextBody);
  const html = string(fields.html, fields.html_body, fields.HtmlBody);
  const own = subject !== undefined && (text !== undefined || html !== undefined);
  return [
    ...(own
      ? [{ kind, subject, ...(text === undefined ? {} : { text }), ...(html === undefined ? {} : { html }) }]
      : []),
    ...Object.values(fields).flatMap((one) => mailsIn(one, kind)),
  ];
};

const errorsOf = async (mail: Mail): Promise<object[]> => {
  const { status, body, text } = await app.request<{ issues: { severity: string }[] }>(
    'POST',
    `${sender.base}/practice-mail/check`,
    mail,
    sender.token,
  );
  if (status !== 200) throw new Error(`${JSON.stringify(mail)}: ${text}`);
  return body.issues.filter(({ severity }) => severity === 'error');
};

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}
const paths = await describedPaths<Readonly<Record<string, Readonly<Record<string, Operation>>>>>(app);
const examples = Object.values(paths)
  .flatMap((item) => Object.values(item))
  .flatMap(({ operationId, requestBody }) => {
    const usualKind = /campaign|bulk/i.test(operationId) ? 'newsletter' : 'transactional';
    const media = Object.values(requestBody?.content ?? {}) as readonly {
      readonly example?: unknown;
      readonly examples?: unknown;
    }[];
    return media.flatMap(({ example, examples: many }) =>
      mailsIn([example, many], usualKind).map((mail) => [operationId, mail] as const),
    );
  });

describe('the description', () => {
  test('has examples of mail', () => expect(examples.length).toBeGreaterThan(10));
  test.each(examples)('%s: %o', async (_, mail) => expect(await errorsOf(mail)).toEqual([]));
});

const documents = [...documentNames(), 'src/app/quickstart/walk.ts', 'src/app/quickstart/lines.ts'];
const subjects = documents.flatMap((name) =>
  [
    ...readFileSync(path.join(ROOT, name), 'utf8').matchAll(
      /\bsubject["']? ?(?::|=>?) ?["']([^"'{}]+)["']/gi,
    ),
  ].map(([, subject = '']) => [name, subject] as const),
);

describe('the documents', () => {
  test('have examples of mail', () => expect(subjects.length).toBeGreaterThan(3));
  test.each(subjects)('%s: %s', async (_, subject) =>
    expect(await errorsOf({ kind: 'transactional', subject, text: 'Guten Tag' })).toEqual([]),
  );
});
