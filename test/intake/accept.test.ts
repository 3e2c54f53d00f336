import { beforeEach, describe, expect, test } from 'vitest';
import { accept, type Submission } from '#src/intake/accept.ts';
import { createTestDisk, type TestDisk } from '#test/db/test-disk.ts';
import {
  ACCEPTED,
  createRelay,
  type PlayedUpstream,
  playUpstream,
  type Relay,
  untilSeen,
} from '#test/relay/fixture.ts';
import { MESSAGE } from '#test/support/draft.ts';

let disk: TestDisk;
let upstream: PlayedUpstream;
let relay: Relay;
let practice: string;

beforeEach(async () => {
  disk = createTestDisk();
  upstream = playUpstream(() => ACCEPTED);
  relay = await createRelay([upstream], { disk });
  practice = await relay.createPractice('Nord');
  // From now on the registry knows the practice, and the next sync is one of its own file.
  (await relay.dueRegistry.hold(practice, relay.clock.now()))();
});

const messages = () =>
  relay.storage.tenants.read(practice, (db) =>
    db.prepare<[], number>('SELECT count(*) FROM messages').pluck().get(),
  );

describe('where the sync fails', () => {
  const UNKNOWN = { code: 'unavailable', message: expect.stringContaining('unknown') };

  test('it is unknown whether the message was stored; where it was, it is sent', async () => {
    relay.dispatcher.start();
    disk.failNextSync(new Error('EIO'));
    await expect(relay.send(practice)).rejects.toMatchObject(UNKNOWN);
    await untilSeen(upstream, 1);
    await relay.untilSent(practice);
  });

  test('the registry keeps the practice, so that a restart looks', async () => {
    disk.failNextSync(new Error('EIO'));
    await expect(relay.send(practice)).rejects.toMatchObject(UNKNOWN);
    expect(await relay.registered()).toEqual([practice]);
  });

  test('the repeated request answers with the stored message, and that is sent though nobody knew of it', async () => {
    const submission: Submission = {
      tenantId: practice,
      projectId: null,
      source: 'api',
      draft: MESSAGE,
      idempotency: { key: 'key', request: 1 },
    };
    disk.failNextSync(new Error('EIO'));
    const inAnEarlierProcess = { ...relay.acceptDeps, wake: () => undefined };
    await expect(accept(inAnEarlierProcess, submission)).rejects.toMatchObject(UNKNOWN);
    const again = await accept(relay.acceptDeps, submission);
    expect(again).toMatchObject({ status: 202, replayed: true });
    expect(await messages()).toBe(1);
    relay.dispatcher.start();
    await untilSeen(upstream, 1);
    expect(upstream.seen.map(({ messageId }) => messageId)).toEqual([again.answer.id]);
  });
});
