// The toolbar of the editor (WAI-ARIA APG, toolbar pattern): one stop of the Tab key, arrows go from tool to tool, Escape leads back into
// the text. Menus open below their button.

import type { ComponentChildren, RefObject } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { redo, undo } from 'prosemirror-history';
import type { Command, EditorState } from 'prosemirror-state';
import {
  alignAt,
  insertBlock,
  insertPlaceholder,
  isMarked,
  linkAt,
  listAt,
  mark,
  moveBlock,
  newBlock,
  nodeAround,
  removeBlock,
  type Style,
  setAlign,
  setStyle,
  styleAt,
  toggleList,
} from './commands.ts';
import type { KnownPlaceholder } from './document.ts';
import { Icon, type IconName } from './icons.tsx';
import { schema } from './schema.ts';
import type { words as german } from './words/de.ts';

export type Question = 'link' | 'button' | 'image' | 'placeholder';

export interface ToolbarProps {
  readonly words: typeof german;
  readonly state: EditorState;
  /** Does it; `said` is read out, and the focus returns to the text unless `stays`. */
  readonly run: (command: Command, said?: string, stays?: boolean) => void;
  /** Opens a dialog of the editor: about what is selected, or about something new. */
  readonly ask: (question: Question, isNew: boolean) => void;
  readonly placeholders: readonly KnownPlaceholder[];
  readonly isFromRight: boolean;
  readonly onDirection: () => void;
  readonly toText: () => void;
  readonly element: RefObject<HTMLDivElement | null>;
}

const TOOL = '[data-tool]';

/** The next one in this direction, around the end. */
const neighbour = (
  all: readonly HTMLElement[],
  present: Element | null,
  key: string,
): HTMLElement | undefined => {
  const at = all.indexOf(present as HTMLElement);
  if (key === 'Home') return all[0];
  if (key === 'End') return all.at(-1);
  return all.at((at + (key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1)) % all.length);
};

/** The editor keeps its selection while a tool is pressed. */
const keepFocus = (event: MouseEvent): void => event.preventDefault();

interface ToolProps {
  readonly icon: IconName;
  readonly label: string;
  readonly keys?: string;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  readonly onPress: () => void;
}

/** A tool that cannot be used now can still be reached, so that the row does not change under the fingers. */
const Tool = ({ icon, label, keys, pressed, disabled = false, onPress }: ToolProps) => (
  <button
    type="button"
    data-tool
    tabIndex={-1}
    class="tool"
    aria-label={label}
    title={keys ? `${label} (${keys})` : label}
    aria-pressed={pressed}
    aria-disabled={disabled || undefined}
    onMouseDown={keepFocus}
    onClick={() => disabled || onPress()}
  >
    <Icon name={icon} />
  </button>
);

interface Entry {
  readonly key: string;
  readonly text: string;
  readonly isChosen?: boolean;
  readonly disabled?: boolean;
  readonly onChoose: () => void;
}

const ToolMenu = ({
  label,
  text,
  entries,
}: {
  readonly label: string;
  readonly text: ComponentChildren;
  readonly entries: readonly Entry[];
}) => {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const items = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>('button') ?? [])];
  return (
    <span class="menu">
      <button
        type="button"
        data-tool
        tabIndex={-1}
        class="tool"
        aria-label={label}
        aria-haspopup="menu"
        popovertarget={id}
        onMouseDown={keepFocus}
      >
        {text} <span aria-hidden="true">▾</span>
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        class="menulist"
        onToggle={({ newState }) => newState === 'open' && items()[0]?.focus()}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Tab') list.current?.hidePopover();
          if (!/^(?:Arrow(?:Up|Down)|Home|End)$/.test(event.key)) return;
          event.preventDefault();
          neighbour(items(), document.activeElement, event.key)?.focus();
        }}
      >
        {entries.map(({ key, text: entry, isChosen, disabled = false, onChoose }) => (
          <button
            key={key}
            type="button"
            {...(isChosen === undefined
              ? { role: 'menuitem' }
              : { role: 'menuitemradio', 'aria-checked': isChosen })}
            aria-disabled={disabled || undefined}
            tabIndex={-1}
            onMouseDown={keepFocus}
            onClick={() => {
              if (disabled) return;
              list.current?.hidePopover();
              onChoose();
            }}
          >
            {entry}
          </button>
        ))}
      </div>
    </span>
  );
};

const MARKS = [
  ['strong', 'B'],
  ['em', 'I'],
  ['underline', 'U'],
] as const;
const LISTS = ['bullet_list', 'ordered_list'] as const;
const ALIGNS = ['start', 'center', 'end'] as const;

const columns = () =>
  schema.nodes.columns.create(null, [newBlock(schema.nodes.column), newBlock(schema.nodes.column)]);

const insertions = ({ words: w, state, run, ask }: ToolbarProps): readonly Entry[] => {
  const direct = {
    divider: newBlock(schema.nodes.divider),
    columns: columns(),
    signature: newBlock(schema.nodes.signature),
  };
  return [
    ...(['image', 'button'] as const).map((key) => ({
      key,
      text: w.blocks[key],
      onChoose: () => ask(key, true),
    })),
    ...(['divider', 'columns', 'signature'] as const).map((key) => ({
      key,
      text: w.blocks[key],
      disabled: !insertBlock(direct[key])(state),
      onChoose: () => run(insertBlock(direct[key]), w.inserted(w.blocks[key])),
    })),
  ];
};

export const Toolbar = (props: ToolbarProps) => {
  const { words: w, state, run, ask, placeholders, isFromRight, onDirection, toText, element } = props;
  const style = styleAt(state);
  const selected = nodeAround(state, 'image') ? 'image' : nodeAround(state, 'button') ? 'button' : undefined;
  const tools = (): HTMLElement[] => [...(element.current?.querySelectorAll<HTMLElement>(TOOL) ?? [])];
  /** The one that the Tab key leads to. */
  const present = useRef<HTMLElement | undefined>(undefined);
  useLayoutEffect(() => {
    const all = tools();
    if (present.current === undefined || !all.includes(present.current)) present.current = all[0];
    for (const one of all) one.tabIndex = one === present.current ? 0 : -1;
  });
  return (
    <div
      ref={element}
      role="toolbar"
      aria-label={w.tools}
      class="tools"
      onFocusIn={({ target }) => {
        if (!(target instanceof HTMLElement) || !target.matches(TOOL)) return;
        present.current = target;
        for (const one of tools()) one.tabIndex = one === target ? 0 : -1;
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.preventDefault();
          toText();
        }
        if (!/^(?:Arrow(?:Left|Right)|Home|End)$/.test(event.key)) return;
        event.preventDefault();
        neighbour(tools(), document.activeElement, event.key)?.focus();
      }}
    >
      <ToolMenu
        label={style ? `${w.style}: ${w.styles[style]}` : w.style}
        text={<span class="style">{style ? w.styles[style] : w.style}</span>}
        entries={[
          ...Object.entries(w.styles).map(([key, text]) => ({
            key,
            text,
            isChosen: key === style,
            onChoose: () => run(setStyle(key as Style)),
          })),
          { key: 'direction', text: w.fromRight, isChosen: isFromRight, onChoose: onDirection },
        ]}
      />
      <span class="toolgroup">
        {MARKS.map(([name, key]) => (
          <Tool
            key={name}
            icon={name}
            label={w[name]}
            keys={`Ctrl+${key}`}
            pressed={isMarked(state, schema.marks[name])}
            disabled={!mark(name)(state)}
            onPress={() => run(mark(name))}
          />
        ))}
        <Tool
          icon="link"
          label={w.link}
          keys="Ctrl+K"
          pressed={linkAt(state) !== undefined}
          disabled={!state.selection.$from.parent.type.allowsMarkType(schema.marks.link)}
          onPress={() => ask('link', false)}
        />
      </span>
      <span class="toolgroup">
        {LISTS.map((name) => (
          <Tool
            key={name}
            icon={name}
            label={w[name]}
            pressed={listAt(state) === name}
            disabled={!toggleList(name)(state)}
            onPress={() => run(toggleList(name))}
          />
        ))}
      </span>
      <span class="toolgroup">
        {ALIGNS.map((align) => (
          <Tool
            key={align}
            icon={align}
            label={w.aligns[align]}
            pressed={alignAt(state) === align}
            disabled={alignAt(state) === undefined}
            onPress={() => run(setAlign(align))}
          />
        ))}
      </span>
      <ToolMenu label={w.insert} text={w.insert} entries={insertions(props)} />
      <ToolMenu
        label={w.placeholder}
        text={w.placeholder}
        entries={[
          ...placeholders.map(({ name, label }) => ({
            key: name,
            text: label,
            disabled: !insertPlaceholder(name)(state),
            onChoose: () => run(insertPlaceholder(name), w.inserted(label)),
          })),
          { key: '', text: w.otherPlaceholder, onChoose: () => ask('placeholder', true) },
        ]}
      />
      <span class="toolgroup">
        <Tool
          icon="up"
          label={w.up}
          keys="Alt+↑"
          disabled={!moveBlock(-1)(state)}
          onPress={() => run(moveBlock(-1), w.movedUp, true)}
        />
        <Tool
          icon="down"
          label={w.down}
          keys="Alt+↓"
          disabled={!moveBlock(1)(state)}
          onPress={() => run(moveBlock(1), w.movedDown, true)}
        />
        <Tool icon="remove" label={w.remove} onPress={() => run(removeBlock, w.removed)} />
      </span>
      <span class="toolgroup">
        <Tool icon="undo" label={w.undo} keys="Ctrl+Z" disabled={!undo(state)} onPress={() => run(undo)} />
        <Tool icon="redo" label={w.redo} keys="Ctrl+Y" disabled={!redo(state)} onPress={() => run(redo)} />
      </span>
      {selected && (
        <button
          type="button"
          data-tool
          tabIndex={-1}
          class="tool chosen"
          onMouseDown={keepFocus}
          onClick={() => ask(selected, false)}
        >
          {selected === 'image' ? w.imageTitle : w.buttonTitle}: {w.edit}
        </button>
      )}
    </div>
  );
};
