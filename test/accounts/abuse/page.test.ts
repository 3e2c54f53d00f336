import { describe, expect, test } from 'vitest';
import { receivedPage, reportPage } from '#src/accounts/abuse/page.ts';
import { reportBody } from '#src/accounts/abuse/schema.ts';
import { type Language, languages } from '#src/kernel/language.ts';

const html = (result: { readonly body?: unknown }): string => String(result.body);
const all = (pattern: RegExp, text: string): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found).toSorted();

describe.each(languages)('the form in %s', (language) => {
  const page = html(reportPage(language, 'Sendwerk'));

  test('has the fields that the route takes, and no others', () => {
    expect(all(/ name="(\w+)"/g, page.slice(page.indexOf('<form')))).toEqual(
      Object.keys(reportBody.shape).toSorted(),
    );
  });

  test('requires what the route requires', () => {
    const needed = Object.entries(reportBody.shape).filter(
      ([, field]) => !field.safeParse(undefined).success,
    );
    expect(all(/ name="(\w+)"[^>]* required/g, page)).toEqual(needed.map(([name]) => name).toSorted());
  });

  test('names every field, and describes only with what is there', () => {
    const ids = all(/ id="([\w-]+)"/g, page);
    expect(all(/ for="([\w-]+)"/g, page)).toEqual(Object.keys(reportBody.shape).toSorted());
    expect(ids).toEqual(expect.arrayContaining(all(/ (?:for|aria-describedby)="([\w-]+)"/g, page)));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test.each<[Language, string, string]>([
  ['de', 'Missbrauch melden', 'Ihre Meldung ist eingegangen'],
  ['en', 'Report abuse', 'Your report has arrived'],
])('the pages speak %s', (language, asking, received) => {
  expect(html(reportPage(language, 'Sendwerk'))).toContain(`<h1>${asking}</h1>`);
  expect(html(receivedPage(language, 'Sendwerk', 'x'))).toContain(`<h1>${received}</h1>`);
});

test('whatever is shown is text', () => {
  const attack = '"><script>alert(1)</script>';
  for (const page of [html(receivedPage('de', attack, attack)), html(reportPage('en', attack))])
    expect(page).not.toContain('<script');
});
