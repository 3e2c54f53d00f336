// Placeholders in a template: `{{name}}`, `{{ practice.city }}`. Values are text; in HTML they are escaped, in a subject
// they are one line. `{{unsubscribe_url}}` is left as it stands: it is filled in where each copy is composed. Pure.

/** Names of letters, digits and `_`, parts joined by dots. */
const PLACEHOLDER = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*\}\}/g;

/** The service fills it in, for each recipient; where a template has it, no footer link is added. */
export const UNSUBSCRIBE_FIELD = 'unsubscribe_url';
export const UNSUBSCRIBE_PLACEHOLDER = /\{\{\s*unsubscribe_url\s*\}\}/g;

export type MergeData = Readonly<Record<string, string>>;

const htmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const asHtml = (value: string): string => value.replace(/[&<>"']/g, (found) => htmlEscapes[found] ?? found);
const asLine = (value: string): string => value.replace(/[\r\n\0]+/g, ' ').trim();
const asText = (value: string): string => value;
const escapes = { html: asHtml, text: asText, subject: asLine } as const;

/** Names of the placeholders, each once, in their order; without the service's own. */
export const fieldsOf = (...templates: readonly (string | null)[]): string[] => {
  const names = templates.flatMap((template) =>
    [...(template ?? '').matchAll(PLACEHOLDER)].map(([, name = '']) => name),
  );
  return [...new Set(names)].filter((name) => name !== UNSUBSCRIBE_FIELD);
};

/** What is not in `data` stays as it stands: whoever merges has asked `fieldsOf` first. */
export const merge = (template: string, data: MergeData, into: keyof typeof escapes): string =>
  template.replace(PLACEHOLDER, (placeholder, name: string) =>
    name !== UNSUBSCRIBE_FIELD && Object.hasOwn(data, name) ? escapes[into](data[name] ?? '') : placeholder,
  );
