// The text part of a message that has only HTML: a courtesy to readers without HTML, and what filters expect to be there.
import { compile, type FormatCallback } from 'html-to-text';

/** What lies beyond this much of the HTML is left out. */
const MAX_CONVERTED_CHARACTERS = 200_000;
/** The converter needs time with the square of the depth, and stack with it. Real mail nests some 60 deep. */
const MAX_HTML_DEPTH = 500;
/** Elements that end without an end tag. */
const UNNESTED =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|tr|td|th|option|thead|tbody|tfoot)$/i;

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
  // What was guessed too low is cut off at that depth instead.
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

/** Guesses by tags alone: end tags of nothing, in comments or in attributes make it guess too low. */
const seemsTooDeep = (html: string): boolean => {
  let depth = 0;
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]{0,20})/gi)) {
    if (UNNESTED.test(name)) continue;
    depth = Math.max(0, depth + (slash === '' ? 1 : -1));
    if (depth > MAX_HTML_DEPTH) return true;
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
