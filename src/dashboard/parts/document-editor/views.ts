// How blocks that are no text look while they are written.
import type { Node } from 'prosemirror-model';
import type { EditorView, NodeView } from 'prosemirror-view';

/** Words and addresses that the page around the editor has. */
export interface Surroundings {
  readonly labelOf: (name: string) => string;
  readonly imageUrl: (id: string) => string;
  readonly words: {
    readonly signature: string;
    readonly withoutAlt: string;
    readonly decorative: string;
  };
  /** Opens the dialog about the node that is selected. */
  readonly edit: () => void;
}

/** The editor selects it, and reads nothing from what is in it. */
const solid = (dom: HTMLElement): NodeView => ({ dom, ignoreMutation: () => true });

const placeholderView = (node: Node, { labelOf }: Surroundings): NodeView => {
  const dom = document.createElement('span');
  dom.className = 'chip';
  dom.dataset.placeholder = node.attrs.name;
  dom.title = `{{${node.attrs.name}}}`;
  dom.textContent = labelOf(node.attrs.name);
  return solid(dom);
};

const imageView = (node: Node, { imageUrl, words, edit }: Surroundings): NodeView => {
  const dom = document.createElement('div');
  dom.dataset.block = 'image';
  const image = dom.appendChild(document.createElement('img'));
  const note = dom.appendChild(document.createElement('small'));
  dom.addEventListener('dblclick', edit);
  const show = ({ attrs }: Node): boolean => {
    dom.dataset.align = attrs.align;
    image.src = imageUrl(attrs.image);
    image.alt = attrs.decorative ? '' : attrs.alt;
    // Set by script: the policy forbids a style in markup alone.
    image.style.width = `${attrs.width}%`;
    note.textContent = attrs.decorative ? words.decorative : attrs.alt || words.withoutAlt;
    note.className = attrs.decorative || attrs.alt ? 'quiet' : 'problem';
    return true;
  };
  show(node);
  return { ...solid(dom), update: (next) => next.type === node.type && show(next) };
};

const signatureView = ({ words }: Surroundings): NodeView => {
  const dom = document.createElement('div');
  dom.dataset.block = 'signature';
  dom.textContent = words.signature;
  return solid(dom);
};

/** `surroundings` is asked whenever a node is shown. */
export const nodeViews = (
  surroundings: () => Surroundings,
): Record<string, (node: Node, view: EditorView) => NodeView> => ({
  placeholder: (node) => placeholderView(node, surroundings()),
  image: (node) => imageView(node, surroundings()),
  signature: () => signatureView(surroundings()),
});
