// When each token was last used, kept with a minute's precision: noted in memory, written together by a job.
import type { TenantFiles } from '#src/db/tenant-files.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Clock } from '#src/kernel/time.ts';
import { tokenStore } from './store.ts';

export interface LastUsed {
  note(tenantId: string, tokenId: string): void;
  flush(): Promise<void>;
}

export const createLastUsed = (files: TenantFiles, clock: Clock): LastUsed => {
  let noted = new Map<string, { tenantId: string; at: number }>();
  return {
    note: (tenantId, tokenId) => {
      const present = noted.get(tokenId);
      if (present) present.at = clock.now();
      else noted.set(tokenId, { tenantId, at: clock.now() });
    },
    flush: async () => {
      const tenants = Map.groupBy(noted, ([, { tenantId }]) => tenantId);
      noted = new Map();
      const failures: unknown[] = [];
      // One after the other: they share the places for open files with those who wait for an answer.
      for (const [tenantId, tokens] of tenants) {
        await files
          .write(tenantId, (db) => {
            for (const [tokenId, { at }] of tokens) tokenStore(db).touch(tokenId, at);
          })
          .catch((error) => failures.push(error));
      }
      if (failures.length > 0) throw new AggregateError(failures, 'the last use of some tokens is not noted');
    },
  };
};

export const lastUsedJob = (lastUsed: LastUsed): Job => ({
  name: 'note when tokens were used',
  schedule: '* * * * *',
  run: () => lastUsed.flush(),
});
