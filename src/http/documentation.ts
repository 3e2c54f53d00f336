// The two descriptions of the API as routes of it. Each is made at its first request and kept: the list of routes does
// not change while the service runs.
import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import type { ServiceInfo } from './api-facts.ts';
import type { JsonSchema } from './json-schema.ts';
import { openApiDocument } from './openapi.ts';
import { referencePage, referenceStyle } from './reference.ts';

const YAML_TYPE = 'application/yaml';
const LINE_WIDTH = 120;
const HTML_TYPE = 'text/html; charset=utf-8';

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Text that readers of YAML 1.1 and 1.2 read alike: `off` or `1:30`, which 1.1 does not take for strings, are quoted. */
const toYaml = (document: JsonSchema): string =>
  stringify(document, { aliasDuplicateObjects: false, lineWidth: LINE_WIDTH, version: '1.1' });

/** `listRoutes` is asked at the first request, so that the list may hold these routes too. */
export const documentationRoutes = (listRoutes: () => readonly Route[], info: ServiceInfo): Route[] => {
  const yaml = once(() => toYaml(openApiDocument(listRoutes(), info)));
  const page = once(() => referencePage(listRoutes(), info));
  const styleHash = createHash('sha256').update(referenceStyle).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'`;
  return [
    defineRoute({
      method: 'get',
      path: '/openapi.yaml',
      tag: 'Service',
      id: 'getApiDescription',
      summary: 'The API described for machines, OpenAPI 3.1.',
      access: 'public',
      stability: 'stable',
      responses: { 200: { description: 'the document', body: YAML_TYPE } },
      handle: () => ({ status: 200, body: yaml(), contentType: YAML_TYPE }),
    }),
    defineRoute({
      method: 'get',
      path: '/reference',
      tag: 'Service',
      id: 'getReference',
      summary: 'The API described for people.',
      access: 'public',
      stability: 'stable',
      responses: { 200: { description: 'an HTML page', body: HTML_TYPE } },
      handle: () => ({
        status: 200,
        body: page(),
        contentType: HTML_TYPE,
        headers: { 'Content-Security-Policy': policy },
      }),
    }),
  ];
};
