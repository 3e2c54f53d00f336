// The reference as a reader has it: every page over HTTP, as HTML and as Markdown, against the API's own description.
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { errorTable } from '#src/kernel/error-table.ts';
import { startApp } from '#test/support/app.ts';

const MAX_BYTES = 60 * 1_024;
const JSON_TYPE = 'application/json';

interface Described {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
  >;
}

const app = await startApp();
afterAll(() => app.remove());

const read = async (path: string): Promise<string> => (await app.request('GET', path)).text;
const documents = await Promise.all(
  ['/openapi.yaml', '/openapi-compat.yaml'].map(async (path) => parse(await read(path))),
);
const operations = documents.flatMap((document, part) =>
  Object.values<Record<string, Described>>(document.paths).flatMap((item) =>
    Object.values(item).map((operation) => ({ ...operation, part })),
  ),
);

const linksIn = (html: string): string[] =>
  [...html.matchAll(/ href="([^"]+)"/g)].map(([, href = '']) => href);
const idsIn = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);

const start = await read('/reference');
const addresses = [...new Set(linksIn(start.split('<nav')[1]?.split('</nav>')[0] ?? ''))];
const pages = new Map<string, string>();
for (const address of addresses) pages.set(address, await read(address));
const texts = new Map<string, string>();
for (const address of addresses) texts.set(address, await read(`${address}.md`));

/** The text of a call, by its operation. */
const sections = new Map(
  [...texts.values()].flatMap((text) =>
    text.split('\n## ').flatMap((section): [string, string][] => {
      const id = /^.*\n\n`[A-Z]+ \/\S*` \(`(\w+)`/.exec(section)?.[1];
      return id === undefined ? [] : [[id, section]];
    }),
  ),
);

describe('pages', () => {
  test('are in the order of use, each at most 60 KiB compressed, and so is its Markdown', () => {
    expect(addresses.slice(0, 4)).toEqual([
      '/reference',
      '/reference/errors',
      '/reference/sending',
      '/reference/messages',
    ]);
    for (const [address, text] of [...pages, ...texts])
      expect(gzipSync(text).length, address).toBeLessThan(MAX_BYTES);
  });

  test('have every call, each on one page', () => {
    const listed = [...pages.values()].flatMap((html) =>
      [...html.matchAll(/<section id="(\w+)"[^>]*><h2>.*?<p class="call">/g)].map(([, id]) => id),
    );
    expect(listed.toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted());
    expect([...sections.keys()].toSorted()).toEqual(listed.toSorted());
  });

  test('lead nowhere but to what is there', async () => {
    const others = ['/openapi.yaml', '/openapi-compat.yaml', '/llms.txt', '/reference/style.css'];
    for (const [address, html] of pages) {
      const ids = idsIn(html);
      expect(new Set(ids).size, address).toBe(ids.length);
      for (const href of linksIn(html)) {
        const { pathname, hash } = new URL(href, `http://here${address}`);
        const target = pages.get(pathname);
        const isKnown = others.includes(pathname) || addresses.includes(pathname.replace(/\.md$/, ''));
        expect(target !== undefined || isKnown, `${address} leads to ${href}`).toBe(true);
        if (hash !== '') expect(idsIn(target ?? ''), `${address} leads to ${href}`).toContain(hash.slice(1));
      }
    }
    for (const [address, text] of texts)
      for (const [, href = ''] of text.matchAll(/\]\((\/[^)#]*)(?:#[^)]*)?\)/g))
        expect(
          others.includes(href) || addresses.some((one) => `${one}.md` === href),
          `${address}.md leads to ${href}`,
        ).toBe(true);
  });

  test('the anchors of the one page of before lead on', () => {
    const [, all = ''] = start.split('<section id="all-calls"');
    const entries = new Map(
      [...all.matchAll(/<li id="([^"]+)"><a href="([^"]+)"/g)].map(([, id, href]) => [id, href]),
    );
    expect(entries.get('sendMessage')).toBe('/reference/sending#sendMessage');
    expect(entries.get('error-rate_limited')).toBe('/reference/errors#rate_limited');
    expect(entries.get('event-message.sent')).toBe('/reference/events#event-message.sent');
    expect(entries.get('events')).toBe('/reference/events');
    for (const { operationId } of operations) expect([...entries.keys()]).toContain(operationId);
  });

  test('run only their own script and are kept by browsers', async () => {
    const { headers } = await app.request('GET', '/reference/sending');
    const policy = headers.get('content-security-policy');
    for (const rule of ["default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"])
      expect(policy).toContain(rule);
    const etag = headers.get('etag') ?? '';
    expect(headers.get('cache-control')).toContain('max-age');
    const again = await app.request('GET', '/reference/sending', undefined, undefined, {
      'If-None-Match': `W/${etag}`,
    });
    expect([again.status, again.text]).toEqual([304, '']);
    for (const html of pages.values())
      expect(html).not.toMatch(/<script(?! src)| style=| on\w+=|undefined|\[object/);
    expect((await app.request('GET', '/reference/nothing')).status).toBe(404);
    expect((await app.request('GET', '/reference/constructor')).status).toBe(404);
  });

  test('llms.txt lists each with a line', async () => {
    const text = await read('/llms.txt');
    expect(text).toMatch(/^# .+\n\n> .+\n/);
    const listed = [...text.matchAll(/^- \[.+\]\(https?:\/\/[^/]+(\/\S+)\): .+\.$/gm)].map(
      ([, path]) => path,
    );
    expect(listed.toSorted()).toEqual([...addresses.map((one) => `${one}.md`), '/openapi.yaml'].toSorted());
  });
});

describe('search', () => {
  test('finds calls by path and field, events, errors and pages', async () => {
    const entries: { kind: string; href: string; title: string; fields: string }[] = JSON.parse(
      await read('/reference/search.json'),
    );
    const send = entries.find(({ title }) => title === 'POST /api/practices/{id}/send');
    expect(send?.href).toBe('/reference/sending#sendMessage');
    expect(send?.fields.split(' ')).toEqual(
      expect.arrayContaining(['Idempotency-Key', 'scheduled_at', 'content_id']),
    );
    const titles = entries.map(({ title }) => title);
    expect(titles).toEqual(expect.arrayContaining(['message.opened', 'rate_limited', 'Start here']));
    for (const { href } of entries) {
      const [path = '', id] = href.split('#');
      expect(pages.has(path)).toBe(true);
      if (id !== undefined) expect(pages.get(path)).toContain(`id="${id}"`);
    }
  });
});

describe('errors', () => {
  const html = pages.get('/reference/errors') ?? '';

  test('have a section for each code, to which an answer points', async () => {
    expect([...html.matchAll(/<section id="(\w+)"/g)].map(([, code]) => code)).toEqual(
      Object.keys(errorTable),
    );
    for (const [code, { status }] of Object.entries(errorTable)) {
      const section = html.split(`<section id="${code}"`)[1]?.split('</section>')[0] ?? '';
      for (const word of [`<dd>${status}</dd>`, 'Cause', 'What to do', 'Trying again'])
        expect(section).toContain(word);
    }
    const refused = await app.request<{ code: string }>('GET', '/api/practices');
    expect(refused.headers.get('link')).toBe('</reference/errors#unauthorized>; rel="help"');
  });
});

describe('answers', () => {
  const ajv = new Ajv2020({ strict: false, logger: false, inlineRefs: false, code: { optimize: false } });
  formats.default(ajv);
  documents.forEach((document, part) => void ajv.addSchema(document, `api${part}`));

  test('are what the description of the call allows', () => {
    const faults: string[] = [];
    let shown = 0;
    for (const { operationId, responses, part } of operations) {
      const [, status, sample] =
        /\nAnswer (\d+):\n\n```json\n(.*?)\n```/s.exec(sections.get(operationId) ?? '') ?? [];
      const schema = responses[status ?? '']?.content?.[JSON_TYPE]?.schema;
      if (sample === undefined || schema === undefined) continue;
      shown += 1;
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"api${part}#/`)));
      if (!validate(JSON.parse(sample))) faults.push(`${operationId}: ${JSON.stringify(validate.errors)}`);
    }
    expect(faults).toEqual([]);
    expect(shown).toBeGreaterThan(operations.length / 2);
  });

  test('name every status of a message', () => {
    const { enum: statuses } = documents[0].components.schemas.MessageStatus;
    const section = texts.get('/reference')?.split('\n## Statuses of messages\n')[1]?.split('\n## ')[0] ?? '';
    expect([...section.matchAll(/^- `(\w+)`: /gm)].map(([, name]) => name).toSorted()).toEqual(
      statuses.toSorted(),
    );
  });
});
