// The page on which a person sees the lists of one sender that they are on, and leaves some of them.
import { trackingWording } from '#src/audience/lists/wording.ts';
import { publicWordsIn } from '#src/audience/words.ts';
import { button, imprint } from '#src/feedback/unsubscribe/page.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { maskAddress } from '#src/mail/address.ts';
import { isPseudonym } from '#src/messages/pseudonym.ts';
import type { PreferencesView } from './preferences.ts';

/** `chose`: false where the form was sent and no list was chosen. */
export const preferencesPage = (
  language: Language,
  serviceName: string,
  { practice, look, address, lists, left, tracking }: PreferencesView,
  links: { readonly preferences: string; readonly unsubscribe: string },
  chose: boolean,
): RouteResult => {
  const say = publicWordsIn(language).preferences;
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
