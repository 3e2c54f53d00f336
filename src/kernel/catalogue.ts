// The words that people read are catalogues: one file for each room and language, `words/<language>.ts`, or
// `words/<language>/<subject>.ts` where a room has many. Each exports `words`; the German file gives the others their type. A
// file is loaded when its language is first asked for: most daemons never need them all. A new language is its files and its
// line in `language.ts`.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Language } from './language.ts';

const load = createRequire(import.meta.url);

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
    const { words } = load(fileURLToPath(new URL(files.replace('*', language), url))) as { words: Words };
    loaded.set(language, words);
    return words;
  };
};
