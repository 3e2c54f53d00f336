// CodeMirror in a shadow root: there it takes its styles as sheets that scripts construct, which the policy allows, where a style
// element in the page would be forbidden. It comes with its own chunk, when an editor is shown.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { HighlightStyle, LRLanguage, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { parser } from '@lezer/html';
import type { ContentProblem } from '#dashboard/parts/placeholders.ts';

const look = EditorView.theme({
  '&': { color: 'var(--text)', background: 'var(--surface)', fontSize: 'var(--text-s)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', maxHeight: '60vh' },
  '.cm-content, .cm-gutter': { minHeight: '18rem' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { background: 'var(--surface-2)', color: 'var(--text-quiet)', border: '0' },
  '.cm-placeholder': { color: 'var(--accent)', background: 'var(--accent-soft)', borderRadius: '0.2rem' },
  '.cm-faulty': { background: 'var(--bad-soft)' },
  '.cm-fault': { color: 'var(--bad)', background: 'var(--bad-soft)', padding: '0 var(--space-2)' },
});

/** The language without the grammars of style and script elements, which together are as large as the rest. */
const htmlLanguage = LRLanguage.define({ parser });

const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.tagName, tags.angleBracket], color: 'var(--accent)' },
    { tag: [tags.attributeName, tags.propertyName], color: 'var(--busy)' },
    { tag: [tags.attributeValue, tags.string], color: 'var(--good)' },
    { tag: tags.comment, color: 'var(--text-quiet)' },
  ]),
);

const highlighted = (pattern: RegExp): Extension => {
  const matcher = new MatchDecorator({
    regexp: new RegExp(pattern, 'g'),
    decoration: Decoration.mark({ class: 'cm-placeholder' }),
  });
  return ViewPlugin.define(
    (view) => ({
      decorations: matcher.createDeco(view),
      update(update: ViewUpdate) {
        this.decorations = matcher.updateDeco(update, this.decorations);
      },
    }),
    { decorations: ({ decorations }) => decorations },
  );
};

class Fault extends WidgetType {
  readonly message: string;
  constructor(message: string) {
    super();
    this.message = message;
  }
  override eq({ message }: Fault): boolean {
    return message === this.message;
  }
  override toDOM(): HTMLElement {
    const element = document.createElement('div');
    element.className = 'cm-fault';
    element.textContent = this.message;
    return element;
  }
}

/** What takes the place of a selection: done by the browser, it would get a style attribute, which the policy forbids. */
const replaceSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    if (event.inputType !== 'insertText' || event.data === null || view.state.selection.main.empty)
      return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { scrollIntoView: true });
    return true;
  },
});

const setProblems = StateEffect.define<readonly ContentProblem[]>();

const markedIn = ({ doc }: EditorState, problems: readonly ContentProblem[]): DecorationSet =>
  Decoration.set(
    problems.flatMap(({ line, message }) => {
      const { from, to } = doc.line(Math.min(line, doc.lines));
      return [
        Decoration.line({ class: 'cm-faulty' }).range(from),
        Decoration.widget({ widget: new Fault(message), block: true, side: 1 }).range(to),
      ];
    }),
    true,
  );

/** Below the line that each is about. */
const problemField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects, state }) =>
    effects.reduce(
      (before, effect) => (effect.is(setProblems) ? markedIn(state, effect.value) : before),
      marks.map(changes),
    ),
  provide: (field) => EditorView.decorations.from(field),
});

export interface EditorOptions {
  readonly parent: Element;
  readonly value: string;
  readonly language: 'html' | 'text';
  /** What is highlighted as a placeholder. */
  readonly placeholder: RegExp;
  readonly attributes: Readonly<Record<string, string>>;
  readonly onValue: (value: string) => void;
}

export interface Editor {
  setAttributes(attributes: Readonly<Record<string, string>>): void;
  setProblems(problems: readonly ContentProblem[]): void;
  destroy(): void;
}

export const createEditor = ({
  parent,
  value,
  language,
  placeholder,
  attributes,
  onValue,
}: EditorOptions): Editor => {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  const attributesOf = new Compartment();
  const view = new EditorView({
    root,
    parent: root as unknown as Element,
    state: EditorState.create({
      doc: value,
      extensions: [
        history(),
        // Tab is not among the keys: it leaves the editor.
        keymap.of([...defaultKeymap, ...historyKeymap]),
        lineNumbers(),
        EditorView.lineWrapping,
        language === 'html' ? htmlLanguage : [],
        colours,
        look,
        highlighted(placeholder),
        problemField,
        replaceSelection,
        attributesOf.of(EditorView.contentAttributes.of(attributes)),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onValue(state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setAttributes: (next) =>
      view.dispatch({ effects: attributesOf.reconfigure(EditorView.contentAttributes.of(next)) }),
    setProblems: (problems) => view.dispatch({ effects: setProblems.of(problems) }),
    destroy: () => view.destroy(),
  };
};
