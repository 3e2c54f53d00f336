// The form by which people ask to be put on a list: on its own page, and as HTML for the practice's site. It works without a
// script and without a cookie, so a site of any origin can send it. Pure.
import type { ListRow } from '#src/audience/lists/store.ts';
import { trackingWording } from '#src/audience/lists/wording.ts';
import { publicWordsIn } from '#src/audience/words.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml } from '#src/kernel/page.ts';

/** A field that people do not see, and programs fill in. It is hidden without a style: a site may allow none of ours. */
export const TRAP_FIELD = 'website';
const MAX_EMAIL = 254;
const MAX_NAME = 200;

/** Where it is shown, and with which version of the wording: the ledger must not claim that another was shown. */
export interface FormMark {
  readonly place: 'page' | 'site';
  readonly wordingVersion: number;
}
const MARK = /^(page|site)\.(\d{1,9})$/;

export const readMark = (text: string): FormMark | null => {
  const [, place, version] = MARK.exec(text) ?? [];
  return place === undefined ? null : { place: place as FormMark['place'], wordingVersion: Number(version) };
};

export interface FormFields {
  readonly list: ListRow;
  readonly language: Language;
  readonly place: FormMark['place'];
  /** Where it is sent to. */
  readonly action: string;
  readonly token: string;
  readonly privacyUrl: string | null;
  readonly practice: string;
}

/** Lines of the practice's own text. */
export const linesOf = (text: string): string => escapeHtml(text).replaceAll('\n', '<br>\n');

/** What was sent, where it is shown again. */
export interface Sent {
  readonly email: string;
  readonly name: string;
  readonly agreesToTracking: boolean;
  /** Why the address cannot be used. */
  readonly problem: string;
}

/** Ids of a form's elements: a page may have the forms of several lists. */
export const formIds = ({ seq }: ListRow) => ({
  email: `sendwerk-email-${seq}`,
  problem: `sendwerk-problem-${seq}`,
  name: `sendwerk-name-${seq}`,
  trap: `sendwerk-website-${seq}`,
  tracking: `sendwerk-tracking-${seq}`,
});

/** The `<form>` element. */
export const formHtml = (fields: FormFields, sent: Sent | null = null): string => {
  const { list, language, place, action, token, privacyUrl, practice } = fields;
  const say = publicWordsIn(language).form;
  const ids = formIds(list);
  const value = (text: string | undefined): string => (text ? ` value="${escapeHtml(text)}"` : '');
  const invalid = sent ? ` aria-invalid="true" aria-describedby="${ids.problem}"` : '';
  const privacy =
    privacyUrl === null
      ? ''
      : `\n<p><a href="${escapeHtml(privacyUrl)}" rel="noopener noreferrer">${say.privacy}</a></p>`;
  // A box of its own, never ticked beforehand (CJEU C-673/17).
  const tracking =
    list.tracking_consent === 'asked'
      ? `\n<p><label for="${ids.tracking}"><input type="checkbox" id="${ids.tracking}" name="tracking" value="yes"${sent?.agreesToTracking ? ' checked' : ''}> ${escapeHtml(trackingWording({ practice, language }))}</label></p>`
      : '';
  return `<form method="post" action="${escapeHtml(action)}" accept-charset="utf-8" lang="${language}">
<input type="hidden" name="list" value="${token}">
<input type="hidden" name="language" value="${language}">
<input type="hidden" name="form" value="${place}.${list.wording_version}">
<p><label for="${ids.email}">${say.email}</label>
<input id="${ids.email}" name="email" type="email" required maxlength="${MAX_EMAIL}" autocomplete="email"${value(sent?.email)}${invalid}></p>
<p><label for="${ids.name}">${say.name} (${say.optional})</label>
<input id="${ids.name}" name="name" maxlength="${MAX_NAME}" autocomplete="name"${value(sent?.name)}></p>
<div hidden aria-hidden="true"><label for="${ids.trap}">${say.trap}</label>
<input id="${ids.trap}" name="${TRAP_FIELD}" tabindex="-1" autocomplete="off"></div>
<p>${linesOf(list.wording)}</p>${tracking}${privacy}
<p><button type="submit">${say.submit}</button></p>
</form>`;
};
