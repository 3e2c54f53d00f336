// The HTML of a received mail as it may be shown beside an account: text, tables and lists with their looks. Nothing in it runs, is
// sent, is loaded or followed by itself, leaves its place, or can be taken for a part of the page around it. Addresses of
// remote images and links are kept as `data-src` and `data-href`; an image of the mail itself keeps its `cid:`. Pure.
import sanitizeHtml from 'sanitize-html';
import { seemsTooDeep } from '#src/mail/plain-text.ts';

export const TAGS =
  'a abbr address article aside b bdi big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr'.split(
    ' ',
  );
/** Their text is none of the mail. */
export const WITHOUT_TEXT =
  'applet audio button canvas datalist embed frameset head iframe math noembed noframes noscript object option script select style svg template textarea title video xmp'.split(
    ' ',
  );
const LOOKS = ['style', 'align', 'valign', 'dir', 'lang', 'width', 'height', 'bgcolor', 'color', 'size'];
const TABLE = ['border', 'cellpadding', 'cellspacing', 'colspan', 'rowspan'];

const LENGTH = String.raw`\d{1,4}(?:\.\d{1,4})?(?:px|pt|em|rem|ex|ch|%)?`;
/** Smaller letters hide text. */
const LETTERS = String.raw`(?:[6-9]|\d{2})(?:\.\d{1,4})?(?:px|pt)|(?:0?\.[5-9]|[1-9])\d?(?:\.\d{1,4})?r?em|(?:[5-9]\d|[1-4]\d\d)%|(?:x-|xx-)?(?:small|large)|medium|smaller|larger`;
const COLOR = String.raw`#[\da-f]{3,8}|[a-z]{3,24}|rgb\([\d\s,.%]{5,30}\)`;
const several = (value: string): string => `(?:${value})(?:\\s+(?:${value})){0,3}`;
const SIDE = '(?:-(?:top|right|bottom|left))?';
/** Declarations that change how something looks, and neither hide nor move it. */
const DECLARATIONS: readonly (readonly [property: string, value: string])[] = [
  ['(?:background-)?color|background|border(?:-(?:top|right|bottom|left))?-color', COLOR],
  ['font-family', String.raw`[\w\s,'"-]{1,200}`],
  ['font-size', LETTERS],
  ['font-(?:style|weight|variant)', '[a-z-]{1,20}|[1-9]00'],
  ['text-(?:align|decoration|transform)|vertical-align|white-space|word-break|overflow-wrap', '[a-z-]{1,20}'],
  ['line-height', String.raw`normal|[1-9](?:\.\d{1,4})?|1\d{1,2}%|(?:[6-9]|\d{2})(?:px|pt)`],
  [`(?:margin|padding)${SIDE}|border-(?:spacing|radius)`, several(`${LENGTH}|auto`)],
  [`border${SIDE}|border(?:-(?:top|right|bottom|left))?-(?:style|width)`, several(`${LENGTH}|${COLOR}`)],
  ['(?:min-|max-)?(?:width|height)', `auto|none|[1-9]${LENGTH}`],
  ['border-collapse|list-style(?:-type)?|table-layout', '[a-z-]{1,20}'],
];
const SAFE = new RegExp(
  `^\\s*(?:${DECLARATIONS.map(([property, value]) => `(?:${property})\\s*:\\s*(?:${value})`).join('|')})\\s*(?:!\\s*important)?\\s*$`,
  'i',
);
/** Declarations that are read; a style of more is none of a person. */
const MAX_DECLARATIONS = 60;
const MAX_DECLARATION = 300;

const safeStyle = (style: string): string =>
  style
    .split(';', MAX_DECLARATIONS)
    .filter((one) => one.length <= MAX_DECLARATION && SAFE.test(one))
    .map((one) => one.trim())
    .join('; ');

export const TARGET = /^\s*(?:https?:\/\/|mailto:|tel:)/i;
export const REMOTE = /^\s*(?:https?:)?\/\//i;
const OWN = /^cid:[^\s"'<>]{1,500}$/i;
const MAX_ADDRESS = 4_000;

type Attributes = Readonly<Record<string, string>>;

const addressOf = (tag: string, { href = '', src = '' }: Attributes): Attributes => {
  if (tag === 'a' && TARGET.test(href) && href.length <= MAX_ADDRESS) return { 'data-href': href.trim() };
  if (tag !== 'img') return {};
  if (OWN.test(src.trim())) return { src: src.trim() };
  return REMOTE.test(src) && src.length <= MAX_ADDRESS ? { 'data-src': src.trim() } : {};
};

const withoutReach = (tagName: string, attribs: Attributes) => {
  const { style, href, src, 'data-src': _, 'data-href': __, ...others } = attribs;
  const safe = style === undefined ? '' : safeStyle(style);
  const looks = safe === '' ? {} : { style: safe };
  return { tagName, attribs: { ...others, ...addressOf(tagName, attribs), ...looks } };
};

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: TAGS,
  nonTextTags: WITHOUT_TEXT,
  allowedAttributes: {
    '*': LOOKS,
    a: ['data-href'],
    img: ['data-src', 'src', 'alt'],
    ...Object.fromEntries(['table', 'td', 'th', 'col', 'colgroup'].map((tag) => [tag, TABLE])),
    ol: ['start', 'type'],
    font: ['face'],
  },
  allowedSchemes: ['cid'],
  allowProtocolRelative: false,
  // Declarations are checked above: the library reads each style with a whole parser, which takes most of the time.
  parseStyleAttributes: false,
  transformTags: { '*': withoutReach },
};

/** Runs of one character that is no markup each become a piece of the parser's. */
export const calm = (html: string): string => html.replace(/<+(?=<)/g, '');

/** Its time grows with the length of what is given. Null where that is nested too deep to be read. */
export const safeHtml = (given: string): string | null => {
  const html = calm(given);
  return seemsTooDeep(html) ? null : sanitizeHtml(html, OPTIONS).trim();
};
