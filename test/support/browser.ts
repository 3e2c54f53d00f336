// Chromium for a file of tests: `const browser = openBrowser()` at its top. It is there before the tests;
// each test's pages are closed after it, and must have had no problem. The file needs the tag
// `debian/chromium-headless-shell`. Who signs in: `newPage({ origin, cookie: (await signIn(app, email)).cookie })`.
// Wait by locators, `expect.poll` or `until`: `page.waitForFunction` evaluates text, which the dashboard's policy forbids.
import axe from 'axe-core';
import { afterEach, beforeAll, expect } from 'vitest';
import { type Chromium, type PageOptions, startChromium, type TestPage } from './chromium.ts';
import { until } from './process.ts';

export interface TestBrowser {
  newPage(options: PageOptions): Promise<TestPage>;
}

/** All files of a process have it; it ends with the process. */
let chromium: Promise<Chromium> | undefined;

export const openBrowser = (): TestBrowser => {
  let started: Chromium | undefined;
  beforeAll(async () => {
    chromium ??= startChromium();
    started = await chromium;
  });
  afterEach(async () => {
    const problems = await started?.problems();
    await started?.closePages();
    expect(problems).toEqual([]);
  });
  return {
    newPage: (options) => {
      if (started === undefined)
        throw new Error('the browser starts before the tests, not before their file');
      return started.newPage(options);
    },
  };
};

/** The width of a telephone. */
export const PHONE = 375;

/** Of the frame after the next one: what was changed by now has begun to move. */
const IS_AT_REST = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(
  !document.querySelector('.skeleton, [aria-busy=true]') && document.fonts.status === 'loaded' &&
  document.getAnimations().every(({ playState }) => playState !== 'running')))))`;

/** Nothing on the page is loading, and nothing moves. */
export const atRest = (page: TestPage): Promise<void> =>
  until('the page is at rest', () => page.evaluate<boolean>(IS_AT_REST));

/** Levels A and AA of WCAG 2.2 as axe-core checks them. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What is looked at: all of the page, or what belongs to no other page too, which is its dialog where one is open. */
type Part = 'page' | 'content';
const OPEN = `document.querySelector('dialog[open]') ?? document.querySelector('main') ?? document`;

/**
 * What fails in the page once it is at rest, one line an element: `rule: what to do: element`. Documents in frames are not part of
 * it. `rules`: those alone.
 */
export const accessibilityProblems = async (
  page: TestPage,
  { rules = TAGS, part = 'page' }: { readonly rules?: readonly string[]; readonly part?: Part } = {},
): Promise<string[]> => {
  await atRest(page);
  // By the debugger: a script element would be what the page's policy forbids.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(`${axe.source};0`);
  const options = { runOnly: rules, iframes: false, resultTypes: ['violations'], elementRef: false };
  const { violations } = (await page.evaluate(
    `axe.run(${part === 'page' ? 'document' : OPEN}, ${JSON.stringify(options)})`,
  )) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ failureSummary = '', html }) =>
        `${id}: ${failureSummary.replace(/\s+/g, ' ')}: ${html.slice(0, 200)}`,
    ),
  );
};

/** The frame of the pages is looked at by the tests that go over all of them. */
export const checkAccessibility = async (page: TestPage): Promise<void> => {
  expect(await accessibilityProblems(page, { part: 'content' })).toEqual([]);
};

/** Also on a telephone. */
export const isFit = async (page: TestPage): Promise<void> => {
  await checkAccessibility(page);
  await page.setViewportSize({ width: PHONE, height: 800 });
  expect(await tooWide(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
};

/** Nothing of what `hostile` wrote ran, and no link would run it. */
export const runsNothing = async (page: TestPage): Promise<void> => {
  expect(await page.problems()).toEqual([]);
  expect(await page.locator('a[href^="javascript:" i]').count()).toBe(0);
};

/**
 * What is outside of the window and in nothing that scrolls by itself, once the page is at rest; nothing where the page does not
 * scroll sideways.
 */
export const tooWide = async (page: TestPage): Promise<string[]> => {
  await atRest(page);
  return page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const scrolls = (element) => element && (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
    return [...document.querySelectorAll('body, body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth && !scrolls(element.parentElement))
      .map((element) => 'too wide: ' + element.outerHTML.slice(0, 120));
  })()`);
};
