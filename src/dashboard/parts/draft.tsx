// What a form keeps while one types: whether it is changed, for the question before it is left (unsaved.ts), and a draft in the tab
// (drafts.ts), which is offered when one comes back. Passwords, keys and files are not kept.
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { account } from '#dashboard/session.ts';
import { draftMoment } from '#dashboard/words.ts';
import { Button } from './basics.tsx';
import { type Draft, draftAt, dropDraft, keepDraft } from './drafts.ts';
import { addUnsaved, removeUnsaved, type Unsaved } from './unsaved.ts';
import { partWords } from './words.ts';

/** What a form holds besides native controls: then all of it is kept by this. */
export interface Held {
  readonly text: string;
  readonly restore: (text: string) => void;
}

/** `value` is JSON. */
export const held = <T,>(value: T, restore: (value: T) => void): Held => ({
  text: JSON.stringify(value),
  restore: (text) => restore(JSON.parse(text) as T),
});

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
type Values = Readonly<Record<string, string | boolean>>;

const isControl = (element: Element): element is Control =>
  element.matches('input:not([type=hidden], [type=submit], [type=button]), textarea, select');
const isChecked = (control: Control): control is HTMLInputElement =>
  control.type === 'checkbox' || control.type === 'radio';
const isSecret = (control: Control): boolean =>
  control.type === 'password' || control.type === 'file' || 'secret' in control.dataset;

/** The controls by name, or else by label. */
const controlsOf = (form: HTMLFormElement): ReadonlyMap<string, Control> => {
  const found = new Map<string, Control>();
  for (const element of form.elements) {
    if (!isControl(element)) continue;
    const name =
      element.name || (element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? '');
    let key = name;
    for (let at = 2; found.has(key); at++) key = `${name} ${at}`;
    found.set(key, element);
  }
  return found;
};

const controlValue = (control: Control): string | boolean =>
  isChecked(control) ? control.checked : control.value;

const valuesOf = (form: HTMLFormElement, isWanted: (control: Control) => boolean = () => true): Values =>
  Object.fromEntries(
    [...controlsOf(form)]
      .filter(([, control]) => isWanted(control))
      .map(([key, control]) => [key, controlValue(control)]),
  );

const isSame = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Sets it in the way a person does: the form's own handlers take it from there. */
const setControl = (control: Control, value: string | boolean): void => {
  if (typeof value === 'boolean') {
    if (isChecked(control) && control.checked !== value) control.click();
    return;
  }
  if (control.value === value) return;
  control.value = value;
  control.dispatchEvent(new Event('input', { bubbles: true }));
  control.dispatchEvent(new Event('change', { bubbles: true }));
};

/** A field that shows another one is set first. */
const MAX_ROUNDS = 4;

const setControls = async (form: HTMLFormElement, values: Values): Promise<void> => {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const controls = controlsOf(form);
    for (const [key, value] of Object.entries(values)) {
      const control = controls.get(key);
      if (control && !isSecret(control)) setControl(control, value);
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
};

/** The dialog's or card's own heading tells forms of one page apart. */
const keyOf = (form: HTMLFormElement, submit: string): string => {
  const heading = form.closest('dialog, .card')?.querySelector('h2')?.textContent ?? '';
  return [account.value?.id, location.pathname, heading, submit].join(' | ');
};

const KEPT_AFTER_MS = 300;

interface FormState {
  key: string;
  /** What it held before the person touched it. */
  first: Values;
  firstText: string | undefined;
  latest: Omit<Draft, 'at'> | undefined;
  isTouched: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  unsaved: Unsaved | undefined;
  isSaving: boolean;
}

interface Options {
  /** The text of the button that submits it. */
  readonly submit: string;
  /** False: leaving it is not asked about, and nothing is kept. */
  readonly isGuarded: boolean;
  readonly held: Held | undefined;
}

export const useDraft = (
  form: RefObject<HTMLFormElement | null>,
  { submit, isGuarded, held: own }: Options,
) => {
  const [offer, setOffer] = useState<Draft>();
  const state = useRef<FormState>({
    key: '',
    first: {},
    firstText: undefined,
    latest: undefined,
    isTouched: false,
    timer: undefined,
    unsaved: undefined,
    isSaving: false,
  }).current;
  const text = own?.text;

  const write = (): void => {
    clearTimeout(state.timer);
    state.timer = undefined;
    if (state.unsaved && state.latest) keepDraft(state.key, { at: Date.now(), ...state.latest });
  };
  const clean = (): void => {
    clearTimeout(state.timer);
    state.timer = undefined;
    if (state.unsaved) removeUnsaved(state.unsaved);
    state.unsaved = undefined;
    state.latest = undefined;
    state.isTouched = false;
  };
  /** Called by what the person does in the form, and after it is rendered. */
  const look = (): void => {
    const element = form.current;
    if (!isGuarded || element === null) return;
    const values = valuesOf(element);
    if (!state.isTouched) {
      state.first = values;
      state.firstText = text;
      return;
    }
    if (text === undefined ? isSame(values, state.first) : text === state.firstText) {
      if (state.unsaved) {
        dropDraft(state.key);
        clean();
      }
      return;
    }
    const kept = valuesOf(element, (control) => !isSecret(control));
    state.latest =
      text !== undefined ? { text } : Object.keys(kept).length > 0 ? { values: kept } : undefined;
    const isKept = state.latest !== undefined;
    if (state.unsaved) removeUnsaved(state.unsaved);
    state.unsaved = {
      element,
      kind: 'typed',
      isKept,
      isSaving: () => state.isSaving,
      discard: () => {
        dropDraft(state.key);
        clean();
      },
    };
    addUnsaved(state.unsaved);
    if (isKept) state.timer ??= setTimeout(write, KEPT_AFTER_MS);
  };
  const latest = useRef({ look, write });
  latest.current = { look, write };

  useEffect(() => {
    const element = form.current;
    if (!isGuarded || element === null) return;
    state.key = keyOf(element, submit);
    state.isTouched = false;
    const found = draftAt(state.key);
    if (found !== undefined) {
      const differs =
        text === undefined
          ? !isSame({ ...valuesOf(element), ...found.values }, valuesOf(element))
          : found.text !== text;
      if (differs) setOffer(found);
    }
    const onChange = (): void => {
      state.isTouched = true;
      latest.current.look();
    };
    const onTouch = (): void => {
      // The first values are those before this.
      if (!state.isTouched) latest.current.look();
      state.isTouched = true;
    };
    const onLeave = (): void => {
      // What was typed last may be rendered and not looked at yet: effects wait for the next frame.
      latest.current.look();
      latest.current.write();
    };
    // Native controls say themselves that they were changed. An editor does not: there the first touch counts.
    const touches = text === undefined ? [] : (['pointerdown', 'keydown', 'drop', 'paste'] as const);
    for (const name of touches) element.addEventListener(name, onTouch, { capture: true });
    element.addEventListener('input', onChange);
    element.addEventListener('change', onChange);
    addEventListener('pagehide', onLeave);
    return () => {
      for (const name of touches) element.removeEventListener(name, onTouch, { capture: true });
      element.removeEventListener('input', onChange);
      element.removeEventListener('change', onChange);
      removeEventListener('pagehide', onLeave);
      latest.current.write();
      clean();
    };
  }, []);
  useEffect(look);

  return {
    offer: offer && {
      at: offer.at,
      restore: () => {
        setOffer(undefined);
        state.isTouched = true;
        if (offer.text !== undefined) own?.restore(offer.text);
        else if (form.current && offer.values) void setControls(form.current, offer.values);
      },
      discard: () => {
        setOffer(undefined);
        if (!state.unsaved) dropDraft(state.key);
      },
    },
    /** Runs what saves the form: while that lasts nothing is asked, and what it saved is no draft any more. */
    saving: async (save: () => Promise<boolean>): Promise<void> => {
      state.isSaving = true;
      const { key } = state;
      try {
        if (!(await save())) return;
        setOffer(undefined);
        dropDraft(key);
        clean();
        latest.current.look();
      } finally {
        state.isSaving = false;
      }
    },
  };
};

export const DraftNote = ({ offer }: Pick<ReturnType<typeof useDraft>, 'offer'>) => {
  if (offer === undefined) return null;
  const w = partWords().draft;
  return (
    <div class="note" role="status">
      <p>{w.isThere(draftMoment(offer.at))}</p>
      <p class="actions">
        <Button text={w.goOn} kind="small" onClick={offer.restore} />
        <Button text={w.discard} kind="small plain" onClick={offer.discard} />
      </p>
    </div>
  );
};
