// Fills placeholders in a template: `{{name}}`, `{{ practice.city }}`. Values are text: in HTML they are escaped according to
// their place, in a subject they become one line. `{{unsubscribe_url}}` stays, because it is filled in for each copy. There
// are no conditions, loops or raw values; anything else in double braces is an error for the author. Linear time. Pure.
import { type Place, placesIn } from './html-places.ts';

/** Names have letters, digits and `_`, and parts joined by dots. */
const PLACEHOLDER = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*\}\}/y;

/** The service fills it in for each recipient. A template that has it gets no link in the footer. */
export const UNSUBSCRIBE_FIELD = 'unsubscribe_url';
export const UNSUBSCRIBE_PLACEHOLDER = /\{\{\s*unsubscribe_url\s*\}\}/g;

export type MergeData = Readonly<Record<string, string>>;
export type MergeTarget = 'html' | 'text' | 'subject';

/** A text with its value apart, as `say` has it. */
export interface TemplateProblem {
  readonly key: string;
  readonly values: readonly string[];
}

export interface Template {
  /** The names of its placeholders, each once and in order, without the service's own. */
  readonly fields: readonly string[];
  /** The names whose value begins a link. */
  readonly links: readonly string[];
  /** Why the template cannot be used, in words for its author; empty if it can be used. */
  readonly problems: readonly TemplateProblem[];
  /** The length of what `merge` would return, in UTF-16 code units, without the cost of many repeated values. */
  readonly lengthOf: (data: MergeData) => number;
  /** A placeholder whose name is not in `data` stays; callers check `fields` first. */
  readonly merge: (data: MergeData) => string;
}

/** The first problems suffice to find the mistake. */
const MAX_PROBLEMS = 5;
const MAX_SHOWN = 40;

const htmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escapeHtml = (value: string): string =>
  value.replace(/[&<>"']/g, (found) => htmlEscapes[found] ?? found);
const asLine = (value: string): string => value.replace(/[\0-\x1f\x7f\x85\u2028\u2029]+/g, ' ').trim();

/** Characters that an address cannot contain are percent-encoded (RFC 3986 §2.1); delimiters and `%` stay. */
const asAddress = (value: string): string =>
  encodeURI(value.toWellFormed()).replace(/%25(?=[0-9A-Fa-f]{2})/g, '%');

/** Whether a link may begin with this value: in every mail program it opens a page, a message or a call. */
export const isLink = (value: string): boolean => /^(?:https?:\/\/|mailto:|tel:|sms:)[^\s]/i.test(value);

const escapes: Readonly<Record<Place | 'line', (value: string) => string>> = {
  // Line breaks in a value are intended: an address, or paragraphs.
  text: (value) => escapeHtml(value).replace(/\r\n?|\n/g, '<br>\n'),
  attribute: escapeHtml,
  link: (value) => escapeHtml(asAddress(value)),
  // Intake refuses other values; a value that gets here all the same leads nowhere.
  'link start': (value) => (isLink(value) ? escapeHtml(asAddress(value)) : '#'),
  code: () => '',
  line: asLine,
};

interface Hole {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

const shown = (text: string): string => JSON.stringify(text.slice(0, MAX_SHOWN).toWellFormed());

/** The placeholders in order, and the problems of what only looks like one. */
const findHoles = (template: string): { holes: Hole[]; problems: TemplateProblem[] } => {
  const holes: Hole[] = [];
  const problems: TemplateProblem[] = [];
  let start = template.indexOf('{{');
  while (start >= 0) {
    PLACEHOLDER.lastIndex = start;
    const found = PLACEHOLDER.exec(template);
    const end = found ? start + found[0].length : start + 2;
    if (found) holes.push({ start, end, name: found[1] ?? '' });
    else if (problems.length < MAX_PROBLEMS)
      problems.push({
        key: '{} is no placeholder: those are {{name}}, with ASCII letters, digits, _ and dots',
        values: [shown(template.slice(start).split('\n', 1)[0] ?? '')],
      });
    start = template.indexOf('{{', end);
  }
  return { holes, problems };
};

export const compileTemplate = (template: string, into: MergeTarget): Template => {
  const { holes, problems } = findHoles(template);
  const places: (Place | 'line' | 'plain')[] =
    into === 'html'
      ? placesIn(
          template,
          holes.map(({ start }) => start),
        )
      : holes.map(() => (into === 'subject' ? 'line' : 'plain'));
  for (const [index, { start, end }] of holes.entries()) {
    if (places[index] === 'code' && problems.length < MAX_PROBLEMS)
      problems.push({
        key: "{} is at a place where its value could become code: put it into text, or into an attribute's value in quotes; a link must begin with https:// or be the placeholder alone",
        values: [shown(template.slice(start, end))],
      });
  }
  const namesOf = (some: readonly Hole[]): string[] => [
    ...new Set(some.map(({ name }) => name).filter((name) => name !== UNSUBSCRIBE_FIELD)),
  ];
  const uses = Map.groupBy(holes.keys(), (index) => `${places[index]} ${holes[index]?.name}`);
  const filled = (data: MergeData, index: number): string | undefined => {
    const { name = UNSUBSCRIBE_FIELD } = holes[index] ?? {};
    const value = name !== UNSUBSCRIBE_FIELD && Object.hasOwn(data, name) ? data[name] : undefined;
    const place = places[index] ?? 'plain';
    return value === undefined || place === 'plain' ? value : escapes[place](value);
  };
  const widthOf = (index: number): number => (holes[index]?.end ?? 0) - (holes[index]?.start ?? 0);
  const groups = [...uses.values()].map((indexes) => ({
    index: indexes[0] ?? 0,
    count: indexes.length,
    width: indexes.reduce((sum, index) => sum + widthOf(index), 0),
  }));
  return {
    fields: namesOf(holes),
    links: namesOf(holes.filter((_, index) => places[index] === 'link start')),
    problems,
    lengthOf: (data) =>
      groups.reduce((length, { index, count, width }) => {
        const value = filled(data, index);
        return value === undefined ? length : length + count * value.length - width;
      }, template.length),
    merge: (data) => {
      let merged = '';
      let at = 0;
      for (const [index, { start, end }] of holes.entries()) {
        const value = filled(data, index);
        if (value === undefined) continue;
        merged += template.slice(at, start) + value;
        at = end;
      }
      return merged + template.slice(at);
    },
  };
};

export const merge = (template: string, data: MergeData, into: MergeTarget): string =>
  compileTemplate(template, into).merge(data);
