// The catalogues of refusals against the texts in the sources: none is without a text, none is written twice, each has all
// values. Then a daemon answers in German, whole.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { refusals } from '#src/app/refusals.ts';
import { sendBody } from '#src/intake/schema.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import { answerDefault, type MemberLanguage, memberLanguages } from '#src/kernel/language.ts';
import { type Sentences, said, say, speakerOf } from '#src/kernel/say.ts';
import { validate } from '#src/kernel/validate.ts';

const SRC = join(import.meta.dirname, '..', 'src');
const load = createRequire(import.meta.url);
const rooms = readdirSync(SRC).filter((room) => existsSync(join(SRC, room, 'refusals')));
/** Of each room in that language, in a room that has no such file none. */
const catalogues = (language: MemberLanguage): Sentences[] =>
  rooms
    .map((room) => join(SRC, room, `refusals/${language}.ts`))
    .filter((file) => existsSync(file))
    .map((file) => (load(file) as { words: Sentences }).words);
const sentencesIn = (language: MemberLanguage): Sentences => refusals(language) ?? {};
/** English is what the texts are written in. */
const translated = memberLanguages.filter((language) => language !== answerDefault);
const german = speakerOf('de', refusals('de'));

interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly key?: Node;
  readonly property?: Node;
  readonly properties?: readonly Node[];
  readonly body?: Node;
  readonly consequent?: Node;
  readonly alternate?: Node;
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
  readonly name?: string;
  readonly tag?: Node;
  readonly quasi?: { readonly quasis: readonly { readonly value: { readonly cooked: string } }[] };
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
}

/** The texts with letters that a source refuses with: say`The plan ${plan} is not sold.`, said('an array'). */
const textsIn = (source: string): string[] => {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { tag, quasi, callee, arguments: given } = value as Node;
    if (tag?.name === 'say' && quasi) found.push(quasi.quasis.map((part) => part.value.cooked).join('{}'));
    if (callee?.name === 'said' && given?.[0]?.type === 'Literal') found.push(String(given[0].value));
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return found.filter((text) => /\p{L}/u.test(text));
};

/** Methods of schemas whose last argument may be the message of the check. */
const CHECKS = new Set(
  'regex refine min max length startsWith endsWith literal enum never uuid string number array addIssue'.split(
    ' ',
  ),
);

/** What a message is, wherever it stands: as it is, in an object, or as one of two; `{}` where it has a value. */
const messagesIn = (node: Node | undefined): string[] => {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : [];
    case 'TemplateLiteral':
      return [(node.quasis ?? []).map((part) => part.value.cooked).join('{}')];
    case 'ConditionalExpression':
      return [...messagesIn(node.consequent), ...messagesIn(node.alternate)];
    case 'ArrowFunctionExpression':
      return messagesIn(node.body);
    case 'ObjectExpression':
      return (node.properties ?? []).flatMap(({ key, value }) =>
        key?.name === 'message' || key?.name === 'error' ? messagesIn(value as Node) : [],
      );
    default:
      return [];
  }
};

/** The messages that schemas give as they are: `regex(/^x/, 'expected an x')`. */
const schemaTextsIn = (source: string): string[] => {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, callee, arguments: given = [] } = value as Node;
    const name = callee?.property?.name ?? '';
    // With one argument it is the bound, the pattern or the value itself; an object says more than that.
    const last = given.at(-1);
    const isAlone = given.length === 1 && !/^(?:uuid|never|addIssue)$/.test(name);
    if (type === 'CallExpression' && CHECKS.has(name) && (!isAlone || last?.type === 'ObjectExpression'))
      found.push(...messagesIn(last));
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return found.filter((text) => /\p{L}/u.test(text));
};

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/(?:^|\/)refusals\/|^dashboard\//.test(name))
  .map((name) => ({ name, source: readFileSync(join(SRC, name), 'utf8') }));
const texts = sources.flatMap(({ name, source }) =>
  /\bsay`|\bsaid\(/.test(source) ? textsIn(source).map((text) => ({ name, text })) : [],
);

/** They refuse in the forms of other APIs alone, which are English. */
const FOREIGN = ['compat'];

test.each(translated)('each text is there in %s', (language) => {
  const lacking = texts.filter(({ text }) => !Object.hasOwn(sentencesIn(language), text));
  const named = lacking.filter(({ name }) => !FOREIGN.includes(name.split('/')[0] ?? ''));
  expect(named.map(({ name, text }) => `${name}: ${text}`)).toEqual([]);
});

test.each(translated)('each message of a schema is there in %s', (language) => {
  const lacking = sources.flatMap(({ name, source }) =>
    // The configuration is the operator’s, and `sendwerk dev` speaks as another program: their faults are English.
    /from 'zod'/.test(source) && !/^(?:compat|app|kernel\/config|smtp\/dev)\//.test(name)
      ? schemaTextsIn(source)
          .filter((text) => !Object.hasOwn(sentencesIn(language), text))
          .map((text) => `${name}: ${text}`)
      : [],
  );
  expect(lacking).toEqual([]);
});

test('a message of a schema is found in a source', () => {
  const source = [
    "const a = z.string().regex(/^x/, 'expected an x').max(3).literal(false, 'is on');",
    "const b = z.string({ error: ({ code }) => (code === 'y' ? 'is y' : undefined) }).startsWith('no message');",
    "context.addIssue({ code: 'custom', message: 'is z' });",
  ];
  expect(schemaTextsIn(source.join('\n'))).toEqual(['is on', 'expected an x', 'is y', 'is z']);
});

test('a text is found in a source, with its values and without', () => {
  const source = [
    'const a = say`The plan $' + '{plan} is \\`x\\`.`;',
    "refuse(said('an array'), say`$" + '{a}: $' + '{b}`);',
  ];
  expect(textsIn(source.join('\n'))).toEqual(['The plan {} is `x`.', 'an array']);
});

/** Texts that a schema declares as strings are in the sources as they are. */
const written = sources
  .map(({ source }) => source)
  .join('\n')
  .replaceAll('\\', '');

test.each(translated)('each text in %s is of a text in the sources', (language) => {
  const said = new Set(texts.map(({ text }) => text));
  const keys = Object.keys(sentencesIn(language)).filter((key) => !said.has(key));
  expect(keys.filter((key) => !written.includes(key.replaceAll('\\', '')))).toEqual([]);
});

test.each(translated)('the catalogue of each room answers in %s', (language) => {
  const keys = catalogues(language).flatMap((one) => Object.keys(one));
  expect(keys.toSorted()).toEqual(Object.keys(sentencesIn(language)).toSorted());
});

test.each(translated)('no text is in two catalogues in %s', (language) => {
  const keys = catalogues(language).flatMap((one) => Object.keys(one));
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});

test.each(translated)('a text in %s has as many values as the English one', (language) => {
  const count = (text: string): number => text.split('{}').length;
  const wrong = Object.entries(sentencesIn(language)).filter(
    ([key, text]) => typeof text === 'string' && count(text) !== count(key),
  );
  expect(wrong).toEqual([]);
});

test.each(Object.keys(errorTable) as ErrorCode[])('cause and hint of %s are known in German', (code) => {
  const { hint, cause } = errorTable[code];
  for (const text of [hint, cause]) {
    expect(german.knows(text)).toBe(true);
    expect(german(text)).not.toBe(text.key);
  }
});

test('fields are refused in German with the whole answer', () => {
  const refusalOf = (): AppError => {
    try {
      validate(sendBody, { to: 5, subjekt: 'Termin', subject: '', text: 'Guten Tag' }, 'body');
    } catch (error) {
      if (error instanceof AppError) return error;
    }
    throw new Error('nothing is refused');
  };
  const { error, hint, fields = [] } = refusalOf().saidBy(german);
  expect(hint).toBe('Berichtigen Sie die Felder, die `fields` nennt; /reference beschreibt jedes.');
  expect(error).toMatch(/ \(und \d weitere\)$/);
  expect(fields.map(({ message }) => message).join()).toContain('meinten Sie `subject`?');
  expect([error, ...fields.map(({ message }) => message)].join()).not.toMatch(/\b(?:must|unknown|is|or)\b/);
});

test('an answer of which a part is not known in German is English as a whole', () => {
  const error = new AppError('conflict', say`A text that no catalogue has: ${said('an array')}.`);
  expect(error.saidBy(german)).toEqual(error.toJSON());
});
