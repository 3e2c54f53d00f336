// The descriptions of the API as routes of it. Each is made at its first request and kept: the list of routes does
// not change while the service runs.
import { Document, isCollection, isPair, isScalar } from 'yaml';
import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import { HTML_TYPE } from '#src/kernel/page.ts';
import {
  ANY_TYPE,
  defineRoute,
  type RequestContext,
  type Route,
  type RouteResult,
} from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { ServiceInfo } from './api-facts.ts';
import type { JsonSchema } from './json-schema.ts';

const YAML_TYPE = 'application/yaml';
/** The document is long and deep: 2 would be a tenth more of it. */
const INDENT = 1;
const LINE_WIDTH = 160;
const SHORT = 140;

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Writes what fits into a line in one, as in `id: { type: string, format: uuid }`; returns about how long it is then. */
const foldShort = (node: unknown): number => {
  if (isPair(node)) return foldShort(node.key) + foldShort(node.value) + 2;
  if (!isCollection(node)) return isScalar(node) ? String(node.value).length + 2 : 0;
  const length = node.items.reduce<number>((sum, item) => sum + foldShort(item), 2);
  node.flow = length <= SHORT;
  return length;
};

/** Text that readers of YAML 1.1 and 1.2 read alike: `off` or `1:30`, which 1.1 does not take for strings, are quoted. */
const toYaml = (value: JsonSchema): string => {
  const document = new Document(value, { aliasDuplicateObjects: false, version: '1.1' });
  foldShort(document.contents);
  return document.toString({ indent: INDENT, lineWidth: LINE_WIDTH, flowCollectionPadding: false });
};

/** Script and style of its own alone; no string becomes markup. */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; " +
    "base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
};
const MARKDOWN = '.md';
const UNCHANGED = { description: 'the client has it as it is' };

/** The dashboard opens it with the id of a practice, which its script reads. */
const referenceRoute = {
  method: 'get',
  tag: 'Service',
  access: 'public',
  isFixed: true,
  stability: 'stable',
  usedBy: 'browsers and tools',
  query: z.looseObject({}),
} as const;

/** `listRoutes` is asked at the first request, so that the list may hold these routes too. */
export const documentationRoutes = (listRoutes: () => readonly Route[], info: ServiceInfo): Route[] => {
  // What makes them is loaded at their first request, which few daemons ever get.
  const yamlOf = (part: 'native' | 'foreign') =>
    once(async () => {
      const { openApiDocument } = await import('./openapi.ts');
      return toYaml(openApiDocument(listRoutes(), info, part));
    });
  const [native, foreign] = [yamlOf('native'), yamlOf('foreign')];
  const files = once(async () => {
    const { referenceFiles } = await import('./reference/files.ts');
    return referenceFiles(listRoutes(), info);
  });
  const fileNamed = async (name: string, { header }: RequestContext): Promise<RouteResult> => {
    const file = await (await files())(name);
    if (!file) throw new AppError('not_found', say`There is no such page.`);
    const { body, contentType, etag } = file;
    const headers = {
      ETag: etag,
      'Cache-Control': 'public, max-age=300',
      ...(contentType === HTML_TYPE ? PAGE_HEADERS : {}),
    };
    const isKnown = header('if-none-match')
      ?.split(/,\s*/)
      .some((given) => given.replace(/^W\//, '') === etag);
    return isKnown ? { status: 304, headers } : { status: 200, body, contentType, headers };
  };
  return [
    defineRoute({
      method: 'get',
      path: '/openapi.yaml',
      isAnsweredWhileDraining: true,
      tag: 'Service',
      id: 'getApiDescription',
      summary: 'The API described for machines, OpenAPI 3.1.',
      access: 'public',
      isFixed: true,
      stability: 'stable',
      responses: { 200: { description: 'the document', body: YAML_TYPE } },
      handle: async () => ({ status: 200, body: await native(), contentType: YAML_TYPE }),
    }),
    defineRoute({
      method: 'get',
      path: '/openapi-compat.yaml',
      isAnsweredWhileDraining: true,
      tag: 'Service',
      id: 'getForeignApiDescription',
      usedBy: 'who writes a client in the form of another service',
      summary: 'The forms of other services described for machines, OpenAPI 3.1.',
      access: 'public',
      isFixed: true,
      stability: 'stable',
      responses: { 200: { description: 'the document', body: YAML_TYPE } },
      handle: async () => ({ status: 200, body: await foreign(), contentType: YAML_TYPE }),
    }),
    defineRoute({
      ...referenceRoute,
      path: '/reference',
      id: 'getReference',
      summary: 'The API described for people: where to start, and all calls.',
      responses: { 200: { description: 'an HTML page', body: HTML_TYPE }, 304: UNCHANGED },
      handle: (_, context) => fileNamed('start', context),
    }),
    defineRoute({
      ...referenceRoute,
      path: `/reference${MARKDOWN}`,
      id: 'getReferenceText',
      summary: 'The same as Markdown.',
      responses: { 200: { description: 'Markdown', body: 'text/markdown; charset=utf-8' }, 304: UNCHANGED },
      handle: (_, context) => fileNamed(`start${MARKDOWN}`, context),
    }),
    defineRoute({
      ...referenceRoute,
      path: '/reference/{page}',
      id: 'getReferencePage',
      summary: 'A page of the reference; with `.md` as Markdown.',
      params: z.object({
        page: z
          .string()
          .max(100)
          .meta({ examples: ['sending'] }),
      }),
      responses: {
        200: { description: 'an HTML page, Markdown, or a file that a page uses', body: ANY_TYPE },
        304: UNCHANGED,
      },
      handle: ({ params }, context) => fileNamed(params.page, context),
    }),
    defineRoute({
      ...referenceRoute,
      path: '/llms.txt',
      id: 'getLlmsText',
      summary: 'The pages of the reference for tools that read for people.',
      responses: {
        200: { description: 'Markdown by the convention of llms.txt', body: 'text/plain; charset=utf-8' },
        304: UNCHANGED,
      },
      handle: (_, context) => fileNamed('llms.txt', context),
    }),
  ];
};
