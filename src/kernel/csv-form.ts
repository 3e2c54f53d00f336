// How a file of comma-separated values is written for people of a language. Programs such as Excel read a file as their country writes
// numbers and dates, and take there a semicolon for the end of a cell where the comma is in numbers. Pure, but for the catalogue.
import { catalogue } from './catalogue.ts';
import type { CsvForm } from './csv.ts';
import { clockOf, localeOf, type MemberLanguage } from './language.ts';

const headingsIn = catalogue<Readonly<Record<string, string>>, MemberLanguage>(
  import.meta.url,
  './words/columns/*.ts',
);

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;

const TWO = '2-digit';
const local = (language: MemberLanguage): CsvForm['textOf'] => {
  const clock = new Intl.DateTimeFormat(localeOf(language), {
    ...{ year: 'numeric', month: TWO, day: TWO, hour: TWO, minute: TWO, second: TWO },
    timeZone: clockOf(language).zone,
  });
  return (text) => {
    if (INSTANT.test(text)) return clock.format(Date.parse(text)).replace(',', '');
    return text.replace(DAY, '$3.$2.$1');
  };
};

const made = new Map<MemberLanguage, CsvForm>();

export const csvFormOf = (language: MemberLanguage): CsvForm => {
  const known = made.get(language);
  if (known !== undefined) return known;
  const { separator, decimal, isPlain } = clockOf(language).csv;
  const form: CsvForm = {
    separator,
    decimal,
    textOf: isPlain ? (text) => text : local(language),
    headingOf: isPlain ? (column) => column : (column) => headingsIn(language)[column] ?? column,
  };
  made.set(language, form);
  return form;
};
