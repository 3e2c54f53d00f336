import { expect, test } from 'vitest';
import { practicePlaces } from '#src/kernel/practice-places.ts';

test('a practice has so many under way, each practice its own, and what has ended or failed leaves its place', async () => {
  const inPlace = practicePlaces(2, 'Too many.');
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
