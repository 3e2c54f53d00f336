// What README and docs name is there: commands with their options, keys of the configuration, scripts, files that links lead to. Code
// for a shell can be parsed. README has a German translation with the same parts.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { runCommandLine } from '#src/app/cli/commands.ts';
import { configSchema } from '#src/kernel/config/schema.ts';
import {
  type Block,
  blocksOf,
  callsOf,
  documentNames,
  quotedCodeOf,
} from '#test/support/document-samples.ts';

const pages = documentNames();
const blocks = pages.flatMap(blocksOf);
const placeOf = ({ file, line }: Block): string => `${file}:${line}`;
const MAX_LINES = 120;
/** In the name of a German page. */
const GERMAN = /\.de(?=\.md$)/;

const print = async (...args: readonly string[]): Promise<string | null> => {
  let printed = '';
  const terminal = {
    environment: {},
    signals: { onEnd: () => undefined, onReload: () => undefined },
    print: (text: string) => {
      printed += text;
    },
    printAll: async () => {},
    printError: () => undefined,
    isTerminal: false,
  };
  return (await runCommandLine(args, terminal)) === 0 ? printed : null;
};

/** Each command with its options: `--config FILE` takes a value, a switch does not matter here. */
const commands = new Map<string, ReadonlySet<string>>();
for (const [, name = ''] of ((await print('help')) ?? '').matchAll(/^ {2}([a-z-]+(?: [a-z-]+)*) {3,}/gm)) {
  const usage = (await print(...name.split(' '), '--help')) ?? '';
  commands.set(name, new Set([...usage.matchAll(/--[a-z-]+/g)].map(([option]) => option)));
}
/** Those of the program's start script and of every command. */
const SCRIPT = ['update', 'back', 'restart', 'help'];
const EVERY_COMMAND = new Set(['--help', '--version']);

/** What a text names by the beginning of a command: `sendwerk admin`. */
const isGroup = (word = ''): boolean => [...commands.keys()].some((name) => name.startsWith(`${word} `));

/** What is wrong with a call; null: nothing. */
const faultOf = (words: readonly string[]): string | null => {
  const named = words.filter((word) => /^[a-z][a-z-]*$/.test(word));
  if (words.length === 0 || words[0]?.startsWith('-') || SCRIPT.includes(words[0] ?? '')) return null;
  const name = [3, 2, 1].map((count) => named.slice(0, count).join(' ')).find((one) => commands.has(one));
  if (name === undefined) {
    const isText =
      words[0] === '<command>' || (isGroup(words[0]) && (words.length === 1 || words[1] === '…'));
    return isText ? null : `no command: ${words.join(' ')}`;
  }
  const options = words.flatMap((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1] ?? []);
  const unknown = options.find((option) => !commands.get(name)?.has(option) && !EVERY_COMMAND.has(option));
  return unknown === undefined ? null : `${name} has no ${unknown}`;
};

test('the commands of sendwerk and their options are those of the program', () => {
  expect(commands.size).toBeGreaterThan(40);
  const inBlocks = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap((block) =>
      callsOf('sendwerk', block.text).map((words) => [placeOf(block), faultOf(words)] as const),
    );
  const inText = pages.flatMap((page) =>
    quotedCodeOf(page)
      .filter((code) => code.startsWith('sendwerk '))
      .map((code) => [page, faultOf(code.split(' ').slice(1))] as const),
  );
  expect(inBlocks.length + inText.length).toBeGreaterThan(80);
  const faults = [...inBlocks, ...inText].filter(([, fault]) => fault !== null);
  expect(faults.map((fault) => fault.join(' ')).join('\n')).toBe('');
});

test('code for a shell can be parsed', () => {
  const faults = blocks
    .filter(({ language }) => language === 'sh')
    .map((block) => [placeOf(block), spawnSync('bash', ['-n'], { input: block.text }).stderr.toString()])
    .filter(([, said]) => said !== '');
  expect(faults).toEqual([]);
});

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
}
const configuration = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

const formsOf = (schema: JsonSchema): readonly JsonSchema[] =>
  [
    schema,
    ...[schema.anyOf, schema.oneOf].flatMap((forms) => forms ?? []),
    ...(schema.items ? [schema.items] : []),
  ].flatMap((form) => (form === schema ? [form] : formsOf(form)));
/** The schemas at a path of keys; none: there is no such key. */
const at = (keys: readonly string[]): readonly JsonSchema[] =>
  keys.reduce<readonly JsonSchema[]>(
    (schemas, key) => schemas.flatMap(formsOf).flatMap(({ properties }) => properties?.[key] ?? []),
    [configuration],
  );
const keysIn = (value: unknown, above: readonly string[] = []): readonly (readonly string[])[] => {
  if (Array.isArray(value)) return value.flatMap((one) => keysIn(one, above));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [...above, key],
    ...keysIn(inner, [...above, key]),
  ]);
};

/** Beside the configuration. */
const FILES = new Set(['admin.token', 'service.yaml', 'service.yaml.proposed']);

test('the keys of the configuration are those of the schema', () => {
  const sections = Object.keys(configuration.properties ?? {});
  const inBlocks = blocks
    .filter(({ language }) => language === 'yaml')
    .flatMap((block) =>
      parseAllDocuments(block.text)
        .map((document) => document.toJS() as Readonly<Record<string, unknown>>)
        .filter((document) => Object.keys(document).some((key) => sections.includes(key)))
        .flatMap((document) => keysIn(document).map((keys) => [placeOf(block), keys] as const)),
    );
  const inText = pages
    .filter((page) => !page.startsWith('docs/from-'))
    .flatMap((page) =>
      quotedCodeOf(page)
        .filter((code) => /^[a-z_]+(?:\[\])?(?:\.[a-z_]+(?:\[\])?)+(?::|$)/.test(code))
        .map((code) => (code.split(':')[0] ?? '').replaceAll('[]', '').split('.'))
        .filter(([section = '']) => sections.includes(section))
        .filter((keys) => !FILES.has(keys.join('.')))
        .map((keys) => [page, keys] as const),
    );
  expect(inBlocks.length).toBeGreaterThan(20);
  expect(inText.length).toBeGreaterThan(60);
  const unknown = [...inBlocks, ...inText].filter(([, keys]) => at(keys).length === 0);
  expect(unknown.map(([place, keys]) => `${place} ${keys.join('.')}`).join('\n')).toBe('');
});

test('links lead to files and their headings, scripts are those of the package', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const slugs = (file: string): readonly string[] =>
    [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} -]/gu, '')
        .replaceAll(' ', '-'),
    );
  const faults = pages.flatMap((page) => {
    const text = readFileSync(page, 'utf8');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^(?:https?|mailto):/.test(target))
      .filter((target) => {
        const [name = '', heading] = target.split('#');
        const file = name === '' ? page : path.join(path.dirname(page), name);
        if (!existsSync(file)) return true;
        return heading !== undefined && file.endsWith('.md') && !slugs(file).includes(heading);
      });
    const named = [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, name = '']) => name);
    return [...links, ...named.filter((name) => scripts[name] === undefined)].map(
      (fault) => `${page}: ${fault}`,
    );
  });
  expect(faults.join('\n')).toBe('');
});

test('German pages and their English ones lead to each other', () => {
  const alone = pages
    .filter((name) => GERMAN.test(name))
    .map((name) => [name, name.replace(GERMAN, '')] as const)
    .filter(([german, english]) => {
      const [from, to] = [german, english].map((name) =>
        existsSync(name) ? readFileSync(name, 'utf8') : '',
      );
      return !from?.includes(`](${path.basename(english)})`) || !to?.includes(`](${path.basename(german)})`);
    });
  expect(alone).toEqual([]);
});

describe('README', () => {
  const [english = '', german = ''] = ['README.md', 'README.de.md'].map((name) => readFileSync(name, 'utf8'));

  test.each([english, german])('is read in five minutes', (text) =>
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES),
  );

  test('has the same parts, commands and targets in both languages', () => {
    const shapeOf = (name: string, text: string) => ({
      headings: [...text.matchAll(/^#+ /gm)].map(([marks]) => marks),
      blocks: blocksOf(name).map(({ language, text: code }) => [language, code]),
      targets: [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target.replace(GERMAN, '')),
      rows: text.split('\n').filter((line) => /^(?:\||- )/.test(line)).length,
    });
    expect(shapeOf('README.de.md', german)).toEqual(shapeOf('README.md', english));
  });
});
