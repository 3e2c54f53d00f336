// Which of the windows over all pages are open, and what the sign-in is given: known before the files of these are loaded.
import { signal } from '@preact/signals';

export const isPaletteOpen = signal(false);
export const isHelpOpen = signal(false);

export interface SignInProps {
  /** The address that must sign in again; null: any. */
  readonly email: string | null;
  readonly onDone: () => void;
}
