// The mail that asks a person to confirm that they want to be on a list. A stranger may have typed the address, so it has
// nothing that could count as advertising, and nothing that the one who typed has written: no logo, no greeting by
// name, no description of the list; the wording is what consent is given to. There is no reminder. Pure.
import { legalLines, legalOf } from '#src/accounts/tenants/legal.ts';
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import { CONFIRM_WITHIN_DAYS } from '#src/audience/consent/entry.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { publicWordsIn } from '#src/audience/words.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import type { Address } from '#src/mail/mailbox.ts';

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
  const say = publicWordsIn(language).confirmation;
  const { name } = practice;
  const asked = say.asked(address, list.name, name);
  const declared = [...list.wording.split('\n'), ...(tracking === undefined ? [] : [tracking])];
  const sender = legalLines({ name, legal: legalOf(practice) }, language, 'short');
  const text = [
    `${say.greeting}\n\n${asked}`,
    `${say.agree}\n${declared.join('\n')}`,
    `${say.click}\n${link}\n${say.until(CONFIRM_WITHIN_DAYS)}`,
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
  paragraph(say.click, anchor(link, say.link), say.until(CONFIRM_WITHIN_DAYS)),
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
