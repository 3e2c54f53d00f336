// Reads HTML as a mail program would show it: the text that is seen, the text that is not, links with their text, and what
// has no business in a mail. One pass (HTML Living Standard, 13.2.5, as far as it decides where a tag,
// an attribute or a comment ends), to a bound of tags and attributes; style sheets and scripts are not run. Pure.
import { decodeEntities } from './entities.ts';
import { isUnseen, type Look, lookWithin, PLAIN_LOOK, readStyle, type StyleChange } from './style.ts';
import { TEXT_LOOKED_AT } from './text.ts';

/** Tags and attributes that are read, 20 ms of work. Length does not count: what images have as data is skipped over, so
 * that nothing can be hidden behind it. */
const MAX_STEPS = 100_000;

export interface HtmlLink {
  /** Decoded, as it stands there otherwise. */
  readonly target: string;
  /** What is shown for it; null where it is no link to be followed by hand (an image, a form). */
  text: string | null;
}

export interface HtmlReading {
  /** What is seen; blocks and line breaks end lines. At most `TEXT_LOOKED_AT`. */
  readonly text: string;
  /** Letters and digits that nobody sees. */
  readonly unseenLetters: number;
  /** The first 1,000 of them. */
  readonly links: readonly HtmlLink[];
  readonly images: number;
  /** UTF-16 code units in `data:` addresses. */
  readonly dataLength: number;
  /** Names of elements that mail programs do not run or show, and `handler`, `refresh`, `stylesheet`; each once. */
  readonly foreign: ReadonlySet<string>;
  /** It ends within a tag, a comment or an attribute. */
  readonly isUnfinished: boolean;
  /** There is more than is read. */
  readonly isCut: boolean;
}

const MAX_LINKS = 1_000;
/** Of an element or an attribute; no longer one is of interest. */
const LONGEST_NAME = 40;
/** Deeper nesting is read as if it were not there. */
const MAX_DEPTH = 256;
/** How far up an end tag finds its element; what browsers do beyond is of no interest here. */
const MAX_CLOSED = 32;

const set = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const voids = set('area base br col embed hr img input link meta param source track wbr');
/** They do not end a word: `<b>V</b>iagra`. */
const inline = set(
  'a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strike strong sub sup tt u var wbr',
);
const closedByTheirLike = set('p li td th tr option dt dd');
const foreignElements = set('script form iframe frame object embed applet');
/** Nothing in them is text. */
const rawElements = set('script style title textarea noscript xmp');
const addresses = set('href src action background poster data srcset formaction');

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13 && code !== 11);
const GREATER = 62;
const SLASH = 47;
const EQUALS = 61;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;

interface Tag {
  readonly name: string;
  /** Those that say something here. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Behind its `>`; null where the document ends before. */
  readonly end: number | null;
  readonly attributeCount: number;
}

const telling = new Set([...addresses, ...'style class id bgcolor color rel http-equiv hidden'.split(' ')]);
const noAttributes: ReadonlyMap<string, string> = new Map();

/** Where a name ends: at white space, `/`, `>` or, in an attribute, at `=` behind its first character. */
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

/** From the tag's name on, with at most so many attributes. */
const readTag = (html: string, start: number, maxAttributes: number): Tag => {
  let at = nameEnd(html, start, false);
  const name = html.slice(start, Math.min(at, start + LONGEST_NAME)).toLowerCase();
  let attributes: Map<string, string> | null = null;
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
    if (!telling.has(attribute) && !attribute.startsWith('on')) continue;
    attributes ??= new Map();
    // The first of two of the same name counts (13.2.5.33).
    if (!attributes.has(attribute)) attributes.set(attribute, html.slice(valueStart, valueEnd));
  }
  return { name, attributes: attributes ?? noAttributes, end, attributeCount };
};

/** Where the end tag of a raw element begins; -1 where there is none. */
const rawEnd = (html: string, name: string, from: number): number => {
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  }
  return -1;
};

const lettersIn = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/** `textLimit`: where it is given, reading ends with so much text. */
export const readHtml = (html: string, textLimit?: number): HtmlReading => {
  const maxText = textLimit ?? TEXT_LOOKED_AT;
  const names: string[] = [];
  const looks: Look[] = [PLAIN_LOOK];
  /** Templates repeat their styles. */
  const styles = new Map<string, StyleChange>();
  const links: HtmlLink[] = [];
  const foreign = new Set<string>();
  let text = '';
  let anchor: HtmlLink | null = null;
  let unseenLetters = 0;
  let unseenLooked = 0;
  let images = 0;
  let dataLength = 0;
  let isUnfinished = false;
  let steps = 0;
  let hasStyleSheet = false;

  const lookHere = (): Look => looks[looks.length - 1] ?? PLAIN_LOOK;

  const styleOf = (text: string): StyleChange => {
    const known = styles.get(text);
    if (known !== undefined) return known;
    const style = readStyle(text);
    styles.set(text, style);
    return style;
  };

  const lookIn = (name: string, attributes: Tag['attributes']): Look =>
    lookWithin(lookHere(), {
      style: styleOf(attributes.get('style') ?? ''),
      bgcolor: attributes.get('bgcolor') ?? null,
      color: name === 'font' ? (attributes.get('color') ?? null) : null,
      hasClass: hasStyleSheet && (attributes.has('class') || attributes.has('id')),
      isHidden: attributes.has('hidden'),
    });

  const takeText = (from: number, to: number): void => {
    if (to <= from || text.length >= maxText) return;
    const piece = decodeEntities(html.slice(from, Math.min(to, from + maxText)));
    if (isUnseen(lookHere())) {
      if (unseenLooked < maxText) unseenLetters += lettersIn(piece);
      unseenLooked += piece.length;
      return;
    }
    text += piece;
    if (anchor?.text != null && anchor.text.length < 500) anchor.text += piece;
  };

  const close = (name: string): void => {
    const lowest = Math.max(0, names.length - MAX_CLOSED);
    for (let at = names.length - 1; at >= lowest; at -= 1) {
      if (names[at] !== name) continue;
      names.length = at;
      looks.length = at + 1;
      return;
    }
  };

  const takeAddress = (element: string, attribute: string, raw: string): void => {
    if (/^\s*data:(?!text\/html)/i.test(raw.slice(0, 40))) {
      dataLength += raw.length;
      return;
    }
    if (links.length >= MAX_LINKS) return;
    const followed = attribute === 'href' && (element === 'a' || element === 'area');
    const link: HtmlLink = { target: decodeEntities(raw.slice(0, 4_000)).trim(), text: followed ? '' : null };
    links.push(link);
    if (element === 'a' && attribute === 'href') anchor = link;
  };

  const open = ({ name, attributes }: Tag): void => {
    if (foreignElements.has(name)) foreign.add(name);
    if (name === 'img') images += 1;
    if (name === 'style') hasStyleSheet = true;
    if (name === 'link' && /stylesheet/i.test(attributes.get('rel') ?? '')) foreign.add('stylesheet');
    if (name === 'meta' && /refresh/i.test(attributes.get('http-equiv') ?? '')) foreign.add('refresh');
    for (const [attribute, value] of attributes) {
      if (addresses.has(attribute)) takeAddress(name, attribute, value);
      else if (attribute.startsWith('on') && attribute.length > 3) foreign.add('handler');
    }
    if (voids.has(name)) return;
    if (closedByTheirLike.has(name) && names.at(-1) === name) close(name);
    if (names.length >= MAX_DEPTH) return;
    names.push(name);
    looks.push(attributes.size === 0 ? lookHere() : lookIn(name, attributes));
  };

  /** Where reading goes on; past the end where the document ends within it. */
  const readMarkup = (at: number): number => {
    const end = html.length;
    if (html.startsWith('<!--', at)) {
      const closed = html.indexOf('-->', at + 4);
      if (closed === -1) isUnfinished = true;
      return closed === -1 ? end : closed + 3;
    }
    const next = html.charCodeAt(at + 1) | 32;
    const isEnd = html.charCodeAt(at + 1) === SLASH;
    if (!isEnd && !(next >= 97 && next <= 122)) {
      if (html.charAt(at + 1) !== '!' && html.charAt(at + 1) !== '?') {
        takeText(at, at + 1);
        steps += 1;
        return at + 1;
      }
      const closed = html.indexOf('>', at);
      if (closed === -1) isUnfinished = true;
      return closed === -1 ? end : closed + 1;
    }
    const tag = readTag(html, at + (isEnd ? 2 : 1), MAX_STEPS - steps);
    steps += 1 + tag.attributeCount;
    if (!inline.has(tag.name)) text += '\n';
    if (tag.end === null) {
      isUnfinished = steps < MAX_STEPS;
      return end;
    }
    if (isEnd) {
      if (tag.name === 'a') anchor = null;
      close(tag.name);
      return tag.end;
    }
    open(tag);
    if (!rawElements.has(tag.name)) return tag.end;
    const raw = rawEnd(html, tag.name, tag.end);
    if (raw === -1) isUnfinished = true;
    return raw === -1 ? end : raw;
  };

  let at = 0;
  while (at < html.length && steps < MAX_STEPS && text.length < (textLimit ?? Infinity)) {
    const tagStart = html.indexOf('<', at);
    takeText(at, tagStart === -1 ? html.length : tagStart);
    if (tagStart === -1) break;
    at = readMarkup(tagStart);
  }
  return {
    text: text.slice(0, maxText),
    unseenLetters,
    links,
    images,
    dataLength,
    foreign,
    isUnfinished,
    isCut: steps >= MAX_STEPS,
  };
};
