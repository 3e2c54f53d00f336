// What is written and not saved. Who leaves it by a link, the palette, "back", a dialog's Escape or by closing the tab is asked
// first. Forms tell it of themselves (draft.ts); the question itself is shell/leave-question.tsx.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export interface Unsaved {
  /** Where it is written; absent: somewhere in the page. */
  readonly element?: Element | null;
  readonly kind: 'typed' | 'secret';
  /** The tab keeps it, and offers it to who comes back. */
  readonly isKept: boolean;
  /** It is being saved: what is closed then is not asked about. */
  readonly isSaving?: () => boolean;
  /** It is not wanted any more. */
  readonly discard?: () => void;
}

/** With the address at which each is. */
const present = new Map<Unsaved, string>();

export const addUnsaved = (unsaved: Unsaved): void => {
  present.set(unsaved, location.href);
};
export const removeUnsaved = (unsaved: Unsaved): void => {
  present.delete(unsaved);
};

const unsavedIn = (place: Element | null | undefined): readonly Unsaved[] =>
  [...present.keys()].filter(
    ({ element, isSaving }) => isSaving?.() !== true && (!place || (element && place.contains(element))),
  );

/** `place`: only what is in there is left; absent: the page. */
export const isUnsaved = (place?: Element | null): boolean => unsavedIn(place).length > 0;

export type LeaveAnswer = 'stay' | 'keep' | 'discard';
export interface LeaveQuestion {
  readonly isSecret: boolean;
  readonly isKept: boolean;
  readonly answer: (answer: LeaveAnswer) => void;
}
export const leaveQuestion = signal<LeaveQuestion | null>(null);

/**
 * Asks where something is unsaved; whoever asks while another question is open is told to stay. `canKeep`: false where no draft
 * outlives what is done next.
 */
export const mayLeave = async (place?: Element | null, canKeep = true): Promise<boolean> => {
  const left = unsavedIn(place);
  if (left.length === 0) return true;
  if (leaveQuestion.value !== null) return false;
  const answer = await new Promise<LeaveAnswer>((resolve) => {
    leaveQuestion.value = {
      isSecret: left.some(({ kind }) => kind === 'secret'),
      isKept: canKeep && left.some(({ isKept }) => isKept),
      answer: resolve,
    };
  });
  leaveQuestion.value = null;
  if (answer === 'stay') return false;
  for (const one of left) {
    removeUnsaved(one);
    if (answer === 'discard') one.discard?.();
  }
  return true;
};

/** Closes at once where nothing is unsaved there, or `place` is gone: what is done next may rely on it. */
export const closeUnlessUnsaved = (place: Element | null, close: () => void): void => {
  if (place !== null && isUnsaved(place)) void mayLeave(place).then((isLeft) => isLeft && close());
  else close();
};

/** The link that the router follows, which takes the page away. */
const leavingLink = (event: MouseEvent): HTMLAnchorElement | undefined => {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return undefined;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  return link !== null && link.href !== '' && link.hash === '' && link.target === '' && !link.download
    ? link
    : undefined;
};

/** Called before the router is rendered: of listeners at the window the first one decides. */
export const guardUnsaved = (): void => {
  addEventListener('beforeunload', (event) => {
    if (present.size > 0) event.preventDefault();
  });
  addEventListener(
    'click',
    (event) => {
      const link = leavingLink(event);
      if (link === undefined || !isUnsaved()) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      void mayLeave().then((isLeft) => isLeft && link.click());
    },
    { capture: true },
  );
  addEventListener('popstate', (event) => {
    const [address] = present.values();
    if (address === undefined || !isUnsaved()) return;
    event.stopImmediatePropagation();
    // The entry that was left is put on top of the one that was gone to.
    history.pushState(null, '', address);
    void mayLeave().then((isLeft) => isLeft && history.back());
  });
};

/** For what is in no `Form`. */
export const useUnsaved = (isChanged: boolean, kind: Unsaved['kind'] = 'typed'): void => {
  useEffect(() => {
    if (!isChanged) return;
    const unsaved: Unsaved = { kind, isKept: false };
    addUnsaved(unsaved);
    return () => removeUnsaved(unsaved);
  }, [isChanged]);
};
