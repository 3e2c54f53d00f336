// The dashboard in the browser: who is signed in decides whether the sign-in page or the shell is shown.
import { effect } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { LocationProvider, useLocation } from 'preact-iso/router';
import { isReachable } from '#dashboard/api/reach.ts';
import { Head } from '#dashboard/parts/basics.tsx';
import { ErrorNote, Toasts } from '#dashboard/parts/feedback.tsx';
import { guardUnsaved } from '#dashboard/parts/unsaved.ts';
import { followPlaces } from '#dashboard/place.ts';
import { account, loadAccount } from '#dashboard/session.ts';
import { SignIn } from '#dashboard/shell/on-demand.tsx';
import { Shell } from '#dashboard/shell/shell.tsx';
import { shellWords } from '#dashboard/shell/words.ts';
import { language } from '#dashboard/words.ts';

const SIGN_IN_PATH = '/app/sign-in';

const SignInPage = () => {
  const { path, route } = useLocation();
  return (
    <main class="signin">
      <p class="brand">Sendwerk</p>
      <Head title={shellWords().signInTitle} />
      <SignIn email={null} onDone={() => path === SIGN_IN_PATH && route('/app', true)} />
    </main>
  );
};

const App = () => {
  const { path, route } = useLocation();
  const [failure, setFailure] = useState<unknown>();
  const load = (): void => {
    setFailure(undefined);
    loadAccount().catch(setFailure);
  };
  useEffect(load, []);
  useEffect(() => {
    if (account.value && path === SIGN_IN_PATH) route('/app', true);
  }, [path, account.value]);
  if (failure !== undefined)
    return (
      <main class="signin">
        <ErrorNote error={failure} onRetry={load} />
      </main>
    );
  if (account.value === undefined)
    return (
      <div class="frame">
        <header class="bar">
          <span class="brand">Sendwerk</span>
        </header>
      </div>
    );
  return account.value === null ? <SignInPage /> : <Shell />;
};

guardUnsaved();
followPlaces();
// What the browser itself would load, a download or another window, would show its own page of an error.
addEventListener(
  'click',
  (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (isReachable.value || !link || link.origin !== location.origin || link.hash !== '') return;
    if (link.download || link.target !== '' || !link.pathname.startsWith('/app')) event.preventDefault();
  },
  { capture: true },
);
effect(() => {
  document.documentElement.lang = language.value;
});
const root = document.getElementById('app');
if (root) {
  // The bar of the HTML, which was there before this script.
  root.replaceChildren();
  render(
    <LocationProvider scope="/app">
      <App />
      <Toasts />
    </LocationProvider>,
    root,
  );
}
