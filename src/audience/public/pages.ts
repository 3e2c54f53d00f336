// The words of the pages behind the link of a confirmation mail. Each names the sender and the list.
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { publicWordsIn } from '#src/audience/words.ts';
import { button, imprint } from '#src/feedback/unsubscribe/page.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, type Look, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { maskAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { linesOf } from './form.ts';

/** `asked`: not answered yet. */
export type ConfirmState = 'asked' | 'active' | 'ended';

const strong = (text: string): string => `<strong>${escapeHtml(text)}</strong>`;

export interface ConfirmView {
  readonly state: ConfirmState;
  readonly practice: PracticeRow;
  readonly look: Look;
  /** The list with the wording that was asked for. */
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
  const say = publicWordsIn(language).confirm;
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
  const say = publicWordsIn(language).confirm;
  return page({ status: 404, language, serviceName, title: say.unknownTitle, body: `<p>${say.unknown}</p>` });
};
