// The text part of a message that has only HTML: a courtesy to readers without HTML, and what filters expect to be there.
import { compile, type FormatCallback } from 'html-to-text';

/** What lies beyond this much of the HTML is left out. */
const MAX_CONVERTED_CHARACTERS = 200_000;
/** The converter needs time with the square of the depth, and stack with it. Real mail nests some 60 deep. */
const MAX_HTML_DEPTH = 500;
/** Of elements whose end tag may be left out: what a careless page leaves open of them in all. */
const MAX_LEFT_OPEN = 2_000;
const EMPTY = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/;
const OPTIONAL_END = /^(?:p|li|dt|dd|tr|td|th|option|thead|tbody|tfoot)$/;

/** Cells of a row stand apart; nothing where there is no next one. */
const cell: FormatCallback = (element, walk, builder) => {
  walk(element.children, builder);
  builder.addInline(' ');
};

/** An image is what it says it shows: its address tells a reader nothing. */
const alternative: FormatCallback = (element, _, builder) => {
  builder.addInline(element.attribs?.alt ?? '', { noWordTransform: true });
};

const convert = compile({
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

/**
 * Guesses by tags alone, rather too high: an end tag counts only where such an element is open, and not in comments, nor
 * before the tag in front of it has ended.
 */
const seemsTooDeep = (html: string): boolean => {
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
  return convert(html);
};
