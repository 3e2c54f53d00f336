// What is asked for where a TXT record is wanted that is known by its beginning.
import type { WantedRecord } from '../records/host-check.ts';
import { type Absence, absentTextHint, askWhyAbsent } from './absence.ts';
import { type Asking, type Texts, valuesOf } from './asking.ts';
import { type Judgement, sentences } from './judgement.ts';

export interface TextFacts {
  readonly texts: Texts;
  /** Null where there is such a record, or nobody knows. */
  readonly absence: Absence | null;
}

/** Each record's strings joined without anything between them, as all readers do. */
export const joined = (texts: Texts): string[] => valuesOf(texts.answer).map((strings) => strings.join(''));

export const askForText = async (
  asking: Asking,
  { name }: WantedRecord,
  zones: readonly string[],
  isWanted: (text: string) => boolean,
): Promise<TextFacts> => {
  const texts = await asking.texts(name);
  const isThere = async (at: string) => joined(await asking.texts(at)).some(isWanted);
  const isAbsent = texts.answer.kind !== 'failed' && !joined(texts).some(isWanted);
  return { texts, absence: isAbsent ? await askWhyAbsent(asking, name, zones, isThere) : null };
};

export const absentText = (wanted: WantedRecord, { texts, absence }: TextFacts, before = ''): Judgement => ({
  status: 'missing',
  found: [],
  hint: sentences(before, absentTextHint(absence, wanted, texts.aliases.at(-1))),
});
