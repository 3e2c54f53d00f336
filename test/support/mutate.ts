// `npm run mutate -- PATH... [--tests PATH] [--minutes 10]`: changes a file of src in one place at a time and runs the tests
// that mirror it (`test/` with the same path, or what --tests names). A change that no test notices survives, and is printed.
// Works in a copy of src and test: the tree stays as it is, however the run ends.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
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

const mirrorOf = (file: string, root: string): string[] => {
  const test = file.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts');
  return existsSync(join(root, test)) ? [test] : [dirname(test)];
};

/** Whether all tests pass; null where they took too long. */
const run = async (root: string, tests: readonly string[], patienceMs: number): Promise<boolean | null> => {
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
  return signal === 'SIGKILL' ? null : code === 0;
};

const main = async (): Promise<number> => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { tests: { type: 'string', multiple: true }, minutes: { type: 'string', default: '30' } },
  });
  if (positionals.length === 0) {
    process.stderr.write('usage: npm run mutate -- src/PATH.ts... [--tests test/PATH]... [--minutes 30]\n');
    return 2;
  }
  const root = resolve(import.meta.dirname, '../..');
  const copy = mkdtempSync(join(tmpdir(), 'mutate-'));
  const end = performance.now() + Number(values.minutes) * 60_000;
  try {
    const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    });
    for (const file of tracked.split('\n'))
      if (file !== '' && existsSync(join(root, file)))
        cpSync(join(root, file), join(copy, file), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const survivors: string[] = [];
    let [killed, left] = [0, 0];
    for (const file of positionals) {
      const text = readFileSync(join(copy, file), 'utf8');
      const tests = values.tests ?? mirrorOf(file, copy);
      const begun = performance.now();
      if ((await run(copy, tests, end - begun)) !== true)
        throw new Error(`${tests.join(' ')} does not pass as it is`);
      const patience = Math.max(LEAST_PATIENCE_MS, PATIENCE * (performance.now() - begun));
      const mutants = mutantsOf(text);
      process.stdout.write(`${file}: ${mutants.length} mutants, tests ${tests.join(' ')}\n`);
      for (const { start, end: stop, text: by } of mutants) {
        if (performance.now() > end) {
          left += 1;
          continue;
        }
        writeFileSync(join(copy, file), text.slice(0, start) + by + text.slice(stop));
        const row = `${file}:${text.slice(0, start).split('\n').length} ${JSON.stringify(text.slice(start, stop))} -> ${JSON.stringify(by)}`;
        if (await run(copy, tests, patience)) {
          survivors.push(row);
          process.stdout.write(`survived ${row}\n`);
        } else killed += 1;
      }
      writeFileSync(join(copy, file), text);
    }
    const rest = left > 0 ? `, ${left} not tried in ${values.minutes} minutes` : '';
    process.stdout.write(
      `\n${killed} killed, ${survivors.length} survived${rest}\n${survivors.map((row) => `  ${row}\n`).join('')}`,
    );
    return survivors.length === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
};

if (basename(process.argv[1] ?? '') === 'mutate.ts') process.exitCode = await main();
