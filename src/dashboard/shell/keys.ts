// Keys for all pages: `/` goes into the search box, or opens the palette where a page has none, the arrow down from there to what
// was found, `j` and `k` walk through the rows of a list, `?` shows them all. In fields they are letters, and they can be switched
// off.
import { useEffect } from 'preact/hooks';
import { account } from '#dashboard/session.ts';
import { letterKeys } from './letter-keys.ts';
import { isHelpOpen, isPaletteOpen } from './opened.ts';

/** The editor of templates is in a shadow tree: outside of it the event has its host for a target. */
const isTyping = (event: Event): boolean => {
  const [target] = event.composedPath();
  return (
    target instanceof Element &&
    target.matches('input:not([type=checkbox]), textarea, select, [role=textbox], [contenteditable=true]')
  );
};

const walk = (step: 1 | -1): void => {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[at === -1 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
};

const press = (event: KeyboardEvent): void => {
  // An editor that makes a link by the same keys has taken them.
  if (event.key === 'k' && (event.metaKey || event.ctrlKey) && !event.defaultPrevented) {
    event.preventDefault();
    isPaletteOpen.value = account.value != null && !isPaletteOpen.value;
    return;
  }
  if (event.metaKey || event.ctrlKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (event.key === 'ArrowDown' && (event.target as Element).matches('main [data-search]')) walk(1);
  if (isTyping(event) || letterKeys.value === 'off') return;
  if (event.key === 'j') walk(1);
  else if (event.key === 'k') walk(-1);
  else if (event.key === '?') isHelpOpen.value = true;
  else if (event.key === '/') {
    const box = document.querySelector<HTMLInputElement>('main [data-search]');
    event.preventDefault();
    if (!box) isPaletteOpen.value = true;
    box?.focus();
    box?.select();
  }
};

export const useKeys = (): void => {
  useEffect(() => {
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
};
