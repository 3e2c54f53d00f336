// Finds the ends of tags, attributes, comments and raw elements in HTML (HTML Living Standard, 13.2.5). It needs linear time,
// because no function reads further than the place where reading continues, and builds no tree. Pure.
//
// The tokenizer of htmlparser2 alone takes 55 to 80 µs for a mail of 6 kB, which is what the whole reading for the content
// rules takes with this file.

/** A piece of the HTML from `start` to `end`, which is the index behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface HtmlTag {
  /** The element's name in lower case, at most 40 characters. */
  readonly name: string;
  /** The values of the wanted attributes by name in lower case, not decoded and without their quotes. */
  readonly attributes: ReadonlyMap<string, Span>;
  /** The index behind its `>`; null if the document ends first, or there are too many attributes. */
  readonly end: number | null;
  /** The number of all attributes, wanted or not. */
  readonly attributeCount: number;
}

/** Elements and attributes with longer names are of no interest. */
const LONGEST_NAME = 40;
const GREATER = 62;
const SLASH = 47;
const EQUALS = 61;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;

const noAttributes: ReadonlyMap<string, Span> = new Map();

/** Elements whose content is no markup or is never shown. */
export const rawElements: ReadonlySet<string> = new Set([
  'script',
  'style',
  'title',
  'textarea',
  'noscript',
  'xmp',
]);

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13 && code !== 11);

/** A name ends at white space, `/` or `>`; an attribute's also at `=` unless that is its first character. */
const nameEnd = (html: string, start: number, isAttribute: boolean): number => {
  let at = isAttribute ? start + 1 : start;
  for (; at < html.length; at += 1) {
    const code = html.charCodeAt(at);
    if (code <= GREATER && (code === GREATER || code === SLASH || isSpace(code))) break;
    if (isAttribute && code === EQUALS) break;
  }
  return at;
};

const skipSpace = (html: string, start: number): number => {
  let at = start;
  while (isSpace(html.charCodeAt(at))) at += 1;
  return at;
};

const unquotedEnd = (html: string, start: number): number => {
  let at = start;
  for (; at < html.length; at += 1) {
    const code = html.charCodeAt(at);
    if (code === GREATER || isSpace(code)) break;
  }
  return at;
};

/** Reads the start or end tag whose name begins at `start`, with at most `maxAttributes`; keeps those that are wanted. */
export const readTag = (
  html: string,
  start: number,
  maxAttributes: number,
  isWanted: (name: string) => boolean,
): HtmlTag => {
  let at = nameEnd(html, start, false);
  const name = html.slice(start, Math.min(at, start + LONGEST_NAME)).toLowerCase();
  let attributes: Map<string, Span> | null = null;
  let attributeCount = 0;
  let end: number | null = null;
  while (at < html.length && attributeCount < maxAttributes) {
    const code = html.charCodeAt(at);
    if (code === GREATER) {
      end = at + 1;
      break;
    }
    if (isSpace(code) || code === SLASH) {
      at += 1;
      continue;
    }
    attributeCount += 1;
    const nameStart = at;
    const behindName = nameEnd(html, at, true);
    let valueStart = behindName;
    let valueEnd = behindName;
    at = skipSpace(html, behindName);
    if (html.charCodeAt(at) === EQUALS) {
      at = skipSpace(html, at + 1);
      const quote = html.charCodeAt(at);
      if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
        valueStart = at + 1;
        valueEnd = html.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", valueStart);
        if (valueEnd === -1) break;
        at = valueEnd + 1;
      } else {
        valueStart = at;
        valueEnd = unquotedEnd(html, at);
        at = valueEnd;
      }
    }
    if (behindName - nameStart > LONGEST_NAME) continue;
    const attribute = html.slice(nameStart, behindName).toLowerCase();
    if (!isWanted(attribute)) continue;
    attributes ??= new Map();
    // The first of two of the same name counts (13.2.5.33).
    if (!attributes.has(attribute)) attributes.set(attribute, { start: valueStart, end: valueEnd });
  }
  return { name, attributes: attributes ?? noAttributes, end, attributeCount };
};

/** `<!-->` and `<!--->` are whole comments (13.2.5.43 f.). */
const COMMENT = /<!--(?:-?>|[\s\S]*?(--!?>))/y;

/** The span of the end mark of the comment that begins at `at`; null if it is never closed. */
export const readComment = (html: string, at: number): Span | null => {
  COMMENT.lastIndex = at;
  const found = COMMENT.exec(html);
  if (found === null) return null;
  const [whole, close = ''] = found;
  return { start: at + whole.length - close.length, end: at + whole.length };
};

/** The index of the end tag of a raw element; -1 if there is none. */
export const rawEnd = (html: string, name: string, from: number): number => {
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() !== name) continue;
    const code = html.charCodeAt(at + 2 + name.length);
    if (code === GREATER || code === SLASH || isSpace(code)) return at;
  }
  return -1;
};
