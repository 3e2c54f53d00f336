// The document in which the dashboard shows the HTML of a template or campaign while it is written. Its sandbox gives it an origin of
// no one, and its policy runs the one script below: what it is sent cannot run, send, or reach the page around it, and only that
// page may send it anything. Mail that is stored is shown by `insight/preview/` instead, without any script.
import { createHash } from 'node:crypto';
import { HTML_TYPE } from '#src/kernel/page.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';

/**
 * Reads the HTML as a document, where nothing is loaded, and takes out what would navigate, load or send before it is shown. The
 * parent posts `{ html }` once the frame has loaded, and again at each change; what was scrolled stays so.
 */
const SCRIPT = `
addEventListener('message', ({ source, origin, data }) => {
  if (source !== parent || origin !== location.origin || typeof data?.html !== 'string') return;
  const { documentElement } = new DOMParser().parseFromString(data.html, 'text/html');
  for (const one of documentElement.querySelectorAll('script, meta, base, link, iframe, object, embed')) one.remove();
  for (const one of documentElement.querySelectorAll('*'))
    for (const { name, value } of [...one.attributes])
      if (/^on/.test(name) || /^\\s*javascript:/i.test(value)) one.removeAttribute(name);
  for (const one of documentElement.querySelectorAll('[href]')) one.target = '_blank';
  const { scrollX, scrollY } = window;
  document.documentElement.replaceWith(documentElement);
  scrollTo(scrollX, scrollY);
});
`;

const hash = createHash('sha256').update(SCRIPT).digest('base64');
// A link in it opens nothing without allow-popups.
const POLICY = `sandbox allow-scripts; default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;
const DOCUMENT = `<!doctype html>
<meta charset="utf-8">
<title>Preview</title>
<script>${SCRIPT}</script>
`;

export const previewFrameRoute: Route = defineRoute({
  method: 'get',
  path: '/app/frame',
  tag: 'Service',
  id: 'getPreviewFrame',
  usedBy: 'the dashboard',
  summary: 'An empty document in which the dashboard shows HTML while it is written.',
  access: 'public',
  stability: 'stable',
  responses: { 200: { description: 'an HTML page', body: HTML_TYPE } },
  handle: () => ({
    status: 200,
    body: DOCUMENT,
    contentType: HTML_TYPE,
    headers: {
      'Content-Security-Policy': POLICY,
      'X-Frame-Options': 'SAMEORIGIN',
      'Cache-Control': 'no-cache',
    },
  }),
});
