// The page with a list's form, and the one behind it.
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import type { Words } from '#src/audience/words/de/public.ts';
import { publicWordsIn } from '#src/audience/words.ts';
import { imprint } from '#src/feedback/unsubscribe/page.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, type Look, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { type FormFields, formHtml, formIds, type Sent } from './form.ts';
import type { ClosedReason } from './form-state.ts';

export interface FormView {
  readonly practice: PracticeRow;
  readonly look: Look;
  readonly list: ListRow;
}

export const formProblem = (language: Language): string => publicWordsIn(language).subscribe.problem;

/** `sent`: what cannot be used; it is shown again, with what is wrong above. */
export const formPage = (
  serviceName: string,
  { practice, look, list }: FormView,
  fields: FormFields,
  sent: Sent | null,
): RouteResult => {
  const { language } = fields;
  const say = publicWordsIn(language).subscribe;
  const ids = formIds(list);
  const problem =
    sent === null
      ? ''
      : `<div role="alert"><p class="error">${say.problemTitle}</p>
<ul><li><a href="#${ids.email}" id="${ids.problem}">${escapeHtml(sent.problem)}</a></li></ul></div>\n`;
  const about = list.description === null ? '' : `<p>${escapeHtml(list.description)}</p>\n`;
  return page({
    status: sent === null ? 200 : 400,
    language,
    serviceName,
    look,
    title: say.title(list.name),
    body: `${problem}${about}${formHtml(fields, sent)}\n${imprint(practice, language)}`,
  });
};

const saying: Readonly<Record<ClosedReason, keyof Words['subscribe']['closed']>> = {
  archived: 'over',
  not_public: 'over',
  safe_mode: 'starting',
  legal_incomplete: 'starting',
  content: 'unable',
  sending: 'unable',
  bounces: 'unable',
};

/** The page leaves out the list's name: the practice may have taken the list back. */
export const closedPage = (
  language: Language,
  serviceName: string,
  { practice, look }: Omit<FormView, 'list'>,
  reason: ClosedReason,
): RouteResult => {
  const say = publicWordsIn(language).subscribe;
  const text = say.closed[saying[reason]](escapeHtml(practice.name));
  return page({
    status: 409,
    language,
    serviceName,
    look,
    title: say.closedTitle,
    body: `<p>${text}</p>\n${imprint(practice, language)}`,
  });
};

/** The same for everyone, whatever is known of the address. */
export const askedPage = (
  language: Language,
  serviceName: string,
  { practice, look }: Omit<FormView, 'list'>,
  state: 'open' | 'waiting',
): RouteResult => {
  const say = publicWordsIn(language).subscribe;
  const coming = state === 'open' ? say.done : say.later;
  return page({
    language,
    serviceName,
    look,
    title: say.doneTitle,
    body: `<p>${coming(escapeHtml(practice.name))}</p>\n<p>${say.nothing}</p>\n${imprint(practice, language)}`,
  });
};

export const unknownListPage = (language: Language, serviceName: string): RouteResult => {
  const say = publicWordsIn(language).subscribe;
  return page({ status: 404, language, serviceName, title: say.unknownTitle, body: `<p>${say.unknown}</p>` });
};
