// Where a value would stand in an HTML template: as text, inside a quoted attribute, in a link, or where it could become
// code. Follows markup only as far as telling these apart needs (WHATWG HTML §13.2.5: tags, quoted values, comments, raw
// text); one pass, linear in the template. Pure.

/**
 * `text`: of an element. `attribute`: in quotes, or anything else that knows no elements. `link`: within an address whose
 * scheme stands before it. `link start`: it decides the scheme itself. `code`: a value there could become markup, script
 * or style.
 */
export type Place = 'text' | 'attribute' | 'link' | 'link start' | 'code';

/** Attributes whose value is an address. */
const LINKS: ReadonlySet<string> = new Set(
  'action background cite data formaction href longdesc lowsrc poster src xlink:href'.split(' '),
);
/** Attributes that hold code; those of events begin with `on`. */
const CODE_ATTRIBUTE = /^(?:on.*|style|srcdoc|srcset|ping|http-equiv)$/;
/** Elements whose content is code. */
const CODE_ELEMENTS: ReadonlySet<string> = new Set(['script', 'style']);
/** Elements that hold nothing but characters. */
const PLAIN_ELEMENTS: ReadonlySet<string> = new Set(['title', 'textarea']);
/** What may stand before a placeholder in an address so that its value no longer decides the scheme. */
const DECIDED = /^(?:https?:\/\/|mailto:|tel:|sms:|cid:|\/|\?|#|\{\{)/i;

const TAG_NAME = /<\/?([a-z][^\s/>]*)/iy;
/** White space and slashes, or an attribute; its value in one of the three forms. Never both: it would look for the one
 * behind each character of the other. */
const ATTRIBUTE = /[\s/]+|([^\s=>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/dy;

/** Says for each position, in ascending order, what stands there. */
export const placesIn = (html: string, positions: readonly number[]): Place[] => {
  const places: Place[] = [];
  /** All positions before `end` that have no place yet. */
  const settle = (end: number, place: Place | ((position: number) => Place)): void => {
    for (let next = positions[places.length]; next !== undefined && next < end; ) {
      places.push(typeof place === 'function' ? place(next) : place);
      next = positions[places.length];
    }
  };
  const last = positions.at(-1) ?? -1;
  let at = 0;
  while (at <= last) {
    const open = html.indexOf('<', at);
    settle(open < 0 ? html.length : open, 'text');
    if (open < 0) break;
    at = afterMarkup(html, open, settle);
  }
  settle(html.length, 'text');
  return places;
};

type Settle = (end: number, place: Place | ((position: number) => Place)) => void;

/** Where `close` ends, or the document does. */
const behind = (html: string, close: string, from: number): number => {
  const found = html.indexOf(close, from);
  return found < 0 ? html.length : found + close.length;
};

/** The position behind the comment, declaration or tag that opens at `open`. */
const afterMarkup = (html: string, open: number, settle: Settle): number => {
  // What Outlook alone reads stands in a comment, and is markup to it.
  if (html.startsWith('<!--[', open)) return open + 5;
  if (html.startsWith('<!--', open)) return settleAs('attribute', behind(html, '-->', open + 4), settle);
  if (html.startsWith('<!', open) || html.startsWith('<?', open))
    return settleAs('code', behind(html, '>', open), settle);
  if (html.startsWith('<{{', open) || html.startsWith('</{{', open))
    return afterAttributes(html, open + 1, settle);
  TAG_NAME.lastIndex = open;
  const name = TAG_NAME.exec(html)?.[1]?.toLowerCase();
  if (name === undefined) return open + 1;
  const end = afterAttributes(html, TAG_NAME.lastIndex, settle);
  const content = CODE_ELEMENTS.has(name) ? 'code' : PLAIN_ELEMENTS.has(name) ? 'attribute' : null;
  if (content === null || html[open + 1] === '/') return end;
  return settleAs(content, endOfElement(html, name, end), settle);
};

const settleAs = (place: Place, end: number, settle: Settle): number => {
  settle(end, place);
  return end;
};

const endOfElement = (html: string, name: string, from: number): number => {
  const close = new RegExp(`</${name}`, 'gi');
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
};

/** The position behind the `>` of the tag. What stands in it outside of a quoted value could become anything. */
const afterAttributes = (html: string, from: number, settle: Settle): number => {
  let at = from;
  while (at < html.length && html[at] !== '>') {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(html);
    if (found === null) {
      at += 1;
      continue;
    }
    const [start, end] = found.indices?.[2] ?? found.indices?.[3] ?? [-1, -1];
    if (start >= 0) {
      settle(start, 'code');
      const value = html.slice(start, end);
      settle(end, placeInValue((found[1] ?? '').toLowerCase(), value, start));
    }
    at = ATTRIBUTE.lastIndex;
  }
  return settleAs('code', Math.min(at + 1, html.length), settle);
};

const placeInValue = (name: string, value: string, start: number): ((position: number) => Place) => {
  if (CODE_ATTRIBUTE.test(name)) return () => 'code';
  if (!LINKS.has(name)) return () => 'attribute';
  const first = start + value.search(/\S|$/);
  const later = DECIDED.test(value.slice(first - start)) ? 'link' : 'code';
  return (position) => (position <= first ? 'link start' : later);
};
