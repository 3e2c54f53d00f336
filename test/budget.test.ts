// What a message costs in statements, write calls, bytes and WAL frames, held to the limits of test/budget.json, so that a
// change that makes each message dearer says so. CONTRIBUTING.md says what to do when it fails.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest';
import { type BudgetCase, measureBudget } from '#test/bench/budget-cases.ts';
import type { Measured, Spending } from '#test/bench/budget-meter.ts';
import limits from './budget.json' with { type: 'json' };

const MEASURE_TIMEOUT_MS = 300_000;

let measured: ReadonlyMap<BudgetCase, Measured>;
beforeAll(async () => {
  measured = await measureBudget(limits);
}, MEASURE_TIMEOUT_MS);

describe('a message costs no more than its budget', () => {
  test.each(Object.entries(limits) as [BudgetCase, Spending][])('%s', (name, limit) => {
    const { spending, statements } = measured.get(name) as Measured;
    const over = Object.entries(limit).filter(([figure, most]) => spending[figure as keyof Spending] > most);
    const told = over.map(
      ([figure, most]) => `${figure}: ${spending[figure as keyof Spending]}, limit ${most}`,
    );
    const ran = statements.map(([text, count]) => `${count.toFixed(2)}  ${text}`);
    expect(over, [...told, '', ...ran].join('\n')).toEqual([]);
  });

  test('each case has its limits', () => {
    expect(Object.keys(limits)).toEqual([...measured.keys()]);
  });
});
