import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { aboveLimit, aboveLimitAlone, EXPENSIVE, LIMIT_CPU_SECONDS, slowness } from './file-limit.ts';

const costs = [
  { name: 'test/cheap.test.ts', cpuSeconds: LIMIT_CPU_SECONDS, hasBrowser: false },
  { name: 'test/dear.test.ts', cpuSeconds: LIMIT_CPU_SECONDS + 1, hasBrowser: false },
];

const named = (above: readonly { readonly name: string }[]): string[] => above.map(({ name }) => name);

test('a file above the limit is named', () => {
  expect(named(aboveLimit(costs, () => 1))).toEqual(['test/dear.test.ts']);
});

test('the limit is as much higher as the machine is slower', () => {
  expect(aboveLimit(costs, () => 1.2)).toEqual([]);
});

test('a file is too expensive only if it is so alone', async () => {
  const ran: string[] = [];
  const alone = (cpuSeconds: number | undefined) => async (name: string) => {
    ran.push(name);
    return cpuSeconds;
  };
  expect(await aboveLimitAlone(costs, alone(LIMIT_CPU_SECONDS), () => 1)).toEqual([]);
  expect(await aboveLimitAlone(costs, alone(LIMIT_CPU_SECONDS + 2), () => 1)).toEqual([
    { name: 'test/dear.test.ts', cpuSeconds: LIMIT_CPU_SECONDS + 2, hasBrowser: false },
  ]);
  expect(named(await aboveLimitAlone(costs, alone(undefined), () => 1))).toEqual(['test/dear.test.ts']);
  expect(ran).toEqual(Array(3).fill('test/dear.test.ts'));
});

test('of many, the five most expensive are run alone, and the others judged by these', async () => {
  const many = Array.from({ length: 9 }, (_, at) => ({
    name: `test/${at}.test.ts`,
    cpuSeconds: LIMIT_CPU_SECONDS + 1 + at,
    hasBrowser: false,
  }));
  const ran: string[] = [];
  const half = async (name: string) => {
    ran.push(name);
    return (many.find((one) => one.name === name)?.cpuSeconds ?? 0) / 2;
  };
  expect(await aboveLimitAlone(many, half, () => 1)).toEqual([]);
  expect(ran).toEqual([8, 7, 6, 5, 4].map((at) => `test/${at}.test.ts`));
  expect(
    named(
      await aboveLimitAlone(
        many,
        async () => undefined,
        () => 1,
      ),
    ),
  ).toHaveLength(9);
});

test('an exception is free, and nothing is measured for it', () => {
  const measure = (): number => {
    throw new Error('measured');
  };
  const exceptions = Object.keys(EXPENSIVE).map((name) => ({ name, cpuSeconds: 99, hasBrowser: false }));
  expect(exceptions).not.toEqual([]);
  expect(aboveLimit(exceptions, measure)).toEqual([]);
});

test('no machine is too fast for the limit', () => {
  expect(slowness()).toBeGreaterThanOrEqual(1);
});

test('a browser is free', () => {
  const browsers = costs.map((cost) => ({ ...cost, hasBrowser: true }));
  expect(aboveLimit(browsers, () => 1)).toEqual([]);
});

test('each exception is a file that is there', () => {
  expect(Object.keys(EXPENSIVE).filter((name) => !existsSync(name))).toEqual([]);
});
