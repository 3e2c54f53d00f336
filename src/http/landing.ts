import { escapeHtml, HTML_TYPE, page } from '#src/kernel/page.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { wordsIn } from './words.ts';

export const landingRoute = (serviceName: string): Route =>
  defineRoute({
    method: 'get',
    path: '/',
    tag: 'Service',
    id: 'getLandingPage',
    summary: 'What this is, for who follows a link here.',
    access: 'public',
    stability: 'stable',
    responses: { 200: { description: 'an HTML page', body: HTML_TYPE } },
    handle: (_, { language }) => {
      const { intro, signIn, reference, abuse } = wordsIn(language).landing;
      const links = [
        ['/app', signIn],
        ['/reference', reference],
        ['/api/public/abuse', abuse],
      ] as const;
      const items = links.map(([href, text]) => `<li><a href="${href}">${escapeHtml(text)}</a></li>`);
      const body = `<p>${escapeHtml(intro(serviceName))}</p>\n<ul>${items.join('')}</ul>`;
      return page({ language, title: serviceName, serviceName, body });
    },
  });
