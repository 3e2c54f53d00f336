// A public page of the service: a small complete HTML document for people who follow a link or send in a form. It needs
// no script and loads nothing, from us or from others; its policy allows its own style, the logo that is part of it and forms to
// us, no more.
import { createHash } from 'node:crypto';
import Negotiator from 'negotiator';
import { readableOn } from './contrast.ts';
import type { Language } from './language.ts';
import type { RequestContext, RouteResult } from './route.ts';

/** A practice's page has the practice's name at its head, and its look. */
export interface Look {
  /** Plain text. */
  readonly name: string;
  /** A colour such as `#0b57d0`; null: that of the service. */
  readonly colour: string | null;
  readonly logo: { readonly type: string; readonly content: Buffer } | null;
}

export interface Page {
  /** Default 200. */
  readonly status?: number;
  readonly language: Language;
  /** Plain text: of the window and the heading. */
  readonly title: string;
  /** Plain text. */
  readonly serviceName: string;
  /** Null: a page of the service itself. */
  readonly look?: Look | null;
  /** HTML below the heading; what came from outside has gone through `escapeHtml`. */
  readonly body: string;
  /** HTML below the main part, in the same way. */
  readonly footer?: string;
  /** With room for columns beside each other. */
  readonly isWide?: boolean;
}

export const HTML_TYPE = 'text/html; charset=utf-8';

/** What routes have in common to which a link in a mail leads. */
export const linkedPage = {
  access: 'public',
  stability: 'stable',
  responses: {
    200: { description: 'A page, in the language that `Accept-Language` asks for.', body: HTML_TYPE },
    404: { description: 'The same page for whatever is wrong with the link.', body: HTML_TYPE },
  },
} as const;

const GROUND = { light: '#ffffff', dark: '#161616' } as const;

const style = `
:root { color-scheme: light dark; --text: #16201f; --quiet: #556163; --page: #f3f6f6; --ground: ${GROUND.light}; --line: #d9dfdf; --edge: #6f7b7d; --accent: #0b5f6b; --on-accent: #fff; --error: #b3261e }
@media (prefers-color-scheme: dark) { :root { --text: #e8ebeb; --quiet: #a9b4b6; --page: #0c0e0f; --ground: ${GROUND.dark}; --line: #333b3e; --edge: #8c989a; --accent: #6cc4d0; --on-accent: #06272c; --error: #f5a49d } }
* { box-sizing: border-box }
body { font: 1.0625rem/1.55 system-ui, sans-serif; max-width: 42rem; margin: 0 auto; padding: 1.25rem 1rem 3rem; color: var(--text); background: var(--page); overflow-wrap: break-word }
body.wide { max-width: 60rem }
header { font-weight: 600; margin: 0 0 1rem } header img { display: block; max-width: 100%; max-height: 6rem; margin-bottom: .75rem }
svg { display: block; max-width: 100%; height: auto; fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round }
header svg { display: inline-block; width: 1.5rem; vertical-align: -.35rem; margin-right: .5rem } .solid { fill: var(--accent); stroke: none } .on { stroke: var(--on-accent) } .paper { fill: var(--ground) } .thin { stroke: var(--edge) }
main { padding: 1.5rem; background: var(--ground); border: 1px solid var(--line); border-top: 4px solid var(--accent); border-radius: .5rem } main > :last-child, form > :last-child { margin-bottom: 0 }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem } h2 { font-size: 1.2rem; line-height: 1.3; margin: 0 0 .5rem } a { color: var(--accent) } ul { padding-left: 1.25rem }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600 }
input, select, textarea, button, .button { font: inherit; color: inherit; border: 1px solid var(--edge); border-radius: .375rem; padding: .6rem .75rem; background: var(--ground); width: 100%; max-width: 100% }
textarea { min-height: 9rem; resize: vertical }
button, .button { display: inline-block; width: auto; margin-top: 1.5rem; font-weight: 600; text-decoration: none; cursor: pointer; color: var(--on-accent); background: var(--accent); border-color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
pre { font-size: .875rem; white-space: pre-wrap } dt { font-weight: 600 } dd { margin: 0 0 .5rem } table { border-collapse: collapse }
input[type=checkbox] { width: 1.5rem; height: 1.5rem; margin: 0 .75rem 0 0; vertical-align: middle; accent-color: var(--accent) }
fieldset { border: 0; padding: 0; margin: 1rem 0 0; min-width: 0 } legend { padding: 0; font-weight: 600 } fieldset label { font-weight: 400; margin: .75rem 0 }
.other { color: var(--accent); background: var(--ground) }
.note { font-size: .9375rem; font-weight: 400 } .error { color: var(--error); font-weight: 600 }
footer { margin-top: 1.25rem; font-size: .9375rem; color: var(--quiet) } footer a { color: inherit } footer p { margin: 0 0 .25rem }
.wide main { padding: clamp(1.25rem, 4vw, 3rem) } .wide h1 { font-size: clamp(1.75rem, 5vw, 2.5rem) } .wide section { margin-top: 2.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line) }
.columns { display: grid; gap: 1.5rem 2.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); align-items: start } .columns p { margin: 0 0 .75rem } .links > * { margin: .5rem .75rem 0 0 }
@media (max-width: 30rem) { main { padding: 1.25rem 1rem } }
@media print { body { padding: 0; background: none } main { border: 0; padding: 0 } }
`;
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
const styleHash = hashOf(style);

/** The accent is the colour of links on the ground and the ground of buttons: what can be read as the one can be as the other. */
const styleWith = (colour: string): string => {
  const rule = (ground: string): string =>
    `:root { --accent: ${readableOn(ground, colour)}; --on-accent: ${ground} }`;
  return `${style}${rule(GROUND.light)}
@media (prefers-color-scheme: dark) { ${rule(GROUND.dark)} }
`;
};

const policy = (hash: string, look: Look | null): string =>
  `default-src 'none'; style-src 'sha256-${hash}';${look?.logo ? ' img-src data:;' : ''} form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;

/** The service's own mark, as browsers show it on the dashboard's tab. */
const MARK =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect class="solid" width="32" height="32" rx="7"/><path class="on" d="M7 11.5 16 18l9-6.5M7 10h18v13H7z"/></svg>';

/** The name beside the logo says what it shows. */
const heading = ({ name, logo }: Pick<Look, 'name' | 'logo'>, isService: boolean): string =>
  `${isService ? MARK : ''}${logo ? `<img src="data:${logo.type};base64,${logo.content.toString('base64')}" alt="">` : ''}${escapeHtml(name)}`;

const headers = {
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
export const page = ({
  status = 200,
  language,
  title,
  serviceName,
  look = null,
  body,
  footer,
  isWide = false,
}: Page): RouteResult => {
  const colour = look?.colour ?? null;
  const css = colour === null ? style : styleWith(colour);
  const head = look ?? { name: serviceName, logo: null };
  return {
    status,
    contentType: HTML_TYPE,
    headers: {
      'Content-Security-Policy': policy(colour === null ? styleHash : hashOf(css), look),
      ...headers,
      'Content-Language': language,
    },
    body: `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} – ${escapeHtml(head.name)}</title>
<style>${css}</style>
</head>
<body${isWide ? ' class="wide"' : ''}>
<header>${heading(head, look === null)}</header>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>${footer === undefined ? '' : `\n<footer>${footer}</footer>`}
</body>
</html>
`,
  };
};

/** Whether the client prefers `type` to JSON (RFC 9110 §12.5.1): programs that take anything get JSON. */
export const prefers = ({ header }: Pick<RequestContext, 'header'>, type: string): boolean => {
  const types = new Negotiator({ headers: { accept: header('accept') } });
  return types.mediaType(['application/json', type]) === type;
};

/** Whether the client is a browser. */
export const prefersPage = (context: Pick<RequestContext, 'header'>): boolean =>
  prefers(context, 'text/html');
