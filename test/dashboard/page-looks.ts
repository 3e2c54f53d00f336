// Looks at the pages of the list: by axe-core and on a telephone in `npm test`; in `npm run soak` in both languages, dark, with forced
// colours and reduced motion, and half as wide.
import { accessibilityProblems, PHONE, type TestBrowser, tooWide } from '#test/support/browser.ts';
import type { Language, TestPage } from '#test/support/chromium.ts';
import { soak } from '#test/support/soak.ts';
import { goOn, languages, pages, type ShownPage, show, viewing } from './pages.ts';
import type { Scene } from './scene.ts';

/** Of what axe-core checks, that which depends on the width. */
const ON_A_TELEPHONE = ['color-contrast', 'target-size', 'scrollable-region-focusable', 'link-in-text-block'];

/** The narrowest with the navigation, and with tables as tables. */
const HALF_A_SCREEN = [881, 761];

/** Each changes what the one before it left: opening a page takes longer than a look at it. */
const looks: Readonly<Record<string, (page: TestPage) => Promise<readonly string[]>>> = {
  light: (page) => accessibilityProblems(page),
  dark: async (page) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    return accessibilityProblems(page, { rules: ['color-contrast'] });
  },
  'forced colours, reduced motion': async (page) => {
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active', reducedMotion: 'reduce' });
    return accessibilityProblems(page, { rules: ['color-contrast'] });
  },
  'half a screen, beside the navigation and without it': async (page) => {
    await page.emulateMedia({ forcedColors: 'none', reducedMotion: 'no-preference' });
    const found: string[] = [];
    for (const width of HALF_A_SCREEN) {
      await page.setViewportSize({ width, height: 800 });
      found.push(...(await tooWide(page)));
    }
    return found;
  },
  telephone: async (page) => {
    await page.setViewportSize({ width: PHONE, height: 812 });
    return [...(await tooWide(page)), ...(await accessibilityProblems(page, { rules: ON_A_TELEPHONE }))];
  },
};

/** What is around the pages is looked at with the first of each person. */
const shortly = async (page: TestPage, isFirst: boolean): Promise<readonly string[]> => {
  const problems = await accessibilityProblems(page, { part: isFirst ? 'page' : 'content' });
  await page.setViewportSize({ width: PHONE, height: 812 });
  return [...problems, ...(await tooWide(page))];
};

const atTheDesk = async (page: TestPage): Promise<void> => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
};

const problemsIn = async (
  browser: TestBrowser,
  there: Scene,
  shownPages: readonly ShownPage[],
  language: Language,
) => {
  const windows = new Map<string | undefined, TestPage>();
  const failed: Record<string, readonly string[]> = {};
  const look = async (name: string, found: Promise<readonly string[]>, page: TestPage): Promise<void> => {
    const problems = [...(await found), ...(await page.problems())];
    if (problems.length > 0) failed[`${name}, ${language}`] = problems;
  };
  for (const shown of shownPages) {
    const known = windows.get(shown.as);
    const page = known ?? (await browser.newPage(viewing(there, shown, { language })));
    windows.set(shown.as, page);
    await atTheDesk(page);
    // What a visitor sees is no part of the dashboard, and another view of a page keeps its heading.
    const isOtherView =
      new URL(shown.path(there), there.app.origin).pathname === new URL(page.url()).pathname;
    if (known === undefined || shown.as === undefined || isOtherView) await show(page, there, shown);
    else await goOn(page, there, shown);
    if (soak(true, false)) await look(shown.name, shortly(page, known === undefined), page);
    else
      for (const [name, way] of Object.entries(looks)) await look(`${shown.name}, ${name}`, way(page), page);
  }
  return failed;
};

/** The problems of all pages that are looked at by these people. */
export const problemsOf = async (
  browser: TestBrowser,
  scene: Scene,
  people: readonly ShownPage['as'][],
): Promise<Readonly<Record<string, readonly string[]>>> => {
  const shown = pages.filter(({ as, isVariant }) => people.includes(as) && soak(isVariant !== true, true));
  if (shown.length === 0) throw new Error('nobody looks at a page');
  const asked = soak(languages.slice(0, 1), languages);
  const found = await Promise.all(asked.map((language) => problemsIn(browser, scene, shown, language)));
  return Object.assign({}, ...found);
};
