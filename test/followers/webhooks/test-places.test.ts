// What tests of webhooks and alerts a practice may have waiting for receivers: their places are few, and everybody's.

import { expect, test } from 'vitest';
import { alertRoutes } from '#src/followers/alerts/routes.ts';
import { sealUrl } from '#src/followers/alerts/schema.ts';
import { webhookRoutes } from '#src/followers/webhooks/routes.ts';
import type { Route } from '#src/kernel/route.ts';
import { testSealingKey } from '#test/support/keys.ts';
import { createTestClock } from '#test/support/storage.ts';

const clock = createTestClock(1_700_000_000_000);
const key = testSealingKey(1);
const files = { read: async () => ({ row: alert, practice: 'Praxis', status: 'delivered' }) };
const alert = {
  id: 'one',
  kind: 'slack',
  name: 'Chat',
  language: 'de',
  events_json: '["message.failed"]',
  sealed_url: sealUrl(key, 'one', 'https://chat.example.com/'),
};
const service = { name: 'Sendwerk', origin: 'https://mail.example.com' };

const kinds: readonly (readonly [string, (hang: () => Promise<unknown>) => Route[]])[] = [
  ['webhooks', (sendTest) => webhookRoutes({ files, clock, key } as never, { sendTest } as never)],
  ['alerts', (post) => alertRoutes({ files, clock, key, service, outbound: { post } } as never)],
];

test.each(kinds)('of %s two of a practice wait for their receivers at a time', async (_, routesOf) => {
  const ends: ((outcome: object) => void)[] = [];
  const hang = () => new Promise((resolve) => ends.push(resolve));
  const route = routesOf(hang).find(({ path }) => path.endsWith('/test'));
  const caller = { permissions: new Set(['webhooks.manage']), projects: null };
  const ask = (id: string): Promise<string> =>
    Promise.try(() => route?.handle({ params: { id } } as never, { caller } as never)).then(
      (result) => String(result?.status),
      (error) => error.code,
    );
  const asked = [ask('one'), ask('one'), ask('another')];
  await expect.poll(() => ends.length).toBe(3);
  expect(await ask('one')).toBe('rate_limited');
  for (const end of ends) end({ kind: 'answered', status: 200, excerpt: '', retryAfter: null });
  expect(await Promise.all(asked)).toEqual(['200', '200', '200']);
});
