// Seals everything again after a change of the master key: as a job of the daemon, and for `sendwerk secrets rotate` beside none.
import { masterKeyStore } from '#src/accounts/tenants/key-store.ts';
import { sealedLast } from '#src/accounts/tenants/master-key.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import type { Job } from '#src/kernel/job.ts';
import { sealAgain } from '#src/operations/seal-again.ts';

const TENANTS_AT_A_TIME = 100;
export const MASTER_KEY_JOB = 'seal again after a change of the master key';

/** `sealClosed` does it in the files of tenants that work here no more, or do not yet. */
export const masterKeyJob = (
  base: Base,
  rooms: readonly Room[],
  sealClosed: (signal: AbortSignal) => Promise<void>,
): Job => {
  const { platform } = base.storage;
  let isEnded = base.config().secrets.formerMasterKey === null;
  return {
    name: MASTER_KEY_JOB,
    schedule: '*/5 * * * *',
    run: async (signal) => {
      if (isEnded) return;
      const deps = {
        ...base,
        places: rooms.map((room) => room.sealed ?? {}),
        last: sealedLast,
        tenantsAfter: (number: number) =>
          platform.read((db) => registryStore(db).listAll(number, TENANTS_AT_A_TIME)),
        ended: async () => {
          await sealClosed(signal);
          await platform.write((db) => masterKeyStore(db).endChange());
          isEnded = true;
        },
      };
      const done = await sealAgain(deps, signal);
      if (isEnded)
        base.log.info(
          done,
          'everything is sealed under the present master key: the former one can be removed from the configuration',
        );
      else if (!signal.aborted)
        base.log.warn(done, 'some practices are not yet sealed under the present master key: tried again');
    },
  };
};
