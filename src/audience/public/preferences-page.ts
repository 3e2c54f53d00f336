// The page on which a person sees the lists of one sender that they are on, and leaves some of them, in German and English.

import { trackingWording } from '#src/audience/lists/wording.ts';
import { button, imprint } from '#src/feedback/unsubscribe/page.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { maskAddress } from '#src/mail/address.ts';
import { isPseudonym } from '#src/messages/pseudonym.ts';
import type { PreferencesView, TrackingView } from './preferences.ts';

interface Words {
  readonly title: string;
  readonly yourAddress: string;
  readonly intro: (practice: string, address: string) => string;
  readonly none: (practice: string, address: string) => string;
  readonly left: (lists: string) => string;
  readonly legend: string;
  readonly leave: string;
  readonly leaveAll: string;
  readonly nothingChosen: string;
  readonly all: (practice: string) => string;
  readonly tracking: string;
  readonly tracked: Readonly<Record<TrackingView, (practice: string) => string>>;
  readonly object: string;
  readonly agree: string;
}

const words: Readonly<Record<Language, Words>> = {
  de: {
    title: 'Ihre Listen',
    yourAddress: 'Ihre Adresse',
    intro: (practice, address) => `Auf diesen Listen von ${practice} ist ${address}:`,
    none: (practice, address) => `${address} ist auf keiner Liste von ${practice}.`,
    left: (lists) => `Abgemeldet: ${lists}. E-Mails, die schon unterwegs sind, können Sie noch erreichen.`,
    legend: 'Welche möchten Sie abbestellen?',
    leave: 'Ausgewählte abbestellen',
    leaveAll: 'Alle Listen abbestellen',
    nothingChosen: 'Bitte wählen Sie mindestens eine Liste aus.',
    all: (practice) => `Gar keine E-Mails mehr von ${practice}`,
    tracking: 'Auswertung',
    tracked: {
      allowed: (practice) =>
        `${practice} kann auswerten, ob Sie die E-Mails öffnen und welche Links darin Sie anklicken. Sie können dem widersprechen; die E-Mails bekommen Sie weiter.`,
      asked: (practice) =>
        `${practice} wertet nicht aus, ob Sie die E-Mails Ihrer Listen öffnen und welche Links darin Sie anklicken, solange Sie es nicht erlauben.`,
      objected: (practice) =>
        `Sie haben widersprochen: ${practice} wertet nicht aus, ob Sie E-Mails öffnen und welche Links darin Sie anklicken.`,
    },
    object: 'Nicht auswerten',
    agree: 'Auswertung erlauben',
  },
  en: {
    title: 'Your lists',
    yourAddress: 'your address',
    intro: (practice, address) => `These are the lists of ${practice} that ${address} is on:`,
    none: (practice, address) => `There is no list of ${practice} that ${address} is on.`,
    left: (lists) => `Unsubscribed: ${lists}. Emails that are already on their way may still reach you.`,
    legend: 'Which do you want to unsubscribe from?',
    leave: 'Unsubscribe from the chosen ones',
    leaveAll: 'Unsubscribe from all lists',
    nothingChosen: 'Please choose at least one list.',
    all: (practice) => `No emails from ${practice} at all`,
    tracking: 'Tracking',
    tracked: {
      allowed: (practice) =>
        `${practice} may record whether you open the emails and which of their links you follow. You can object to that; you still get the emails.`,
      asked: (practice) =>
        `${practice} does not record whether you open the emails of your lists and which of their links you follow unless you allow it.`,
      objected: (practice) =>
        `You have objected: ${practice} does not record whether you open emails and which of their links you follow.`,
    },
    object: 'Do not track',
    agree: 'Allow tracking',
  },
};

/** `chose`: false where the form was sent and no list was chosen. */
export const preferencesPage = (
  language: Language,
  serviceName: string,
  { practice, look, address, lists, left, tracking }: PreferencesView,
  links: { readonly preferences: string; readonly unsubscribe: string },
  chose: boolean,
): RouteResult => {
  const say = words[language];
  const name = `<strong>${escapeHtml(practice.name)}</strong>`;
  const who = isPseudonym(address) ? say.yourAddress : `<strong>${escapeHtml(maskAddress(address))}</strong>`;
  const boxes = lists.map(
    ({ id, name: list, description }) =>
      `<div><label for="l-${id}"><input type="checkbox" id="l-${id}" name="${id}" value="leave"> ${escapeHtml(list)}</label>${description === null ? '' : `<p class="note">${escapeHtml(description)}</p>`}</div>`,
  );
  const choice =
    lists.length === 0
      ? `<p>${say.none(name, who)}</p>`
      : `<p>${say.intro(name, who)}</p>
<form method="post" action="${escapeHtml(links.preferences)}">
<fieldset${chose ? '' : ' aria-describedby="nothing-chosen"'}><legend>${say.legend}</legend>
${boxes.join('\n')}
</fieldset>
<button type="submit">${say.leave}</button>
</form>
${button(`${links.preferences}&do=all`, say.leaveAll, 'other')}`;
  const objecting =
    tracking === 'objected' ? '' : button(`${links.preferences}&do=object`, say.object, 'other');
  const agreeing =
    tracking === 'allowed'
      ? ''
      : `<p class="note">${escapeHtml(trackingWording({ practice: practice.name, language }))}</p>
${button(`${links.preferences}&do=agree`, say.agree, 'other')}`;
  const decisions = isPseudonym(address) ? '' : `${objecting}${agreeing}`;
  const problem = chose
    ? ''
    : `<div role="alert"><p class="error" id="nothing-chosen">${say.nothingChosen}</p></div>\n`;
  const done =
    left.length === 0
      ? ''
      : `<div role="status"><p>${say.left(left.map(({ name: list }) => `<strong>${escapeHtml(list)}</strong>`).join(', '))}</p></div>\n`;
  return page({
    status: chose ? 200 : 400,
    language,
    serviceName,
    look,
    title: say.title,
    body: `${problem}${done}${choice}
<h2>${say.tracking}</h2>
<p>${say.tracked[tracking](name)}</p>
${decisions}
<p><a href="${escapeHtml(links.unsubscribe)}">${say.all(escapeHtml(practice.name))}</a></p>
${imprint(practice, language)}`,
  });
};
