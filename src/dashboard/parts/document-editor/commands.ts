// What the buttons, menus and keys of the editor do to the document. A command without `dispatch` only says whether it can be done.
import { lift, setBlockType, toggleMark, wrapIn } from 'prosemirror-commands';
import { Fragment, type MarkType, type Node, type NodeType, type ResolvedPos } from 'prosemirror-model';
import { liftListItem, wrapInList, wrapRangeInList } from 'prosemirror-schema-list';
import { type Command, type EditorState, NodeSelection, Selection, TextSelection } from 'prosemirror-state';
import type { Transform } from 'prosemirror-transform';
import type { Align } from './document.ts';
import { schema } from './schema.ts';

const { nodes, marks } = schema;

export const isMarked = ({ selection, storedMarks, doc }: EditorState, type: MarkType): boolean =>
  selection.empty
    ? type.isInSet(storedMarks ?? selection.$from.marks()) !== undefined
    : doc.rangeHasMark(selection.from, selection.to, type);

export const mark = (name: 'strong' | 'em' | 'underline'): Command => toggleMark(marks[name]);

/** The innermost node around the selection that one of these tests takes; the selected one counts. */
const around = (
  { selection }: EditorState,
  test: (node: Node) => boolean,
): { readonly node: Node; readonly pos: number } | undefined => {
  if (selection instanceof NodeSelection && test(selection.node))
    return { node: selection.node, pos: selection.from };
  const { $from } = selection;
  for (let depth = $from.depth; depth > 0; depth -= 1) {
    const node = $from.node(depth);
    if (test(node)) return { node, pos: $from.before(depth) };
  }
  return undefined;
};

export const nodeAround = (state: EditorState, name: string) =>
  around(state, ({ type }) => type.name === name);

export type Style = 'paragraph' | 'heading1' | 'heading2' | 'heading3' | 'quotation';

export const styleAt = (state: EditorState): Style | undefined => {
  const { parent } = state.selection.$from;
  if (parent.type === nodes.heading) return `heading${parent.attrs.level}` as Style;
  if (nodeAround(state, 'quotation')) return 'quotation';
  return parent.type === nodes.paragraph ? 'paragraph' : undefined;
};

/** Takes what is quoted out of its quotation first. */
export const setStyle =
  (style: Style): Command =>
  (state, dispatch) => {
    const isQuoted = nodeAround(state, 'quotation') !== undefined;
    if (style === 'quotation') return !isQuoted && wrapIn(nodes.quotation)(state, dispatch);
    if (style === 'paragraph' && isQuoted) return lift(state, dispatch);
    const { align } = state.selection.$from.parent.attrs;
    return style === 'paragraph'
      ? setBlockType(nodes.paragraph, { align: align ?? 'start' })(state, dispatch)
      : setBlockType(nodes.heading, { level: Number(style.at(-1)), align: align ?? 'start' })(
          state,
          dispatch,
        );
  };

type ListName = 'bullet_list' | 'ordered_list';
const isList = ({ type }: Node): boolean => type === nodes.bullet_list || type === nodes.ordered_list;

export const listAt = (state: EditorState): string | undefined => around(state, isList)?.node.type.name;

/** A list, none where it is that one already, or the other kind. */
export const toggleList =
  (name: ListName): Command =>
  (state, dispatch) => {
    const there = around(state, isList);
    if (there?.node.type === nodes[name]) return liftListItem(nodes.list_item)(state, dispatch);
    if (there) {
      dispatch?.(state.tr.setNodeMarkup(there.pos, nodes[name]));
      return true;
    }
    if (state.selection.$from.parent.type !== nodes.heading) return wrapInList(nodes[name])(state, dispatch);
    // An item has no heading in it.
    const { tr } = state;
    tr.setBlockType(state.selection.from, state.selection.to, nodes.paragraph);
    const range = tr.selection.$from.blockRange(tr.selection.$to);
    if (!range || !wrapRangeInList(tr, range, nodes[name])) return false;
    dispatch?.(tr.scrollIntoView());
    return true;
  };

const hasAlign = ({ type }: Node): boolean => type.spec.attrs !== undefined && 'align' in type.spec.attrs;

export const alignAt = (state: EditorState): Align | undefined => around(state, hasAlign)?.node.attrs.align;

export const setAlign =
  (align: Align): Command =>
  (state, dispatch) => {
    const { tr, selection, doc } = state;
    const one = around(state, hasAlign);
    if (one) tr.setNodeAttribute(one.pos, 'align', align);
    doc.nodesBetween(selection.from, selection.to, (node, pos) => {
      if (hasAlign(node)) tr.setNodeAttribute(pos, 'align', align);
    });
    // A node whose attribute was set is another one: it is selected again.
    if (selection instanceof NodeSelection) tr.setSelection(NodeSelection.create(tr.doc, selection.from));
    if (!tr.docChanged) return false;
    dispatch?.(tr);
    return true;
  };

const isContainer = (node: Node): boolean =>
  node.type === nodes.doc || node.type === nodes.column || node.type === nodes.quotation || isList(node);

/** Where a block is: `$at` is before it. */
interface Place {
  readonly $at: ResolvedPos;
  readonly node: Node;
}

/** From the innermost, the blocks around the selection that have a place in a row. */
const placesOf = (selection: Selection): Place[] => {
  const { $from } = selection;
  const places: Place[] = [];
  if (selection instanceof NodeSelection && isContainer($from.parent))
    places.push({ $at: $from, node: selection.node });
  for (let depth = $from.depth; depth > 0; depth -= 1)
    if (isContainer($from.node(depth - 1)))
      places.push({ $at: $from.doc.resolve($from.before(depth)), node: $from.node(depth) });
  return places;
};

/** Moves the innermost block that has room there, and what is selected with it. */
export const moveBlock =
  (way: -1 | 1): Command =>
  (state, dispatch) => {
    for (const { $at, node } of placesOf(state.selection)) {
      const index = $at.index();
      const other = $at.parent.maybeChild(index + way);
      if (!other) continue;
      if (dispatch) {
        const start = $at.pos;
        const to = way < 0 ? start - other.nodeSize : start + other.nodeSize;
        const from = Math.min(start, to);
        const pair = way < 0 ? [node, other] : [other, node];
        const tr = state.tr.replaceWith(from, from + node.nodeSize + other.nodeSize, Fragment.from(pair));
        const { selection } = state;
        const moved = to - start;
        tr.setSelection(
          selection instanceof NodeSelection
            ? NodeSelection.create(tr.doc, selection.from + moved)
            : TextSelection.between(
                tr.doc.resolve(selection.anchor + moved),
                tr.doc.resolve(selection.head + moved),
              ),
        );
        dispatch(tr.scrollIntoView());
      }
      return true;
    }
    return false;
  };

/** The block in the text or in a column, whole. */
const outerPlace = (selection: Selection) =>
  placesOf(selection).find(({ $at }) => $at.parent.type === nodes.doc || $at.parent.type === nodes.column);

/** In the place of a block: nothing, another block or several. */
const exchange = (change: Transform, { $at, node }: Place, made: Fragment): void => {
  change.replaceWith($at.pos, $at.pos + node.nodeSize, made);
};

export const removeBlock: Command = ({ selection, tr }, dispatch) => {
  const place = outerPlace(selection);
  if (!place) return false;
  const { $at } = place;
  const isLast = $at.parent.childCount === 1;
  exchange(tr, place, isLast ? Fragment.from(nodes.paragraph.create()) : Fragment.empty);
  const near = tr.doc.resolve(Math.min($at.pos, tr.doc.content.size));
  dispatch?.(tr.setSelection(Selection.near(near)).scrollIntoView());
  return true;
};

const isEmptyParagraph = (node: Node): boolean => node.type === nodes.paragraph && node.content.size === 0;

/** After the block with the selection, or in the place of an empty paragraph. Two columns are in no column. */
export const insertBlock =
  (made: Node): Command =>
  ({ selection, tr }, dispatch) => {
    const place =
      made.type === nodes.columns
        ? placesOf(selection).find(({ $at }) => $at.parent.type === nodes.doc)
        : outerPlace(selection);
    if (!place) return false;
    const { $at, node } = place;
    const isReplaced = isEmptyParagraph(node);
    exchange(tr, place, Fragment.from(isReplaced ? made : [node, made]));
    const at = isReplaced ? $at.pos : $at.pos + node.nodeSize;
    tr.setSelection(made.isLeaf ? NodeSelection.create(tr.doc, at) : Selection.near(tr.doc.resolve(at + 1)));
    dispatch?.(tr.scrollIntoView());
    return true;
  };

export const newBlock = (type: NodeType): Node => {
  const made = type.createAndFill();
  if (!made) throw new Error(`${type.name} cannot be made without its attributes`);
  return made;
};

export const insertPlaceholder =
  (name: string): Command =>
  (state, dispatch) => {
    const { $from, empty } = state.selection;
    if (!$from.parent.inlineContent) return false;
    const marksThere = state.storedMarks ?? (empty ? $from.marks() : []);
    const node = nodes.placeholder.create({ name }, null, $from.parent.type.allowedMarks(marksThere));
    dispatch?.(state.tr.replaceSelectionWith(node, false).scrollIntoView());
    return true;
  };

/** The link that the cursor is in, or that the selection begins in. */
export const linkAt = (
  state: EditorState,
): { readonly from: number; readonly to: number; readonly href: string } | undefined => {
  const { $from, from } = state.selection;
  const runs: { from: number; to: number; readonly href: string }[] = [];
  $from.parent.forEach((node, offset) => {
    const href: string | undefined = marks.link.isInSet(node.marks)?.attrs.href;
    const start = $from.start() + offset;
    const last = runs.at(-1);
    if (href !== undefined && last?.to === start && last.href === href) last.to += node.nodeSize;
    else if (href !== undefined) runs.push({ from: start, to: start + node.nodeSize, href });
  });
  return runs.find((run) => from >= run.from && from <= run.to);
};
