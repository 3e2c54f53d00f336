import { expect, onTestFinished, test, vi } from 'vitest';
import { sendFaultNotices } from '#src/accounts/tenants/fault-notices.ts';
import { PLATFORM_FILE } from '#src/kernel/db/file-states.ts';
import { createLog } from '#src/kernel/log.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { until } from '#test/support/process.ts';
import { createTestClock, openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

interface Sent {
  readonly faults: readonly { readonly name: string; readonly state: string; readonly ended: boolean }[];
}

test('a fault of the registry has ended with the mail about it, and no second mail says so', async () => {
  const storage = await openTestStorage(await temporaryDirectory());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const mails: Sent[] = [];
  let wakes = 0;
  let waits = 0;
  const end = sendFaultNotices(
    { storage, clock: createTestClock(), log: createLog('warn', { write: () => ++waits }) },
    {
      enqueue: (db, notice) => {
        db.exec("INSERT INTO master_key_check (only, sealed) VALUES (1, x'00') ON CONFLICT DO NOTHING");
        mails[wakes] = notice as unknown as Sent;
      },
      wake: () => ++wakes,
    },
    'https://mail.example.com',
    () => 'operator@example.net',
  );
  onTestFinished(end);

  const limitPages = (most: number) =>
    storage.platform.peek((db) => {
      db.pragma(`max_page_count = ${most}`);
    });
  limitPages(1);
  const large = storage.platform.write((db) => db.exec('CREATE TABLE large AS SELECT zeroblob(1000000)'));
  await expect(large).rejects.toMatchObject({ code: 'unavailable' });
  expect(storage.states.of(PLATFORM_FILE)?.state).toBe('full');

  // A mail that cannot be stored yet waits, with all that it says.
  const write = vi.spyOn(storage.platform, 'write').mockRejectedValueOnce(new Error('no space'));
  vi.advanceTimersByTime(3 * SECOND);
  await until('it has to wait', () => waits === 1);
  limitPages(1_000_000);
  vi.advanceTimersByTime(10 * SECOND);
  await until('it is stored', () => wakes === 1);
  expect(mails[0]?.faults).toEqual([
    expect.objectContaining({ name: PLATFORM_FILE, state: 'full', ended: true }),
  ]);
  expect(storage.states.of(PLATFORM_FILE)).toBeUndefined();

  const writes = write.mock.calls.length;
  vi.advanceTimersByTime(11 * MINUTE);
  expect(write.mock.calls).toHaveLength(writes);
});
