// Text that is written and not saved: who leaves its page by a link, the palette, "back" or by closing the tab is asked first.
import { useEffect } from 'preact/hooks';
import { partWords } from './words.ts';

/** The address where something is unsaved. */
let unsavedAt: string | undefined;

/** Asks where something is unsaved. */
export const mayLeave = (): boolean => unsavedAt === undefined || confirm(partWords().leaveUnsaved);

/** Whether the router follows it, which takes the page away. */
const leavesPage = (event: MouseEvent): boolean => {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  return link !== null && link.href !== '' && link.hash === '' && link.target === '' && !link.download;
};

/** Called before the router is rendered: of listeners at the window the first one decides. */
export const guardUnsaved = (): void => {
  addEventListener('beforeunload', (event) => {
    if (unsavedAt !== undefined) event.preventDefault();
  });
  addEventListener(
    'click',
    (event) => {
      if (!leavesPage(event) || mayLeave()) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    { capture: true },
  );
  addEventListener('popstate', (event) => {
    const address = unsavedAt;
    if (mayLeave()) return;
    event.stopImmediatePropagation();
    history.pushState(null, '', address);
  });
};

export const useUnsaved = (isChanged: boolean): void => {
  useEffect(() => {
    if (!isChanged) return;
    unsavedAt = location.href;
    return () => {
      unsavedAt = undefined;
    };
  }, [isChanged]);
};
