// The page at the origin, for who follows a link here or types the address: what this service is, for whom, who operates it.
import { type Language, languages } from '#src/kernel/language.ts';
import { escapeHtml, HTML_TYPE, page } from '#src/kernel/page.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { wordsIn } from './words.ts';

export interface LandingFacts {
  readonly serviceName: string;
  /** Who operates the service, and the address of the legal notice; undefined where the configuration does not say it. */
  readonly operatedBy: string | undefined;
  readonly legalNotice: string | undefined;
  /** The form of the waiting list; null where there is none. */
  readonly joinForm: (language: Language) => string | null;
}

/** A letter on its way to a mailbox. */
const PICTURE = `<svg viewBox="0 0 320 180" aria-hidden="true">
<path class="thin" d="M8 158h304M30 132c38-70 96-86 150-58" stroke-dasharray="2 9"/>
<path class="paper thin" d="m18 112 44-14 12 36-44 14z"/><path class="thin" d="m18 112 30 9 14-23"/>
<path class="paper" d="m112 34 78-14 9 52-78 14z"/><path d="m112 34 47 23 31-37"/>
<path class="paper" d="M222 158V94a26 26 0 0 1 26-26h28a26 26 0 0 1 26 26v64z"/>
<path class="solid" d="M222 100h52v58h-52z"/><path class="on" d="m234 130 10 10 18-20"/>
<path d="M274 158V94a26 26 0 0 0-26-26M288 68V46h14v10h-14"/>
</svg>`;

/** Whether the browser has a session: it may be over, which the dashboard finds out. */
const hasSession = (cookies: string | undefined): boolean =>
  /(?:^|;\s*)(?:__Host-)?svc_session=/.test(cookies ?? '');

const link = (href: string, text: string, kind = ''): string =>
  `<a${kind && ` class="${kind}"`} href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;

export const landingRoute = ({ serviceName, operatedBy, legalNotice, joinForm }: LandingFacts): Route =>
  defineRoute({
    method: 'get',
    path: '/',
    tag: 'Service',
    id: 'getLandingPage',
    summary: 'What this is, for who follows a link here.',
    access: 'public',
    stability: 'stable',
    responses: { 200: { description: `an HTML page, in one of ${languages.join(', ')}`, body: HTML_TYPE } },
    handle: (_, { language, header }) => {
      const say = wordsIn(language).landing;
      const form = joinForm(language);
      const enter = hasSession(header('cookie')) ? say.open : say.signIn;
      const audiences = say.audiences.map(
        ({ heading, text }) => `<div><h2>${escapeHtml(heading)}</h2><p>${escapeHtml(text)}</p></div>`,
      );
      const about = [
        link('/api/public/abuse', say.abuse),
        link('/healthz', say.status),
        ...(legalNotice === undefined ? [] : [link(legalNotice, say.legalNotice)]),
      ];
      const operator = operatedBy === undefined ? '' : `<p>${escapeHtml(say.operator(operatedBy))}</p>\n`;
      return page({
        language,
        title: say.title,
        serviceName,
        isWide: true,
        body: `<div class="columns"><div><p>${escapeHtml(say.intro(serviceName))}</p>
<p class="links">${link('/app', enter, 'button')}${link('/reference', say.reference, 'button other')}</p></div>
${PICTURE}</div>
<section class="columns">${audiences.join('\n')}</section>${form === null ? '' : `\n<section>${form}</section>`}`,
        footer: `${operator}<p>${about.join(' · ')}</p>`,
      });
    },
  });
