// Light or dark: as the system, or as chosen here.
import { effect, signal } from '@preact/signals';
import { kept } from '#dashboard/kept.ts';

export const schemes = ['system', 'light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

export const scheme = signal<Scheme>(kept.get('scheme', schemes) ?? 'system');

effect(() => {
  document.documentElement.dataset.scheme = scheme.value;
});

export const chooseScheme = (chosen: Scheme): void => {
  kept.set('scheme', chosen);
  scheme.value = chosen;
};
