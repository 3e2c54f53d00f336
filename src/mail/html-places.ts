// Says what a value would be at a place in an HTML template: text, part of a quoted attribute, part of a link, or something
// that could become code. It reads as much markup as this needs (WHATWG HTML §13.2.5: tags, quoted values, comments, raw
// text), in one pass and linear time. Pure.

/**
 * `text`: in an element. `attribute`: in quotes, or in other text without elements. `link`: in an address whose scheme is
 * already written. `link start`: the value decides the scheme. `code`: the value could become markup, script or style.
 */
export type Place = 'text' | 'attribute' | 'link' | 'link start' | 'code';

/** Attributes whose value is an address. */
const LINKS: ReadonlySet<string> = new Set(
  'action background cite data formaction href longdesc lowsrc poster src xlink:href'.split(' '),
);
/** Attributes that contain code; event handlers begin with `on`. */
const CODE_ATTRIBUTE = /^(?:on.*|style|srcdoc|srcset|ping|http-equiv)$/;
/** Elements whose content is code. */
const CODE_ELEMENTS: ReadonlySet<string> = new Set(['script', 'style']);
/** Elements that contain only characters. */
const PLAIN_ELEMENTS: ReadonlySet<string> = new Set(['title', 'textarea']);
/** Beginnings of an address after which a value can no longer decide the scheme. */
const DECIDED = /^(?:https?:\/\/|mailto:|tel:|sms:|cid:|\/|\?|#|\{\{)/i;

const TAG_NAME = /<\/?([a-z][^\s/>]*)/iy;
/** White space and slashes, or one attribute with its value. They are alternatives and no sequence, which would need quadratic
 * time. */
const ATTRIBUTE = /[\s/]+|([^\s=>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/dy;

/** The place of each position; `positions` are in ascending order. */
export const placesIn = (html: string, positions: readonly number[]): Place[] => {
  const places: Place[] = [];
  /** Gives a place to all positions before `end` that have none. */
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

/** The index behind `close`, or the end of the document. */
const behind = (html: string, close: string, from: number): number => {
  const found = html.indexOf(close, from);
  return found < 0 ? html.length : found + close.length;
};

/** The position behind the comment, declaration or tag that opens at `open`. */
const afterMarkup = (html: string, open: number, settle: Settle): number => {
  // Outlook takes the content of a conditional comment as markup.
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

/** The position behind the `>` of the tag. Outside of a quoted value a placeholder in it could become anything. */
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
