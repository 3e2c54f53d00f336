// Which changes restart a webhook's deliveries: what was claimed would otherwise go to where the webhook was.

import { expect, test } from 'vitest';
import { createWebhook } from '#src/followers/webhooks/change.ts';
import { webhookRoutes } from '#src/followers/webhooks/routes.ts';
import { anonymous } from '#src/kernel/access.ts';
import { systemChange } from '#src/kernel/change.ts';
import { testSealingKey } from '#test/support/keys.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const given = { name: 'Hook', url: 'https://hook.example/a', events: ['message.sent'] };

test.each<[string, string, object, boolean]>([
  ['another address', 'patch', { url: 'https://hook.example/b' }, true],
  ['being disabled', 'patch', { status: 'disabled' }, true],
  ['being enabled', 'patch', { status: 'active' }, true],
  ['another name', 'patch', { name: 'Other' }, false],
  ['being deleted', 'delete', {}, true],
])('%s', async (_, method, body, restarts) => {
  const storage = await openTestStorage(await temporaryDirectory());
  const id = await createSampleTenant(storage);
  const restarted: string[][] = [];
  const deps = {
    files: storage.tenants,
    clock: createTestClock(1_700_000_000_000),
    key: testSealingKey(7),
    outbound: { refusalOf: async () => null },
    following: { hold: async () => () => undefined },
  };
  const deliveries = { restart: (...webhook: string[]) => void restarted.push(webhook) };
  const { row } = await createWebhook(
    deps as never,
    id,
    { ...given, inbound_mail: 'small' },
    { change: systemChange('webhook.create'), caller: anonymous },
  );
  const route = webhookRoutes(deps as never, deliveries as never).find(
    (one) => one.method === method && one.path.endsWith('/webhooks/{webhookID}'),
  );
  const params = { id, webhookID: row.id };
  await route?.handle(
    { params, query: {}, body } as never,
    { change: systemChange('webhook.update'), otherVersion: () => null } as never,
  );
  expect(restarted).toEqual(restarts ? [[id, row.id]] : []);
});
