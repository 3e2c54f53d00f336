// The case `budget`: what a message costs. Statements, write calls, bytes and frames are nearly free of noise, and
// test/budget.test.ts holds them to test/budget.json. CPU is not: it is printed in units of one RSA-2048 signature of
// the same run, and `--keep` adds it to the trend.
import { execFile } from 'node:child_process';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BudgetCase, measureBudget, measureCpu } from '#test/bench/budget-cases.ts';
import type { Measured, Spending } from '#test/bench/budget-meter.ts';
import { type CaseOptions, table } from '#test/bench/harness.ts';
import { rsaMillis } from '#test/bench/results.ts';

export type BudgetLimits = Readonly<Record<BudgetCase, Spending>>;

const LIMITS = new URL('../budget.json', import.meta.url);
const TREND = fileURLToPath(new URL('../../bench/budget-trend.csv', import.meta.url));
const TREND_HEAD = 'date,commit,RSA-2048 µs,CPU in signatures,statements,write calls,kilobytes,WAL frames';
/** With fewer a message the text is not listed: it belongs to none. */
const LEAST = 0.005;

const FIGURES: readonly (readonly [keyof Spending, string])[] = [
  ['statements', 'statements'],
  ['credentialLookups', 'credential look-ups'],
  ['writeCalls', 'write calls'],
  ['kilobytes', 'kB written'],
  ['walFrames', 'WAL frames'],
];

export const readLimits = async (): Promise<BudgetLimits> => JSON.parse(await readFile(LIMITS, 'utf8'));

const printStatements = (measured: ReadonlyMap<BudgetCase, Measured>): void => {
  for (const [name, { statements }] of measured) {
    const rows = statements.filter(([, count]) => count >= LEAST);
    console.log(
      `${name}\n${rows.map(([text, count]) => `${count.toFixed(2).padStart(8)}  ${text}`).join('\n')}\n`,
    );
  }
};

const keepTrend = async (line: readonly (string | number)[]): Promise<void> => {
  await mkdir(path.dirname(TREND), { recursive: true });
  const kept = await readFile(TREND, 'utf8').catch(() => '');
  await appendFile(TREND, `${kept === '' ? `${TREND_HEAD}\n` : ''}${line.join(',')}\n`);
};

/** Prints a table: what was counted, and its limit. */
export async function benchBudget(options: CaseOptions): Promise<void> {
  const measured = await measureBudget();
  if (options.statements) printStatements(measured);
  const limits = await readLimits();
  const rows = [...measured].map(([name, { spending }]) => [
    name,
    ...FIGURES.map(([figure]) => `${spending[figure].toFixed(2)} / ${limits[name][figure]}`),
  ]);
  options.print(table(['a message, / limit', ...FIGURES.map(([, title]) => title)], rows));
  const cpu = await measureCpu(options.messages);
  const signature = (options.rsaMs + rsaMillis()) / 2_000;
  const inSignatures = cpu / signature;
  options.print(
    `CPU of the service a message: ${inSignatures.toFixed(2)} RSA-2048 signatures of ${(signature * 1e6).toFixed(0)} µs.`,
  );
  const spending = measured.get('send')?.spending;
  if (!options.keep || !spending) return;
  const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD']);
  const figures = [
    inSignatures,
    spending.statements,
    spending.writeCalls,
    spending.kilobytes,
    spending.walFrames,
  ];
  const day = new Date().toISOString().slice(0, 10);
  await keepTrend([
    day,
    stdout.trim(),
    (signature * 1e6).toFixed(0),
    ...figures.map((figure) => figure.toFixed(2)),
  ]);
}
