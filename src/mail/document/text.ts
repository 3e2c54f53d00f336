// A document as plain text: what the HTML says, in the order in which it is read. Pure.
import { targetOf } from './link-target.ts';
import type { Look } from './look.ts';
import type { Document, Inline, List, ListItem, Mark, Paragraph, SimpleBlock } from './schema.ts';

const RULES = { 1: '=', 2: '-' } as const;
const MAX_RULE = 60;
/** Not `--`, which begins a signature (RFC 3676 §4.3). */
const DIVIDER = '* * *';

const linkOf = ({ marks = [] }: { readonly marks?: readonly Mark[] | undefined }): string | null => {
  for (const mark of marks) if (mark.type === 'link') return targetOf(mark.attrs.href);
  return null;
};

/** `text: url`; the address alone where the text says no more. */
const linked = (text: string, target: string): string => {
  const bare = target.replace(/^(?:https?:\/\/|mailto:|tel:)/i, '').replace(/\/$/, '');
  const shown = text.trim();
  const saysNoMore = [target, bare, `www.${bare}`].includes(shown.replace(/\/$/, '')) || shown === '';
  return saysNoMore ? target : `${text.trimEnd()}: ${target}`;
};

const plainOf = (node: Inline): string => {
  if (node.type === 'hard_break') return '\n';
  return node.type === 'text' ? node.text.replace(/\s+/g, ' ') : `{{${node.attrs.name}}}`;
};

/** Neighbours with the same link are one link. */
const inlineText = (content: readonly Inline[] = []): string => {
  let made = '';
  let open: { target: string; text: string } | null = null;
  const close = (): void => {
    if (open !== null) made += linked(open.text, open.target);
    open = null;
  };
  for (const node of content) {
    const target = node.type === 'hard_break' ? null : linkOf(node);
    if (open !== null && open.target !== target) close();
    if (target === null) made += plainOf(node);
    else if (open === null) open = { target, text: plainOf(node) };
    else open.text += plainOf(node);
  }
  close();
  return made
    .split('\n')
    .map((line) => line.trim())
    .join('\n');
};

const indented = (text: string, first: string): string =>
  text
    .split('\n')
    .map((line, index) => (index === 0 ? first : ' '.repeat(first.length)) + line)
    .map((line) => line.trimEnd())
    .join('\n');

const listText = (list: List): string =>
  list.content
    .map((item: ListItem, index) => {
      const parts = item.content.map((part) =>
        part.type === 'paragraph' ? inlineText(part.content) : listText(part),
      );
      const sign = list.type === 'bullet_list' ? '- ' : `${list.attrs.start + index}. `;
      return indented(parts.join('\n'), sign);
    })
    .join('\n');

const partText = (part: Paragraph | List): string =>
  part.type === 'paragraph' ? inlineText(part.content) : listText(part);

const headingText = (level: 1 | 2 | 3, text: string): string => {
  if (level === 3 || text === '') return text;
  const longest = Math.max(...text.split('\n').map(({ length }) => length));
  return `${text}\n${RULES[level].repeat(Math.min(MAX_RULE, longest))}`;
};

const blockText = (block: SimpleBlock, look: Look): string => {
  switch (block.type) {
    case 'heading':
      return headingText(block.attrs.level, inlineText(block.content));
    case 'paragraph':
    case 'bullet_list':
    case 'ordered_list':
      return partText(block);
    case 'image': {
      const { alt, decorative, href } = block.attrs;
      const target = href === null ? null : targetOf(href);
      const shown = decorative || alt.trim() === '' ? '' : `[${alt.replace(/\s+/g, ' ').trim()}]`;
      if (target === null) return shown;
      return shown === '' ? target : `${shown}: ${target}`;
    }
    case 'button': {
      const label = inlineText(block.content?.map((part) => ({ ...part, marks: undefined })));
      const target = targetOf(block.attrs.href);
      return target === null || label === '' ? label : linked(label, target);
    }
    case 'divider':
      return DIVIDER;
    case 'quotation':
      return block.content
        .map(partText)
        .join('\n\n')
        .split('\n')
        .map((line) => (line === '' ? '>' : `> ${line}`))
        .join('\n');
    case 'signature':
      return look.signature;
    default:
      return block satisfies never;
  }
};

/** One column is read after the other. */
export const textOf = (document: Document, look: Look): string => {
  const blocks = document.content.flatMap((block) =>
    block.type === 'columns' ? block.content.flatMap(({ content }) => content) : [block],
  );
  const made = blocks.map((block) => blockText(block, look)).filter((text) => text.trim() !== '');
  return `${made.join('\n\n')}\n`;
};
