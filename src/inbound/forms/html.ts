// The `<form>` element: on its own page, and as HTML for the practice's site. It works without a script, a style and a cookie, so a
// site of any origin can send it. Pure.
import { attachmentPolicy } from '#src/content/attachment-policy.ts';
import { formWordsIn } from '#src/inbound/words.ts';
import { localeOf } from '#src/kernel/language.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import type { FormField, FormSettings } from './schema.ts';

/** A field that people do not see, and programs fill in. It is hidden without a style: a site may allow none of ours. */
export const TRAP_FIELD = 'website';
/** When the page with the form was made; HTML on a site is there for years, so it has none. */
export const OPENED_FIELD = 'opened';

/** Characters of what is typed. */
export const LONGEST: Readonly<Record<FormField['type'], number>> = {
  name: 120,
  email: 254,
  phone: 40,
  text: 300,
  date: 10,
  choice: 200,
  long_text: 10_000,
  consent: 3,
  file: 0,
};

/** What was typed, by the keys of the fields. */
export type Typed = Readonly<Record<string, string>>;

export interface ShownForm {
  readonly settings: FormSettings;
  /** Where it is sent to. */
  readonly action: string;
  readonly privacyUrl: string | null;
  /** The mark of the page; null: HTML for a site. */
  readonly opened: string | null;
  readonly typed?: Typed;
  /** Keys of fields with something wrong, whose text is at `problemId`. */
  readonly wrong?: ReadonlySet<string>;
}

/** Ids of a form's elements: a page may have several forms. */
export const fieldId = (action: string, key: string): string => `sw-${action.slice(-6)}-${key}`;
export const problemId = (action: string, key: string): string => `${fieldId(action, key)}-problem`;

/** Lines of the practice's own text. */
export const linesOf = (text: string): string => escapeHtml(text).replaceAll('\n', '<br>\n');

const BYTES_PER_MB = 1_000_000;
export const megabytesOf = (bytes: number, { language }: Pick<FormSettings, 'language'>): string =>
  (bytes / BYTES_PER_MB).toLocaleString(localeOf(language), { maximumFractionDigits: 1 });

const inputs: Readonly<Partial<Record<FormField['type'], string>>> = {
  name: 'type="text" autocomplete="name"',
  email: 'type="email" autocomplete="email"',
  phone: 'type="tel" autocomplete="tel"',
  text: 'type="text"',
  date: 'type="date"',
};

const ACCEPTED = attachmentPolicy.allowed_extensions.map((extension) => `.${extension}`).join(',');

const fieldHtml = (field: FormField, form: ShownForm): string => {
  const { key, type, label, required, choices } = field;
  const { settings, action, typed = {}, wrong } = form;
  const say = formWordsIn(settings.language).form;
  const id = fieldId(action, key);
  const value = escapeHtml(typed[key] ?? '');
  const isWrong = wrong?.has(key) === true;
  const hintId = type === 'file' ? `${id}-hint` : null;
  const describedBy = [isWrong ? problemId(action, key) : null, hintId].filter(Boolean).join(' ');
  const common = [
    `id="${id}" name="${key}"`,
    required ? ' required' : '',
    isWrong ? ' aria-invalid="true"' : '',
    describedBy === '' ? '' : ` aria-describedby="${describedBy}"`,
  ].join('');
  const words = `${linesOf(label)}${required ? '' : ` (${say.optional})`}`;
  if (type === 'consent')
    return `<p><label for="${id}"><input type="checkbox" ${common} value="yes"${value ? ' checked' : ''}> ${words}</label></p>`;
  const labelled = `<label for="${id}">${words}</label>`;
  const most = ` maxlength="${LONGEST[type]}"`;
  if (type === 'long_text')
    return `<p>${labelled}\n<textarea ${common}${most} rows="6">${value === '' ? '' : `\n${value}`}</textarea></p>`;
  if (type === 'choice') {
    const options = (choices ?? []).map(
      (choice) => `<option${typed[key] === choice ? ' selected' : ''}>${escapeHtml(choice)}</option>`,
    );
    return `<p>${labelled}\n<select ${common}>\n<option value="">${say.choose}</option>\n${options.join('\n')}\n</select></p>`;
  }
  if (type === 'file') {
    const hint = say.fileHint(megabytesOf(settings.file_bytes, settings));
    return `<p>${labelled}\n<input type="file" ${common} accept="${ACCEPTED}"><br>\n<small id="${hintId}">${hint}</small></p>`;
  }
  const shown = value === '' ? '' : ` value="${value}"`;
  return `<p>${labelled}\n<input ${inputs[type]} ${common}${type === 'date' ? '' : most}${shown}></p>`;
};

export const formHtml = (form: ShownForm): string => {
  const { settings, action, privacyUrl, opened } = form;
  const { language, purpose, fields } = settings;
  const say = formWordsIn(language).form;
  const trap = fieldId(action, TRAP_FIELD);
  const mark =
    opened === null ? '' : `<input type="hidden" name="${OPENED_FIELD}" value="${escapeHtml(opened)}">\n`;
  const about = purpose === null ? '' : `<p>${linesOf(purpose)}</p>\n`;
  const privacy =
    privacyUrl === null
      ? ''
      : `<p><a href="${escapeHtml(privacyUrl)}" rel="noopener noreferrer">${say.privacy}</a></p>\n`;
  return `<form method="post" action="${escapeHtml(action)}" enctype="multipart/form-data" accept-charset="utf-8" lang="${language}">
${mark}${about}${fields.map((field) => fieldHtml(field, form)).join('\n')}
<div hidden aria-hidden="true"><label for="${trap}">${say.trap}</label>
<input id="${trap}" name="${TRAP_FIELD}" tabindex="-1" autocomplete="off"></div>
${privacy}<p><button type="submit">${say.submit}</button></p>
</form>`;
};
