// `npm run mutate -- PATH... | --changed [--tests PATH]... [--minutes 30]`: changes a file of src in one place at a time and runs the
// tests that run the file, whole daemons too. A change that no test notices survives, and is printed. Which tests run a file is known
// from `REACH=1 npm test` (reach.ts), else by its name. Works in a copy: the tree stays as it is, however the run ends.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { readReach } from './reach.ts';
import { mask } from './source-rules.ts';

interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A run that takes so many times as long as the unchanged file's hangs: the change was noticed. */
const PATIENCE = 5;
const LEAST_PATIENCE_MS = 20_000;

const SWAPPED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  true: 'false',
  false: 'true',
};

const at = (match: RegExpMatchArray, text: string, from = match[0]): Mutant => {
  const start = (match.index ?? 0) + match[0].indexOf(from);
  return { start, end: start + from.length, text };
};

/** Of the code: comparisons, joins, negated conditions, numbers, whole statements and calls. */
const mutantsOfCode = (code: string): Mutant[] => [
  ...[...code.matchAll(/(?<=\s)(?:<=|>=|<|>|===|!==|&&|\|\||\?\?)(?=\s)|\b(?:true|false)\b(?!')/g)].map(
    (match) => at(match, SWAPPED[match[0]] ?? ''),
  ),
  ...[...code.matchAll(/\bif \(/g)].flatMap((match) => {
    const open = (match.index ?? 0) + match[0].length - 1;
    const close = closing(code, open);
    return close === null ? [] : [{ start: open, end: close + 1, text: `(!${code.slice(open, close + 1)})` }];
  }),
  ...[...code.matchAll(/(?<![\w.$#'])\d[\d_]*(?![\w.])/g)].map((match) =>
    at(match, String(Number(match[0].replaceAll('_', '')) + 1)),
  ),
  // The call that a short function is, on one line.
  ...[...code.matchAll(/=> ((?:await )?[\w.]+\([^\n]*\))(?=[,;]?$)/gm)].flatMap((match) =>
    isBalanced(match[1] ?? '') ? [at(match, 'undefined', match[1])] : [],
  ),
  // One line that ends in a semicolon and declares nothing. `return` and `throw` with a value would not compile, and run all the same.
  ...[
    ...code.matchAll(/^[\t ]+((?!const |let |import |export |type |readonly |\}|\)|\?|:|\.)\S[^\n]*;)$/gm),
  ].flatMap((match) => (isBalanced(match[1] ?? '') ? [at(match, '', match[1])] : [])),
];

/** Of SQL in strings: each clause of a WHERE, and comparisons. `text` has no comments, `code` no strings. */
const mutantsOfSql = (text: string, code: string): Mutant[] => {
  const statements = [...text.matchAll(/`[^`]*`|'[^'\n]*'/g)]
    .filter(([literal]) => /\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|ORDER BY)\b/.test(literal))
    .map(({ index, 0: literal }) => ({ from: index, to: index + literal.length }));
  const inString = ({ start }: Mutant): boolean =>
    code.charAt(start) !== text.charAt(start) &&
    statements.some(({ from, to }) => from < start && start < to);
  const CLAUSE = String.raw`(?:[\w.]+|\([^()]*\)|\w+\([^()]*\))\s*(?:=|<>|!=|<=|>=|<|>|IS NOT|IS|IN|NOT IN|LIKE)\s*(?:\$\{[^}]*\}|\([^()]*\)|[@:?]?[\w.']+|\?)(?:\s+(?:IS NOT NULL|IS NULL))?`;
  return [
    ...[...text.matchAll(new RegExp(String.raw`\bWHERE\s+(${CLAUSE})`, 'g'))].map((match) =>
      at(match, 'TRUE', match[1]),
    ),
    ...[...text.matchAll(new RegExp(String.raw`\bAND\s+(${CLAUSE})`, 'g'))].map((match) =>
      at(match, 'TRUE', match[1]),
    ),
    ...[...text.matchAll(/(?<=[\w)] )(?:<=|>=|<|>)(?= [\w?@:($])/g)].map((match) =>
      at(match, SWAPPED[match[0]] ?? ''),
    ),
    ...[...text.matchAll(/\b(?:ASC|DESC)\b/g)].map((match) => at(match, match[0] === 'ASC' ? 'DESC' : 'ASC')),
  ].filter(inString);
};

const isBalanced = (line: string): boolean =>
  ['()', '[]', '{}'].every(([open = '', close = '']) => line.split(open).length === line.split(close).length);

const closing = (code: string, open: number): number | null => {
  let depth = 0;
  for (let index = open; index < code.length; index++) {
    if (code[index] === '(') depth += 1;
    if (code[index] === ')' && --depth === 0) return index;
  }
  return null;
};

export const mutantsOf = (text: string): Mutant[] => {
  const { withStrings, code } = mask(text);
  // Imports and types have no behaviour.
  const plain = code.replace(
    /^(?:import|export type|interface|export interface|type)\b[^\n]*(?:\n(?:[\t ][^\n]*|\}[^\n]*))*/gm,
    (found) => found.replace(/[^\n]/g, ' '),
  );
  return [
    ...mutantsOfCode(plain).map((mutant) => fill(mutant, code, text)),
    ...mutantsOfSql(withStrings, code),
  ]
    .filter(({ start, end, text: by }) => text.slice(start, end) !== by)
    .sort((a, b) => a.start - b.start);
};

/** A negated condition is cut out of masked code: its strings come back. */
const fill = ({ start, end, text: by }: Mutant, code: string, text: string): Mutant => ({
  start,
  end,
  text: by.replace(code.slice(start, end), () => text.slice(start, end)),
});

const IMPORT = /^(?:[^\n]*from '[^']*'|import '[^']*')/gm;

/** Sources that import the file: they say who uses tables, which run no function of their own. */
const importersOf = (file: string, root: string): string[] =>
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name}`)
    .filter((name) => name.endsWith('.ts') && !name.startsWith('src/dashboard/'))
    .filter((name) =>
      [...readFileSync(join(root, name), 'utf8').matchAll(IMPORT)].some(([line]) => {
        const from = /'([^']*)'/.exec(line)?.[1] ?? '';
        return (from.startsWith('.') ? join(dirname(name), from) : from.replace(/^#/, '')) === file;
      }),
    );

/** Of those that run the most functions of a file the first ones; each mutant that lives costs all of them. */
const MOST = { parts: 25, flows: 10 };
const isFlow = (test: string): boolean => /^test\/(?:flows|app|dashboard|install)\//.test(test);

interface Tests {
  readonly parts: readonly string[];
  readonly flows: readonly string[];
  /** How many more run the file. */
  readonly more: number;
}

/** Those that say the most of the file come first: they run most of its functions, and little else. */
export const testsOf = (
  file: string,
  {
    known,
    exists,
    importers,
  }: {
    readonly known: ReturnType<typeof readReach>;
    readonly exists: (path: string) => boolean;
    readonly importers: () => readonly string[];
  },
): Tests => {
  const running = (sources: readonly string[]): string[] =>
    [...known]
      .map(([test, reach]) => ({
        test,
        ran: Math.max(0, ...sources.map((source) => reach[source] ?? 0)),
        all: Object.keys(reach).length,
      }))
      .filter(({ test, ran }) => ran > 0 && exists(test))
      .sort((a, b) => b.ran - a.ran || a.all - b.all)
      .map(({ test }) => test);
  const own = running([file]);
  const mirror = file.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts');
  const found = [...(exists(mirror) ? [mirror] : []), ...(own.length > 0 ? own : running(importers()))];
  const all = [...new Set(found.length > 0 ? found : [dirname(mirror)])];
  const parts = all.filter((test) => !isFlow(test)).slice(0, MOST.parts);
  const flows = all.filter(isFlow).slice(0, MOST.flows);
  return { parts, flows, more: all.length - parts.length - flows.length };
};

/**
 * Lines that differ from main, or on main from the last commit, by file; what is not committed counts. A file that git does not
 * know yet has none: all of it is new.
 */
export const changedLines = (root: string): ReadonlyMap<string, ReadonlySet<number> | null> => {
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' });
  const fork = git('merge-base', 'HEAD', 'main').trim();
  const base = fork === git('rev-parse', 'HEAD').trim() ? 'HEAD~1' : fork;
  const sources = ['--', 'src/*.ts', ':!src/dashboard'];
  const changed = new Map<string, Set<number> | null>();
  for (const file of git('ls-files', '-o', '--exclude-standard', ...sources).split('\n'))
    if (file !== '') changed.set(file, null);
  let lines = new Set<number>();
  for (const line of git('diff', '-U0', '--diff-filter=AM', base, ...sources).split('\n')) {
    const [, file] = /^\+\+\+ b\/(.*)$/.exec(line) ?? [];
    if (file !== undefined) {
      lines = new Set();
      changed.set(file, lines);
    }
    const [, start, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    for (let at = 0; start !== undefined && at < Number(count); at += 1) lines.add(Number(start) + at);
  }
  return changed;
};

type Verdict = 'passed' | 'failed' | 'late';

const run = async (root: string, tests: readonly string[], patienceMs: number): Promise<Verdict> => {
  if (tests.length === 0) return 'passed';
  const vitest = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--bail=1',
    '--reporter=dot',
    '--maxWorkers=1',
  ];
  const child = spawn(process.execPath, [...vitest, ...tests], {
    cwd: root,
    stdio: 'ignore',
    detached: true,
  });
  const patience = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), patienceMs);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(patience);
  if (signal === 'SIGKILL') return 'late';
  return code === 0 ? 'passed' : 'failed';
};

/** The files that git knows, without those of the dashboard's build. */
const copyOf = (root: string): string => {
  const copy = mkdtempSync(join(tmpdir(), 'mutate-'));
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of tracked.split('\n'))
    if (file !== '' && existsSync(join(root, file)))
      cpSync(join(root, file), join(copy, file), { recursive: true });
  for (const made of ['node_modules', 'dist'])
    if (existsSync(join(root, made))) symlinkSync(join(root, made), join(copy, made));
  return copy;
};

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

interface Found {
  killed: number;
  /** Mutants that no test was given the time for. */
  left: number;
  readonly survivors: string[];
  /** A mutant that hangs is noticed only where the tests end in time without it, which a busy machine can spoil. */
  readonly late: string[];
}

const mutate = async (
  copy: string,
  file: string,
  { parts, flows, more }: Tests,
  mutants: readonly Mutant[],
  end: number,
  found: Found,
): Promise<void> => {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  const patience: number[] = [];
  for (const tests of [parts, flows]) {
    const begun = performance.now();
    const verdict = await run(copy, tests, Math.max(0, end - begun));
    if (verdict === 'late') {
      found.left += mutants.length;
      return;
    }
    if (verdict === 'failed') throw new Error(`${tests.join(' ')} does not pass as it is`);
    patience.push(Math.max(LEAST_PATIENCE_MS, PATIENCE * (performance.now() - begun)));
  }
  process.stdout.write(
    `${file}: ${mutants.length} mutants; ${parts.length} test files of parts, ${flows.length} flows, ${more} more that run it\n`,
  );
  for (const { start, end: stop, text: by } of mutants) {
    if (performance.now() > end) {
      found.left += 1;
      continue;
    }
    writeFileSync(path, text.slice(0, start) + by + text.slice(stop));
    const row = `${file}:${text.slice(0, start).split('\n').length} ${JSON.stringify(text.slice(start, stop))} -> ${JSON.stringify(by)}`;
    let verdict = await run(copy, parts, patience[0] ?? 0);
    if (verdict === 'passed') verdict = await run(copy, flows, patience[1] ?? 0);
    if (verdict === 'passed') {
      found.survivors.push(row);
      process.stdout.write(`survived ${row}\n`);
    } else {
      found.killed += 1;
      if (verdict === 'late') found.late.push(row);
    }
  }
  writeFileSync(path, text);
};

const listed = (title: string, rows: readonly string[]): string =>
  rows.length === 0 ? '' : `${title}\n${rows.map((row) => `  ${row}\n`).join('')}`;

const main = async (): Promise<number> => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      changed: { type: 'boolean', default: false },
      tests: { type: 'string', multiple: true },
      minutes: { type: 'string', default: '30' },
    },
  });
  const root = resolve(import.meta.dirname, '../..');
  const lines = values.changed ? changedLines(root) : null;
  const files = shuffled(lines ? [...lines.keys()] : positionals);
  if (files.length === 0) {
    process.stderr.write(
      lines
        ? 'no source has changed\n'
        : 'usage: npm run mutate -- src/PATH.ts... | --changed [--tests test/PATH]... [--minutes 30]\n',
    );
    return lines ? 0 : 2;
  }
  const known = readReach();
  if (known.size === 0 && values.tests === undefined)
    process.stdout.write('Which tests run a file is not known: `REACH=1 npm test` writes it down.\n');
  const copy = copyOf(root);
  const begun = performance.now();
  const found: Found = { killed: 0, left: 0, survivors: [], late: [] };
  try {
    for (const [index, file] of files.entries()) {
      const tests: Tests = values.tests
        ? { parts: values.tests, flows: [], more: 0 }
        : testsOf(file, {
            known,
            exists: (path) => existsSync(join(copy, path)),
            importers: () => importersOf(file, copy),
          });
      const text = readFileSync(join(copy, file), 'utf8');
      const lineOf = ({ start }: Mutant): number => text.slice(0, start).split('\n').length;
      const mutants = mutantsOf(text).filter((mutant) => lines?.get(file)?.has(lineOf(mutant)) ?? true);
      if (mutants.length === 0) continue;
      // What a file does not use of its share is for those behind it.
      const end = begun + Number(values.minutes) * 60_000;
      const share = (end - performance.now()) / (files.length - index);
      await mutate(copy, file, tests, shuffled(mutants), performance.now() + share, found);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  const { killed, survivors, late, left } = found;
  process.stdout.write(
    `\n${killed} killed, ${survivors.length} survived${left > 0 ? `, ${left} not tried in ${values.minutes} minutes` : ''}\n` +
      listed('Killed only because its tests did not end in time:', late.toSorted()) +
      listed('Survived:', survivors.toSorted()),
  );
  return survivors.length === 0 ? 0 : 1;
};

if (basename(process.argv[1] ?? '') === 'mutate.ts') process.exitCode = await main();
