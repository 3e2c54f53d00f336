// No answer mixes languages: what the API refuses, of every operation, is wholly in the language that was asked for. That is read
// from the catalogues: each text is one of their sentences, and each value in it is again one, or too short to be a sentence.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { refusals } from '#src/app/refusals.ts';
import { words as german } from '#src/intake/words/de/members.ts';
import { words as english } from '#src/intake/words/en/members.ts';
import type { Sentences } from '#src/kernel/say.ts';
import { letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { dereference } from '#test/support/openapi.ts';

let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  app = await startApp();
  sender = await app.createSender({ plan: 'praxis' });
});
afterAll(() => app?.remove());

type Language = 'de' | 'en';
/** Text with a place for each value. */
const patternOf = (sentence: string) => {
  const parts = sentence.split(/\{\d?\}/);
  const pattern = new RegExp(`^${parts.map((part) => RegExp.escape(part)).join('(.*?)')}$`, 's');
  return (text: string): readonly string[] | undefined =>
    // Most are ruled out by their beginning, without the cost of the pattern.
    text.startsWith(parts[0] ?? '') ? pattern.exec(text)?.slice(1) : undefined;
};

const MARK = '{}';
/** A sentence that is made by a function has its values where it puts them. */
const sentenceOf = (key: string, said: Sentences[string]): string[] =>
  typeof said === 'string'
    ? [said]
    : [1, 2].map((count) =>
        said(
          ...key
            .split(MARK)
            .slice(1)
            .map(() => count),
        ).replaceAll(String(count), MARK),
      );

/** They are the same in every language. */
const LETTERLESS = ['`{}`: {}', '`{}`: {}.', '`{}` {}.', '{}: {}'];

/** The words of the engine's parser, which English answers have. */
const PARSER = 'Unexpected end of JSON input';

const ofRefusals = refusals('de') ?? expect.fail('there is no German');
const sentences: Readonly<Record<Language, readonly ReturnType<typeof patternOf>[]>> = {
  de: [
    ...Object.entries(ofRefusals).flatMap(([key, said]) => sentenceOf(key, said)),
    ...Object.values(german.suppressed),
    ...LETTERLESS,
  ].map(patternOf),
  en: [...Object.keys(ofRefusals), ...Object.values(english.suppressed), ...LETTERLESS, PARSER].map(
    patternOf,
  ),
};

/** Names, numbers, quoted words of the request. */
const isValue = (text: string): boolean =>
  text.split(/\s+/).filter((word) => /\p{L}{2}/u.test(word)).length < 3;
/** `a, b or c` */
const alternatives = (text: string): string[] => text.split(/, | or | oder /);

const known: Readonly<Record<Language, Map<string, boolean>>> = { de: new Map(), en: new Map() };
const isSaid = (language: Language, text: string): boolean => {
  const fits = (value: string): boolean => isValue(value) || isSaid(language, value);
  const found =
    known[language].get(text) ??
    sentences[language].some((valuesIn) =>
      valuesIn(text)?.every((value) => value !== text && (fits(value) || alternatives(value).every(fits))),
    );
  known[language].set(text, found);
  return found;
};

interface Said {
  readonly error?: string;
  readonly hint?: string;
  readonly reason?: string;
  readonly fields?: readonly { readonly message: string }[];
}

/** What people read of an answer: texts in it and in its parts. */
const textsOf = (body: unknown): string[] => {
  if (typeof body !== 'object' || body === null) return [];
  if (Array.isArray(body)) return body.flatMap(textsOf);
  const { error, hint, reason, fields = [], ...rest } = body as Said;
  const own = [error, hint, reason, ...fields.map(({ message }) => message)];
  return [...own.filter((text) => typeof text === 'string'), ...Object.values(rest).flatMap(textsOf)];
};

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly isAnonymous?: true;
  readonly token?: string;
}

/** What of the answers is in no sentence of the language that was asked for. */
const strangersIn = async (calls: readonly Call[], language: Language): Promise<string[]> => {
  const found = new Set<string>();
  for (const { method, path, body, isAnonymous, token = sender.token } of calls) {
    const headers = {
      'Accept-Language': language,
      'Content-Type': 'application/json',
      ...(isAnonymous ? {} : { Authorization: `Bearer ${token}` }),
    };
    const answer = await fetch(app.origin + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isRead = answer.status >= 400 || answer.status === 202;
    if (!isRead || !answer.headers.get('content-type')?.includes('json')) continue;
    for (const one of textsOf(JSON.parse(text)))
      if (!isSaid(language, one)) found.add(`${method} ${path} ${answer.status}: ${one}`);
  }
  return [...found];
};

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: { readonly properties?: object } }>>;
  };
}

/** Each operation of the API with a body and a query in which everything has the wrong kind, and one with nothing. */
const wrongCalls = async (): Promise<Call[]> => {
  const document: { paths: Record<string, Record<string, Operation>> } = dereference(
    parse((await app.request('GET', '/openapi.yaml')).text),
  );
  return Object.entries(document.paths).flatMap(([route, item]) =>
    route.startsWith('/api/compat/')
      ? []
      : Object.entries(item).flatMap(([method, { parameters = [], requestBody }]): Call[] => {
          const path = route
            .replace('/practices/{id}', `/practices/${sender.practice.id}`)
            .replaceAll(/\{\w+\}/g, '018f0000-0000-7000-8000-000000000000');
          const query = parameters.filter((one) => one.in === 'query').map(({ name }) => `${name}=%00x`);
          const at = { method: method.toUpperCase(), path: `${path}?${[...query, 'zzz=1'].join('&')}` };
          if (method === 'get' || method === 'head') return [at];
          const properties = Object.keys(requestBody?.content['application/json']?.schema?.properties ?? {});
          const wrong = Object.fromEntries(properties.map((name) => [name, [[7]]]));
          const empty = Object.fromEntries(properties.map((name) => [name, '']));
          return [wrong, { ...empty, zzz: 1 }].map((body) => ({ ...at, path, body }));
        }),
  );
};

/** What gates, addresses and attachments refuse, and what an answer says of recipients who get nothing. */
const refusedSends = (): Call[] => {
  const { base } = sender;
  const post = (path: string, body: unknown): Call => ({ method: 'POST', path: base + path, body });
  const file = (filename: string, content = 'JVBERi0xLjQK', content_type = 'application/pdf') => ({
    filename,
    content,
    content_type,
  });
  const attachments = [
    Array.from({ length: 6 }, (_, index) => file(`${index}.pdf`)),
    [file('a.exe.pdf')],
    [file('a.pdf', '', 'application/pdf')],
    [file('a.pdf', 'JVBERi0xLjQK', 'image/png')],
    [file('befund.exe')],
    [file(`${'a'.repeat(160)}.pdf`)],
    [file('../befund.pdf')],
  ].map((given) => post('/send', { ...letter, attachments: given }));
  const headers = [
    { 'X-SMTPAPI': '{}' },
    { 'Return-Path': 'a@example.org' },
    { 'X-A': 'x'.repeat(5_000) },
    { 'X:A': 'x' },
  ].map((given) => post('/send', { ...letter, headers: given }));
  const addresses = [
    'a@',
    'a b@example.org',
    'a@example.org>',
    '"a',
    'a@1.2.3.4',
    'a@b@c.de',
    `${'a'.repeat(70)}@b.de`,
  ].flatMap((address) => [
    post('/send', { ...letter, to: address }),
    post('/send', { ...letter, from: address }),
    post('/send/bulk', { ...letter, to: undefined, recipients: [{ email: address }] }),
    post('/suppression', { address }),
    post('/send/test', { kind: 'quality', to: address }),
  ]);
  return [
    ...attachments,
    ...headers,
    ...addresses,
    post('/send', { ...letter, template: 'nirgends', subject: undefined, text: undefined }),
    post('/send', { ...letter, route: 'nirgends' }),
    post('/send', { ...letter, route: 'broadcast', message_kind: 'newsletter' }),
    post('/send', { ...letter, scheduled_at: '2020-01-01T00:00:00Z' }),
    post('/send', { ...letter, to: Array.from({ length: 60 }, (_, index) => `a${index}@example.org`) }),
    post('/send', { ...letter, from: 'chef@fremd.example' }),
    post('/send', { ...letter, to: 'gesperrt@example.org' }),
    post('/send', { ...letter, cc: 'gesperrt@example.org' }),
    post('/send/batch', [letter, { ...letter, to: 'gesperrt@example.org' }, { ...letter, to: 'a@' }]),
    post('/cutover', {}),
    post('/templates', { name: 'a', subject: '{{a', text: '{{#if}}' }),
    post('/webhooks', { url: 'http://127.0.0.1/', events: ['message.sent'] }),
    post('/custom-domain', { domain: 'localhost' }),
    post('/send', '{"a":'),
    post('/send', '{"a":1,"a":2}'),
    { method: 'POST', path: `${base}/send`, body: letter, isAnonymous: true },
    // Before the limit of public forms answers in its place.
    { method: 'POST', path: '/api/public/form', body: { zzz: 1 } },
    { method: 'POST', path: `${base}/send`, body: letter, token: 'svc_team_unknown' },
  ];
};

test.each(['de', 'en'] as const)('what is asked in %s is answered in it, whole', async (language) => {
  await app.request('POST', `${sender.base}/suppression`, { address: 'gesperrt@example.org' }, sender.token);
  expect(await strangersIn(refusedSends(), language)).toEqual([]);
  const wrong = await wrongCalls();
  // English is what the texts are written in: a part of them shows that German does not get into it.
  const asked = language === 'de' ? wrong : wrong.filter((_, index) => index % 8 === 0);
  expect(await strangersIn(asked, language)).toEqual([]);
});
