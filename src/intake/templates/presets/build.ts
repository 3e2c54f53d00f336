// Starter templates are written as lines with a little markup, of which documents are made: `{{name}}` is a placeholder, `**x**` strong,
// `[text](link)` a link, a line break a line break. Pure.
import type { Block, Document, Inline, Mark, Paragraph, SimpleBlock } from '#src/mail/document/schema.ts';
import type { Kind } from '#src/messages/kinds.ts';

export interface Preset {
  readonly name: string;
  readonly description: string;
  readonly kind: Kind;
  /** It mentions neither a person nor health, because anyone who sees the screen reads it. */
  readonly subject: string;
  readonly document: Document;
}

const PARTS = /\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)]+)\)|(\n)/gs;
const PLACEHOLDERS = /\{\{([\w.]+)\}\}/g;

const plain = (text: string, marks?: Mark[]): Inline[] => {
  const made: Inline[] = [];
  const push = (piece: string): void => {
    if (piece !== '') made.push({ type: 'text', text: piece, ...(marks && { marks }) });
  };
  let at = 0;
  for (const { 0: found, 1: name = '', index } of text.matchAll(PLACEHOLDERS)) {
    push(text.slice(at, index));
    made.push({ type: 'placeholder', attrs: { name }, ...(marks && { marks }) });
    at = index + found.length;
  }
  push(text.slice(at));
  return made;
};

const inline = (text: string): Inline[] => {
  const made: Inline[] = [];
  let at = 0;
  for (const { 0: found, 1: strong, 2: label, 3: href = '', index } of text.matchAll(PARTS)) {
    made.push(...plain(text.slice(at, index)));
    if (strong !== undefined) made.push(...plain(strong, [{ type: 'strong' }]));
    else if (label !== undefined) made.push(...plain(label, [{ type: 'link', attrs: { href } }]));
    else made.push({ type: 'hard_break' });
    at = index + found.length;
  }
  return [...made, ...plain(text.slice(at))];
};

const start = { align: 'start' } as const;

export const paragraph = (text: string): Paragraph => ({
  type: 'paragraph',
  attrs: start,
  content: inline(text),
});

export const heading = (level: 1 | 2 | 3, text: string): SimpleBlock => ({
  type: 'heading',
  attrs: { level, ...start },
  content: inline(text),
});

const items = (lines: readonly string[]) =>
  lines.map((line) => ({ type: 'list_item' as const, content: [paragraph(line)] }));

export const bullets = (...lines: readonly string[]): SimpleBlock => ({
  type: 'bullet_list',
  content: items(lines),
});

export const numbers = (...lines: readonly string[]): SimpleBlock => ({
  type: 'ordered_list',
  attrs: { start: 1 },
  content: items(lines),
});

/** Each on its line, the value in strong. */
export const facts = (...lines: readonly (readonly [label: string, value: string])[]): Paragraph =>
  paragraph(lines.map(([label, value]) => `${label}: **${value}**`).join('\n'));

export const button = (label: string, href: string): SimpleBlock => ({
  type: 'button',
  attrs: { href, ...start },
  content: plain(label).filter((part) => part.type !== 'hard_break'),
});

export const columns = (left: readonly SimpleBlock[], right: readonly SimpleBlock[]): Block => ({
  type: 'columns',
  content: [
    { type: 'column', content: [...left] },
    { type: 'column', content: [...right] },
  ],
});

export const divider: SimpleBlock = { type: 'divider' };
export const signature: SimpleBlock = { type: 'signature' };

/** A letter is lines of text, and blocks. */
export const letter = (...parts: readonly (string | Block)[]): Document => ({
  version: 1,
  content: parts.map((part) => (typeof part === 'string' ? paragraph(part) : part)),
});
