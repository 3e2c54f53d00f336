// What was copied from Word, Google Docs or a web page, reduced to what the blocks know, before the browser parses it: its styles and
// handlers would be blocked but reported as violations of the page's policy. Styles that mean something become elements, Word's
// paragraphs that look like lists become lists, cells of tables become paragraphs. Pure.
import { LINK } from './document.ts';
import { type Element, isBlank, markup, type Part, parseMarkup, textOf } from './markup.ts';

/** Longer texts are cut. Images in them take the most of it. */
const MAX_LENGTH = 20_000_000;
/** More images at once would be a long row of dialogs. */
const MAX_IMAGES = 5;

export interface Pasted {
  /** Nothing in it has a style, a handler or a source. */
  readonly html: string;
  /** Images that are in the text itself, as data URLs. */
  readonly images: readonly string[];
}

const DROPPED =
  /^(?:script|style|title|textarea|noscript|template|xml|iframe|head|object|svg|math|video|audio|select|input|button|canvas|link|meta|base|col|colgroup|(?:v|w|m|st1):.*)$/;
const BLOCKS =
  /^(?:p|h[1-6]|ul|ol|li|blockquote|hr|div|section|article|header|footer|main|aside|nav|table|thead|tbody|tfoot|tr|td|th|caption|dl|dt|dd|figure|figcaption|address|form|fieldset|details|summary|center|pre)$/;
const KEPT = /^(?:p|h[1-6]|ul|ol|li|blockquote|hr|br)$/;
/** What the editor writes into its own copies. */
const OWN = /^data-(?:pm-slice|block|attrs|align|placeholder)$/;
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;

const element = (
  name: string,
  children: readonly Part[],
  attributes: Record<string, string> = {},
): Element => ({
  name,
  attributes,
  children: [...children],
});
const isBlock = (part: Part): part is Element => typeof part !== 'string' && BLOCKS.test(part.name);

const styleOf = ({ attributes }: Element, name: string): string =>
  new RegExp(`(?:^|;)\\s*${name}\\s*:\\s*([^;]*)`, 'i')
    .exec(attributes.style ?? '')?.[1]
    ?.trim()
    .toLowerCase() ?? '';

type Marks = Readonly<Record<'strong' | 'em' | 'u', boolean>>;
const NO_MARKS: Marks = { strong: false, em: false, u: false };

/** The marks within it, where those around it are `before`. */
const marksOf = (one: Element, before: Marks): Marks => {
  const weight = styleOf(one, 'font-weight');
  const slant = styleOf(one, 'font-style');
  const line = styleOf(one, 'text-decoration(?:-line)?');
  const { name } = one;
  const strong = weight === '' ? null : /^(?:bold|[6-9]00)/.test(weight);
  const em = slant === '' ? null : /^(?:italic|oblique)/.test(slant);
  return {
    strong: strong ?? (name === 'b' || name === 'strong' || before.strong),
    em: em ?? (name === 'i' || name === 'em' || before.em),
    u: name === 'u' || /underline/.test(line) || (before.u && line !== 'none'),
  };
};

const isHidden = (one: Element): boolean =>
  styleOf(one, 'display') === 'none' || styleOf(one, 'mso-hide') === 'all';

interface Around {
  readonly marks: Marks;
  /** A link is underlined and a heading strong by itself. */
  readonly isLink: boolean;
  readonly isHeading: boolean;
  readonly isPre: boolean;
  readonly images: string[];
}

const marked = (text: string, { marks, isLink, isHeading }: Around): Part => {
  let part: Part = text;
  if (marks.u && !isLink) part = element('u', [part]);
  if (marks.em) part = element('em', [part]);
  return marks.strong && !isHeading ? element('strong', [part]) : part;
};

const alignment = (one: Element): Record<string, string> => {
  const align = styleOf(one, 'text-align') || (one.attributes.align ?? '').toLowerCase();
  return align === 'center' || align === 'right'
    ? { 'data-align': align === 'right' ? 'end' : 'center' }
    : {};
};

/** Word's level of a paragraph that looks like an item, from 1; 0 where it is none. */
const listLevel = (part: Part): number =>
  typeof part === 'string' || part.name !== 'p'
    ? 0
    : Number(/\blevel(\d)/.exec(styleOf(part, 'mso-list'))?.[1] ?? 0);

const isMarker = (part: Part): boolean =>
  typeof part !== 'string' && /^ignore/.test(styleOf(part, 'mso-list'));

const markerIn = (part: Part): string =>
  typeof part === 'string' ? '' : isMarker(part) ? textOf(part).trim() : part.children.map(markerIn).join('');

/** One list for each level, the deeper ones in the item before them. */
const wordLists = (parts: readonly Part[]): Part[] => {
  const done: Part[] = [];
  let open: { readonly level: number; readonly list: Element }[] = [];
  for (const part of parts) {
    const level = listLevel(part);
    if (level === 0 || typeof part === 'string') {
      if (typeof part !== 'string' || part.trim() !== '') open = [];
      done.push(part);
      continue;
    }
    const isOrdered = /^\(?(?:\d+|[a-z]|[ivx]+)[.)]/i.test(markerIn(part));
    open = open.filter((one) => one.level <= level);
    if (open.at(-1)?.level !== level) {
      const list = element(isOrdered ? 'ol' : 'ul', []);
      const within = open.at(-1)?.list.children.at(-1);
      if (within !== undefined && typeof within !== 'string') within.children.push(list);
      else done.push(list);
      open.push({ level, list });
    }
    open.at(-1)?.list.children.push(element('li', [element('p', part.children)]));
  }
  return done;
};

/** Google Docs has the lists of a deeper level beside the items, not in them. */
const nestedLists = (parts: readonly Part[]): Part[] => {
  const done: Part[] = [];
  for (const part of parts) {
    const before = done.at(-1);
    const isList = typeof part !== 'string' && (part.name === 'ul' || part.name === 'ol');
    if (isList && before !== undefined && typeof before !== 'string') before.children.push(part);
    else if (typeof part !== 'string') done.push(part.name === 'li' ? part : element('li', [part]));
  }
  return done;
};

const blockName = (one: Element): string => {
  const styled = one.attributes.class ?? '';
  if (/\bMsoTitle\b/.test(styled)) return 'h1';
  if (/\bMso(?:Intense)?Quote\b/.test(styled)) return 'blockquote';
  return KEPT.test(one.name) ? one.name : one.name === 'pre' ? 'p' : 'div';
};

const reducedImage = ({ attributes: { src = '' } }: Element, { images }: Around): Part[] => {
  if (DATA_IMAGE.test(src) && images.length < MAX_IMAGES) images.push(src);
  return [];
};

const reduced = (part: Part, around: Around): Part[] => {
  if (typeof part === 'string') {
    if (around.isPre)
      return part
        .split(/\r?\n/)
        .flatMap((line, at) => [...(at > 0 ? [element('br', [])] : []), marked(line, around)]);
    return [/^\s*$/.test(part) ? part : marked(part, around)];
  }
  if (DROPPED.test(part.name) || isHidden(part) || isMarker(part)) return [];
  if (part.name === 'img') return reducedImage(part, around);
  if (part.name === 'br' || part.name === 'hr') return [element(part.name, [])];
  if (part.name === 'a' && LINK.test(part.attributes.href ?? '')) {
    const within = { ...around, marks: marksOf(part, around.marks), isLink: true };
    return [element('a', inAll(part.children, within), { href: part.attributes.href ?? '' })];
  }
  const marks = marksOf(part, around.marks);
  if (!BLOCKS.test(part.name)) return inAll(part.children, { ...around, marks });
  const name = blockName(part);
  const within = { ...around, marks, isHeading: /^h/.test(name), isPre: around.isPre || part.name === 'pre' };
  const children = inAll(part.children, within);
  if (name === 'ul' || name === 'ol') return [element(name, nestedLists(children))];
  // Empty lines between paragraphs are the way of programs that have no space between them.
  if (/^(?:p|h\d)$/.test(name) && children.every(isBlank)) return [];
  return [element(name, children, alignment(part))];
};

const inAll = (parts: readonly Part[], around: Around): Part[] => {
  const all = wordLists(parts).flatMap((part) => reduced(part, around));
  // Beside blocks a line break is the end of what was copied, or an empty line.
  return all.some(isBlock) ? all.filter((part) => typeof part === 'string' || part.name !== 'br') : all;
};

/** A copy of the editor itself: all is kept that its schema reads, and nothing else. */
const own = (part: Part): Part[] => {
  if (typeof part === 'string') return [part];
  if (DROPPED.test(part.name)) return [];
  const attributes = Object.entries(part.attributes).filter(
    ([name]) =>
      OWN.test(name) || (name === 'href' && part.name === 'a') || (name === 'start' && part.name === 'ol'),
  );
  return [element(part.name, part.children.flatMap(own), Object.fromEntries(attributes))];
};

const NO_MATTER = /^(?:html|body)$/;
const unwrapped = (parts: readonly Part[]): readonly Part[] =>
  parts.flatMap((part) =>
    typeof part !== 'string' && NO_MATTER.test(part.name) ? unwrapped(part.children) : [part],
  );

export const reducePasted = (html: string): Pasted => {
  const { children } = parseMarkup(html.slice(0, MAX_LENGTH));
  const parts = unwrapped(children);
  if (html.includes('data-pm-slice')) return { html: markup(parts.flatMap(own)), images: [] };
  const images: string[] = [];
  const around = { marks: NO_MARKS, isLink: false, isHeading: false, isPre: false, images };
  return { html: markup(inAll(parts, around)), images };
};
