// Looks after the files that no one uses: whether there is space, whether those with a fault can be written again, and whether
// those that are not open are there. No file that is in order is opened for that.
import type { Storage } from '#src/kernel/db/storage.ts';
import type { Job } from '#src/kernel/job.ts';
import { registryStore } from './registry-store.ts';

const TENANTS_PER_PAGE = 500;

export const FILE_JOB = 'look after the files';

export const fileJob = ({ platform, tenants, space, retry }: Storage): Job => ({
  name: FILE_JOB,
  schedule: '* * * * *',
  run: async (signal) => {
    space();
    await retry(signal);
    for (let after = 0; !signal.aborted; ) {
      const page = await platform.read((db) => registryStore(db).listAll(after, TENANTS_PER_PAGE));
      for (const { id } of page) {
        if (signal.aborted) return;
        await tenants.inspect(id);
      }
      const last = page.at(-1);
      if (!last) return;
      after = last.number;
    }
  },
});
