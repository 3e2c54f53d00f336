// A public page of the service: a small complete HTML document for people who follow a link or send in a form. It needs
// no script and loads nothing, from us or from others; its policy allows its own style and forms to us, no more.
import { createHash } from 'node:crypto';
import Negotiator from 'negotiator';
import type { Language } from './language.ts';
import type { RequestContext, RouteResult } from './route.ts';

export interface Page {
  /** Default 200. */
  readonly status?: number;
  readonly language: Language;
  /** Plain text: of the window and the heading. */
  readonly title: string;
  /** Plain text. */
  readonly serviceName: string;
  /** HTML below the heading; what came from outside has gone through `escapeHtml`. */
  readonly body: string;
}

export const HTML_TYPE = 'text/html; charset=utf-8';

const style = `
:root { color-scheme: light dark; --text: #1c1c1c; --ground: #fff; --line: #767676; --accent: #0b57d0; --on-accent: #fff; --error: #b3261e }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --ground: #161616; --line: #8c8c8c; --accent: #8ab4f8; --on-accent: #10233f; --error: #f2b8b5 } }
* { box-sizing: border-box }
body { font: 1.0625rem/1.55 system-ui, sans-serif; max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; color: var(--text); background: var(--ground); overflow-wrap: break-word }
header { font-weight: 600 } h1 { font-size: 1.6rem; line-height: 1.25 } a { color: var(--accent) }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600 }
input, select, textarea, button { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: .375rem; padding: .6rem .75rem; background: var(--ground); width: 100% }
textarea { min-height: 9rem; resize: vertical }
button { width: auto; margin-top: 1.5rem; font-weight: 600; cursor: pointer; color: var(--on-accent); background: var(--accent); border-color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
pre { font-size: .875rem; white-space: pre-wrap } dt { font-weight: 600 } dd { margin: 0 0 .5rem }
.note { font-size: .9375rem; font-weight: 400 } .error { color: var(--error); font-weight: 600 }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

const headers = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  // Whether it is a page or JSON may hang on the one, its words hang on the other.
  Vary: 'Accept, Accept-Language',
};

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Plain text as HTML: for an element's content and for attributes in quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

/** The answer that shows the page. */
export const page = ({ status = 200, language, title, serviceName, body }: Page): RouteResult => ({
  status,
  contentType: HTML_TYPE,
  headers: { ...headers, 'Content-Language': language },
  body: `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} – ${escapeHtml(serviceName)}</title>
<style>${style}</style>
</head>
<body>
<header>${escapeHtml(serviceName)}</header>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`,
});

/** Whether the client prefers `type` to JSON (RFC 9110 §12.5.1): programs that take anything get JSON. */
export const prefers = ({ header }: Pick<RequestContext, 'header'>, type: string): boolean => {
  const types = new Negotiator({ headers: { accept: header('accept') } });
  return types.mediaType(['application/json', type]) === type;
};

/** Whether the client is a browser. */
export const prefersPage = (context: Pick<RequestContext, 'header'>): boolean =>
  prefers(context, 'text/html');
