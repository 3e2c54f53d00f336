// Placeholders in what is written, while it is written: their names, the text with test values in them, and what only looks like
// one. The daemon judges for itself when it is stored. Pure.

import type { Practice } from '#api';

/** The same names as in `src/mail/merge-fields.ts`. */
export const PLACEHOLDER = /\{\{\s*([A-Za-z_]\w*(?:\.\w+)*)\s*\}\}/;
/** The service fills it in for each copy. */
const OWN = 'unsubscribe_url';

export interface ContentProblem {
  /** The first is 1. */
  readonly line: number;
  readonly message: string;
}

const all = (): RegExp => new RegExp(PLACEHOLDER, 'g');

export const placeholdersIn = (...parts: readonly string[]): string[] => [
  ...new Set(
    parts
      .flatMap((part) => [...part.matchAll(all())].map(([, name = '']) => name))
      .filter((name) => name !== OWN),
  ),
];

/** What the service knows of the practice by itself, as `src/intake/templates/practice-values.ts` has it. */
export const practiceValues = ({
  name,
  legal,
}: {
  readonly name: string;
  readonly legal: Practice['legal'];
}): Record<string, string> => {
  const address = [legal.street, legal.city].filter(Boolean).join(', ');
  const values = Object.entries({ ...legal, name, address });
  return Object.fromEntries(
    values.flatMap(([field, value]) =>
      typeof value === 'string' && value !== '' ? [[`practice.${field}`, value]] : [],
    ),
  );
};

const escaped: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const asHtml = (value: string): string =>
  value.replace(/[&<>"]/g, (found) => escaped[found] ?? found).replace(/\n/g, '<br>\n');

/** Those without a value stay. */
export const filled = (
  part: string,
  values: Readonly<Record<string, string>>,
  as: (value: string) => string = (value) => value,
): string => part.replace(all(), (found, name: string) => (values[name] ? as(values[name]) : found));

/** Double braces that are no placeholder, by line. */
export const brokenIn = (part: string, message: string): ContentProblem[] =>
  part
    .split('\n')
    .flatMap((text, at) => (text.replace(all(), '').includes('{{') ? [{ line: at + 1, message }] : []));

/** The line that a refusal quotes; the first one where it quotes none. */
export const lineOf = (part: string, message: string): number => {
  const [, quoted] = /^("(?:[^"\\]|\\.)*") /.exec(message) ?? [];
  const at = quoted === undefined ? -1 : part.indexOf(JSON.parse(quoted));
  return at < 0 ? 1 : part.slice(0, at).split('\n').length;
};
