// The page at the origin, to which the service's mails lead: what this is, and where to go on.
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, HTML_TYPE, page } from '#src/kernel/page.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';

interface Words {
  readonly intro: (service: string) => string;
  readonly signIn: string;
  readonly reference: string;
  readonly abuse: string;
}

const words: Readonly<Record<Language, Words>> = {
  de: {
    intro: (service) => `${service} versendet E-Mails für Praxen, Vereine und Betriebe.`,
    signIn: 'Anmelden',
    reference: 'Beschreibung der Schnittstelle (englisch)',
    abuse: 'Unerwünschte E-Mail melden',
  },
  en: {
    intro: (service) => `${service} sends email for practices, clubs and firms.`,
    signIn: 'Sign in',
    reference: 'Description of the API',
    abuse: 'Report unwanted email',
  },
};

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
      const { intro, signIn, reference, abuse } = words[language];
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
