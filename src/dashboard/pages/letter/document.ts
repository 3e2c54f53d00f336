// The document of a letter as far as this page reads it: its placeholders, whether it is empty, and plain text as a document. Pure.
import type { WrittenDocument } from '#dashboard/parts/document-field.tsx';
import { PLACEHOLDER } from '#dashboard/parts/placeholders.ts';

type Part = WrittenDocument['content'][number];

const partsIn = (parts: readonly Part[]): readonly Part[] =>
  parts.flatMap((part) => [part, ...(part.marks ?? []), ...partsIn(part.content ?? [])]);

/** The names of its placeholders, each once. */
export const documentNames = ({ content }: WrittenDocument): readonly string[] => {
  const names = partsIn(content).flatMap(({ type, attrs = {} }) => {
    if (type === 'placeholder') return [String(attrs.name)];
    const [, inLink] = PLACEHOLDER.exec(typeof attrs.href === 'string' ? attrs.href : '') ?? [];
    return inLink === undefined ? [] : [inLink];
  });
  return [...new Set(names)];
};

export const isBlank = ({ content }: WrittenDocument): boolean =>
  !partsIn(content).some(
    ({ type, text = '' }) => ['placeholder', 'image', 'button'].includes(type) || text.trim() !== '',
  );

const inline = (line: string): readonly Part[] =>
  line
    .split(new RegExp(`(${PLACEHOLDER.source.replace('(', '(?:')})`))
    .filter((piece) => piece !== '')
    .map((piece) => {
      const [found, name] = PLACEHOLDER.exec(piece) ?? [];
      return found === piece ? { type: 'placeholder', attrs: { name } } : { type: 'text', text: piece };
    });

/** An empty line ends a paragraph. */
export const toDocument = (text: string): WrittenDocument => ({
  version: 1,
  content: text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => ({
      type: 'paragraph',
      attrs: { align: 'start' },
      content: paragraph
        .split('\n')
        .flatMap((line, at) => [...(at === 0 ? [] : [{ type: 'hard_break' }]), ...inline(line)]),
    })),
});

/** A letter that is still to be written, with the closing of the practice's letterhead. */
export const BLANK: WrittenDocument = {
  version: 1,
  content: [{ type: 'paragraph', attrs: { align: 'start' } }, { type: 'signature' }],
};
