import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { eventsDescription } from '#src/followers/webhooks/described.ts';
import { sampleCallOf } from '#src/http/examples.ts';
import { createSchemaBook } from '#src/http/json-schema.ts';
import { openApiDocument } from '#src/http/openapi.ts';
import { pageAsMarkdown } from '#src/http/reference/markdown.ts';
import { referenceOf } from '#src/http/reference/pages.ts';
import { samplesOf } from '#src/http/reference/samples.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { dereference, resolveRef } from '#test/support/openapi.ts';
import { allRoutes, startServer } from './fixture.ts';

type Json = { readonly [key: string]: Json };
const info = { name: 'Test', version: '1', origin: 'https://example.com', events: eventsDescription };

const refsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [String(inner)] : refsIn(inner)));
};
const node = z.object({
  name: z.string(),
  get children() {
    return z.array(node);
  },
});
const message = z
  .object({ id: z.uuid(), status: z.enum(['queued']).default('queued') })
  .meta({ id: 'Message' });

const route = (path: string, overrides: Partial<Route>): Route =>
  ({
    ...defineRoute({
      id: `test${path.replace(/\W+(\w)/g, (_, first: string) => first.toUpperCase())}`,
      method: 'post',
      audit: { none: 'for the tests' },
      path,
      tag: 'Test',
      summary: 'For the tests.',
      access: 'authenticated',
      stability: 'beta',
      responses: { 202: { description: 'taken', body: z.object({ data: z.array(message) }) } },
      handle: () => ({ status: 202 }),
    }),
    ...overrides,
  }) satisfies Route;

interface Operation {
  readonly security: object[];
  readonly parameters?: object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, unknown>>;
  readonly 'x-audit'?: string;
  readonly 'x-rate-limit'?: string;
}

const operationOf = (described: Route): Operation => {
  const { paths } = dereference(openApiDocument([described], info)) as unknown as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operation = paths[described.path]?.[described.method];
  if (!operation) throw new Error('the route is not described');
  return operation;
};

describe('/openapi.yaml', () => {
  test('has every route with its access, its stability and its errors', async () => {
    const server = await startServer();
    const response = await fetch(`${server.url}/openapi.yaml`);
    expect(response.headers.get('content-type')).toBe('application/yaml');
    const document = dereference(parse(await response.text()));
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Test <service>', version: '1.2.3' });
    const listed = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(listed.toSorted()).toEqual(allRoutes.map(({ method, path }) => `${method} ${path}`).toSorted());
    const echo = document.paths['/api/practices/{id}/echo'].post;
    expect(echo).toMatchObject({
      'x-permission': 'messages.send',
      'x-stability': 'stable',
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
        {
          name: 'limit',
          in: 'query',
          required: false,
          schema: { type: 'integer', minimum: 1, maximum: 200 },
        },
      ],
      requestBody: { required: true },
    });
    expect(Object.keys(echo.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '413',
      '415',
      '429',
      '500',
      '503',
    ]);
    const [json, request] = echo.responses[400].content['application/json'].schema.oneOf;
    expect(json.properties.code.const).toBe('invalid_json');
    expect(request.properties).toMatchObject({
      code: { const: 'invalid_request' },
      fields: { type: 'array' },
    });
    expect(echo.security).toBeUndefined();
    expect(document.security).toEqual([{ bearer: [] }, { session: [], csrf: [] }]);
    expect(document.paths['/api/meta'].get.security).toEqual([]);
    expect(document.paths['/api/practices/{id}'].delete.security).toEqual([
      { bearer: [] },
      { session: [], csrf: [] },
      { adminToken: [] },
    ]);
  });

  test.each<[Route['access'], object[] | undefined]>([
    ['public', []],
    ['authenticated', undefined],
    ['session', undefined],
    ['practice_creator', [{ bearer: [] }, { session: [], csrf: [] }, { adminToken: [] }]],
    ['messages.send', undefined],
    ['operator', [{ bearer: [] }, { session: [], csrf: [] }, { adminToken: [] }]],
  ])(
    'says by which credentials a route for %s is called, where they are not the usual ones',
    (access, security) => {
      expect(operationOf(route('/api/things', { access })).security).toEqual(security);
    },
  );

  test('names every security scheme that a route asks for', () => {
    const { components } = openApiDocument(allRoutes, info) as unknown as {
      components: { securitySchemes: Json };
    };
    expect(Object.keys(components.securitySchemes)).toEqual(['bearer', 'session', 'csrf', 'adminToken']);
  });

  test('says what the audit keeps, which limit holds and which media types are taken', () => {
    const body = z.object({ text: z.string() });
    const plain = operationOf(route('/api/things', { body }));
    expect(plain['x-audit']).toBeUndefined();
    expect(plain['x-rate-limit']).toBeUndefined();
    expect(Object.keys(plain.requestBody?.content ?? {})).toEqual(['application/json']);

    const open = operationOf(
      route('/form', { access: 'public', body, form: true, rate: 'sign_in', audit: 'thing.create' }),
    );
    expect(open).toMatchObject({ 'x-audit': 'thing.create', 'x-rate-limit': 'sign_in' });
    const content = open.requestBody?.content ?? {};
    expect(Object.keys(content)).toEqual([
      'application/json',
      'multipart/form-data',
      'application/x-www-form-urlencoded',
    ]);
    expect(content['multipart/form-data']).toEqual(content['application/json']);
    expect(Object.keys(open.responses)).toContain('429');
  });

  test('names the header that says which practice a permission is asked in', () => {
    const flat = operationOf(route('/api/things', { access: 'messages.send' }));
    expect(flat.parameters).toEqual([
      expect.objectContaining({ name: 'X-Service-Practice', in: 'header', required: false }),
    ]);
    expect(Object.keys(flat.responses)).toEqual(expect.arrayContaining(['400', '404']));
    expect(operationOf(route('/api/things', { access: 'session' })).parameters).toBeUndefined();
  });

  test('a change asked for with any credential may be forbidden, reading may not', () => {
    expect(Object.keys(operationOf(route('/api/things', {})).responses)).toContain('403');
    const { audit: _, ...reading } = route('/api/things', { method: 'get' });
    expect(Object.keys(operationOf(reading).responses)).not.toContain('403');
  });

  test('describes every code with its extra fields', () => {
    const document = dereference(openApiDocument(allRoutes, info)) as unknown as {
      components: { schemas: Record<string, { required: string[]; properties?: Json }> };
    };
    const schemas = Object.values(document.components.schemas);
    for (const [code, declaration] of Object.entries(errorTable)) {
      const schema = schemas.find(({ properties }) => String(properties?.code?.const) === code);
      const extra = 'extra' in declaration ? Object.entries(declaration.extra) : [];
      const always = extra.filter(([, field]) => !field.safeParse(undefined).success).map(([name]) => name);
      expect(schema?.required).toEqual(['code', 'error', 'hint', ...always]);
      expect(Object.keys(schema?.properties ?? {})).toEqual(
        expect.arrayContaining(extra.map(([name]) => name)),
      );
    }
  });

  test('resolves every reference, also of schemas with ids and of those that hold themselves', () => {
    const document = openApiDocument(
      [
        ...allRoutes,
        route('/api/trees', { body: node }),
        route('/api/copy', { body: z.object({ of: message, tree: node }) }),
      ],
      info,
    );
    const refs = refsIn(document);
    expect(refs).toContain('#/components/schemas/Message');
    expect(refs).toContain('#/components/schemas/MessageInput');
    expect(refs.filter((ref) => resolveRef(document, ref) === undefined)).toEqual([]);
    expect(resolveRef(document, '#/components/schemas/MessageInput')).toMatchObject({ required: ['id'] });
    expect(resolveRef(document, '#/components/schemas/Message')).toMatchObject({
      required: ['id', 'status'],
    });
  });

  test('names every operation once and every parameter of its path', () => {
    const document = dereference(openApiDocument(allRoutes, info)) as unknown as { paths: Json };
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.values(item).map((operation) => ({ path, operation })),
    );
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations) {
      const declared = ((operation.parameters ?? []) as unknown as Json[]).filter(
        (parameter) => String(parameter.in) === 'path',
      );
      expect(declared.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    }
  });

  test('says what has all fields of a component by that, and what is required by both', () => {
    const fields = { a: z.string(), b: z.string(), c: z.string(), d: z.string(), e: z.string().optional() };
    const thing = z.object(fields).meta({ id: 'Thing' });
    const wide = z.object({ ...fields, f: z.string() }).meta({ id: 'WideThing' });
    const body = z.object({ thing, wide });
    const answered = route('/api/things', { responses: { 202: { description: 'taken', body } } });
    const document = openApiDocument([answered], info);
    expect(resolveRef(document, '#/components/schemas/WideThing')).toEqual({
      allOf: [
        { $ref: '#/components/schemas/Thing' },
        { type: 'object', properties: { f: { type: 'string' } }, required: ['f'] },
      ],
    });
  });

  test('refuses two schemas of one id', () => {
    const registered = () => z.object({ copy: message });
    const book = createSchemaBook();
    book.describe(registered(), 'output', 'here');
    expect(() =>
      book.describe(
        z.object({ other: z.object({ id: z.int() }).meta({ id: 'Message' }) }),
        'output',
        'there',
      ),
    ).toThrow('Message');
  });
});

/** The page of calls that no subject names, as Markdown. */
const textOf = (...routes: readonly Route[]): string => {
  const reference = referenceOf(routes, info);
  const page = reference.page('more');
  if (page === undefined) throw new Error('no page has the calls');
  return pageAsMarkdown(page, reference);
};

describe('/reference', () => {
  test('says of a route what the server does with it', () => {
    const body = z.object({ text: z.string() });
    const text = textOf(
      route('/form', {
        access: 'public',
        body,
        form: true,
        rate: 'sign_in',
        audit: { none: 'for the tests' },
      }),
      route('/api/things', { access: 'messages.send', audit: 'thing.create' }),
    );
    const [, form = '', things = ''] = text.split('\n## ');
    expect(form).toContain('tight rate limit');
    expect(form).toContain('`multipart/form-data`');
    expect(form).not.toContain('audit');
    expect(things).toContain('In the audit as `thing.create`');
    expect(things).toContain('`X-Service-Practice`');
    expect(things).not.toContain('tight rate limit');
  });

  const call = sampleCallOf(
    route('/api/things/{thingID}', {
      id: 'getThing',
      params: z.object({ thingID: z.string().meta({ examples: ['a/b'] }) }),
      query: z.object({
        q: z
          .string()
          .optional()
          .meta({ examples: ['ü'] }),
        project_id: idSchema.optional(),
      }),
      body: z.object({ text: z.string() }).meta({ examples: [{ text: "it's $1 `now`\n" }] }),
    }),
  );
  test.each([
    [
      'curl',
      `curl "$SENDWERK_URL/api/things/a%2Fb?q=%C3%BC" \\
  -H "Authorization: Bearer $SENDWERK_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{ "text": "it'\\''s $1 \`now\`\\n" }'`,
    ],
    [
      'node',
      "const answer = await sendwerk.getThing({\n  thingID: 'a/b',\n  q: 'ü',\n  body: { text: 'it\\'s $1 `now`\\n' },\n});",
    ],
    ['python', 'answer = sendwerk.get_thing(thing_id="a/b", q="ü", body={"text": "it\'s $1 `now`\\n"})'],
    ['php', `echo sendwerk('POST', '/api/things/a%2Fb?q=%C3%BC', ['text' => "it's \\$1 \`now\`\\n"]);`],
    [
      'go',
      'fmt.Println(sendwerk("POST", "/api/things/a%2Fb?q=%C3%BC", "{ \\"text\\": \\"it\'s $1 `now`\\\\n\\" }"))',
    ],
  ] as const)('shows the example of a call in %s', (language, expected) => {
    expect(samplesOf(call)[language]).toBe(expected);
  });

  test('describes the fields of a body in the words of its schema', () => {
    const text = textOf(...allRoutes);
    expect(text).toContain(
      '- `subject` (`string`, required): the `Subject` of the message; at least 1 characters, at most 20 characters',
    );
    expect(text).toContain('- `to` (`string | array of string`, required)');
  });
});
