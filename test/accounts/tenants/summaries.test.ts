// How many practices a list of the operator waits for, where a crash has left the marks of thousands.
import { expect, test } from 'vitest';
import { createSummaries } from '#src/accounts/tenants/summaries.ts';

const MARKED = 450;

const open = () => {
  const read: number[] = [];
  const failing = (tenantId: string): Promise<never> => {
    read.push(Number(tenantId));
    return Promise.reject(new Error('it is not there'));
  };
  const parts = {
    clock: { now: () => 0 },
    log: { debug: () => undefined },
    storage: {
      platform: { read: async () => [] },
      tenants: { visit: (_: string, work: () => unknown) => work(), read: failing },
    },
  };
  const written = {
    join: () => undefined,
    mark: () => MARKED,
    marked: () => Array.from({ length: MARKED }, (_, at) => [String(at), at] as const),
  };
  return { read, summaries: createSummaries(parts as never, written as never) };
};

test('a list waits for those that were written last, and for those that it names', async () => {
  const { read, summaries } = open();
  await summaries.bringUpToDate(['1000']);
  expect(read).toHaveLength(201);
  expect(Math.min(...read)).toBe(MARKED - 200);
  expect(read).toContain(1_000);
});

test('the look of the minute reads all, and a list comes in between', async () => {
  const { read, summaries } = open();
  const look = summaries.look(new AbortController().signal);
  await summaries.bringUpToDate();
  expect(read.length).toBeLessThan(MARKED);
  await look;
  expect(new Set(read).size).toBe(MARKED);
});
