// The words that people read: each catalogue is in each language that its readers are offered, says the same things with the same
// values, and in that language; what it is for names each of its keys; no word for people is outside of the catalogues, and no
// language is compared in code. Each rule is proved on texts that break it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Language, languages, memberLanguages } from '#src/kernel/language.ts';
import { germanFiles, isCatalogue, load, paths, SRC, textOf, textsIn, withoutComments } from './texts.ts';

type Texts = ReadonlyMap<string, string>;

interface Catalogue {
  readonly name: string;
  readonly texts: ReadonlyMap<Language, Texts>;
}

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
const SHARED = new Set(
  [
    'Adresse, Browser, Canal, Chat, Description, Domain, E-Mail, HTML, Import, Invitation, Link, Liste, Live, Logo, Mails, Message',
    'Messages, Name, Note, Person, Program, Programm, Programme, Register, Server, Status, Test, Text, Type, Version, Webhook',
    'Webhooks, curl, DNS, ms, Message-ID, Node.js, Python, SMTP, Gmail, iCloud, Mattermost, Microsoft, Microsoft Teams, Rocket.Chat',
    'Slack, T-Online, Token, Yahoo, Logo (BIMI)',
  ].flatMap((some) => some.toLowerCase().split(', ')),
);
const VALUES = /‹[^›]*›/g;
const lettersOf = (text: string): string => text.replace(VALUES, '').replace(/[^\p{L}]+/gu, '');
/** A text of which each part is such a word, beside its values. */
const isShared = (text: string): boolean =>
  text
    .replace(VALUES, '')
    .split(/[,:]/)
    .map((part) => part.trim().toLowerCase())
    .every((part) => part === '' || SHARED.has(part));

const untranslated = ({ texts }: Catalogue): string[] => {
  const all = [...texts];
  return all.flatMap(([language, one], index) =>
    all
      .slice(index + 1)
      .flatMap(([other, second]) =>
        [...one]
          .filter(([place, text]) => second.get(place) === text && lettersOf(text) !== '' && !isShared(text))
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
/** Names in quotes are the sender's or the program's; letters are shown to be looked at; a German court is one in each language. */
const QUOTED = /[“„«][^”“»]*[”“»]|<[^>]*>|Ä, Ö, Ü, ä, ö, ü, ß|AG Köln/g;
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

const sources = new Map(
  paths.filter((path) => !isCatalogue(path)).map((path) => [path, withoutComments(textOf(path))]),
);
const wordsOf = (german: string): object => (load(join(SRC, german)) as { words: object }).words;

/** The folder that a catalogue is for: a room, or a page, the parts or the frame of the dashboard, or what these share. */
const homeOf = (german: string): string => german.slice(0, german.indexOf('words/de'));
const homes = [...new Set(germanFiles.map(homeOf))].toSorted((a, b) => b.length - a.length);
const homeOfCode = (path: string): string | undefined => homes.find((home) => path.startsWith(home));
/** The words of several pages stand in a page for those that it has none of its own of. */
const SEVERAL_PAGES = 'dashboard/';
const ownKeys = new Map(
  homes.map((home) => [
    home,
    new Set(
      germanFiles.filter((german) => homeOf(german) === home).flatMap((one) => Object.keys(wordsOf(one))),
    ),
  ]),
);

/** A key is named as `.key`, `'key'` or `{ key }`. */
const NAMED = /\.([\w$]+)|'([^'\n]*)'|[{,]\s*([\w$]+)\s*(?=[,}:=])/g;
const namesIn = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(NAMED)].map(([, property, literal, field]) => property ?? literal ?? field ?? ''),
  );
/** A table is read by codes where its name is not followed by one of its keys: `.key[code]`, `names={w.key}`. */
const readsByCode = (text: string, table: string): boolean =>
  new RegExp(`(?:\\.|[{,]\\s*)${RegExp.escape(table)}\\b(?!\\s*[.(])`).test(text);

interface Reader {
  readonly home: string | undefined;
  readonly text: string;
  readonly names: ReadonlySet<string>;
}
const readers = new Map<string, Reader>(
  [...sources].map(([path, text]) => [path, { home: homeOfCode(path), text, names: namesIn(text) }]),
);
/** Whose words are in the catalogue: what is in its folder, or beside it by the same name, or imports the folder's words. */
const readersOf = (home: string): readonly Reader[] =>
  [...readers].flatMap(([path, reader]) =>
    (home === SEVERAL_PAGES ? path.startsWith(home) : reader.home === home) ||
    path === `${home.slice(0, -1)}.tsx` ||
    reader.text.includes(`'#${home}words.ts'`)
      ? [reader]
      : [],
  );

/** What codes are, as a whole: names and texts of the sources. */
const codeNames = new Set(
  [...sources.values()].flatMap((text) => [
    ...(text.match(/[\w$]+/g) ?? []),
    ...(text.match(/(?<=')[^'\n]+(?=')/g) ?? []),
  ]),
);
/** Rules about subjects have their ids without the prefix that their words have; numbers and punctuation stand for themselves. */
const isCode = (key: string): boolean =>
  !/[a-z]/i.test(key) ||
  [key, ...(key.startsWith('subject_') ? [key.slice('subject_'.length)] : [])].some(
    (code) => codeNames.has(code) || code.split('.').every((part) => codeNames.has(part)),
  );
const isForms = (value: object): boolean =>
  Object.keys(value).every((key) => key === 'one' || key === 'other');

/** The places of keys that nothing of those who read the catalogue names. */
const unusedIn = (words: object, reading: readonly Reader[], areOfSeveralPages = false): string[] => {
  const visit = (value: object, table?: string, place = ''): string[] =>
    Object.entries(value).flatMap(([key, inner]) => {
      const named = reading.some(
        ({ home, names }) =>
          names.has(key) &&
          !(
            areOfSeveralPages &&
            table === undefined &&
            home !== SEVERAL_PAGES &&
            ownKeys.get(home ?? '')?.has(key)
          ),
      );
      const isRead =
        named ||
        (table !== undefined && reading.some(({ text }) => readsByCode(text, table)) && isCode(key)) ||
        (table !== undefined && isForms(value));
      const isTable = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
      return [
        ...(isRead ? [] : [`${place}.${key}`]),
        ...(isTable ? visit(inner, key, `${place}.${key}`) : []),
      ];
    });
  return visit(words);
};

test.each(germanFiles)('each key of %s is named by what it is for', (german) => {
  const home = homeOf(german);
  expect(unusedIn(wordsOf(german), readersOf(home), home === SEVERAL_PAGES)).toEqual([]);
});

const reader = (text: string, home = 'room/'): Reader => ({ home, text, names: namesIn(text) });
const unread = { title: 'x', states: { open: 'y', neverSaid: 'z' } };
test.each([
  ['w.title', ['.states', '.states.open', '.states.neverSaid']],
  ['w.titles; w.states.open', ['.title', '.states.neverSaid']],
  ['w.title; w.states[state]', ['.states.neverSaid']],
  ["const { title, states } = w; states.open; const code = 'neverSaid';", []],
])('%s: unused are %j', (text, unused) => {
  expect(unusedIn(unread, [reader(text)])).toEqual(unused);
});
test('what a page has a word of its own for does not read the one of several pages', () => {
  const page = 'dashboard/pages/projects/';
  expect(ownKeys.get(page)).toContain('title');
  expect(unusedIn({ title: 'x' }, [reader('w.title', page)], true)).toEqual(['.title']);
  expect(unusedIn({ title: 'x' }, [reader('w.title', 'dashboard/pages/audit/')], true)).toEqual([]);
});

/** Recognition data: what mail of the world says, what people type, names of providers, templates of a practice's own. */
const DATA =
  /^(?:mail\/|compat\/|content\/(?:reading|rules|language|subject-risk)|intake\/(?:templates\/presets|practice-mail\/check-rules|validate-emails\/)|audience\/imports\/|accounts\/tenants\/(?:rules|schema)|kernel\/typed-words)/;
const literalsOf = (text: string): string[] =>
  withoutComments(text)
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
const comparisons = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => COMPARED.test(line))
    .map((line) => line.trim());

/** What a document declares is looked up in the list, an editor has one of markup, and a menu shows which one is chosen. */
const LOOKED_UP = [
  'content/language.ts: return languages.find((language) => language === declared) ?? answerDefault;',
  "dashboard/parts/editor/editor.ts: language === 'html' ? htmlLanguage : [],",
  'dashboard/shell/shell.tsx: aria-pressed={language.value === tag}',
];
test('no language is compared in code', () => {
  const compared = paths
    .filter((path) => !isCatalogue(path))
    .flatMap((path) => comparisons(textOf(path)).map((line) => `${path}: ${line}`));
  expect(compared).toEqual(LOOKED_UP);
});
test.each([
  ["language === 'de' ? 1 : 2", 1],
  ["if (tag !== 'en') return", 1],
  ['switch (list.language) {', 1],
  ["case 'de':", 1],
  ['wordsIn(language).title', 0],
  ["kind === 'design'", 0],
])('%s: %i', (text, number) => {
  expect(comparisons(text)).toHaveLength(number);
});
