// The mail that asks a person to confirm that they want to be on a list. A stranger may have typed the address, so it has
// nothing that could count as advertising, and nothing that the one who typed has written: no logo, no greeting by
// name, no description of the list; the wording is what consent is given to. There is no reminder. Pure.
import { legalLines, legalOf } from '#src/accounts/tenants/legal.ts';
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import { CONFIRM_WITHIN_DAYS } from '#src/audience/consent/entry.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import type { Address } from '#src/mail/mailbox.ts';

interface Words {
  readonly subject: (list: string) => string;
  readonly greeting: string;
  readonly asked: (address: string, list: string, practice: string) => string;
  readonly agree: string;
  readonly click: string;
  readonly link: string;
  readonly until: string;
  readonly ignore: string;
  readonly sender: string;
}

const words: Readonly<Record<Language, Words>> = {
  de: {
    subject: (list) => `Bitte bestätigen Sie Ihre Anmeldung: ${list}`,
    greeting: 'Guten Tag,',
    asked: (address, list, practice) =>
      `die Adresse ${address} wurde für die Liste „${list}“ von ${practice} eingetragen.`,
    agree: 'Mit der Bestätigung erklären Sie:',
    click: 'Wenn Sie das möchten, bestätigen Sie es bitte mit diesem Link:',
    link: 'Anmeldung bestätigen',
    until: `Der Link gilt ${CONFIRM_WITHIN_DAYS} Tage.`,
    ignore:
      'Wenn Sie sich nicht eingetragen haben, brauchen Sie nichts zu tun: Ohne Bestätigung wird die Adresse nicht aufgenommen.',
    sender: 'Absender',
  },
  en: {
    subject: (list) => `Please confirm your subscription: ${list}`,
    greeting: 'Hello,',
    asked: (address, list, practice) =>
      `the address ${address} was entered for the list “${list}” of ${practice}.`,
    agree: 'By confirming you declare:',
    click: 'If this is what you want, please confirm it with this link:',
    link: 'Confirm the subscription',
    until: `The link is valid for ${CONFIRM_WITHIN_DAYS} days.`,
    ignore:
      'If you did not enter the address, there is nothing you need to do: without a confirmation it is not added.',
    sender: 'Sender',
  },
};

export interface ConfirmationMail {
  readonly practice: PracticeRow;
  readonly list: ListRow;
  readonly address: Address;
  readonly language: Language;
  readonly link: string;
  /** What the one who asked agreed to beside the list. */
  readonly tracking?: string | undefined;
}

export const confirmationMail = ({ practice, list, address, language, link, tracking }: ConfirmationMail) => {
  const say = words[language];
  const { name } = practice;
  const asked = say.asked(address, list.name, name);
  const declared = [...list.wording.split('\n'), ...(tracking === undefined ? [] : [tracking])];
  const sender = legalLines({ name, legal: legalOf(practice) }, language, 'short');
  const text = [
    `${say.greeting}\n\n${asked}`,
    `${say.agree}\n${declared.join('\n')}`,
    `${say.click}\n${link}\n${say.until}`,
    say.ignore,
    [say.sender, ...sender.map(({ text, link }) => (link ? `${link.text}: ${link.url}` : text))].join('\n'),
  ].join('\n\n');
  const paragraph = (...lines: readonly string[]): string => `<p>${lines.join('<br>\n')}</p>`;
  const anchor = (url: string, label: string): string => `<a href="${escapeHtml(url)}">${label}</a>`;
  const html = `<!doctype html>
<html lang="${language}"><body>
${[
  paragraph(say.greeting),
  paragraph(escapeHtml(asked)),
  paragraph(say.agree, ...declared.map(escapeHtml)),
  paragraph(say.click, anchor(link, say.link), say.until),
  paragraph(say.ignore),
  paragraph(
    say.sender,
    ...sender.map(({ text, link }) => (link ? anchor(link.url, link.text) : escapeHtml(text))),
  ),
].join('\n')}
</body></html>
`;
  return { subject: say.subject(list.name), text, html };
};
