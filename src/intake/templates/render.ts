// Content with placeholders, compiled once for all recipients: the values it needs, the problems of given values, and the
// result with the values in it. Pure.
import type { FieldProblem } from '#src/kernel/error-table.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { compileTemplate, isLink, type MergeData } from '#src/mail/merge-fields.ts';
import { withoutInvisibles } from '#src/mail/visible-text.ts';
import { isOfPractice } from './practice-values.ts';

/** One line of a header field holds it (RFC 5322 §2.1.1). */
export const MAX_SUBJECT = 998;

/** Characters of text and HTML together, with the values in them: every copy is composed from them. */
export const MAX_MADE = 2_000_000;

/** Values of one record of data, and characters of their names. */
export const MAX_DATA = 200;
export const MAX_DATA_NAME = 100;
/** A bulk has values for all and a recipient's own. */
const MAX_FIELDS = 2 * MAX_DATA;
/** The bound for each part: the first problems show the mistake. */
const MAX_PROBLEMS = 20;

export interface TemplateContent {
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
}

export interface CompiledContent {
  /** Names of all placeholders, each once. */
  readonly fields: readonly string[];
  /** Why it cannot be used; paths are `subject`, `text`, `html`. */
  readonly problems: readonly FieldProblem[];
  /** Fields that are not in `data`. */
  readonly missing: (data: MergeData) => string[];
  /** Why no message can be made with `data`; `path` is the place of the data in the request. */
  readonly problemsOf: (data: MergeData, path: string) => FieldProblem[];
  /** Whether the result would be far longer than the request: then `render` must not be called. */
  readonly isTooLong: (data: MergeData) => boolean;
  readonly render: (data: MergeData) => TemplateContent;
  /** The values that text and HTML use. */
  readonly dataOfBody: (data: MergeData) => MergeData;
}

/** What the practice does not say of itself is best said there, for all templates. */
const absentMessage = (name: string): Text =>
  isOfPractice(name)
    ? say`is required by the template, and the practice's legal block does not have it: complete that, or give the value`
    : say`is required by the template`;

export const TOO_LONG = say`makes the message longer than ${MAX_MADE} characters`;

export const compileContent = ({ subject, text, html }: TemplateContent): CompiledContent => {
  const parts = {
    subject: compileTemplate(subject, 'subject'),
    text: text === null ? null : compileTemplate(text, 'text'),
    html: html === null ? null : compileTemplate(html, 'html'),
  };
  const fields = [...new Set(Object.values(parts).flatMap((part) => part?.fields ?? []))];
  const links = parts.html?.links ?? [];
  const bodyFields = [...new Set([...(parts.text?.fields ?? []), ...(parts.html?.fields ?? [])])];
  const missing = (data: MergeData) => fields.filter((name) => !Object.hasOwn(data, name));
  const isTooLong = (data: MergeData): boolean =>
    (parts.text?.lengthOf(data) ?? 0) + (parts.html?.lengthOf(data) ?? 0) > MAX_MADE;
  const subjectOf = (data: MergeData) => withoutInvisibles(parts.subject.merge(data)).trim();
  return {
    fields,
    problems: Object.entries(parts).flatMap(([path, part]) => {
      const own = part?.fields ?? [];
      const messages = [
        ...(own.length > 0 && fields.length > MAX_FIELDS
          ? [say`has, with the other parts, more than ${MAX_FIELDS} placeholders`]
          : []),
        ...(own.some(({ length }) => length > MAX_DATA_NAME)
          ? [say`has a placeholder of more than ${MAX_DATA_NAME} characters`]
          : []),
        ...(part?.problems.slice(0, MAX_PROBLEMS) ?? []),
      ];
      return messages.slice(0, MAX_PROBLEMS).map((message) => ({ path, message }));
    }),
    missing,
    problemsOf: (data, path) => {
      const absent = missing(data);
      if (absent.length > 0)
        return absent.map((name) => ({ path: `${path}.${name}`, message: absentMessage(name) }));
      if (isTooLong(data)) return [{ path, message: TOO_LONG }];
      const unfit = links
        .filter((name) => !isLink(data[name] ?? ''))
        .map((name) => ({
          path: `${path}.${name}`,
          message: say`begins a link: expected an address with https, http, mailto, tel or sms`,
        }));
      const made = subjectOf(data);
      if (made !== '' && made.length <= MAX_SUBJECT) return unfit;
      const message =
        made === ''
          ? say`leaves the subject empty`
          : say`makes the subject longer than ${MAX_SUBJECT} characters`;
      return [...unfit, { path, message }];
    },
    isTooLong,
    render: (data) => ({
      subject: subjectOf(data),
      text: parts.text?.merge(data) ?? null,
      html: parts.html?.merge(data) ?? null,
    }),
    dataOfBody: (data) =>
      Object.fromEntries(
        bodyFields.flatMap((name) => (Object.hasOwn(data, name) ? [[name, data[name] ?? '']] : [])),
      ),
  };
};
