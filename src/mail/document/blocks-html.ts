// Blocks of text as HTML: headings, paragraphs, lists, quotations. Whatever a person has typed is escaped, so it cannot become markup;
// `{{name}}` stays, typed or as a placeholder, for the merging of values. Pure.
import { escapeHtml } from '../merge-fields.ts';
import { targetOf } from './link-target.ts';
import type { Align, Inline, List, ListItem, Mark, Paragraph, SimpleBlock } from './schema.ts';

export type TextBlock = Extract<
  SimpleBlock,
  { type: 'heading' | 'paragraph' | 'bullet_list' | 'ordered_list' | 'quotation' | 'signature' }
>;

/** Sides of the page, by the direction of the text. */
export interface Sides {
  readonly start: 'left' | 'right';
  readonly end: 'left' | 'right';
}
/** What the text of one document has in common. */
export interface Page {
  readonly sides: Sides;
  /** The colour of links. */
  readonly colour: string;
  readonly signature: string;
}
export const sidesOf = (direction: 'ltr' | 'rtl' | undefined): Sides =>
  direction === 'rtl' ? { start: 'right', end: 'left' } : { start: 'left', end: 'right' };
export const sideOf = (align: Align, sides: Sides): 'left' | 'center' | 'right' =>
  align === 'center' ? 'center' : sides[align];

const SPACE = 'margin:0 0 16px';
const HEADINGS = {
  1: 'margin:8px 0 16px;font-size:26px;line-height:32px;font-weight:bold',
  2: 'margin:8px 0 12px;font-size:20px;line-height:26px;font-weight:bold',
  3: 'margin:8px 0 8px;font-size:17px;line-height:24px;font-weight:bold',
} as const;
const QUOTED = '#8a8a8a';

const TAGS = { strong: 'strong', em: 'em', underline: 'u' } as const;

type Marked = { readonly marks?: readonly Mark[] | undefined };

const marked = (html: string, { marks = [] }: Marked, { colour }: Page): string =>
  marks.reduceRight((inner, mark) => {
    if (mark.type !== 'link') return `<${TAGS[mark.type]}>${inner}</${TAGS[mark.type]}>`;
    const target = targetOf(mark.attrs.href);
    return target === null
      ? inner
      : `<a href="${escapeHtml(target)}" class="link" style="color:${colour};text-decoration:underline">${inner}</a>`;
  }, html);

const inlineHtml = (node: Inline, page: Page): string => {
  switch (node.type) {
    case 'text':
      return marked(escapeHtml(node.text), node, page);
    case 'placeholder':
      return marked(`{{${node.attrs.name}}}`, node, page);
    case 'hard_break':
      return '<br />';
    default:
      return node satisfies never;
  }
};

export const inlinesHtml = (content: readonly Inline[] | undefined, page: Page): string =>
  (content ?? []).map((node) => inlineHtml(node, page)).join('');

const aligned = (style: string, align: Align, { sides }: Page): string =>
  align === 'start' ? style : `${style};text-align:${sideOf(align, sides)}`;

const paragraphHtml = ({ attrs, content }: Paragraph, page: Page, style = SPACE): string => {
  // An empty paragraph is a line that was left free.
  const inner = inlinesHtml(content, page) || '&#160;';
  return `<p style="${aligned(style, attrs.align, page)}">${inner}</p>`;
};

const itemHtml = ({ content }: ListItem, page: Page): string => {
  const parts = content.map((part) =>
    part.type === 'paragraph'
      ? paragraphHtml(part, page, 'margin:0 0 4px')
      : listHtml(part, page, 'margin:0'),
  );
  return `<li>${parts.join('')}</li>`;
};

const listHtml = (list: List, page: Page, space = SPACE): string => {
  const style = `${space};padding:0;padding-${page.sides.start}:24px`;
  const items = list.content.map((item) => itemHtml(item, page)).join('');
  if (list.type === 'bullet_list') return `<ul style="${style}">${items}</ul>`;
  const { start } = list.attrs;
  return `<ol${start === 1 ? '' : ` start="${start}"`} style="${style}">${items}</ol>`;
};

export const textBlockHtml = (block: TextBlock, page: Page): string => {
  switch (block.type) {
    case 'heading': {
      const { level, align } = block.attrs;
      const inner = inlinesHtml(block.content, page);
      // A heading without a text would be read out as one.
      return inner === ''
        ? ''
        : `<h${level} style="${aligned(HEADINGS[level], align, page)}">${inner}</h${level}>`;
    }
    case 'paragraph':
      return paragraphHtml(block, page);
    case 'bullet_list':
    case 'ordered_list':
      return listHtml(block, page);
    case 'quotation': {
      const inner = block.content
        .map((part) =>
          part.type === 'paragraph'
            ? paragraphHtml(part, page, 'margin:0 0 8px')
            : listHtml(part, page, 'margin:0 0 8px'),
        )
        .join('');
      return `<blockquote style="${SPACE};padding:0;padding-${page.sides.start}:16px;border-${page.sides.start}:3px solid ${QUOTED}">${inner}</blockquote>`;
    }
    case 'signature':
      return `<p style="${SPACE}">${escapeHtml(page.signature).replace(/\r\n?|\n/g, '<br />')}</p>`;
    default:
      return block satisfies never;
  }
};
