import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { escapeHtml, page, prefers, prefersPage } from '#src/kernel/page.ts';

const show = (fields: Partial<Parameters<typeof page>[0]> = {}) => {
  const result = page({
    language: 'de',
    title: 'Titel',
    serviceName: 'Sendwerk',
    body: '<p>Text</p>',
    ...fields,
  });
  return { ...result, html: String(result.body), headers: result.headers ?? {} };
};

describe('a public page', () => {
  test('is a whole document in its language', () => {
    const { html, status, contentType, headers } = show();
    expect({ status, contentType }).toEqual({ status: 200, contentType: 'text/html; charset=utf-8' });
    expect(headers['Content-Language']).toBe('de');
    expect(html).toMatch(/^<!doctype html>\n<html lang="de">/);
    expect(html).toContain('<meta charset="utf-8">');
    expect(html).toContain('<meta name="viewport"');
    expect(html).toContain('<meta name="robots" content="noindex">');
    expect(html).toContain('<title>Titel – Sendwerk</title>');
    expect(html).toContain('<h1>Titel</h1>\n<p>Text</p>');
    expect(html.match(/<(?:h1|main|title)>/g)).toHaveLength(3);
    expect(show({ language: 'en', status: 404 })).toMatchObject({ status: 404 });
    expect(show({ language: 'en' }).html).toContain('<html lang="en">');
  });

  test('allows its own style and forms to the service, and nothing else', () => {
    const { html, headers } = show();
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['Content-Security-Policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect(headers).toMatchObject({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    expect(html).not.toMatch(/<script|<link|<img|url\(|@import|https?:|style="/i);
  });

  test('shows a title and a name that hold markup as they are', () => {
    const { html } = show({ title: '</title><script>1</script>', serviceName: '"><img src=x>' });
    expect(html).not.toMatch(/<script|<img/);
    expect(html).toContain('<h1>&lt;/title&gt;&lt;script&gt;1&lt;/script&gt;</h1>');
  });
});

test('escaped text leaves neither element nor attribute', () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  );
  expect(escapeHtml('Müller – größer')).toBe('Müller – größer');
});

describe('who gets a page', () => {
  test.each<[string, string | undefined, boolean]>([
    ['Firefox', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['Chrome', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', true],
    ['curl and fetch', '*/*', false],
    ['who says nothing', undefined, false],
    ['who wants JSON', 'application/json', false],
    ['who would rather have JSON', 'text/html;q=0.5, application/json', false],
    ['who refuses a page', 'text/html;q=0, */*', false],
    ['who takes neither', 'image/png', false],
    ['nonsense', ';;,,text', false],
  ])('%s', (_, accept, expected) => {
    expect(prefersPage({ header: () => accept })).toBe(expected);
  });
});

const STREAM = 'text/event-stream';

test.each<readonly [accept: string | undefined, wanted: boolean]>([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/json', false],
  ['text/event-stream', true],
  ['Text/Event-Stream', true],
  ['text/event-stream, */*', true],
  ['text/event-stream, application/json;q=0.5', true],
  ['application/json, text/event-stream;q=0.5', false],
  ['text/event-stream;q=0', false],
  ['text/html', false],
])('Accept: %s', (accept, wanted) => {
  expect(prefers({ header: () => accept }, STREAM)).toBe(wanted);
});
