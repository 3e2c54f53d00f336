// The words of the pages behind the link of a confirmation mail, in German and English. Each names the sender and the list.
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { button, imprint } from '#src/feedback/unsubscribe/page.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, type Look, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { maskAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { linesOf } from './form.ts';

/** `asked`: not answered yet. */
export type ConfirmState = 'asked' | 'active' | 'ended';

interface Words {
  readonly title: Readonly<Record<ConfirmState, string>>;
  readonly text: Readonly<Record<ConfirmState, (practice: string, list: string, address: string) => string>>;
  readonly declare: string;
  readonly confirm: string;
  readonly decline: string;
  readonly leave: string;
  readonly unknownTitle: string;
  readonly unknown: string;
}

const words: Readonly<Record<Language, Words>> = {
  de: {
    title: {
      asked: 'Anmeldung bestätigen',
      active: 'Ihre Anmeldung ist bestätigt',
      ended: 'Sie sind nicht angemeldet',
    },
    text: {
      asked: (practice, list, address) =>
        `Möchten Sie mit der Adresse ${address} auf die Liste ${list} von ${practice}?`,
      active: (practice, list, address) =>
        `Die Adresse ${address} ist auf der Liste ${list} von ${practice}.`,
      ended: (practice, list, address) =>
        `Die Adresse ${address} ist nicht auf der Liste ${list} von ${practice}.`,
    },
    declare: 'Mit der Bestätigung erklären Sie:',
    confirm: 'Ja, bestätigen',
    decline: 'Nein, danke',
    leave: 'Wieder abmelden',
    unknownTitle: 'Dieser Link ist nicht gültig',
    unknown:
      'Vielleicht ist der Link nicht vollständig, oder er ist abgelaufen. Es wurde nichts geändert. Sie können sich jederzeit noch einmal anmelden.',
  },
  en: {
    title: {
      asked: 'Confirm your subscription',
      active: 'Your subscription is confirmed',
      ended: 'You are not subscribed',
    },
    text: {
      asked: (practice, list, address) =>
        `Do you want the address ${address} to be on the list ${list} of ${practice}?`,
      active: (practice, list, address) => `The address ${address} is on the list ${list} of ${practice}.`,
      ended: (practice, list, address) => `The address ${address} is not on the list ${list} of ${practice}.`,
    },
    declare: 'By confirming you declare:',
    confirm: 'Yes, confirm',
    decline: 'No, thanks',
    leave: 'Unsubscribe',
    unknownTitle: 'This link is not valid',
    unknown:
      'The link may be incomplete, or it is too old. Nothing has been changed. You can subscribe again at any time.',
  },
};

const strong = (text: string): string => `<strong>${escapeHtml(text)}</strong>`;

export interface ConfirmView {
  readonly state: ConfirmState;
  readonly practice: PracticeRow;
  readonly look: Look;
  /** With the wording that was asked for. */
  readonly list: ListRow;
  readonly address: Address;
  /** The text by which they agreed to tracking too; null: they did not. */
  readonly tracking: string | null;
}

export const confirmPage = (
  language: Language,
  serviceName: string,
  action: string,
  { state, practice, look, list, address, tracking }: ConfirmView,
): RouteResult => {
  const say = words[language];
  const text = say.text[state](strong(practice.name), strong(list.name), strong(maskAddress(address)));
  const declare = `<p>${say.declare}</p>\n<p>${linesOf(list.wording)}</p>${tracking === null ? '' : `\n<p>${escapeHtml(tracking)}</p>`}`;
  const declining = (label: string): string => button(`${action}&do=decline`, label, 'other');
  const rest: Readonly<Record<ConfirmState, string>> = {
    asked: `${declare}\n${button(action, say.confirm)}\n${declining(say.decline)}`,
    active: declining(say.leave),
    ended: '',
  };
  return page({
    language,
    serviceName,
    look,
    title: say.title[state],
    body: `<p>${text}</p>\n${rest[state]}\n${imprint(practice, language)}`,
  });
};

/** One page for every defective link, so that it does not show which links exist. */
export const unknownConfirmPage = (language: Language, serviceName: string): RouteResult => {
  const say = words[language];
  return page({ status: 404, language, serviceName, title: say.unknownTitle, body: `<p>${say.unknown}</p>` });
};
