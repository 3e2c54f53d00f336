// Shortcuts that are a single key can be switched off: whoever dictates or steers by voice would press them by words (WCAG 2.1.4).
import { signal } from '@preact/signals';
import { kept } from '#dashboard/kept.ts';

const switches = ['on', 'off'] as const;
type Switch = (typeof switches)[number];

export const letterKeys = signal<Switch>(kept.get('letter-keys', switches) ?? 'on');

export const chooseLetterKeys = (chosen: Switch): void => {
  kept.set('letter-keys', chosen);
  letterKeys.value = chosen;
};
