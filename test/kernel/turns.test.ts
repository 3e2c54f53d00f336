import { expect, test } from 'vitest';
import { createTurns } from '#src/kernel/turns.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('one tenant’s work is done one after the other, also past a failure; another’s is not held up', async () => {
  const turns = createTurns();
  const done: string[] = [];
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = turns('a', async () => {
    await gate;
    done.push('first');
    throw new Error('no');
  });
  const second = turns('a', async () => {
    done.push('second');
    return 2;
  });
  const other = turns('b', async () => done.push('other'));
  const refused = expect(first).rejects.toThrow('no');
  await other;
  await settle();
  expect(done).toEqual(['other']);
  release();
  await refused;
  expect(await second).toBe(2);
  expect(done).toEqual(['other', 'first', 'second']);
  expect(await turns('a', async () => 'again')).toBe('again');
});
