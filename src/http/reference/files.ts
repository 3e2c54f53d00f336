// The files of the reference by their names, each made when it is asked for first and kept: the routes do not change while the
// service runs.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HTML_TYPE } from '#src/kernel/page.ts';
import type { Route } from '#src/kernel/route.ts';
import type { ServiceInfo } from '../api-facts.ts';
import { pageAsHtml } from './html.ts';
import { llmsText, pageAsMarkdown } from './markdown.ts';
import { type Reference, referenceOf } from './pages.ts';
import { searchIndex } from './search-index.ts';

export interface ReferenceFile {
  readonly body: string;
  readonly contentType: string;
  readonly etag: string;
}

const MARKDOWN = '.md';
const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

type Maker = (reference: Reference, info: ServiceInfo) => string | undefined | Promise<string>;
const fromFolder =
  (name: string): Maker =>
  () =>
    readFile(join(import.meta.dirname, name), 'utf8');

const fixed: Readonly<Record<string, readonly [contentType: string, make: Maker]>> = {
  'style.css': ['text/css; charset=utf-8', fromFolder('style.css')],
  'script.js': ['text/javascript; charset=utf-8', fromFolder('script.js')],
  'search.json': ['application/json', (reference, info) => JSON.stringify(searchIndex(reference, info))],
  'llms.txt': ['text/plain; charset=utf-8', llmsText],
};

const makerOf = (name: string): readonly [contentType: string, make: Maker] => {
  if (Object.hasOwn(fixed, name)) return fixed[name] as (typeof fixed)[string];
  if (name.endsWith(MARKDOWN)) {
    const make: Maker = (reference) => {
      const page = reference.page(name.slice(0, -MARKDOWN.length));
      return page && pageAsMarkdown(page, reference);
    };
    return [MARKDOWN_TYPE, make];
  }
  const make: Maker = (reference, info) => {
    const page = reference.page(name);
    return page && pageAsHtml(page, reference, info);
  };
  return [HTML_TYPE, make];
};

/** Resolves with undefined where there is no file of that name. */
export const referenceFiles = (
  routes: readonly Route[],
  info: ServiceInfo,
): ((name: string) => Promise<ReferenceFile | undefined>) => {
  const reference = referenceOf(routes, info);
  const kept = new Map<string, ReferenceFile>();
  return async (name) => {
    const present = kept.get(name);
    if (present) return present;
    const [contentType, make] = makerOf(name);
    const body = await make(reference, info);
    // Names that are nothing are not kept: anyone may ask for them.
    if (body === undefined) return undefined;
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const file = { body, contentType, etag };
    kept.set(name, file);
    return file;
  };
};
