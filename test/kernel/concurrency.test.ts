import { expect, test } from 'vitest';
import { createKeyedQueue, limitConcurrency, limitKeyedConcurrency } from '#src/kernel/concurrency.ts';
import { say } from '#src/kernel/say.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('one tenant’s work is done one after the other, also past a failure; another’s is not held up', async () => {
  const queue = createKeyedQueue();
  const done: string[] = [];
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = queue('a', async () => {
    await gate;
    done.push('first');
    throw new Error('no');
  });
  const second = queue('a', async () => {
    done.push('second');
    return 2;
  });
  const other = queue('b', async () => done.push('other'));
  const refused = expect(first).rejects.toThrow('no');
  await other;
  await settle();
  expect(done).toEqual(['other']);
  release();
  await refused;
  expect(await second).toBe(2);
  expect(done).toEqual(['other', 'first', 'second']);
  expect(await queue('a', async () => 'again')).toBe('again');
});

test('each key has its own number of running works; one that ended or failed gives its place back', async () => {
  const inPlace = limitKeyedConcurrency(2, say`Too many.`);
  const ends: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const begin = (tenantId: string) =>
    inPlace(tenantId, () => {
      const { promise, ...end } = Promise.withResolvers<string>();
      ends.push(end);
      return promise;
    });
  const [first, second, elsewhere] = [begin('one'), begin('one'), begin('another')];
  const refusal = { code: 'rate_limited', message: 'Too many.', extra: { retry_after: 5 } };
  await expect(begin('one')).rejects.toMatchObject(refusal);
  expect(ends).toHaveLength(3);
  ends[0]?.resolve('done');
  expect(await first).toBe('done');
  const third = begin('one');
  await expect(begin('one')).rejects.toMatchObject(refusal);
  ends[1]?.reject(new Error('broken'));
  await expect(second).rejects.toThrow('broken');
  const fourth = begin('one');
  for (const { resolve } of ends) resolve('done');
  expect(await Promise.all([elsewhere, third, fourth])).toEqual(['done', 'done', 'done']);
});

test('a limited number of works runs at once, the others wait in their order, and a failed one gives its place back', async () => {
  const limited = limitConcurrency(2);
  const started: number[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const begin = (name: number) =>
    limited(() => {
      started.push(name);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return end.promise;
    });
  const [first, ...others] = [1, 2, 3, 4].map(begin);
  await settle();
  expect(started).toEqual([1, 2]);
  ends[0]?.reject(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  await settle();
  expect(started).toEqual([1, 2, 3]);
  ends[1]?.resolve();
  await settle();
  expect(started).toEqual([1, 2, 3, 4]);
  for (const { resolve } of ends) resolve();
  await Promise.all(others);
});
