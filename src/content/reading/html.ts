// Reads HTML as a mail program would show it: visible text, hidden text, links with their text, and elements that do not
// belong in a mail. It is one pass (HTML Living Standard, 13.2.5) up to a bound of tags and attributes. Style sheets are not
// applied and scripts are not run. Pure.
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { type HtmlTag, rawElements, rawEnd, readComment, readTag } from '#src/mail/html-tags.ts';
import { isUnseen, type Look, lookWithin, PLAIN_LOOK, readStyle, type StyleChange } from './style.ts';
import { TEXT_LOOKED_AT } from './text.ts';

/** The most tags and attributes that are read, 20 ms of work. Length does not count, and the data of embedded images is
 * skipped, so that nothing can be hidden behind long data. */
const MAX_STEPS = 100_000;

export interface HtmlLink {
  /** Decoded, otherwise unchanged. */
  readonly target: string;
  /** The text that is shown for it; null if it is not clicked (an image, a form). */
  text: string | null;
}

export interface HtmlReading {
  /** The visible text; blocks and line breaks end lines. It has at most `TEXT_LOOKED_AT` characters. */
  readonly text: string;
  /** The number of letters and digits that are not visible. */
  readonly unseenLetters: number;
  /** There are at most `MAX_LINKS`. */
  readonly links: readonly HtmlLink[];
  readonly images: number;
  /** UTF-16 code units in `data:` addresses. */
  readonly dataLength: number;
  /** The names of elements that mail programs do not run or show, and `handler`, `refresh`, `stylesheet`. */
  readonly foreign: ReadonlySet<string>;
  /** The HTML ends inside of a tag, a comment or an attribute. */
  readonly isUnfinished: boolean;
  /** The HTML exceeds the bound and was not read to its end. */
  readonly isCut: boolean;
}

const MAX_LINKS = 1_000;
/** Elements that are nested deeper are ignored. */
const MAX_DEPTH = 256;
/** How many levels up an end tag finds its element. Browsers search further, which makes no difference for mail. */
const MAX_CLOSED = 32;

const set = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const voids = set('area base br col embed hr img input link meta param source track wbr');
/** These elements do not end a word: `<b>V</b>iagra`. */
const inline = set(
  'a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strike strong sub sup tt u var wbr',
);
const closedByTheirLike = set('p li td th tr option dt dd');
const foreignElements = set('script form iframe frame object embed applet');
const addresses = set('href src action background poster data srcset formaction');

const SLASH = 47;

const telling = new Set([...addresses, ...'style class id bgcolor color rel http-equiv hidden'.split(' ')]);
const isTelling = (name: string): boolean => telling.has(name) || name.startsWith('on');

const lettersIn = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/** With `textLimit` reading ends after this much visible text. `watch` gets each piece of it with its look. */
export const readHtml = (
  html: string,
  textLimit?: number,
  watch?: (piece: string, look: Look) => void,
): HtmlReading => {
  const maxText = textLimit ?? TEXT_LOOKED_AT;
  const names: string[] = [];
  const looks: Look[] = [PLAIN_LOOK];
  /** Styles are kept because templates repeat them. */
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

  const valueIn = (attributes: HtmlTag['attributes'], name: string): string | null => {
    const span = attributes.get(name);
    return span === undefined ? null : html.slice(span.start, span.end);
  };

  const lookIn = (name: string, attributes: HtmlTag['attributes']): Look =>
    lookWithin(lookHere(), {
      style: styleOf(valueIn(attributes, 'style') ?? ''),
      bgcolor: valueIn(attributes, 'bgcolor'),
      color: name === 'font' ? valueIn(attributes, 'color') : null,
      hasClass: hasStyleSheet && (attributes.has('class') || attributes.has('id')),
      isHidden: attributes.has('hidden'),
    });

  const takeText = (from: number, to: number): void => {
    if (to <= from || text.length >= maxText) return;
    const piece = decodeHTML(html.slice(from, Math.min(to, from + maxText)));
    if (isUnseen(lookHere())) {
      if (unseenLooked < maxText) unseenLetters += lettersIn(piece);
      unseenLooked += piece.length;
      return;
    }
    text += piece;
    watch?.(piece, lookHere());
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
    const target = decodeHTMLAttribute(raw.slice(0, 4_000)).trim();
    const link: HtmlLink = { target, text: followed ? '' : null };
    links.push(link);
    if (element === 'a' && attribute === 'href') anchor = link;
  };

  const open = ({ name, attributes }: HtmlTag): void => {
    if (foreignElements.has(name)) foreign.add(name);
    if (name === 'img') images += 1;
    if (name === 'style') hasStyleSheet = true;
    if (name === 'link' && /stylesheet/i.test(valueIn(attributes, 'rel') ?? '')) foreign.add('stylesheet');
    if (name === 'meta' && /refresh/i.test(valueIn(attributes, 'http-equiv') ?? '')) foreign.add('refresh');
    for (const [attribute, value] of attributes) {
      if (addresses.has(attribute)) takeAddress(name, attribute, html.slice(value.start, value.end));
      else if (attribute.startsWith('on') && attribute.length > 3) foreign.add('handler');
    }
    if (voids.has(name)) return;
    if (closedByTheirLike.has(name) && names.at(-1) === name) close(name);
    if (names.length >= MAX_DEPTH) return;
    names.push(name);
    looks.push(attributes.size === 0 ? lookHere() : lookIn(name, attributes));
  };

  /** Returns where reading goes on. */
  const readMarkup = (at: number): number => {
    const end = html.length;
    if (html.startsWith('<!--', at)) {
      const comment = readComment(html, at);
      if (comment === null) isUnfinished = true;
      return comment?.end ?? end;
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
    const tag = readTag(html, at + (isEnd ? 2 : 1), MAX_STEPS - steps, isTelling);
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
