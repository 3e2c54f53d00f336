// Vendor B's lookups by its published client, unmodified, and what that client does not show.
// @module-tag slow
import { afterAll, beforeAll, test } from 'vitest';
import { HOUR } from '#src/kernel/time.ts';
import { feedbackSource } from '#test/support/reports.ts';
import { createTestClock } from '#test/support/storage.ts';
import { openScene, type Scene } from './scene.ts';
import { clientOf, type LookupScene, lookupBehaviours } from './vendor-b-lookup-behaviours.ts';

let opened: Scene;
let source: Awaited<ReturnType<typeof feedbackSource>>;
const clock = createTestClock(Date.now() - 200 * HOUR);
beforeAll(async () => {
  source = await feedbackSource();
  opened = await openScene({
    clock,
    config: {
      ...source.config,
      service: { public_origin: 'https://mail.example.com' },
      smtp: { inbound: { listen: '127.0.0.1:0' } },
    },
  });
});
afterAll(async () => {
  await opened?.close();
  await source?.dns.stop();
});

/** With a practice of its own: so many bounces would pause it. */
const sceneOf = async (): Promise<LookupScene> => {
  const sender = await opened.app.createSender({ plan: 'praxis' });
  return { ...opened, sender, clock, client: clientOf(opened, sender.token) };
};

test.each(lookupBehaviours.map((row) => [row.what, row] as const))('%s', async (_, { run }) =>
  run(await sceneOf()),
);
