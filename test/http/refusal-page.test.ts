import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { refusalPage } from '#src/http/refusal-page.ts';
import { AppError } from '#src/kernel/errors.ts';
import { HTML_TYPE, page } from '#src/kernel/page.ts';
import { defineRoute } from '#src/kernel/route.ts';
import { inEnglish, say } from '#src/kernel/say.ts';
import { LIMITS, startServer } from './fixture.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const form = defineRoute({
  id: 'postForm',
  method: 'post',
  path: '/api/public/form',
  tag: 'Test',
  summary: 'A form.',
  stability: 'stable',
  access: 'public',
  audit: { none: 'for the tests' },
  rate: 'sign_in',
  form: true,
  body: z.strictObject({ email: z.string().min(3) }),
  responses: { 200: { description: 'thanks', body: HTML_TYPE } },
  handle: () => page({ language: 'en', title: 'Thanks', serviceName: 'Test', body: '' }),
});

describe('a refusal', () => {
  const post = (url: string, body: string, accept: string, language = 'de') =>
    fetch(`${url}/api/public/form`, {
      method: 'POST',
      headers: {
        Accept: accept,
        'Accept-Language': language,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body,
    });

  test.each([
    ['de', 'Das hat nicht geklappt'],
    ['en', 'That did not work'],
  ])('of a form is a page for browsers, in their language: %s', async (language, title) => {
    const { url } = await startServer({ routes: [form] });
    const answer = await post(url, 'email=x', BROWSER, language);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe(HTML_TYPE);
    expect(answer.headers.get('content-language')).toBe(language);
    expect(answer.headers.get('content-security-policy')).toContain("form-action 'self'");
    const html = await answer.text();
    expect(html).toContain(`<h1>${title}</h1>`);
    expect(html).toContain('<li><b>email</b>: must have at least 3 characters</li>');
    expect(html).toContain('Test &lt;service&gt;');
  });

  test.each(['application/json', '*/*'])('of a form is JSON for programs: %s', async (accept) => {
    const { url } = await startServer({ routes: [form] });
    const answer = await post(url, 'email=x', accept);
    expect(await answer.json()).toMatchObject({ code: 'invalid_request' });
  });

  test('says how long to wait', async () => {
    const { url } = await startServer({ routes: [form] });
    for (let count = 0; count < LIMITS.signInPerAddress.burst; count += 1)
      await post(url, 'email=abc', BROWSER);
    const answer = await post(url, 'email=abc', BROWSER);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '6']);
    expect(await answer.text()).toContain('Bitte warten Sie 6 Sekunden');
  });

  test('where there is nothing is a page outside of the API only', async () => {
    const { url } = await startServer({ routes: [form] });
    const typeAt = async (path: string) =>
      (await fetch(url + path, { headers: { Accept: BROWSER } })).headers.get('content-type');
    expect(await typeAt('/')).toBe(HTML_TYPE);
    expect(await typeAt('/api/nothing')).toBe('application/json');
  });
});

test('a page shows markup as text, and nothing of a defect', () => {
  const refused = new AppError('conflict', say`The name <b> is taken.`);
  expect(refusalPage(refused, 'en', () => inEnglish, 'Test').body).toContain('The name &lt;b&gt; is taken.');
  const failed = new AppError('internal_error', say`inside`);
  expect(refusalPage(failed, 'de', () => inEnglish, 'Test')).toMatchObject({ status: 500 });
  expect(refusalPage(failed, 'de', () => inEnglish, 'Test').body).not.toContain('inside');
});
