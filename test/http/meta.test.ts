import { expect, test } from 'vitest';
import { attachmentPolicy } from '#src/content/attachment-policy.ts';
import { metaRoute } from '#src/http/meta.ts';
import { LIMITS, startServer } from './fixture.ts';

test('GET /api/meta shows the limits that the gates and servers read', async () => {
  const { url } = await startServer({
    routes: [
      metaRoute({
        name: 'Test',
        version: '1.2.3',
        safeMode: async () => false,
        limits: () => ({ ...LIMITS, recipients: 7, batch: 8, body_bytes: 9_000 }),
        passwordLogin: () => false,
        scanners: () => false,
        attachmentPolicy,
        submission: null,
        simulatorHost: 'simulator.test',
        billing: false,
        inbound: false,
      }),
    ],
  });
  const response = await fetch(`${url}/api/meta`, { headers: { authorization: 'Bearer sender' } });
  expect(await response.json()).toMatchObject({ limits: { recipients: 7, batch: 8, body_bytes: 9_000 } });
});
