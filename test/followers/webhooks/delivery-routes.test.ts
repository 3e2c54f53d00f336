// What a practice may ask of the one thread that it shares with all others by replaying. What replays do is shown in
// replay.test.ts and over HTTP in test/flows/webhook-deliveries.test.ts.
import { expect, test } from 'vitest';
import { deliveryRoutes } from '#src/followers/webhooks/delivery-routes.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { createTestClock } from '#test/support/storage.ts';

const [ONE, OTHER, HOOK] = ['one', 'another', 'a webhook'];

const scene = () => {
  const clock = createTestClock(1_700_000_000_000);
  const held: (() => void)[] = [];
  const write = () => new Promise((resolve) => held.push(() => resolve({ count: 1, after: null })));
  const spared: string[][] = [];
  const deliveries = { endBackoff: (...webhook: string[]) => void spared.push(webhook) };
  const files = { write } as unknown as TenantFiles;
  const routes = deliveryRoutes({ files, clock }, deliveries, (id) => `/api/practices/${id}`);
  const route = routes.find(({ path }) => path.endsWith('{webhookID}/replay'));
  const replay = async (id: string): Promise<string> => {
    const input = { params: { id, webhookID: HOOK }, query: {}, body: { since: '2023-01-01T00:00:00Z' } };
    const answer = Promise.try(() => route?.handle(input as never, {} as never));
    return answer.then(
      (result) => String(result?.status),
      (error) => error.code,
    );
  };
  const replayOne = (id: string) =>
    routes
      .find(({ path }) => path.endsWith('{deliveryID}/replay'))
      ?.handle(
        { params: { id, webhookID: HOOK, deliveryID: 'a delivery' }, query: {} } as never,
        {} as never,
      );
  return { clock, held, replay, replayOne, spared };
};

test('a replay ends the back-off of its webhook, once the replay is stored', async () => {
  const { held, replayOne, spared } = scene();
  const answer = replayOne(ONE);
  expect(spared).toEqual([]);
  for (const letGo of held.splice(0)) letGo();
  expect(await answer).toMatchObject({ status: 202 });
  expect(spared).toEqual([[ONE, HOOK]]);
});

test('a practice has one replay in progress at a time, others have their own', async () => {
  const { held, replay, spared } = scene();
  const [first, elsewhere] = [replay(ONE), replay(OTHER)];
  expect(await replay(ONE)).toBe('rate_limited');
  expect(held).toHaveLength(2);
  for (const letGo of held.splice(0)) letGo();
  expect([await first, await elsewhere]).toEqual(['202', '202']);
  // Whoever replays has mended the receiver.
  expect(spared).toHaveLength(2);
  expect(new Set(spared)).toEqual(
    new Set([
      [ONE, HOOK],
      [OTHER, HOOK],
    ]),
  );
  const next = replay(ONE);
  for (const letGo of held.splice(0)) letGo();
  expect(await next).toBe('202');
});

test('twelve begin in a minute', async () => {
  const { clock, held, replay } = scene();
  const said: string[] = [];
  for (let count = 0; count < 13; count++) {
    const answer = replay(ONE);
    for (const letGo of held.splice(0)) letGo();
    said.push(await answer);
  }
  expect(said).toEqual([...Array(12).fill('202'), 'rate_limited']);
  clock.set(clock.now() + MINUTE);
  const later = replay(ONE);
  for (const letGo of held.splice(0)) letGo();
  expect(await later).toBe('202');
});
