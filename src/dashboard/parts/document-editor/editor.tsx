// The editor for documents: text and blocks as they will be, with a toolbar above. It comes with its own chunk, when one is shown; see
// parts/document-field.tsx. The value at first is given: from then on it is the editor's.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { dropCursor } from 'prosemirror-dropcursor';
import { gapCursor } from 'prosemirror-gapcursor';
import { history } from 'prosemirror-history';
import type { Node } from 'prosemirror-model';
import { type Command, EditorState, NodeSelection, Plugin } from 'prosemirror-state';
import { Decoration, DecorationSet, EditorView } from 'prosemirror-view';
import { ErrorNote, Note } from '#dashboard/parts/feedback.tsx';
import { translated } from '#dashboard/words.ts';
import { clipboard } from './clipboard.ts';
import { insertBlock, insertPlaceholder, linkAt, nodeAround } from './commands.ts';
import { ImageDialog, type ImageValue, LinkDialog, PlaceholderDialog } from './dialogs.tsx';
import type { KnownPlaceholder, StoredImage, WrittenDocument } from './document.ts';
import { contentOf, nodeOf, schema } from './schema.ts';
import { type Question, Toolbar } from './toolbar.tsx';
import { typing } from './typing.ts';
import { nodeViews, type Surroundings } from './views.ts';
import { words } from './words/de.ts';

export interface DocumentEditorProps {
  /** Read out as the name of the field. */
  readonly label: string;
  readonly value: WrittenDocument;
  readonly onChange: (value: WrittenDocument) => void;
  readonly placeholders: readonly KnownPlaceholder[];
  readonly upload: (file: File) => Promise<StoredImage>;
  readonly imageUrl: (id: string) => string;
}

/** What is asked in a dialog; `file` is an image that was dropped or pasted. */
interface Asked {
  readonly question: Question;
  readonly isNew: boolean;
  readonly file?: File;
}

/** A hint in a document that is empty. */
const hintWhereEmpty = (hint: () => string): Plugin =>
  new Plugin({
    props: {
      decorations: ({ doc }) => {
        const { firstChild } = doc;
        const isEmpty =
          doc.childCount === 1 &&
          firstChild?.type === schema.nodes.paragraph &&
          firstChild.content.size === 0;
        return isEmpty
          ? DecorationSet.create(doc, [
              Decoration.node(0, firstChild.nodeSize, { class: 'blank', 'data-hint': hint() }),
            ])
          : DecorationSet.empty;
      },
    },
  });

const parsed = (value: WrittenDocument): { readonly doc: Node } | { readonly error: unknown } => {
  try {
    return { doc: nodeOf(value) };
  } catch (error) {
    return { error };
  }
};

const DocumentEditor = (props: DocumentEditorProps) => {
  const w = translated(words);
  const { label, placeholders, upload, imageUrl } = props;
  const latest = useRef(props);
  latest.current = props;
  const host = useRef<HTMLDivElement>(null);
  const toolbar = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const [state, setState] = useState<EditorState>();
  const [direction, setDirection] = useState(props.value.direction);
  const [asked, setAsked] = useState<readonly Asked[]>([]);
  const [said, setSaid] = useState('');
  const first = useMemo(() => parsed(props.value), []);
  /** The value that was given last, which is told again where the text is that again: JSON in another order would look changed. */
  const given = useRef({ value: props.value, parsed: first });
  const told = useRef<WrittenDocument | undefined>(undefined);
  if (props.value !== given.current.value && props.value !== told.current)
    given.current = { value: props.value, parsed: parsed(props.value) };
  const emit = (doc: Node, way: WrittenDocument['direction']): void => {
    const { value, parsed: before } = given.current;
    const isGiven = 'doc' in before && before.doc.eq(doc) && value.direction === way;
    const made = {
      version: 1,
      ...(way === undefined ? {} : { direction: way }),
      content: contentOf(doc),
    } as const;
    told.current = isGiven ? value : made;
    latest.current.onChange(told.current);
  };
  const present = useRef({ direction, words: w, ask: (_question: Question, _isNew: boolean) => {} });
  const ask = (question: Question, isNew: boolean): void => setAsked([{ question, isNew }]);
  present.current = { direction, words: w, ask };

  useEffect(() => {
    const mount = host.current;
    if (!mount || !('doc' in first)) return;
    const askAboutSelected = (): void => {
      const at = made.state;
      const there = (['image', 'button'] as const).find((name) => nodeAround(at, name));
      present.current.ask(there ?? 'link', false);
    };
    const surroundings = (): Surroundings => ({
      labelOf: (name) => latest.current.placeholders.find((one) => one.name === name)?.label ?? name,
      imageUrl: latest.current.imageUrl,
      words: present.current.words,
      edit: askAboutSelected,
    });
    const made = new EditorView(
      { mount },
      {
        state: EditorState.create({
          doc: first.doc,
          plugins: [
            clipboard((files) =>
              setAsked(files.map((file) => ({ question: 'image' as const, isNew: true, file }))),
            ),
            ...typing({
              editLink: askAboutSelected,
              toToolbar: () => toolbar.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus(),
            }),
            history(),
            dropCursor({ class: 'dropplace', color: false, width: 3 }),
            gapCursor(),
            hintWhereEmpty(() => present.current.words.empty),
          ],
        }),
        nodeViews: nodeViews(surroundings),
        dispatchTransaction: (transaction) => {
          const next = made.state.apply(transaction);
          made.updateState(next);
          setState(next);
          if (transaction.docChanged) emit(next.doc, present.current.direction);
        },
      },
    );
    setView(made);
    setState(made.state);
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const isRight = direction === 'rtl';
    view?.setProps({
      attributes: {
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': label,
        'aria-description': w.keysHint,
        class: 'writtentext',
        ...(direction ? { dir: isRight ? 'rtl' : 'ltr' } : {}),
      },
    });
  }, [view, label, direction, w]);

  if ('error' in first)
    return (
      <>
        <Note kind="bad">{w.unreadable}</Note>
        <ErrorNote error={first.error} />
      </>
    );
  const run = (command: Command, done = '', stays = false): void => {
    if (!view) return;
    command(view.state, view.dispatch, view);
    if (!stays || document.activeElement === view.dom) view.focus();
    setSaid(done);
  };
  /** The dialog is gone first: it gives the focus back to what had it before. */
  const finish = (command: Command, done?: string): void => {
    setAsked((before) => before.slice(1));
    setTimeout(() => run(command, done));
  };
  const closed = (): void => {
    setAsked((before) => before.slice(1));
    setTimeout(() => view?.focus());
  };
  return (
    <div class="documentfield">
      {state && (
        <Toolbar
          words={w}
          state={state}
          run={run}
          ask={ask}
          placeholders={placeholders}
          isFromRight={direction === 'rtl'}
          onDirection={() => {
            const next = direction === 'rtl' ? undefined : 'rtl';
            setDirection(next);
            emit(state.doc, next);
            view?.focus();
          }}
          toText={() => view?.focus()}
          element={toolbar}
        />
      )}
      <div ref={host} />
      <p class="hidden" role="status">
        {said}
      </p>
      {asked[0] && state && (
        <Asking
          key={asked.length}
          asked={asked[0]}
          state={state}
          finish={finish}
          onClose={closed}
          upload={upload}
          imageUrl={imageUrl}
        />
      )}
    </div>
  );
};

const { nodes, marks } = schema;

const setAttrs =
  (pos: number, node: Node, attrs: object): Command =>
  ({ tr }, dispatch) => {
    tr.setNodeMarkup(pos, undefined, { ...node.attrs, ...attrs });
    if (node.isAtom) tr.setSelection(NodeSelection.create(tr.doc, pos));
    dispatch?.(tr);
    return true;
  };

const putLink =
  (from: number, to: number, href: string, text: string): Command =>
  ({ tr }, dispatch) => {
    if (from === to) tr.insertText(text, from);
    const end = from === to ? from + text.length : to;
    tr.removeMark(from, end, marks.link).addMark(from, end, marks.link.create({ href }));
    tr.removeStoredMark(marks.link);
    dispatch?.(tr.scrollIntoView());
    return true;
  };

interface AskingProps extends Pick<DocumentEditorProps, 'upload' | 'imageUrl'> {
  readonly asked: Asked;
  readonly state: EditorState;
  readonly finish: (command: Command, said?: string) => void;
  readonly onClose: () => void;
}

const Asking = ({
  asked: { question, isNew, file },
  state,
  finish,
  onClose,
  upload,
  imageUrl,
}: AskingProps) => {
  const w = translated(words);
  if (question === 'placeholder')
    return (
      <PlaceholderDialog
        words={w}
        onClose={onClose}
        onDone={(name) => finish(insertPlaceholder(name), w.inserted(name))}
      />
    );
  const there = isNew ? undefined : nodeAround(state, question);
  if (question === 'image')
    return (
      <ImageDialog
        words={w}
        onClose={onClose}
        file={file}
        present={there?.node.attrs as ImageValue | undefined}
        upload={upload}
        imageUrl={imageUrl}
        onDone={(value) =>
          finish(
            there ? setAttrs(there.pos, there.node, value) : insertBlock(nodes.image.create(value)),
            there ? undefined : w.inserted(w.imageTitle),
          )
        }
      />
    );
  if (question === 'button')
    return (
      <LinkDialog
        words={w}
        onClose={onClose}
        kind="button"
        href={there?.node.attrs.href ?? ''}
        text={w.buttonFirst}
        asksText={!there}
        onDone={({ href, text }) =>
          finish(
            there
              ? setAttrs(there.pos, there.node, { href })
              : insertBlock(nodes.button.create({ href }, schema.text(text))),
            there ? undefined : w.inserted(w.buttonTitle),
          )
        }
      />
    );
  const link = linkAt(state);
  const { from, to } = link ?? state.selection;
  return (
    <LinkDialog
      words={w}
      onClose={onClose}
      kind="link"
      href={link?.href ?? ''}
      text=""
      asksText={from === to}
      onDone={({ href, text }) => finish(putLink(from, to, href, text))}
      onRemove={
        link &&
        (() =>
          finish(({ tr }, dispatch) => {
            dispatch?.(tr.removeMark(from, to, marks.link));
            return true;
          }))
      }
    />
  );
};

export default DocumentEditor;
