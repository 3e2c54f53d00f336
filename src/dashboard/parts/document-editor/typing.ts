// Typing: keys, what becomes a block or a chip as it is typed, and the browser's own changes, which are made by the editor in its place:
// a browser that replaces or joins text writes style attributes, which the policy of the page forbids. Tab is not among the keys: it
// leaves the editor.
import { baseKeymap, chainCommands, createParagraphNear, exitCode, toggleMark } from 'prosemirror-commands';
import { redo, undo } from 'prosemirror-history';
import { InputRule, inputRules, textblockTypeInputRule, wrappingInputRule } from 'prosemirror-inputrules';
import { keymap } from 'prosemirror-keymap';
import { liftListItem, sinkListItem, splitListItem } from 'prosemirror-schema-list';
import { type Command, NodeSelection, Plugin, Selection, TextSelection } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { PLACEHOLDER } from '#dashboard/parts/placeholders.ts';
import { mark, moveBlock, setStyle, toggleList } from './commands.ts';
import { schema } from './schema.ts';

const { nodes, marks } = schema;

/** `{{name}}`, once its last brace is typed. */
const placeholderRule = new InputRule(new RegExp(`${PLACEHOLDER.source}$`), (state, [, name], start, end) => {
  const stored = state.storedMarks ?? state.doc.resolve(end).marks();
  const { parent } = state.doc.resolve(start);
  return state.tr.replaceWith(
    start,
    end,
    nodes.placeholder.create({ name }, null, parent.type.allowedMarks(stored)),
  );
});

const rules = inputRules({
  rules: [
    placeholderRule,
    textblockTypeInputRule(/^(#{1,3})\s$/, nodes.heading, ([, signs = '']) => ({ level: signs.length })),
    wrappingInputRule(/^\s*[-*•]\s$/, nodes.bullet_list),
    wrappingInputRule(
      /^(\d{1,3})[.)]\s$/,
      nodes.ordered_list,
      ([, first]) => ({ start: Number(first) || 1 }),
      ([, first], before) => before.childCount + before.attrs.start === Number(first),
    ),
    wrappingInputRule(/^>\s$/, nodes.quotation),
    new InputRule(/^---$/, ({ tr, doc }, _match, start, end) => {
      const $start = doc.resolve(start);
      const container = $start.node(-1);
      if (!container?.canReplaceWith($start.index(-1), $start.indexAfter(-1), nodes.divider)) return null;
      tr.delete(start, end);
      return tr.insert($start.before(), nodes.divider.create());
    }),
  ],
});

const breakLine: Command = chainCommands(exitCode, (state, dispatch) => {
  const { $from } = state.selection;
  if (!$from.parent.type.contentMatch.matchType(nodes.hard_break)) return false;
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView());
  return true;
});

/** A chip is taken away whole, also where the browser would put the cursor into it. */
const deleteChip =
  (side: 'nodeBefore' | 'nodeAfter'): Command =>
  (state, dispatch) => {
    const { $from, empty } = state.selection;
    const chip = $from[side];
    if (!empty || chip?.type !== nodes.placeholder) return false;
    const from = side === 'nodeBefore' ? $from.pos - chip.nodeSize : $from.pos;
    dispatch?.(state.tr.delete(from, from + chip.nodeSize).scrollIntoView());
    return true;
  };

/** A button ends with its line: what follows is a paragraph below it. */
const leaveButton: Command = (state, dispatch) => {
  const { $from } = state.selection;
  if ($from.parent.type !== nodes.button) return false;
  const after = $from.after();
  const tr = state.tr.insert(after, nodes.paragraph.create());
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, after + 1)).scrollIntoView());
  return true;
};

/** Where a block is selected, or the place between two, browsers do not go to the beginning or the end of the text. */
const toEdge =
  (edge: 'atStart' | 'atEnd'): Command =>
  ({ selection, tr, doc }, dispatch) => {
    if (selection instanceof TextSelection) return false;
    dispatch?.(tr.setSelection(Selection[edge](doc)).scrollIntoView());
    return true;
  };

export interface TypingOptions {
  readonly editLink: () => void;
  /** Moves the focus into the toolbar. */
  readonly toToolbar: () => void;
}

const keys = ({ editLink, toToolbar }: TypingOptions): Record<string, Command> => ({
  'Mod-b': mark('strong'),
  'Mod-i': mark('em'),
  'Mod-u': mark('underline'),
  'Mod-k': () => {
    editLink();
    return true;
  },
  'Mod-z': undo,
  'Mod-y': redo,
  'Shift-Mod-z': redo,
  'Shift-Mod-8': toggleList('bullet_list'),
  'Shift-Mod-7': toggleList('ordered_list'),
  'Mod-Alt-0': setStyle('paragraph'),
  'Mod-Alt-1': setStyle('heading1'),
  'Mod-Alt-2': setStyle('heading2'),
  'Mod-Alt-3': setStyle('heading3'),
  'Alt-ArrowUp': moveBlock(-1),
  'Alt-ArrowDown': moveBlock(1),
  'Mod-Home': toEdge('atStart'),
  'Mod-End': toEdge('atEnd'),
  'Mod-]': sinkListItem(nodes.list_item),
  'Mod-[': liftListItem(nodes.list_item),
  'Alt-F10': () => {
    toToolbar();
    return true;
  },
  Enter: chainCommands(leaveButton, splitListItem(nodes.list_item)),
  'Shift-Enter': breakLine,
  Backspace: deleteChip('nodeBefore'),
  Delete: deleteChip('nodeAfter'),
});

/** Typed where a block is selected, text begins a paragraph below it and does not replace it. */
const belowBlock = (view: EditorView, text: string): boolean => {
  const { selection } = view.state;
  if (!(selection instanceof NodeSelection) || selection.node.isInline) return false;
  if (!createParagraphNear(view.state, view.dispatch)) return false;
  view.dispatch(view.state.tr.insertText(text).scrollIntoView());
  return true;
};

const insertText = (view: EditorView, text: string, from: number, to: number): void => {
  const make = () => view.state.tr.insertText(text, from, to).scrollIntoView();
  if (!view.someProp('handleTextInput', (handle) => handle(view, from, to, text, make)))
    view.dispatch(make());
};

const formats: Readonly<Record<string, Command>> = {
  formatBold: toggleMark(marks.strong),
  formatItalic: toggleMark(marks.em),
  formatUnderline: toggleMark(marks.underline),
  historyUndo: undo,
  historyRedo: redo,
};

/** What the browser is about to do. Its composing of letters stays its own. */
const beforeInput = (view: EditorView, event: InputEvent): boolean => {
  const { inputType, data, isComposing } = event;
  if (isComposing || view.composing) return false;
  const { from, to } = view.state.selection;
  if (inputType === 'insertText' && data !== null) insertText(view, data, from, to);
  else if (inputType in formats) formats[inputType]?.(view.state, view.dispatch);
  else if (inputType.startsWith('delete') || inputType === 'insertReplacementText') {
    const [range] = event.getTargetRanges();
    if (!range) return false;
    const start = view.posAtDOM(range.startContainer, range.startOffset);
    const end = view.posAtDOM(range.endContainer, range.endOffset);
    const { doc, tr } = view.state;
    if (start >= end || !doc.resolve(start).sameParent(doc.resolve(end))) return false;
    if (inputType === 'insertReplacementText')
      insertText(view, data ?? event.dataTransfer?.getData('text/plain') ?? '', start, end);
    else view.dispatch(tr.delete(start, end).scrollIntoView());
  } else if (!inputType.startsWith('format')) return false;
  event.preventDefault();
  return true;
};

export const typing = (options: TypingOptions): Plugin[] => [
  new Plugin({
    props: {
      handleTextInput: (view, _from, _to, text) => belowBlock(view, text),
      handleDOMEvents: { beforeinput: beforeInput },
    },
  }),
  rules,
  keymap(keys(options)),
  keymap(baseKeymap),
];
