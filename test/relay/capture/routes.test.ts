import { beforeEach, describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { anonymous, type Caller } from '#src/kernel/access.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import type { RequestContext, RouteResult } from '#src/kernel/route.ts';
import { captureRoutes } from '#src/relay/capture/routes.ts';
import { createCaptureUpstream } from '#src/relay/capture/upstream.ts';
import { testSealingKey } from '#test/support/keys.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  queueMessage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const KEY = testSealingKey(5);

let storage: Storage;
let tenantId: string;
let projectId: string;
let messageId: string;
beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  tenantId = await createSampleTenant(storage);
  await storage.tenants.write(tenantId, (db) => {
    projectId = tenantStore(db).defaultProject().id;
    const routeId = tenantStore(db).defaultRoute().id;
    messageId = queueMessage({ db, tenantId, projectId, routeId }).id;
  });
  const upstream = createCaptureUpstream({
    name: 'capture',
    keep: 10,
    files: storage.tenants,
    clock: createTestClock(),
    key: KEY,
  });
  const envelope = { returnPath: 'b@example.com', recipient: 'anna@example.org', envelopeId: messageId };
  await upstream.transmit(envelope, Buffer.from('Subject: Termin\r\n'), { tenantId, messageId });
});

/** What the route answers to who is limited to these projects. */
const ask = async (path: string, params: object, projects: Caller['projects']): Promise<RouteResult> => {
  const route = captureRoutes({
    files: storage.tenants,
    key: KEY,
    isSystem: () => false,
    clock: createTestClock(),
  }).find((one) => one.path.endsWith(path));
  if (!route) throw new Error(`no route ${path}`);
  const input = { params: { id: tenantId, ...params }, query: { limit: 50 }, body: undefined };
  const context = { caller: { ...anonymous, kind: 'member', projects } } as unknown as RequestContext;
  return route.handle(input as never, context);
};
const list = async (projects: Caller['projects']): Promise<{ id: string }[]> =>
  ((await ask('/captures', {}, projects)).body as { data: { id: string }[] }).data;

describe('a caller that may view content', () => {
  test('reads it as it would have gone out', async () => {
    for (const projects of [null, new Set([projectId])]) {
      const [capture] = await list(projects);
      expect(capture).toMatchObject({ message_id: messageId, recipient: 'anna@example.org', size_bytes: 17 });
      const { body } = await ask('/{captureID}', { captureID: capture?.id }, projects);
      expect(String(body)).toBe('Subject: Termin\r\n');
    }
  });

  test('reads nothing of projects that are not theirs', async () => {
    const [capture] = await list(null);
    const others = new Set([newId()]);
    expect(await list(others)).toEqual([]);
    await expect(ask('/{captureID}', { captureID: capture?.id }, others)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
