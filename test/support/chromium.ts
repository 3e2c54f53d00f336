// Debian's Chromium as pages are driven with it: no way out of this machine, the same fonts everywhere, and every page's
// problems kept: what a policy forbade, what failed, what went elsewhere, what ran that should not.
import { env, getuid } from 'node:process';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

/** The whole browser takes three times as long for a page. */
const PROGRAM = '/usr/bin/chromium-headless-shell';
const FONTS = fileURLToPath(new URL('./fonts.conf', import.meta.url));
/** For the start, one action or one navigation: a page takes a second, ten on a machine that is busy. */
const PATIENCE_MS = 45_000;
/** No name but the daemon's resolves. */
const ARGUMENTS = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];

export type Language = 'de' | 'en';
const locales: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

export interface PageOptions {
  /** The daemon's; paths given to `goto` are below it. */
  readonly origin: string;
  /** 1280 where absent. */
  readonly width?: number;
  /** 800 where absent. */
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** `Accept-Language`, and what scripts see: German where absent. */
  readonly language?: Language;
  readonly reducedMotion?: boolean;
  readonly forcedColors?: boolean;
  /** Of a person who is signed in, as `Person.cookie` has it. */
  readonly cookie?: string;
  readonly localStorage?: Readonly<Record<string, string>>;
  /** What scripts take for now. */
  readonly now?: number;
}

export interface TestPage extends Page {
  /** Those since it was last asked, in all frames and in windows that it opened. A test that expects some takes them by it. */
  problems(): Promise<string[]>;
}

export interface Chromium {
  /** With storage and cookies of its own. */
  newPage(options: PageOptions): Promise<TestPage>;
  /** Of all its pages. */
  problems(): Promise<string[]>;
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/** Chromium ends with this process, however that ends: they are joined by a pipe. */
export async function startChromium(): Promise<Chromium> {
  const browser = await chromium.launch({
    executablePath: PROGRAM,
    args: ARGUMENTS,
    timeout: PATIENCE_MS,
    chromiumSandbox: getuid?.() !== 0,
    env: { ...env, FONTCONFIG_FILE: FONTS },
  });
  let pages: TestPage[] = [];
  return {
    newPage: async (options) => {
      const { width = 1280, height = 800, colorScheme = 'light', language = 'de' } = options;
      const { origin, localStorage = {}, reducedMotion, forcedColors, cookie, now } = options;
      const context = await browser.newContext({
        baseURL: origin,
        viewport: { width, height },
        colorScheme,
        locale: locales[language],
        timezoneId: 'Europe/Berlin',
        reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
        forcedColors: forcedColors ? 'active' : 'none',
        storageState: {
          cookies: [],
          origins: [
            { origin, localStorage: Object.entries(localStorage).map(([name, value]) => ({ name, value })) },
          ],
        },
      });
      context.setDefaultTimeout(PATIENCE_MS);
      if (cookie !== undefined) await context.addCookies(cookiesFor(origin, cookie));
      if (now !== undefined) await context.clock.setFixedTime(now);
      const problems = await collectProblems(context, origin);
      const page = Object.assign(await context.newPage(), { problems });
      pages.push(page);
      return page;
    },
    problems: async () => (await Promise.all(pages.map((page) => page.problems()))).flat(),
    closePages: async () => {
      const open = pages;
      pages = [];
      await Promise.all(open.map((page) => page.context().close()));
    },
    close: () => browser.close(),
  };
}

const cookiesFor = (url: string, header: string) =>
  header.split('; ').map((pair) => {
    const equals = pair.indexOf('=');
    return { url, name: pair.slice(0, equals), value: pair.slice(equals + 1) };
  });

/** The name under which `hostile` calls back. */
const CANARY = '__ran';
const VIOLATION = '__violated';
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  ${VIOLATION}(event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sample));`;

/** Text for a field that is shown: script in the forms in which it could run, each of which would be a problem of its page. */
export const hostile = (field: string): string =>
  `"'><script>${CANARY}('${field}')</script><img src=x onerror="${CANARY}('${field}')"><svg onload="alert('${field}')">` +
  `<a href="javascript:${CANARY}('${field}')">${field}</a><style>body{display:none}</style>{{7*7}}\${7*7}`;

/** What a page loads by itself, in contrast to what its scripts ask for and deal with. */
const PARTS = ['script', 'stylesheet', 'image', 'font', 'media', 'manifest', 'other'];
/** The page itself ended it, or was left. */
const ENDED = 'net::ERR_ABORTED';
/** Chromium's own line for an answer of 400 and above: those that are problems are seen by their status. */
const STATUS_LINE = 'Failed to load resource: the server responded with a status of';
/** What a frame without `allow-scripts` says of all scripts, also of those that this file puts into each frame. */
const SANDBOXED = 'Blocked script execution in ';

async function collectProblems(context: BrowserContext, origin: string): Promise<() => Promise<string[]>> {
  let found: string[] = [];
  const add = (problem: string): void => {
    found.push(problem);
  };
  await context.exposeBinding(CANARY, ({ frame }, where) => add(`script ran in ${frame.url()}: ${where}`));
  await context.exposeBinding(VIOLATION, ({ frame }, what) => add(`policy of ${frame.url()}: ${what}`));
  await context.addInitScript(REPORT_VIOLATIONS);
  const isElsewhere = (url: string): boolean =>
    /^(?:https?|wss?):/.test(url) && new URL(url).origin !== origin;
  context.on('weberror', (error) => add(`error: ${error.error().stack ?? error.error()}`));
  context.on('console', (message) => {
    const text = message.text();
    const isExpected = text.startsWith(STATUS_LINE) || text.startsWith(SANDBOXED);
    if (message.type() === 'error' && !isExpected) add(`console: ${text}`);
  });
  context.on('request', (request) => {
    if (isElsewhere(request.url())) add(`request to another origin: ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    if (reason !== ENDED && !isElsewhere(request.url())) add(`failed: ${request.url()}: ${reason}`);
  });
  context.on('response', (response) => {
    const status = response.status();
    const isPart = PARTS.includes(response.request().resourceType());
    if (status >= 500 || (status >= 400 && isPart)) add(`status ${status}: ${response.url()}`);
  });
  context.on('page', (page) => page.on('websocket', (socket) => add(`web socket: ${socket.url()}`)));
  context.on('dialog', async (dialog) => {
    if (dialog.type() !== 'beforeunload') add(`${dialog.type()}: ${dialog.message()}`);
    await dialog.accept();
  });
  return async () => {
    // What a page reported so far is here once it answers.
    await Promise.all(context.pages().map((page) => page.evaluate('0').catch(() => {})));
    const taken = found;
    found = [];
    return taken;
  };
}
