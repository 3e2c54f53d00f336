// Makes the text part of a message that has only HTML, for readers without HTML and for filters that expect it. Pure.
import { createRequire } from 'node:module';
import type { compile as compileConverter, FormatCallback } from 'html-to-text';

const load = createRequire(import.meta.url);

/** UTF-16 code units of HTML that are converted; the rest is dropped. */
const MAX_CONVERTED_CHARACTERS = 200_000;
/** The converter needs quadratic time and much stack for deep HTML. Real mail nests some 60 levels. */
const MAX_HTML_DEPTH = 500;
/** The most open elements whose end tag is optional; careless pages leave many of them open. */
const MAX_LEFT_OPEN = 2_000;
const EMPTY = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/;
const OPTIONAL_END = /^(?:p|li|dt|dd|tr|td|th|option|thead|tbody|tfoot)$/;

/** Cells of a row are separated by a space, which the builder drops at the end of a row. */
const cell: FormatCallback = (element, walk, builder) => {
  walk(element.children, builder);
  builder.addInline(' ');
};

/** An image becomes its alternative text, because its address says nothing to a reader. */
const alternative: FormatCallback = (element, _, builder) => {
  builder.addInline(element.attribs?.alt ?? '', { noWordTransform: true });
};

/** The library and what it needs are thirty files, which no start needs. */
const makeConverter = (): ReturnType<typeof compileConverter> => {
  const { compile } = load('html-to-text') as { readonly compile: typeof compileConverter };
  return compile({
    wordwrap: false,
    limits: { maxDepth: MAX_HTML_DEPTH },
    formatters: { cell, alternative },
    selectors: [
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'td', format: 'cell' },
      { selector: 'th', format: 'cell' },
      { selector: 'img', format: 'alternative' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    ],
  });
};
let convert: ReturnType<typeof makeConverter> | undefined;

/** Estimates the depth from the tags alone, and never too low: an end tag counts only if such an element is open, and not in
 * a comment or inside of another tag. */
export const seemsTooDeep = (html: string): boolean => {
  const open = new Map<string, number>();
  let depth = 0;
  let leftOpen = 0;
  let tagEnd = -1;
  let commentEnd = -1;
  for (const { index, 1: start, 2: slash, 3: typed = '' } of html.matchAll(
    /<(?:(!--)|(\/?)([a-z][a-z0-9-]{0,40}))/gi,
  )) {
    if (start !== undefined) {
      const end = index < commentEnd ? commentEnd : html.indexOf('-->', index);
      commentEnd = end === -1 ? html.length : end;
      continue;
    }
    const name = typed.toLowerCase();
    if (EMPTY.test(name)) continue;
    const count = open.get(name) ?? 0;
    if (slash !== '' && (count === 0 || index < commentEnd || index < tagEnd)) continue;
    const end = html.indexOf('>', index);
    tagEnd = end === -1 ? html.length : end;
    const step = slash === '' ? 1 : -1;
    open.set(name, count + step);
    if (OPTIONAL_END.test(name)) leftOpen += step;
    else depth += step;
    if (depth > MAX_HTML_DEPTH || leftOpen > MAX_LEFT_OPEN) return true;
  }
  return false;
};

export const textOfHtml = (given: string): string => {
  const html = given.slice(0, MAX_CONVERTED_CHARACTERS).toWellFormed();
  if (seemsTooDeep(html))
    return html
      .replace(/<[^<>]*>/g, ' ')
      .replace(/ {2,}/g, ' ')
      .trim();
  convert ??= makeConverter();
  return convert(html);
};
