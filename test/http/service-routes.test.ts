import { expect, test } from 'vitest';
import { serviceRoutes } from '#src/http/service-routes.ts';
import { LIMITS, startServer } from './fixture.ts';

test('GET /api/meta shows the limits that the gates and servers read', async () => {
  const { url } = await startServer({
    routes: serviceRoutes({
      name: 'Test',
      version: '1.2.3',
      safeMode: async () => false,
      limits: () => ({ ...LIMITS, recipients: 7, batch: 8, body_bytes: 9_000 }),
      passwordLogin: () => false,
      scanners: () => false,
      submission: null,
      simulatorHost: 'simulator.test',
      billing: false,
      inbound: false,
      health: () => {
        throw new Error('nothing asks for it');
      },
    }),
  });
  const response = await fetch(`${url}/api/meta`, { headers: { authorization: 'Bearer sender' } });
  expect(await response.json()).toMatchObject({ limits: { recipients: 7, batch: 8, body_bytes: 9_000 } });
});
