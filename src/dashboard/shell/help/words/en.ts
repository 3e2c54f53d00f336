import type { words as german } from './de.ts';

export const words: typeof german = {
  title: 'Keyboard shortcuts',
  keys: {
    palette: 'Search, and go to a page',
    search: 'Into the search box of the page',
    down: 'From the search box to the first entry',
    next: 'Next entry of the list',
    before: 'Entry before that',
    close: 'Close a window',
    help: 'This overview',
  },
  letters: 'Use shortcuts of a single key',
  lettersHint: 'Switch them off if you dictate or steer by voice. This holds for this browser.',
};
