// Serves the dashboard as it was built (bin/build.ts): one HTML page for all its paths (another one where passwords are in use, so that
// the sign-in knows), and files whose names change with their content, which browsers keep for good. Where it was not built, its
// paths say so, and everything else works.
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import Negotiator from 'negotiator';
import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import { EXAMPLE_ID } from '#src/kernel/fields.ts';
import { escapeHtml, HTML_TYPE, page } from '#src/kernel/page.ts';
import {
  ANY_TYPE,
  defineRoute,
  type RequestContext,
  type Route,
  type RouteResult,
} from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { wordsIn } from './words.ts';

const BUILT = join(import.meta.dirname, '../../dist/dashboard');

/** The endings of the names of the files that were compressed at the build, best first. */
const ENDINGS = { br: '.br', gzip: '.gz', identity: '' } as const;
const ENCODINGS = ['br', 'gzip', 'identity'] as const;

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Scripts and styles from here alone, and no string is ever made into markup or script (Trusted Types) but by the editor for documents,
 * which parses what is pasted in a document of its own, reduced before to elements and attributes that run nothing
 * (`parts/document-editor/pasted.ts`). Mails are shown in frames, whose documents have policies of their own.
 */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; " +
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types ProseMirrorClipboard",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
};

/** The file in the encoding that the client takes; null where there is no such file. */
const readBuilt = async (
  folder: string,
  name: string,
  { header }: RequestContext,
): Promise<{ readonly body: Buffer; readonly headers: Record<string, string> } | null> => {
  const taken = new Negotiator({ headers: { 'accept-encoding': header('accept-encoding') } }).encodings([
    ...ENCODINGS,
  ]);
  const wanted = ENCODINGS.find((one) => taken.includes(one)) ?? 'identity';
  const read = (encoding: typeof wanted): Promise<Buffer | null> =>
    readFile(join(folder, `${name}${ENDINGS[encoding]}`)).catch((error) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
  const compressed = await read(wanted);
  // `npm run dev` compresses nothing.
  const encoding = compressed === null ? 'identity' : wanted;
  const body = compressed ?? (await read('identity'));
  const headers = {
    Vary: 'Accept-Encoding',
    ...(encoding === 'identity' ? {} : { 'Content-Encoding': encoding }),
  };
  return body && { body, headers };
};

const notBuilt = (serviceName: string, { language }: RequestContext): RouteResult => {
  const { title, text } = wordsIn(language).notBuilt;
  const body = `<p>${escapeHtml(text)}</p>\n<pre>npm run build</pre>`;
  return page({ status: 503, language, title, serviceName, body });
};

const BUILT_NAME = /^[\w.-]+-[A-Z0-9]{8}\.(?:js|css|svg)$/;
/** Paths of the dashboard, with examples: the browser finds out what they show. */
const SEGMENTS = { area: 'operator', page: 'tickets', item: EXAMPLE_ID } as const;
type Segment = keyof typeof SEGMENTS;
const segmentNames = Object.keys(SEGMENTS) as readonly Segment[];

export interface DashboardFacts {
  readonly serviceName: string;
  readonly passwordLogin: () => boolean;
}

const pageRoute = (
  { serviceName, passwordLogin }: DashboardFacts,
  folder: string,
  segments: readonly Segment[],
): Route =>
  defineRoute({
    method: 'get',
    path: ['/app', ...segments.map((name) => `{${name}}`)].join('/'),
    tag: 'Service',
    id: [
      'getDashboard',
      ...segments.slice(-1).map((name) => `${name[0]?.toUpperCase()}${name.slice(1)}`),
    ].join(''),
    summary: 'The dashboard, for browsers.',
    usedBy: 'browsers',
    access: 'public',
    stability: 'stable',
    params: z.object(
      Object.fromEntries(segments.map((name) => [name, z.string().meta({ examples: [SEGMENTS[name]] })])),
    ),
    query: z.looseObject({}),
    responses: {
      200: { description: 'an HTML page', body: HTML_TYPE },
      503: { description: 'an HTML page: it has not been built', body: HTML_TYPE },
    },
    handle: async (_, context) => {
      const withPasswords = passwordLogin() && (await readBuilt(folder, 'index-passwords.html', context));
      // A build of before there were two has the one.
      const built = withPasswords || (await readBuilt(folder, 'index.html', context));
      if (!built) return notBuilt(serviceName, context);
      const { body, headers } = built;
      return { status: 200, contentType: HTML_TYPE, headers: { ...PAGE_HEADERS, ...headers }, body };
    },
  });

/** `folder`: what was built. */
export const dashboardRoutes = (facts: DashboardFacts, folder = BUILT): readonly Route[] => [
  ...[0, 1, 2, 3].map((count) => pageRoute(facts, folder, segmentNames.slice(0, count))),
  defineRoute({
    method: 'get',
    path: '/assets/{file}',
    tag: 'Service',
    id: 'getDashboardFile',
    usedBy: 'browsers',
    summary: 'A file of the dashboard.',
    access: 'public',
    stability: 'stable',
    params: z.object({ file: z.string().meta({ examples: ['style-AB12CD34.css'] }) }),
    responses: { 200: { description: 'the file, of the type of its name', body: ANY_TYPE } },
    handle: async ({ params }, context) => {
      const built = BUILT_NAME.test(params.file) ? await readBuilt(folder, params.file, context) : null;
      if (!built) throw new AppError('not_found', say`There is no such file.`);
      const headers = { 'Cache-Control': 'public, max-age=31536000, immutable', ...built.headers };
      const contentType = TYPES[extname(params.file)] ?? 'application/octet-stream';
      return { status: 200, contentType, headers, body: built.body };
    },
  }),
];
