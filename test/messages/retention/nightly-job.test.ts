import { describe, expect, test } from 'vitest';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { NightlyTask } from '#src/kernel/base.ts';
import { createLog } from '#src/kernel/log.ts';
import { nightlyJob } from '#src/messages/retention/nightly-job.ts';
import { createSampleTenant, openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const log = createLog('silent');

/** Three tenants, and a job that notes what it does, in order. */
const scene = async (fails: (done: string) => boolean = () => false) => {
  const storage = await openTestStorage(await temporaryDirectory());
  const tenants: string[] = [];
  for (const name of ['A', 'B', 'C']) tenants.push(await createSampleTenant(storage, name));
  const done: string[] = [];
  const stop = new AbortController();
  const nameOf = (id: string) => 'ABC'[tenants.indexOf(id)];
  const note = (what: string) => {
    done.push(what);
    if (fails(what)) throw new Error(what);
  };
  const task = (what: string): NightlyTask => ({
    what,
    run: async (id) => {
      await storage.tenants.read(id, () => note(`${what} ${nameOf(id)}`));
    },
  });
  const job = nightlyJob(
    storage.tenants,
    (after) => storage.platform.read((db) => registryStore(db).listAll(after, 2)),
    async () => note('registry'),
    [{ nightly: [task('audit')] }, { nightly: [task('events')] }],
  );
  return { storage, tenants, job, done, stop, run: () => job.run(stop.signal, log) };
};

const OF_ALL = ['registry', 'audit A', 'events A', 'audit B', 'events B', 'audit C', 'events C'];

describe('the nightly job', () => {
  test('runs every task for every practice', async () => {
    const { run, done } = await scene();
    await run();
    expect(done).toEqual(OF_ALL);
  });

  test.each(['registry', 'audit B'])(
    'continues after a failure of %s, and fails at its end',
    async (failing) => {
      const { run, done } = await scene((what) => what === failing);
      await expect(run()).rejects.toThrow('1 nightly tasks failed');
      expect(done).toEqual(OF_ALL);
    },
  );

  test('skips a practice whose file cannot be opened', async () => {
    const { run, done, storage, tenants } = await scene();
    const [first = ''] = tenants;
    await storage.tenants.remove(first);
    await expect(run()).rejects.toThrow(AggregateError);
    expect(done).toEqual(OF_ALL.filter((what) => !what.endsWith('A')));
  });

  test('ends before the next task when the daemon stops', async () => {
    const at = await scene((what) => {
      if (what === 'audit B') at.stop.abort();
      return false;
    });
    await at.run();
    expect(at.done).toEqual(OF_ALL.slice(0, 4));
  });
});
