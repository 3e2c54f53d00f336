// Whether mail can go to an address: what upstreams are asked about it.
import { expect, test, vi } from 'vitest';
import { sendableFor } from '#src/audience/sendable.ts';

type Context = Parameters<typeof sendableFor>[0];

test('upstreams are asked once for all parts of a file, and only where an address needs it', async () => {
  const learn = vi.fn(async () => undefined);
  const intake = { context: { utf8: { takes: () => true, learn } } } as unknown as Context['intake'];
  const sendable = sendableFor({ intake }, 'one');
  await sendable.learn(['erika@example.org']);
  expect(learn).not.toHaveBeenCalled();
  await sendable.learn(['müller@example.org']);
  await sendable.learn(['jürgen@example.org']);
  expect(learn).toHaveBeenCalledTimes(1);
});
