// The text part of a message that has only HTML: a courtesy to readers without HTML, and what filters expect to be there.
import { convert } from 'html-to-text';

/** What lies beyond this much of the HTML is left out. */
const MAX_CONVERTED_CHARACTERS = 200_000;
/** The converter needs time with the square of the depth, and stack with it. Real mail nests some 60 deep. */
const MAX_HTML_DEPTH = 500;
/** Elements that end without an end tag. */
const UNNESTED =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|tr|td|th|option|thead|tbody|tfoot)$/i;

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
  // What was guessed too low is cut off at that depth instead.
  return convert(html, { wordwrap: false, limits: { maxDepth: MAX_HTML_DEPTH } });
};
