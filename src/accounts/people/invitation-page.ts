// The pages behind the link of an invitation, in the languages of the service.
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import type { Membership } from './joining.ts';

export interface PagePlace {
  readonly language: Language;
  readonly serviceName: string;
  /** Where to sign in. */
  readonly origin: string;
}

interface Texts {
  readonly invited: string;
  readonly invitedText: (practice: string, email: string) => string;
  readonly accept: string;
  readonly ignore: string;
  readonly accepted: string;
  readonly acceptedText: (practice: string, email: string) => string;
  readonly signIn: (serviceName: string) => string;
  readonly gone: string;
  readonly goneText: string;
}

const texts: Readonly<Record<Language, Texts>> = {
  de: {
    invited: 'Einladung',
    invitedText: (practice, email) =>
      `„${practice}“ lädt Sie ein, mit der Adresse ${email} Mitglied zu werden.`,
    accept: 'Einladung annehmen',
    ignore: 'Wenn Sie das nicht möchten, müssen Sie nichts tun: Die Einladung läuft von selbst ab.',
    accepted: 'Einladung angenommen',
    acceptedText: (practice, email) =>
      `Sie sind nun Mitglied von „${practice}“. Melden Sie sich mit der Adresse ${email} an.`,
    signIn: (serviceName) => `Weiter zu ${serviceName}`,
    gone: 'Diese Einladung gilt nicht mehr',
    goneText:
      'Sie ist abgelaufen, wurde schon angenommen, oder eine neuere ist an ihre Stelle getreten. Bitten Sie darum, ' +
      'noch einmal eingeladen zu werden, oder melden Sie sich an, falls Sie schon Mitglied sind.',
  },
  en: {
    invited: 'Invitation',
    invitedText: (practice, email) =>
      `“${practice}” invites you to become a member with the address ${email}.`,
    accept: 'Accept the invitation',
    ignore: 'If you do not want that, there is nothing to do: the invitation expires by itself.',
    accepted: 'Invitation accepted',
    acceptedText: (practice, email) =>
      `You are now a member of “${practice}”. Sign in with the address ${email}.`,
    signIn: (serviceName) => `Continue to ${serviceName}`,
    gone: 'This invitation is no longer valid',
    goneText:
      'It has expired, has been accepted already, or a newer one has taken its place. Ask to be invited again, or ' +
      'sign in if you are a member already.',
  },
};

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

const link = ({ language, serviceName, origin }: PagePlace): string =>
  `<p><a href="${escapeHtml(`${origin}/`)}">${escapeHtml(texts[language].signIn(serviceName))}</a></p>`;

/** One button: what follows links without being a person presses none. It posts to the address of the page. */
export const invitationPage = (place: PagePlace, { practice, row }: Membership): RouteResult => {
  const { invited, invitedText, accept, ignore } = texts[place.language];
  const form = `<form method="post"><button type="submit">${escapeHtml(accept)}</button></form>`;
  const body = `${paragraph(invitedText(practice.name, row.email))}\n${form}\n<p class="note">${escapeHtml(ignore)}</p>`;
  return page({ ...place, title: invited, body });
};

export const acceptedPage = (place: PagePlace, { practice, row }: Membership): RouteResult => {
  const { accepted, acceptedText } = texts[place.language];
  const body = `${paragraph(acceptedText(practice.name, row.email))}\n${link(place)}`;
  return page({ ...place, title: accepted, body });
};

export const goneInvitationPage = (place: PagePlace): RouteResult => {
  const { gone, goneText } = texts[place.language];
  return page({ ...place, status: 404, title: gone, body: `${paragraph(goneText)}\n${link(place)}` });
};
