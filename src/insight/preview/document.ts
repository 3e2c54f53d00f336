// A mail as a document of its own, to be shown in a frame of the dashboard, and harmless where it is opened alone. Its policy is
// the wall: in a sandbox without scripts, forms and navigation by itself nothing runs, whatever the HTML holds, and nothing is
// loaded but what is in the document. What a policy cannot forbid is left out of the HTML (`shown-html.ts`).
import { contentsOf } from '#src/inbound/reading/attachments.ts';
import { type HtmlForm, readMail } from '#src/inbound/reading/read.ts';
import { publicWordsIn } from '#src/insight/words.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, HTML_TYPE } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import type { MessageSource } from '#src/mail/mime-parts.ts';

/** The bytes of the HTML that is shown. Images in it take most of what is larger than the usual mail. */
const MAX_HTML_BYTES = 1_048_576;
/** The bytes of the images that are files of the mail. */
const MAX_IMAGE_BYTES = 8 * 1_024 * 1_024;
/**
 * The characters of their `data:` URLs, in all places together: each has room once, and a small HTML could name one thousands
 * of times.
 */
const MAX_IMAGE_CHARACTERS = 12 * 1_024 * 1_024;
const IMAGE_TYPE = /^image\/[\w.+-]{1,40}$/;

export interface PreviewOptions {
  readonly view: 'html' | 'text';
  readonly remoteImages: boolean;
  readonly language: Language;
  /** See `ShownLinks`. */
  readonly target: (url: string) => string | null;
}

const STYLE = `:root { color-scheme: light; background: #fff; color: #000; font: 16px/1.5 system-ui, sans-serif } body { margin: 12px; overflow-wrap: break-word }`;

const policyOf = (remoteImages: boolean): string =>
  `sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:${remoteImages ? ' https: http:' : ''}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;

const ADDRESS = /https?:\/\/[^\s<>"']{1,2000}/g;
/** Such signs belong to the sentence around it. */
const BEHIND_ADDRESS = /[.,;:!?)\]]{1,5}$/;

const linkInText = (found: string, target: PreviewOptions['target']): string => {
  const url = found.replace(BEHIND_ADDRESS, '');
  const goal = target(url);
  const shown = escapeHtml(url);
  const rest = escapeHtml(found.slice(url.length));
  if (goal === null) return shown + rest;
  return `<a href="${escapeHtml(goal)}" target="_blank" rel="noopener noreferrer">${shown}</a>${rest}`;
};

const textAsHtml = (text: string, target: PreviewOptions['target']): string => {
  const pieces: string[] = [];
  let at = 0;
  for (const { index, 0: found } of text.matchAll(ADDRESS)) {
    pieces.push(escapeHtml(text.slice(at, index)), linkInText(found, target));
    at = index + found.length;
  }
  return `<div style="white-space:pre-wrap">${pieces.join('')}${escapeHtml(text.slice(at))}</div>`;
};

const htmlForm = (
  source: () => MessageSource,
  { target, remoteImages }: PreviewOptions,
  onImageLeftOut: () => void,
): HtmlForm => ({
  maxBytes: MAX_HTML_BYTES,
  show: async (html, attachments) => {
    const images = attachments.filter(({ inline, content_type }) => inline && IMAGE_TYPE.test(content_type));
    const wanted = new Map(images.map((image) => [image.index, image]));
    const contents =
      images.length === 0 ? [] : await contentsOf(source(), MAX_IMAGE_BYTES, (index) => wanted.has(index));
    const urls = new Map(
      images.flatMap(({ index, content_id, content_type }) => {
        const content = contents[index];
        return content ? [[content_id, `data:${content_type};base64,${content.toString('base64')}`]] : [];
      }),
    );
    // Its library is a hundred files, which no start needs.
    const { shownHtml } = await import('#src/inbound/reading/shown-html.ts');
    let room = MAX_IMAGE_CHARACTERS;
    const image = (id: string): string | null => {
      const url = urls.get(id) ?? null;
      if (url === null) return null;
      if (url.length > room) {
        onImageLeftOut();
        return null;
      }
      room -= url.length;
      return url;
    };
    return shownHtml(html, { target, remoteImages, image });
  },
});

/** `source` gives the whole mail each time. */
export const previewOf = async (
  source: () => MessageSource,
  options: PreviewOptions,
): Promise<RouteResult> => {
  const { view, remoteImages, language, target } = options;
  let isImageLeftOut = false;
  const form = htmlForm(source, options, () => {
    isImageLeftOut = true;
  });
  const { html, text, notes } = await readMail(source(), form);
  const { cut, empty } = publicWordsIn(language).preview;
  const shown = (view === 'html' ? html : null) ?? textAsHtml(text?.trim() ? text : empty, target);
  return {
    status: 200,
    contentType: HTML_TYPE,
    headers: {
      'Content-Security-Policy': policyOf(remoteImages),
      // Where it is not known: what frame-ancestors says.
      'X-Frame-Options': 'SAMEORIGIN',
      'X-DNS-Prefetch-Control': 'off',
      'Cache-Control': 'private, no-store',
    },
    body: `<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>${STYLE}</style>
${shown}
${notes.includes('truncated') || isImageLeftOut ? `<hr><p>${escapeHtml(cut)}</p>` : ''}
`,
  };
};
