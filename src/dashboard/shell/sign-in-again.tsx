// The dialog over a page whose session is over, or whose sign-in is too old for what was asked: the call waits for it, and is
// repeated.
import { effect, signal } from '@preact/signals';
import { onSignInNeeded, type SignInReason } from '#dashboard/api/call.ts';
import { Dialog } from '#dashboard/parts/dialog.tsx';
import { account } from '#dashboard/session.ts';
import { SignIn } from './on-demand.tsx';
import { shellWords } from './words.ts';

interface Asked {
  readonly reason: SignInReason;
  readonly answers: ((isDone: boolean) => void)[];
}

const asked = signal<Asked | null>(null);

/** Several calls that fail at once wait for one sign-in. */
onSignInNeeded(
  (reason) =>
    new Promise((resolve) => {
      if (asked.value) asked.value.answers.push(resolve);
      else asked.value = { reason, answers: [resolve] };
    }),
);

const answer = (isDone: boolean): void => {
  const { answers = [] } = asked.value ?? {};
  asked.value = null;
  for (const resolve of answers) resolve(isDone);
};

// What the one before asked for is not done in the name of who signs in next.
effect(() => {
  if (account.value === null) answer(false);
});

export const SignInAgain = () => {
  const w = shellWords();
  const { value } = asked;
  return (
    <Dialog title={w.signIn} isOpen={value !== null} onClose={() => answer(false)}>
      <p>{value?.reason === 'sign_in_again' ? w.signInAgain : w.sessionOver}</p>
      <SignIn email={account.value?.email ?? null} onDone={() => answer(true)} />
    </Dialog>
  );
};
