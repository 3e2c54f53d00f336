// Forms that a practice begins with: what is usually asked for, in the language of the form. Pure.
import { formWordsIn } from '#src/inbound/words.ts';
import type { Language } from '#src/kernel/language.ts';
import { DEFAULTS, type FieldType, type FormField, type FormSettings, type PresetName } from './schema.ts';

/** Key, type, and whether it must be filled in. */
type Wanted = readonly [key: Labelled, type: FieldType, required?: 'required'];
type Labelled = keyof ReturnType<typeof formWordsIn>['presets']['labels'];

const wanted: Readonly<Record<PresetName, readonly Wanted[]>> = {
  contact: [
    ['name', 'name', 'required'],
    ['email', 'email', 'required'],
    ['phone', 'phone'],
    ['message', 'long_text', 'required'],
    ['consent', 'consent', 'required'],
  ],
  prescription: [
    ['name', 'name', 'required'],
    ['birthday', 'date', 'required'],
    ['email', 'email', 'required'],
    ['phone', 'phone'],
    ['medicine', 'long_text', 'required'],
    ['pickup', 'choice', 'required'],
    ['file', 'file'],
    ['consent', 'consent', 'required'],
  ],
  appointment: [
    ['name', 'name', 'required'],
    ['birthday', 'date'],
    ['email', 'email', 'required'],
    ['phone', 'phone'],
    ['reason', 'text', 'required'],
    ['day', 'date'],
    ['wish', 'choice'],
    ['consent', 'consent', 'required'],
  ],
  own: [
    ['name', 'name', 'required'],
    ['email', 'email', 'required'],
    ['question', 'long_text', 'required'],
  ],
};

export const presetOf = (preset: PresetName, language: Language): FormSettings => {
  const { labels, titles, purposes, ...choices } = formWordsIn(language).presets;
  const fields = wanted[preset].map(
    ([key, type, required]): FormField => ({
      key,
      type,
      label: labels[key],
      required: required !== undefined,
      choices: key === 'pickup' || key === 'wish' ? choices[key] : null,
    }),
  );
  const title = titles[preset];
  return { name: title, language, title, purpose: purposes[preset], fields, ...DEFAULTS };
};
