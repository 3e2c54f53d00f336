// The words that people read: each catalogue is in each language that its readers are offered, says the same things with the same
// values, and in that language; no word for people is outside of the catalogues, and no language is compared in code. Each rule
// is proved on texts that break it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Language, languages, memberLanguages } from '#src/kernel/language.ts';

const SRC = join(import.meta.dirname, '../../src');
const load = createRequire(import.meta.url);
const paths = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
  .toSorted();
const textOf = (path: string): string => readFileSync(join(SRC, path), 'utf8');
const isCatalogue = (path: string): boolean => /\/(?:words|refusals)\//.test(path);

type Texts = ReadonlyMap<string, string>;

/** Stands for a value of any kind: a number where it is formatted, a list, and fields that are such values again. */
const probeOf = (name: string): unknown =>
  new Proxy(() => '', {
    get: (_, key) => {
      if (key === Symbol.toPrimitive) return (hint: string) => (hint === 'number' ? 7 : `‹${name}›`);
      if (key === 'toString') return () => `‹${name}›`;
      if (key === 'toLocaleString') return () => `‹${name}›`;
      if (key === Symbol.iterator) return function* () {};
      if (key === 'length') return 3;
      if (['map', 'flatMap', 'filter'].includes(String(key))) return () => [`‹${name}›`];
      if (key === 'every') return () => false;
      if (key === 'join') return () => `‹${name}›`;
      if (['replace', 'replaceAll', 'slice', 'trim', 'charAt', 'toUpperCase'].includes(String(key)))
        return () => `‹${name}›`;
      return probeOf(`${name}.${String(key)}`);
    },
  });

/** All texts of a catalogue by their places; functions are called with probes. A function that needs real facts has tests of its own. */
const textsIn = (value: unknown, place = ''): [string, string][] => {
  if (typeof value === 'string') return [[place, value]];
  if (typeof value === 'function') {
    try {
      const probes = Array.from({ length: value.length }, (_, index) => probeOf(String(index)));
      return textsIn(value(...probes), `${place}()`);
    } catch {
      return [];
    }
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, `${place}.${key}`));
};

interface Catalogue {
  readonly name: string;
  readonly texts: ReadonlyMap<Language, Texts>;
}

const germanFiles = paths.filter(
  (path) => /\/words\/de(?:\.ts|\/)/.test(path) && !path.startsWith('dashboard'),
);
const catalogues: readonly Catalogue[] = germanFiles.map((german) => ({
  name: german,
  texts: new Map(
    languages.flatMap((language) => {
      const file = join(SRC, german.replace('/words/de', `/words/${language}`));
      return existsSync(file) ? [[language, new Map(textsIn(load(file).words))] as const] : [];
    }),
  ),
}));

/** Proper words, and words that languages share. */
const SHARED =
  /^(?:Name|Text|HTML|Status|Link|Type|Invitation|Browser|Liste|Note|Message|Messages|Canal|Description|(?:hard|soft) bounces?|Name, address|Logo \(BIMI\)|E-Mail|E-mail|Register|Adresse|Programm?e?)$/i;
const VALUES = /‹[^›]*›/g;
const lettersOf = (text: string): string => text.replace(VALUES, '').replace(/[^\p{L}]+/gu, '');

const untranslated = ({ texts }: Catalogue): string[] => {
  const all = [...texts];
  return all.flatMap(([language, one], index) =>
    all
      .slice(index + 1)
      .flatMap(([other, second]) =>
        [...one]
          .filter(
            ([place, text]) => second.get(place) === text && lettersOf(text) !== '' && !SHARED.test(text),
          )
          .map(([place, text]) => `${place} is the same in ${language} and ${other}: ${text}`),
      ),
  );
};

const lostValues = ({ texts }: Catalogue): string[] => {
  const german = texts.get('de') ?? new Map<string, string>();
  const valuesOf = (text: string): string => [...new Set(text.match(VALUES) ?? [])].toSorted().join(' ');
  return [...texts].flatMap(([language, own]) => {
    const wrong = [...german].filter(([place, text]) => {
      const said = own.get(place);
      return said !== undefined && valuesOf(said) !== valuesOf(text);
    });
    return wrong.map(([place]) => `${place} has other values in ${language}`);
  });
};

/** Words that one language alone has, and letters that it does not have. */
const FOREIGN: Readonly<Record<Language, RegExp>> = {
  de: /(?<![\p{L}„“”-])(?:the|and|your|you|is|are|not|of|with|please|vous|votre|pour|avec|les|une)(?![\p{L}-])/iu,
  en: /(?<![\p{L}“„”-])(?:der|und|nicht|ist|Sie|wird|für|mit|bitte|vous|votre|pour|avec|les|une)(?![\p{L}-])/u,
  fr: /(?<![\p{L}“„”-])(?:the|and|your|you|with|please|der|und|nicht|ist|Sie|wird|für|mit|bitte)(?![\p{L}-])|[äöüß]/iu,
};
/** Names in quotes are the sender's or the program's; letters are shown to be looked at. */
const QUOTED = /[“„«][^”“»]*[”“»]|<[^>]*>|Ä, Ö, Ü, ä, ö, ü, ß/g;
const foreignIn = (language: Language, text: string): string | undefined =>
  FOREIGN[language].exec(text.replace(QUOTED, '').replace(VALUES, ''))?.[0] ??
  (language === 'en' ? /[äöüÄÖÜß]/.exec(text.replace(QUOTED, ''))?.[0] : undefined);
/** The words by which a language is known are no text. */
const RECOGNITION = /\/signs\.ts$/;
const foreign = ({ name, texts }: Catalogue): string[] =>
  RECOGNITION.test(name)
    ? []
    : [...texts].flatMap(([language, own]) =>
        [...own].flatMap(([place, text]) => {
          const found = foreignIn(language, text);
          return found === undefined ? [] : [`${place} in ${language} has “${found}”`];
        }),
      );

describe.each(catalogues)('$name', (catalogue) => {
  test('is in each language that its readers are offered, in all of them or in those of members', () => {
    const there = [...catalogue.texts.keys()];
    expect([[...languages], [...memberLanguages]]).toContainEqual(there);
    const places = [...catalogue.texts.values()].map((texts) => [...texts.keys()].toSorted());
    for (const own of places) expect(own).toEqual(places[0]);
  });
  test('is translated', () => {
    expect(untranslated(catalogue)).toEqual([]);
  });
  test('loses no value', () => {
    expect(lostValues(catalogue)).toEqual([]);
  });
  test('has no words of another language', () => {
    expect(foreign(catalogue)).toEqual([]);
  });
});

const made = (de: unknown, en: unknown): Catalogue => ({
  name: 'made',
  texts: new Map([
    ['de', new Map(textsIn(de))],
    ['en', new Map(textsIn(en))],
  ]),
});

describe('the rules', () => {
  test('find what is not translated, but no proper words', () => {
    expect(untranslated(made({ a: 'Guten Tag', b: 'Name' }, { a: 'Guten Tag', b: 'Name' }))).toHaveLength(1);
  });
  test('find values that a language does not say', () => {
    const de = { a: (who: string, what: string) => `${who} will ${what}` };
    const lost = { a: (who: string, _: string) => `${who} wants something` };
    expect(lostValues(made(de, lost))).toHaveLength(1);
    expect(lostValues(made(de, { a: (who: string, what: string) => `${who} wants ${what}` }))).toEqual([]);
  });
  test.each([
    ['de', 'Bitte click the link'],
    ['en', 'Please klicken Sie'],
    ['en', 'Praxis für mail'],
    ['fr', 'Veuillez ouvrir the lien'],
    ['fr', 'Grüße'],
  ] as const)('find foreign words in %s: %s', (language, text) => {
    expect(foreignIn(language, text)).toBeDefined();
  });
});

/** Keys are named where they are used: `.key`, `[…]` of a whole table, `{ key }`. A table read by codes has `Record` or a lookup. */
const keysOf = (words: object): string[] =>
  Object.entries(words).flatMap(([key, value]) => [
    key,
    ...(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []),
  ]);
const code = paths
  .filter((path) => !isCatalogue(path))
  .map(textOf)
  .join('\n');
const namesIn = new Set(code.match(/[\w$]+/g));

test.each(germanFiles)('each key of %s is named in code', (file) => {
  const { words } = load(join(SRC, file)) as { words: object };
  expect(
    keysOf(words).filter(
      (key) => !code.includes(key) && key.split('.').some((name) => !namesIn.has(name)) && !isByCode(key),
    ),
  ).toEqual([]);
});
test('a key that nothing names is found', () => {
  expect(keysOf({ unusedOfAll: 'x' }).filter((key) => !namesIn.has(key))).toEqual(['unusedOfAll']);
});
/** Subject rules have their ids without the prefix that their words have. */
function isByCode(key: string): boolean {
  return key.startsWith('subject_') && namesIn.has(key.slice('subject_'.length));
}

/** Recognition data: what mail of the world says, what people type, names of providers, templates of a practice's own. */
const DATA =
  /^(?:mail\/|dashboard\/|compat\/|content\/(?:reading|rules|language|subject-risk)|intake\/(?:templates\/presets|practice-mail\/check-rules|validate-emails\/)|audience\/imports\/|accounts\/tenants\/(?:rules|schema)|kernel\/typed-words)/;
const literalsOf = (text: string): string[] =>
  text
    .replace(/\/\*[\s\S]*?\*\/|(?<=^|[\s;,{(])\/\/[^\n]*/g, '')
    .replace(
      /\.describe\([\s\S]*?\)|examples: [^\n]*|(?:description|summary|about|says|help):\s*(?:'[^'\n]*'|`[^`]*`)/g,
      '',
    )
    .match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? [];
const GERMAN = /[äöüÄÖÜß]|(?<![\p{L}])(?:der|und|nicht|Sie|wird|bitte|Ihre)(?![\p{L}])/u;
/** Where German is not for people: examples of the API's description, and an example in a text about addresses. */
const EXAMPLES =
  /Unterlagen liegen|Aufnahmebogen|Ihre Anfrage|Müller|Praxis am|Straße 1|umlaut|grüß|schönen|K[öo]ln|Umlaut/u;
/** The encoding of keys. */
const DER = "'der'";
/** A code of the error table has its German words in its row, so that a new code is one place. */
const withoutWordsOfCodes = (path: string, text: string): string =>
  path === 'kernel/error-table.ts' ? text.replace(/^ {4}de: \{(?: .* |[\s\S]*?^ {4})\},$/gm, '') : text;
const strayWords = (path: string, text: string): string[] =>
  isCatalogue(path) || DATA.test(path)
    ? []
    : literalsOf(withoutWordsOfCodes(path, text))
        .filter((literal) => GERMAN.test(literal) && literal !== DER && !EXAMPLES.test(literal))
        .map((literal) => `${path}: ${literal.slice(0, 80)}`);

test('no German words are outside of catalogues', () => {
  expect(paths.flatMap((path) => strayWords(path, textOf(path)))).toEqual([]);
});
test('a German text in code is found', () => {
  expect(strayWords('http/page.ts', "const title = 'Bitte warten Sie';")).toHaveLength(1);
  expect(strayWords('http/page.ts', "// Bitte warten Sie\nconst title = 'Please wait';")).toEqual([]);
  const row =
    "  gone: {\n    hint: say`Wait.`,\n    de: { hint: 'Bitte warten Sie.' },\n    extra: 'Bitte warten Sie.',\n  },";
  expect(strayWords('kernel/error-table.ts', row)).toHaveLength(1);
});

const tags = languages.join('|');
const COMPARED = new RegExp(
  `[lL]anguage(?:\\.value)?\\s*[=!]==|[=!]==\\s*'(?:${tags})'|'(?:${tags})'\\s*[=!]==|case '(?:${tags})'|switch \\([\\w.]*[lL]anguage`,
);
const comparisons = (text: string): number => text.split('\n').filter((line) => COMPARED.test(line)).length;

test('no language is compared in code', () => {
  const compared = paths.filter(
    (path) => !isCatalogue(path) && !path.startsWith('dashboard') && comparisons(textOf(path)) > 0,
  );
  // What a document declares is looked up in the list.
  expect(compared).toEqual(['content/language.ts']);
});
test.each([
  ["language === 'de' ? 1 : 2", 1],
  ["if (tag !== 'en') return", 1],
  ['switch (list.language) {', 1],
  ["case 'de':", 1],
  ['wordsIn(language).title', 0],
  ["kind === 'design'", 0],
])('%s: %i', (text, number) => {
  expect(comparisons(text)).toBe(number);
});
