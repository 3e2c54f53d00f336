// The pages of a form: the form itself, what follows when it was sent, and the one on which an address is proved.
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import { button, imprint } from '#src/feedback/unsubscribe/page.ts';
import { type FormWords, formWordsIn } from '#src/inbound/words.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, type Look, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { formHtml, linesOf, problemId, type ShownForm } from './html.ts';
import type { Problem } from './read-post.ts';
import type { ClosedReason, FormSettings } from './schema.ts';

/** Whose page it is. */
export interface FormView {
  readonly serviceName: string;
  readonly practice: PracticeRow;
  readonly look: Look;
  readonly settings: FormSettings;
}

const pageOf = (
  { serviceName, practice, look, settings: { language } }: FormView,
  title: string,
  body: string,
  status = 200,
): RouteResult =>
  page({ status, language, serviceName, look, title, body: `${body}\n${imprint(practice, language)}` });

/** `problems`: of what was sent, which is shown again. */
export const formPage = (
  view: FormView,
  shown: Omit<ShownForm, 'settings' | 'wrong'>,
  problems: readonly Problem[] = [],
): RouteResult => {
  const { settings } = view;
  const say = formWordsIn(settings.language).page;
  const items = problems.map(({ key, text }) => {
    const id = problemId(shown.action, key);
    return `<li><a href="#${id.replace(/-problem$/, '')}" id="${id}">${escapeHtml(text)}</a></li>`;
  });
  const again = settings.fields.some(({ type }) => type === 'file') ? `<p>${say.fileAgain}</p>\n` : '';
  const said =
    items.length === 0
      ? ''
      : `<div role="alert"><p class="error">${say.problemTitle}</p>\n<ul>${items.join('\n')}</ul>\n${again}</div>\n`;
  const wrong = new Set(problems.map(({ key }) => key));
  return pageOf(
    view,
    settings.title,
    said + formHtml({ ...shown, settings, wrong }),
    items.length === 0 ? 200 : 400,
  );
};

const backTo = ({ redirect_url }: FormSettings, say: FormWords['page']): string =>
  redirect_url === null
    ? ''
    : `\n<p><a href="${escapeHtml(redirect_url)}" rel="noopener noreferrer">${say.back}</a></p>`;

/** `asked`: a mail asks for a proof of the address first. */
export const sentPage = (view: FormView, outcome: 'arrived' | 'asked'): RouteResult => {
  const { settings, practice } = view;
  const say = formWordsIn(settings.language).page;
  const name = escapeHtml(practice.name);
  const back = backTo(settings, say);
  if (outcome === 'asked')
    return pageOf(view, say.askedTitle, `<p>${say.asked(name)}</p>\n<p>${say.spam}</p>${back}`);
  const text = settings.thanks === null ? say.done(name) : linesOf(settings.thanks);
  return pageOf(view, say.doneTitle, `<p>${text}</p>${back}`);
};

const saying: Readonly<Record<ClosedReason, keyof FormWords['page']['closed']>> = {
  closed: 'closed',
  safe_mode: 'starting',
  receiving_off: 'starting',
  sending: 'unable',
  bounces: 'unable',
  per_day: 'unable',
  full: 'unable',
};

export const closedPage = (view: FormView, reason: ClosedReason): RouteResult => {
  const say = formWordsIn(view.settings.language).page;
  const text = say.closed[saying[reason]](escapeHtml(view.practice.name));
  return pageOf(view, say.closedTitle, `<p>${text}</p>`, 409);
};

export const unknownFormPage = (language: Language, serviceName: string): RouteResult => {
  const say = formWordsIn(language).page;
  return page({ status: 404, language, serviceName, title: say.unknownTitle, body: `<p>${say.unknown}</p>` });
};

/** `action`: of the button. */
export const proofPage = (view: FormView, state: 'asked' | 'done', action: string): RouteResult => {
  const { settings, practice } = view;
  if (state === 'done') return sentPage(view, 'arrived');
  const say = formWordsIn(settings.language).proof;
  const question = say.ask(escapeHtml(practice.name), escapeHtml(settings.title));
  return pageOf(view, say.title.asked, `<p>${question}</p>\n${button(action, say.button)}`);
};

/** One page for every defective link, so that it does not show which links exist. */
export const unknownProofPage = (language: Language, serviceName: string): RouteResult => {
  const say = formWordsIn(language).proof;
  return page({ status: 404, language, serviceName, title: say.unknownTitle, body: `<p>${say.unknown}</p>` });
};
