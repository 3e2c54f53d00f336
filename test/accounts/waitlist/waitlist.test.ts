import { beforeEach, describe, expect, test } from 'vitest';
import { type WaitlistRow, waitlistStore } from '#src/accounts/waitlist/store.ts';
import {
  joinBody,
  joinWaitlist,
  MAX_ENTRIES,
  removeFromWaitlist,
  type WaitlistDeps,
  waitlistRetentionJob,
} from '#src/accounts/waitlist/waitlist.ts';
import type { Change } from '#src/kernel/change.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createLog } from '#src/kernel/log.ts';
import { say } from '#src/kernel/say.ts';
import { HOUR } from '#src/kernel/time.ts';
import {
  createTestClock,
  openTestStorage,
  type TestClock,
  temporaryDirectory,
} from '#test/support/storage.ts';

test.each<[string, object]>([
  ['a plan that nobody waits for', { plan: 'test' }],
  ['no plan', { plan: undefined }],
  ['no address', { email: 'erika' }],
  ['a name of two lines', { name: 'a\nb' }],
  ['a long note', { note: 'x'.repeat(2_001) }],
  ['another field', { created_at: 0 }],
])('%s is not taken', (_, fields) => {
  expect(joinBody.safeParse({ email: 'erika@example.org', plan: 'termin', ...fields }).success).toBe(false);
});

let storage: Storage;
let clock: TestClock;
let deps: WaitlistDeps;
let limited: string[];

beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  clock = createTestClock();
  limited = [];
  deps = { platform: storage.platform, clock, limitEmail: (key) => void limited.push(key), isOpen: true };
});

const join = (fields: object) =>
  joinWaitlist(deps, joinBody.parse({ email: 'erika@example.org', plan: 'termin', ...fields }));
const entries = (): WaitlistRow[] => storage.platform.peek((db) => waitlistStore(db).list(null, 0, 100));
const change = (): Change => ({
  actor: { kind: 'operator', id: 'operator', name: '' },
  action: 'waitlist.remove',
  clientAddress: null,
  requestId: null,
  recorded: false,
});

describe('the waiting list', () => {
  test('keeps the entries in their order', async () => {
    await join({ email: 'Erika@Example.org', name: 'Erika', note: 'Zwei Standorte' });
    clock.set(clock.now() + HOUR);
    await join({ email: 'otto@example.org', plan: 'gruppe' });
    const at = clock.now();
    expect(entries()).toMatchObject([
      {
        email: 'Erika@example.org',
        email_key: 'erika@example.org',
        name: 'Erika',
        plan: 'termin',
        note: 'Zwei Standorte',
        created_at: at - HOUR,
      },
      { email: 'otto@example.org', name: null, plan: 'gruppe', note: null, created_at: at },
    ]);
    expect(limited).toEqual(['erika@example.org', 'otto@example.org']);
  });

  test('keeps an entry when the address is entered again, with the time of that', async () => {
    await join({ name: 'Erika' });
    const [first] = entries();
    clock.set(clock.now() + HOUR);
    await join({ email: 'ERIKA@example.org', name: 'Otto', plan: 'gruppe', note: 'x' });
    expect(entries()).toEqual([{ ...first, asked_at: clock.now() }]);
  });

  test('over the limit of the address keeps nothing', async () => {
    const limitEmail = () => {
      throw new AppError('rate_limited', say`Too many.`, { extra: { retry_after: 1 } });
    };
    const joining = joinBody.parse({ email: 'erika@example.org', plan: 'termin' });
    await expect(joinWaitlist({ ...deps, limitEmail }, joining)).rejects.toMatchObject({
      code: 'rate_limited',
    });
    expect(entries()).toEqual([]);
  });

  test('that is off keeps nothing, and what a program fills in is answered alike and not kept', async () => {
    const joining = joinBody.parse({ email: 'erika@example.org', plan: 'termin' });
    await expect(joinWaitlist({ ...deps, isOpen: false }, joining)).rejects.toMatchObject({
      code: 'not_found',
    });
    await join({ website: 'https://example.net' });
    expect(entries()).toEqual([]);
  });

  test('forgets who last asked longer ago than it is kept', async () => {
    await join({ email: 'erika@example.org' });
    await join({ email: 'otto@example.org' });
    clock.set(clock.now() + 20 * HOUR);
    await join({ email: 'otto@example.org' });
    clock.set(clock.now() + 10 * HOUR);
    const { run } = waitlistRetentionJob(storage.platform, () => 24 * HOUR, clock);
    await run(new AbortController().signal, createLog('silent'));
    expect(entries().map(({ email }) => email)).toEqual(['otto@example.org']);
  });

  test('when it is full says so to everyone, also to those who stand on it', async () => {
    await storage.platform.write((db) =>
      db
        .prepare(
          `WITH RECURSIVE entry (n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM entry WHERE n < ? - 1)
           INSERT INTO waitlist (id, email_key, email, plan, created_at, asked_at)
           SELECT 'entry ' || n, 'r' || n || '@example.org', 'r' || n || '@example.org', 'termin', 0, 0 FROM entry`,
        )
        .run(MAX_ENTRIES),
    );
    for (const email of ['erika@example.org', 'r0@example.org'])
      await expect(join({ email })).rejects.toMatchObject({ code: 'unavailable' });
    expect(storage.platform.peek((db) => waitlistStore(db).count())).toBe(MAX_ENTRIES);
  });

  test('removes an entry by the operator, and the audit names no address', async () => {
    await join({ name: 'Erika' });
    const [entry] = entries();
    await removeFromWaitlist(deps, entry?.id ?? '', change());
    expect(entries()).toEqual([]);
    const kept = storage.platform.peek((db) => db.prepare('SELECT * FROM audit').all());
    expect(kept).toMatchObject([
      { action: 'waitlist.remove', target_id: entry?.id, before_json: '{"plan":"termin"}', after_json: null },
    ]);
    expect(JSON.stringify(kept).toLowerCase()).not.toContain('erika');
    await expect(removeFromWaitlist(deps, entry?.id ?? '', change())).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
