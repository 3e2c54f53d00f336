// Texts of refusals. They are written in English where they are thrown, with their values apart: a catalogue of a room
// (`<room>/refusals/de.ts`) has each in another language, by the English text with `{}` in the place of each value. Logs,
// SMTP, the command line and foreign shapes have the English text, and so has a refusal of which a catalogue lacks a part.
// Pure.
import { answerDefault, type Language, localeOf } from './language.ts';

/** Several values are said as alternatives: `a, b or c`. */
export type Value = string | number | Text | readonly Value[];

export interface Text {
  /** `The plan {} is not sold.` */
  readonly key: string;
  readonly values: readonly Value[];
}

export const isText = (value: unknown): value is Text =>
  typeof value === 'object' && value !== null && 'key' in value && 'values' in value;

/** say`The plan ${plan} is not sold.` */
export const say = (parts: TemplateStringsArray, ...values: readonly Value[]): Text => ({
  key: parts.join('{}'),
  values,
});

/** Says nothing. */
export const nothing: Text = { key: '', values: [] };

/** A text without values that is declared elsewhere: the message of a schema's own check. */
export const said = (key: string): Text => ({ key, values: [] });

export const joined = (texts: readonly Text[], separator: string): Text => ({
  key: texts.map(() => '{}').join(separator),
  values: texts,
});

/**
 * Texts by their English ones. `{}` is the next value, `{0}` the first; a function gets the values, which are numbers where
 * they were, for plurals.
 */
export type Sentences = Readonly<Record<string, string | ((...values: (string | number)[]) => string)>>;

/** Says texts in one language. `knows`: whether its catalogue has the text and those within it. */
export interface Speak {
  (text: Text): string;
  readonly language: Language;
  readonly knows: (text: Text) => boolean;
}

/** What the catalogue lacks is said in English: callers ask `knows` before they mix both. No `sentences`: English itself. */
export const speakerOf = (language: Language, given?: Sentences): Speak => {
  const sentences = given ?? {};
  // British English has no comma before the `or`, as these texts have none.
  const alternatives = new Intl.ListFormat(localeOf(language), { type: 'disjunction' });
  const shown = (value: Value): string | number => {
    if (typeof value === 'string' || typeof value === 'number') return value;
    if ('key' in value) return speak(value);
    return alternatives.format(value.map((one) => String(shown(one))));
  };
  const speak = ({ key, values }: Text): string => {
    const sentence = Object.hasOwn(sentences, key) ? (sentences[key] ?? key) : key;
    const told = values.map(shown);
    if (typeof sentence === 'function') return sentence(...told);
    let next = 0;
    return sentence.replace(/\{(\d?)\}/g, (_, place: string) =>
      String(told[place === '' ? next++ : Number(place)] ?? ''),
    );
  };
  // A key without letters is the same in every language.
  const isKnown = (value: Value): boolean =>
    typeof value === 'object' && 'key' in value
      ? (Object.hasOwn(sentences, value.key) || !/\p{L}/u.test(value.key)) && value.values.every(isKnown)
      : typeof value !== 'object' || value.every(isKnown);
  return Object.assign(speak, { language, knows: given === undefined ? () => true : isKnown });
};

export const inEnglish: Speak = speakerOf(answerDefault);
