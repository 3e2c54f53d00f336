// Signing in by a code from a mail, or by a password where the service takes one: as a page, and as a dialog over the page that
// was being used.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { call, Refusal } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { Button } from '#dashboard/parts/basics.tsx';
import { ErrorNote, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField } from '#dashboard/parts/form.tsx';
import { signedIn } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import type { SignInProps } from './opened.ts';
import { words } from './sign-in/words/de.ts';
import { shellWords } from './words.ts';

const DIGITS = 6;
/** Said by the HTML page: whether a password is taken is known before anyone signs in. */
const takesPasswords = 'passwords' in document.documentElement.dataset;

interface CodeBoxesProps {
  readonly onCode: (code: string) => void;
  readonly disabled: boolean;
}

/** Six boxes for six digits; a code that is pasted, or filled in by the browser, fills all of them. */
const CodeBoxes = ({ onCode, disabled }: CodeBoxesProps) => {
  const w = translated(words);
  const [digits, setDigits] = useState('');
  const boxes = useRef<(HTMLInputElement | null)[]>([]);
  // A document obeys `autofocus` once only, and this may be its second sign-in.
  useLayoutEffect(() => {
    if (!disabled) boxes.current[0]?.focus();
  }, [disabled]);
  const take = (next: string, at: number): void => {
    const code = next.replace(/\D/g, '').slice(0, DIGITS);
    setDigits(code);
    boxes.current[Math.min(at, DIGITS - 1)]?.focus();
    if (code.length === DIGITS) onCode(code);
  };
  const typed = (at: number, text: string): void => {
    const added = text.replace(/\D/g, '');
    if (added.length > 1)
      take(added.length >= DIGITS ? added : digits.slice(0, at) + added, at + added.length);
    else take(digits.slice(0, at) + added + digits.slice(at + 1), added === '' ? at : at + 1);
  };
  return (
    <fieldset class="codeboxes" disabled={disabled}>
      <legend>{w.code}</legend>
      {Array.from({ length: DIGITS }, (_, at) => (
        <input
          key={at}
          ref={(element) => {
            boxes.current[at] = element;
          }}
          inputMode="numeric"
          autoComplete={at === 0 ? 'one-time-code' : 'off'}
          aria-label={w.digit(at + 1)}
          value={digits[at] ?? ''}
          onInput={(event) => typed(at, event.currentTarget.value)}
          onPaste={(event) => {
            event.preventDefault();
            take(event.clipboardData?.getData('text') ?? '', DIGITS);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Backspace' && !digits[at]) take(digits.slice(0, Math.max(0, at - 1)), at - 1);
            if (event.key === 'ArrowLeft') boxes.current[Math.max(0, at - 1)]?.focus();
            if (event.key === 'ArrowRight') boxes.current[Math.min(DIGITS - 1, at + 1)]?.focus();
          }}
        />
      ))}
    </fieldset>
  );
};

/** What `sendwerk admin sign-in-link` puts behind the `#`; null where it is something else. */
const linkedCode = (): { readonly email: string; readonly code: string } | null => {
  const given = new URLSearchParams(location.hash.slice(1));
  const email = given.get('email');
  const code = given.get('code');
  return email === null || code === null ? null : { email, code };
};

const isWrong = (error: unknown): boolean => error instanceof Refusal && error.status === 401;

export const SignIn = ({ email: fixed, onDone }: SignInProps) => {
  const w = translated(words);
  const [linked] = useState(() => (fixed === null ? linkedCode() : null));
  const [email, setEmail] = useState(fixed ?? linked?.email ?? '');
  const [password, setPassword] = useState('');
  const [step, setStep] = useState<'address' | 'code' | 'password' | 'link'>(linked ? 'link' : 'address');
  useLayoutEffect(() => {
    // Neither the history nor a copied address keeps the code.
    if (linked) history.replaceState(history.state, '', location.pathname);
  }, [linked]);
  const done = async (): Promise<void> => {
    await signedIn();
    onDone();
  };
  /** A code is sent once a minute at most; until then asking again would do nothing. */
  const [isTooSoon, setTooSoon] = useState(false);
  const requestCode = async (): Promise<void> => {
    const { retry_after } = await call(
      'POST /api/auth/request-otp',
      { body: { email } },
      { withoutSession: true },
    );
    setTooSoon(true);
    setTimeout(() => setTooSoon(false), retry_after * 1_000);
  };
  const request = useAction(async () => {
    await requestCode();
    setStep('code');
  });
  const [attempt, setAttempt] = useState(0);
  const verify = useAction(async (code: string) => {
    try {
      await call('POST /api/auth/verify-otp', { body: { email, code } }, { withoutSession: true });
    } catch (error) {
      setAttempt((before) => before + 1);
      throw error;
    }
    await done();
  });
  const again = useAction(async () => {
    await requestCode();
    verify.clear();
    setAttempt((before) => before + 1);
    toast(w.codeSentAgain);
  });
  const byPassword = useAction(async () => {
    await call('POST /api/auth/login-password', { body: { email, password } }, { withoutSession: true });
    await done();
  });
  const address = (
    <TextField
      label={w.email}
      type="email"
      autoComplete="username"
      path="email"
      required
      disabled={fixed !== null}
      value={email}
      onValue={setEmail}
    />
  );
  const other = (to: typeof step, text: string) => (
    <Button text={text} kind="plain" onClick={() => setStep(to)} />
  );
  // A button, because any site could lead to a link of its own, and would sign its victim in to another account.
  if (step === 'link' && linked)
    return (
      <div>
        <p>{w.byLink(email)}</p>
        <Button
          text={shellWords().signIn}
          kind="primary"
          disabled={verify.isRunning}
          onClick={() => void verify.run(linked.code)}
        />
        <ErrorNote error={verify.error} what={isWrong(verify.error) ? w.wrongCode : undefined} />
        {other('address', w.otherAddress)}
      </div>
    );
  if (step === 'password')
    return (
      <Form
        isGuarded={false}
        action={byPassword}
        submit={shellWords().signIn}
        others={other('address', w.withCode)}
        what={isWrong(byPassword.error) ? w.wrongPassword : undefined}
      >
        {address}
        <TextField
          label={w.password}
          type="password"
          autoComplete="current-password"
          path="password"
          required
          value={password}
          onValue={setPassword}
        />
      </Form>
    );
  if (step === 'address')
    return (
      <Form
        isGuarded={false}
        action={request}
        submit={w.sendCode}
        others={takesPasswords && other('password', w.withPassword)}
      >
        {address}
        <p class="hint">{w.byCode}</p>
      </Form>
    );
  return (
    <div>
      <p>{w.codeSent(email)}</p>
      <CodeBoxes key={attempt} onCode={(code) => void verify.run(code)} disabled={verify.isRunning} />
      <ErrorNote error={verify.error} what={isWrong(verify.error) ? w.wrongCode : undefined} />
      <ErrorNote error={again.error} />
      <Button text={w.newCode} disabled={again.isRunning || isTooSoon} onClick={() => void again.run()} />
      {fixed === null && other('address', w.otherAddress)}
    </div>
  );
};
