// The descriptions of the API as routes of it. Each is made at its first request and kept: the list of routes does
// not change while the service runs.
import { createHash } from 'node:crypto';
import { Document, isCollection, isPair, isScalar } from 'yaml';
import { HTML_TYPE } from '#src/kernel/page.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
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

/** `listRoutes` is asked at the first request, so that the list may hold these routes too. */
export const documentationRoutes = (listRoutes: () => readonly Route[], info: ServiceInfo): Route[] => {
  // What makes them is loaded at their first request, which few daemons ever get.
  const yamlOf = (part: 'native' | 'foreign') =>
    once(async () => {
      const { openApiDocument } = await import('./openapi.ts');
      return toYaml(openApiDocument(listRoutes(), info, part));
    });
  const [native, foreign] = [yamlOf('native'), yamlOf('foreign')];
  const page = once(async () => {
    const { referencePage, referenceStyle } = await import('./reference.ts');
    const styleHash = createHash('sha256').update(referenceStyle).digest('base64');
    return {
      body: referencePage(listRoutes(), info),
      policy: `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'`,
    };
  });
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
      method: 'get',
      path: '/reference',
      tag: 'Service',
      id: 'getReference',
      summary: 'The API described for people.',
      access: 'public',
      isFixed: true,
      stability: 'stable',
      responses: { 200: { description: 'an HTML page', body: HTML_TYPE } },
      handle: async () => {
        const { body, policy } = await page();
        const headers = { 'Content-Security-Policy': policy };
        return { status: 200, body, contentType: HTML_TYPE, headers };
      },
    }),
  ];
};
