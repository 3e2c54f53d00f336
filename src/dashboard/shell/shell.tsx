// What is around every page: navigation, the practice, connection, account; and the page itself by its path.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import lazy, { ErrorBoundary } from 'preact-iso/lazy';
import { Route, Router, useLocation } from 'preact-iso/router';
import { Refusal } from '#dashboard/api/call.ts';
import { forgetReload, isReachable, loadPart, reached, reloadOnce } from '#dashboard/api/reach.ts';
import { languages, languageTags } from '#dashboard/languages.ts';
import { liveState, useLiveStream } from '#dashboard/live.ts';
import type { PageEntry } from '#dashboard/page-entry.ts';
import { operatorPages, ownPages, practicePages } from '#dashboard/pages.ts';
import { Button, Head, Lamp } from '#dashboard/parts/basics.tsx';
import { Menu } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, Note } from '#dashboard/parts/feedback.tsx';
import { mayLeave } from '#dashboard/parts/unsaved.ts';
import { usePlaces } from '#dashboard/place.ts';
import { account, practice, signOut } from '#dashboard/session.ts';
import { useUnread } from '#dashboard/unread.ts';
import { chooseLanguage, language } from '#dashboard/words.ts';
import { chooseScheme, scheme, schemes } from './appearance.ts';
import { useKeys } from './keys.ts';
import { LeaveQuestion } from './leave-question.tsx';
import { isAllowed, Navigation } from './navigation.tsx';
import { ConflictOnDemand, HelpOnDemand, PaletteOnDemand } from './on-demand.tsx';
import { isHelpOpen, isPaletteOpen } from './opened.ts';
import { findPractice, Home } from './practices.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { shellWords } from './words.ts';

const Message = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <>
    <Head title={title} />
    <p>{text}</p>
  </>
);

const NotFound = () => {
  const w = shellWords();
  return <Message title={w.notFound} text={w.notFoundText} />;
};

/** A page that is gone belongs to a version that was updated: the new one is loaded, once, and only while the service answers. */
const loadOrReload = async (entry: PageEntry) => {
  try {
    const page = await loadPart(entry.load);
    forgetReload();
    return page;
  } catch {
    await reloadOnce();
    return { default: Broken };
  }
};

const lazily = new Map(
  [...practicePages, ...operatorPages, ...ownPages].map(
    (entry) => [entry, lazy(() => loadOrReload(entry))] as const,
  ),
);

const pageOf = (entry: PageEntry) => {
  const Loaded = lazily.get(entry) ?? NotFound;
  return ({ item }: { readonly item?: string }) => {
    const w = shellWords();
    if (!isAllowed(entry)) {
      const text = entry.group === 'operator' ? w.operatorsText : w.forbiddenText;
      return <Message title={w.forbidden} text={text} />;
    }
    // Nothing of one record is left when the next one is opened.
    return item === undefined ? <Loaded /> : <Loaded key={item} item={item} />;
  };
};

const practiceRoutes = practicePages.map((entry) => ({
  path: `/app/:practice/${entry.path}`,
  Page: pageOf(entry),
}));
const otherRoutes = [...operatorPages, ...ownPages].map((entry) => ({
  path: `/app/${entry.path}`,
  Page: pageOf(entry),
}));

const AccountMenu = () => {
  const w = shellWords();
  return (
    <Menu label={<span class="address">{account.value?.email}</span>}>
      <a href="/app/account">{w.account}</a>
      <fieldset>
        <legend>{w.language}</legend>
        {languageTags.map((tag) => (
          <Button
            text={languages[tag].name}
            key={tag}
            aria-pressed={language.value === tag}
            onClick={() => chooseLanguage(tag)}
          />
        ))}
      </fieldset>
      <fieldset>
        <legend>{w.colours}</legend>
        {schemes.map((one) => (
          <Button
            text={w.schemes[one]}
            key={one}
            aria-pressed={scheme.value === one}
            onClick={() => chooseScheme(one)}
          />
        ))}
      </fieldset>
      <Button text={w.shortcuts} onClick={() => (isHelpOpen.value = true)} />
      <Button
        text={w.signOut}
        onClick={() =>
          void mayLeave(null, false)
            .then(async (isLeft) => isLeft && (await signOut()))
            .catch(() => {})
        }
      />
    </Menu>
  );
};

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const lampOf = { connected: 'good', connecting: 'warn', hidden: 'plain' } as const;

const Bar = ({ onMenu, isMenuOpen }: { readonly onMenu: () => void; readonly isMenuOpen: boolean }) => {
  const w = shellWords();
  const inside = practice.value;
  const state = isReachable.value ? liveState.value : 'connecting';
  return (
    <header class="bar">
      <Button text={w.menu} kind="menubutton" aria-expanded={isMenuOpen} onClick={onMenu} />
      <a class="brand" href="/app">
        Sendwerk
      </a>
      <button
        type="button"
        class="switcher"
        aria-haspopup="dialog"
        onClick={() => (isPaletteOpen.value = true)}
      >
        <span>{inside?.name ?? w.choosePractice}</span>
        <span class="quiet">{w.search}</span>
        <kbd>{isApple ? '⌘K' : w.ctrlK}</kbd>
      </button>
      {(inside || !isReachable.value) && <Lamp tone={lampOf[state]} text={w.live[state]} />}
      <AccountMenu />
    </header>
  );
};

/** Only one is on the screen of a phone at a time. */
const Frame = ({ children }: { readonly children: ComponentChildren }) => {
  const w = shellWords();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const inside = practice.value;
  const isGuest = inside !== undefined && inside.role === null;
  return (
    <div class="frame">
      <a class="skip" href="#main">
        {w.skip}
      </a>
      <Bar isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} />
      <div class={isMenuOpen ? 'side open' : 'side'}>
        <Navigation onChosen={() => setMenuOpen(false)} />
      </div>
      <main id="main" tabIndex={-1}>
        {isGuest && (
          <Note kind="warn">
            {w.asOperator(inside.name)} <a href="/app/operator/practices">{w.leave}</a>
          </Note>
        )}
        {children}
      </main>
    </div>
  );
};

const Broken = () => {
  const w = shellWords();
  return (
    <>
      <Head title={w.broken} />
      <Button text={w.reload} onClick={() => void reached().then(() => location.reload())} />
    </>
  );
};

interface NotEnteredProps {
  readonly failure: unknown;
  readonly onRetry: () => void;
}

/** What is shown where the practice could not be entered. */
const NotEntered = ({ failure, onRetry }: NotEnteredProps) =>
  failure instanceof Refusal && failure.status === 404 ? (
    <NotFound />
  ) : (
    <ErrorNote error={failure} onRetry={onRetry} />
  );

/** The id in `/app/{practiceId}/…`. */
const practiceIn = (path: string): string | undefined =>
  /^\/app\/([0-9a-f-]{36})(?:\/|$)/i.exec(path)?.[1]?.toLowerCase();

/** Only who is signed in gets here. */
export const Shell = () => {
  const { path } = useLocation();
  const practiceId = practiceIn(path);
  const [failure, setFailure] = useState<unknown>();
  const [broken, setBroken] = useState<unknown>();
  useKeys();
  usePlaces();
  const enter = () => {
    setFailure(undefined);
    let isLeft = false;
    if (practiceId === undefined) practice.value = undefined;
    else
      findPractice(practiceId).then(
        (found) => {
          if (!isLeft) practice.value = found;
        },
        (error) => {
          // What is shown of it stays, with what was typed there.
          if (!isLeft && practice.value?.id !== practiceId) setFailure(error);
        },
      );
    return () => {
      isLeft = true;
    };
  };
  useEffect(enter, [practiceId, account.value]);
  useLiveStream(practice.value?.id);
  useUnread();
  useEffect(() => {
    setBroken(undefined);
  }, [path]);
  const isEntered = practice.value?.id === practiceId;
  return (
    <>
      <Frame>
        {broken !== undefined ? (
          <Broken />
        ) : failure !== undefined ? (
          <NotEntered failure={failure} onRetry={enter} />
        ) : (
          isEntered && (
            <ErrorBoundary onError={setBroken}>
              <Router>
                {[
                  <Route key="home" path="/app" component={Home} />,
                  ...[...otherRoutes, ...practiceRoutes].map(({ path: pattern, Page }) => (
                    <Route key={pattern} path={pattern} component={Page} />
                  )),
                  // After those that have one segment too.
                  <Route key="practice" path="/app/:practice" component={Home} />,
                  <Route key="none" default component={NotFound} />,
                ]}
              </Router>
            </ErrorBoundary>
          )
        )}
      </Frame>
      <PaletteOnDemand />
      <HelpOnDemand />
      <LeaveQuestion />
      <SignInAgain />
      <ConflictOnDemand />
    </>
  );
};
