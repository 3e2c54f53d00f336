// The document's blocks as the editor's library knows them, and what becomes of pasted HTML in them. Nothing has a style attribute, which
// the policy of the page forbids: how a block looks is in styles/document.css, by classes and data attributes.
import { type Attrs, type DOMOutputSpec, type Node, Schema, type TagParseRule } from 'prosemirror-model';
import { type Align, LINK, type WrittenDocument, type WrittenNode } from './document.ts';

const alignOf = (element: HTMLElement): Align => {
  const said = element.dataset.align ?? element.getAttribute('align') ?? '';
  return said === 'center' ? 'center' : said === 'end' || said === 'right' ? 'end' : 'start';
};
const aligned = { align: { default: 'start' as Align } };
const alignedAs = ({ attrs }: Node): Record<string, string> =>
  attrs.align === 'start' ? {} : { 'data-align': attrs.align };

/** A page has three levels, whichever the page that it was copied from has. */
const headingRule = (level: number): TagParseRule => ({
  tag: `h${level}`,
  getAttrs: (element) => ({ level: Math.min(level, 3), align: alignOf(element) }),
});

const IMAGE_ID = /^[0-9a-f]{64}$/;

/** The attributes of an element that this schema wrote itself, by a copy within the editor. */
const ownAttrs = (element: HTMLElement): Attrs | false => {
  try {
    return JSON.parse(element.dataset.attrs ?? '') as Attrs;
  } catch {
    return false;
  }
};

const ownImage = (element: HTMLElement): Attrs | false => {
  const attrs = ownAttrs(element);
  return attrs !== false && IMAGE_ID.test(String(attrs.image)) ? attrs : false;
};

const atom = (kind: string, attrs: Attrs): DOMOutputSpec => [
  'div',
  { 'data-block': kind, 'data-attrs': JSON.stringify(attrs) },
];

export const schema = new Schema({
  nodes: {
    doc: { content: 'block+' },
    paragraph: {
      group: 'block part quoted item',
      content: 'inline*',
      attrs: aligned,
      parseDOM: [{ tag: 'p', getAttrs: (element) => ({ align: alignOf(element) }) }],
      toDOM: (node) => ['p', alignedAs(node), 0],
    },
    heading: {
      group: 'block part',
      content: 'inline*',
      defining: true,
      attrs: { level: { default: 1 }, ...aligned },
      parseDOM: [1, 2, 3, 4, 5, 6].map(headingRule),
      toDOM: (node) => [`h${node.attrs.level}`, alignedAs(node), 0],
    },
    bullet_list: {
      group: 'block part quoted item',
      content: 'list_item+',
      parseDOM: [{ tag: 'ul' }],
      toDOM: () => ['ul', 0],
    },
    ordered_list: {
      group: 'block part quoted item',
      content: 'list_item+',
      attrs: { start: { default: 1 } },
      parseDOM: [
        { tag: 'ol', getAttrs: (element) => ({ start: Number(element.getAttribute('start')) || 1 }) },
      ],
      toDOM: ({ attrs }) => ['ol', attrs.start === 1 ? {} : { start: attrs.start }, 0],
    },
    list_item: {
      content: 'item+',
      defining: true,
      parseDOM: [{ tag: 'li' }],
      toDOM: () => ['li', 0],
    },
    quotation: {
      group: 'block part',
      content: 'quoted+',
      defining: true,
      parseDOM: [{ tag: 'blockquote' }],
      toDOM: () => ['blockquote', 0],
    },
    image: {
      group: 'block part',
      draggable: true,
      attrs: {
        image: {},
        alt: { default: '' },
        decorative: { default: false },
        width: { default: 100 },
        align: { default: 'start' },
        href: { default: null },
      },
      parseDOM: [{ tag: 'div[data-block=image]', getAttrs: ownImage }],
      toDOM: ({ attrs }) => atom('image', attrs),
    },
    button: {
      group: 'block part',
      content: '(text | placeholder)*',
      marks: '',
      defining: true,
      isolating: true,
      attrs: { href: { default: '' }, align: { default: 'start' } },
      parseDOM: [{ tag: 'div[data-block=button]', getAttrs: ownAttrs, contentElement: 'span' }],
      toDOM: ({ attrs }) => [
        'div',
        {
          'data-block': 'button',
          'data-attrs': JSON.stringify(attrs),
          ...(attrs.align === 'start' ? {} : { 'data-align': attrs.align }),
        },
        ['span', 0],
      ],
    },
    divider: {
      group: 'block part',
      parseDOM: [{ tag: 'hr' }],
      toDOM: () => ['div', { 'data-block': 'divider' }, ['hr']],
    },
    columns: {
      group: 'block',
      content: 'column column',
      isolating: true,
      parseDOM: [{ tag: 'div[data-block=columns]' }],
      toDOM: () => ['div', { 'data-block': 'columns' }, 0],
    },
    column: {
      content: 'part+',
      isolating: true,
      parseDOM: [{ tag: 'div[data-block=column]' }],
      toDOM: () => ['div', { 'data-block': 'column' }, 0],
    },
    signature: {
      group: 'block part',
      parseDOM: [{ tag: 'div[data-block=signature]' }],
      toDOM: () => atom('signature', {}),
    },
    placeholder: {
      group: 'inline',
      inline: true,
      atom: true,
      attrs: { name: {} },
      parseDOM: [
        {
          tag: 'span[data-placeholder]',
          getAttrs: (element) => ({ name: element.dataset.placeholder }),
        },
      ],
      toDOM: ({ attrs }) => ['span', { 'data-placeholder': attrs.name }, `{{${attrs.name}}}`],
      leafText: ({ attrs }) => `{{${attrs.name}}}`,
    },
    hard_break: {
      group: 'inline',
      inline: true,
      selectable: false,
      parseDOM: [{ tag: 'br' }],
      toDOM: () => ['br'],
      leafText: () => '\n',
    },
    text: { group: 'inline' },
  },
  marks: {
    link: {
      attrs: { href: {} },
      inclusive: false,
      parseDOM: [
        {
          tag: 'a[href]',
          getAttrs: (element) => {
            const href = element.getAttribute('href') ?? '';
            return LINK.test(href) ? { href } : false;
          },
        },
      ],
      toDOM: ({ attrs }) => ['a', { href: attrs.href, rel: 'noopener noreferrer' }, 0],
    },
    strong: { parseDOM: [{ tag: 'strong' }, { tag: 'b' }], toDOM: () => ['strong', 0] },
    em: { parseDOM: [{ tag: 'em' }, { tag: 'i' }], toDOM: () => ['em', 0] },
    underline: { parseDOM: [{ tag: 'u' }], toDOM: () => ['u', 0] },
  },
});

/** Throws a RangeError where it is no document of this schema. */
export const nodeOf = ({ content }: WrittenDocument): Node => {
  const node = schema.nodeFromJSON({
    type: 'doc',
    content: content.length === 0 ? [{ type: 'paragraph' }] : content,
  });
  node.check();
  return node;
};

export const contentOf = (node: Node): readonly WrittenNode[] =>
  (node.toJSON() as { readonly content: readonly WrittenNode[] }).content;
