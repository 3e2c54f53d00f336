// The words that people read are catalogues: one file for each room and language, `words/<language>.ts`, or
// `words/<language>/<subject>.ts` where a room has many. Each exports `words`; the German file gives the others their type. A
// file is loaded when its language is first asked for: most daemons never need them all. A new language is its line in `language.ts`
// and its files, one after the other: where it has none yet its readers get the English one, and a test of the catalogues fails.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerDefault, type Language } from './language.ts';
import type { Sentences } from './say.ts';

const load = createRequire(import.meta.url);

const isThere = (file: string): boolean => {
  try {
    load.resolve(file);
    return true;
  } catch {
    return false;
  }
};

/**
 * Finds the words of a language. `files` says where they are, beside the module `url`, with `*` for the language, as in
 * `./words/*.ts`. What only members see is `Offered` in their languages; who asks says by `memberLanguageOf` which it is then.
 */
export const catalogue = <Words, Offered extends Language = Language>(
  url: string,
  files: string,
): ((language: Offered) => Words) => {
  const loaded = new Map<Offered, Words>();
  return (language) => {
    const known = loaded.get(language);
    if (known !== undefined) return known;
    const fileIn = (tag: Language): string => fileURLToPath(new URL(files.replace('*', tag), url));
    const own = fileIn(language);
    const { words } = load(isThere(own) ? own : fileIn(answerDefault)) as { words: Words };
    loaded.set(language, words);
    return words;
  };
};

/**
 * Finds what is refused in a language, by the English texts: `refusals/<language>.ts` in each of the folders that has it. Undefined
 * where none has it, as none has English.
 */
export const refusalsIn = (
  folders: () => readonly string[],
): ((language: Language) => Sentences | undefined) => {
  const loaded = new Map<Language, Sentences | undefined>();
  return (language) => {
    if (loaded.has(language)) return loaded.get(language);
    const found = folders()
      .map((folder) => join(folder, 'refusals', `${language}.ts`))
      .filter(isThere)
      .map((file) => (load(file) as { words: Sentences }).words);
    const all: Sentences | undefined = found.length === 0 ? undefined : Object.assign({}, ...found);
    loaded.set(language, all);
    return all;
  };
};
