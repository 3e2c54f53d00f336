// What is not needed at first: loaded when it is wanted, in a file of its own.
import { signal } from '@preact/signals';
import { type Conflict, onConflict } from '#dashboard/api/call.ts';
import { loadPart } from '#dashboard/api/reach.ts';
import { useLoaded } from '#dashboard/parts/on-demand.ts';
import { isHelpOpen, isPaletteOpen, type SignInProps } from './opened.ts';

export const PaletteOnDemand = () => {
  const part = useLoaded(() => import('./palette.tsx'), isPaletteOpen.value);
  return part ? <part.Palette /> : null;
};

export const HelpOnDemand = () => {
  const part = useLoaded(() => import('./help.tsx'), isHelpOpen.value);
  return part ? <part.Help /> : null;
};

export const SignIn = (props: SignInProps) => {
  const part = useLoaded(() => import('./sign-in.tsx'), true);
  return part ? <part.SignIn {...props} /> : null;
};

const hasConflict = signal(false);
onConflict(async (conflict: Conflict) => {
  hasConflict.value = true;
  const { askWhich } = await loadPart(() => import('#dashboard/parts/conflict.tsx'));
  return askWhich(conflict);
});

export const ConflictOnDemand = () => {
  const part = useLoaded(() => import('#dashboard/parts/conflict.tsx'), hasConflict.value);
  return part ? <part.ConflictDialog /> : null;
};
