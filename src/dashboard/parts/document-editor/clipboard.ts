// Pasting and dropping: HTML is reduced to what the blocks know before it is parsed, images are handed to who stores them, and names in
// double braces become chips.
import { Fragment, type Node, Slice } from 'prosemirror-model';
import { Plugin, TextSelection } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { PLACEHOLDER } from '#dashboard/parts/placeholders.ts';
import { LINK } from './document.ts';
import { reducePasted } from './pasted.ts';
import { schema } from './schema.ts';

const withChips = (fragment: Fragment): Fragment => {
  const parts: Node[] = [];
  fragment.forEach((node) => {
    if (!node.isText) {
      parts.push(node.copy(withChips(node.content)));
      return;
    }
    const text = node.text ?? '';
    let at = 0;
    for (const { 0: found, 1: name, index } of text.matchAll(new RegExp(PLACEHOLDER, 'g'))) {
      if (index > at) parts.push(schema.text(text.slice(at, index), node.marks));
      parts.push(schema.nodes.placeholder.create({ name }, null, node.marks));
      at = index + found.length;
    }
    if (at < text.length) parts.push(schema.text(text.slice(at), node.marks));
  });
  return Fragment.from(parts);
};

const imagesIn = (files: FileList | undefined): File[] =>
  [...(files ?? [])].filter(({ type }) => type.startsWith('image/'));

/** A request for a data URL is none that the policy allows. */
const fileOf = (dataUrl: string): File[] => {
  const [, type = '', content = ''] = /^data:([^;]+);base64,(.*)$/s.exec(dataUrl) ?? [];
  try {
    const bytes = Uint8Array.from(atob(content.trim()), (one) => one.charCodeAt(0));
    return [new File([bytes], `image.${type.split('/')[1]}`, { type })];
  } catch {
    return [];
  }
};

const hasText = ({ content }: Slice): boolean => content.textBetween(0, content.size, ' ', ' ').trim() !== '';

/** An address that is pasted over a text makes a link of it. */
const linkOver = (view: EditorView, text: string): boolean => {
  const { selection, tr } = view.state;
  const href = text.trim();
  if (!(selection instanceof TextSelection) || selection.empty || !LINK.test(href) || /\s/.test(href))
    return false;
  if (!selection.$from.parent.type.allowsMarkType(schema.marks.link)) return false;
  view.dispatch(tr.addMark(selection.from, selection.to, schema.marks.link.create({ href })));
  return true;
};

export const clipboard = (addImages: (files: readonly File[]) => void): Plugin => {
  let inHtml: readonly string[] = [];
  const take = (slice: Slice, files: readonly File[]): boolean => {
    const embedded = inHtml.flatMap(fileOf);
    inHtml = [];
    // Office programs put a picture of the text beside it.
    if (hasText(slice)) {
      if (embedded.length > 0) queueMicrotask(() => addImages(embedded));
      return false;
    }
    const images = files.length > 0 ? files : embedded;
    if (images.length > 0) addImages(images);
    return images.length > 0;
  };
  return new Plugin({
    props: {
      transformPastedHTML: (pasted) => {
        const { html, images } = reducePasted(pasted);
        inHtml = images;
        return html;
      },
      transformPasted: (slice) => new Slice(withChips(slice.content), slice.openStart, slice.openEnd),
      handlePaste: (view, event, slice) => {
        if (take(slice, imagesIn(event.clipboardData?.files))) return true;
        if (linkOver(view, event.clipboardData?.getData('text/plain') ?? '')) return true;
        // The browser would paste what the editor can make nothing of, with its styles.
        return slice.size === 0;
      },
      handleDrop: (view, event, slice, isMoved) => {
        const at = view.posAtCoords({ left: event.clientX, top: event.clientY });
        const images = isMoved ? [] : imagesIn(event.dataTransfer?.files);
        if (images.length > 0 && at)
          view.dispatch(view.state.tr.setSelection(TextSelection.near(view.state.doc.resolve(at.pos))));
        if (!isMoved && take(slice, images)) return true;
        return slice.size === 0;
      },
    },
  });
};
