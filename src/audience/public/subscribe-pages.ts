// The page with a list's form, and the one behind it, in German and English.
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { imprint } from '#src/feedback/unsubscribe/page.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, type Look, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { type FormFields, formHtml, formIds, type Sent } from './form.ts';
import type { ClosedReason } from './form-state.ts';

interface Words {
  readonly title: (list: string) => string;
  readonly problemTitle: string;
  readonly problem: string;
  readonly doneTitle: string;
  readonly done: (practice: string) => string;
  /** The mail cannot leave now. */
  readonly later: (practice: string) => string;
  readonly nothing: string;
  readonly closedTitle: string;
  readonly closed: Readonly<Record<'over' | 'starting' | 'unable', (practice: string) => string>>;
  readonly unknownTitle: string;
  readonly unknown: string;
}

const words: Readonly<Record<Language, Words>> = {
  de: {
    title: (list) => `Anmeldung: ${list}`,
    problemTitle: 'Bitte prüfen Sie Ihre Angaben',
    problem: 'Bitte geben Sie eine gültige E-Mail-Adresse ein, zum Beispiel name@example.org.',
    doneTitle: 'Bitte sehen Sie in Ihr Postfach',
    done: (practice) =>
      `Wenn noch etwas zu bestätigen ist, bekommen Sie gleich eine E-Mail von <strong>${practice}</strong>. Erst mit dem Link darin ist Ihre Anmeldung gültig.`,
    later: (practice) =>
      `Wenn noch etwas zu bestätigen ist, bekommen Sie eine E-Mail von <strong>${practice}</strong>. Zurzeit kann sie nicht gleich gesendet werden: Sie kommt, sobald es wieder geht. Erst mit dem Link darin ist Ihre Anmeldung gültig.`,
    closedTitle: 'Die Anmeldung ist geschlossen',
    closed: {
      over: (practice) =>
        `<strong>${practice}</strong> nimmt für diese Liste keine Anmeldungen mehr an. Es wurde nichts gespeichert.`,
      starting: (practice) =>
        `<strong>${practice}</strong> richtet den Versand von E-Mails gerade erst ein. So lange kann sich hier niemand anmelden, und es wurde nichts gespeichert. Bitte versuchen Sie es in einigen Tagen noch einmal.`,
      unable: (practice) =>
        `<strong>${practice}</strong> kann zurzeit keine E-Mail senden, mit der Sie die Anmeldung bestätigen könnten. Es wurde nichts gespeichert. Bitte versuchen Sie es später noch einmal, oder wenden Sie sich direkt an den Anbieter.`,
    },
    nothing:
      'Keine E-Mail bekommen? Bitte sehen Sie auch im Spam-Ordner nach. Vielleicht sind Sie schon angemeldet, oder wir haben Ihnen heute schon geschrieben.',
    unknownTitle: 'Diese Anmeldung gibt es nicht',
    unknown: 'Vielleicht ist der Link nicht vollständig, oder die Liste wird nicht mehr angeboten.',
  },
  en: {
    title: (list) => `Subscribe: ${list}`,
    problemTitle: 'Please check what you entered',
    problem: 'Please enter a valid email address, such as name@example.org.',
    doneTitle: 'Please look into your mailbox',
    done: (practice) =>
      `If there is something left to confirm, you will get an email from <strong>${practice}</strong> shortly. Only its link makes your subscription valid.`,
    later: (practice) =>
      `If there is something left to confirm, you will get an email from <strong>${practice}</strong>. It cannot be sent at once: it will come as soon as that is possible again. Only its link makes your subscription valid.`,
    closedTitle: 'The form is closed',
    closed: {
      over: (practice) =>
        `<strong>${practice}</strong> takes no more subscriptions to this list. Nothing has been stored.`,
      starting: (practice) =>
        `<strong>${practice}</strong> is still setting up its email. Until that is done no one can subscribe here, and nothing has been stored. Please try again in a few days.`,
      unable: (practice) =>
        `<strong>${practice}</strong> cannot send the email by which you would confirm your subscription. Nothing has been stored. Please try again later, or write to the sender directly.`,
    },
    nothing:
      'No email? Please look into the spam folder, too. Perhaps you are subscribed already, or we have written to you today.',
    unknownTitle: 'There is no such list',
    unknown: 'The link may be incomplete, or the list is no longer offered.',
  },
};

export interface FormView {
  readonly practice: PracticeRow;
  readonly look: Look;
  readonly list: ListRow;
}

export const formProblem = (language: Language): string => words[language].problem;

/** `sent`: what cannot be used; it is shown again, with what is wrong above. */
export const formPage = (
  serviceName: string,
  { practice, look, list }: FormView,
  fields: FormFields,
  sent: Sent | null,
): RouteResult => {
  const { language } = fields;
  const say = words[language];
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

const saying: Readonly<Record<ClosedReason, keyof Words['closed']>> = {
  archived: 'over',
  not_public: 'over',
  safe_mode: 'starting',
  legal_incomplete: 'starting',
  content: 'unable',
  sending: 'unable',
  bounces: 'unable',
};

/** Without the list's name: the practice may have taken the list back. */
export const closedPage = (
  language: Language,
  serviceName: string,
  { practice, look }: Omit<FormView, 'list'>,
  reason: ClosedReason,
): RouteResult => {
  const say = words[language];
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
  const say = words[language];
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
  const say = words[language];
  return page({ status: 404, language, serviceName, title: say.unknownTitle, body: `<p>${say.unknown}</p>` });
};
