// A daemon with another master key than the one that sealed its data could not sign, and would seal new data that the
// right key cannot open. Such a start is refused.
import { DataError } from '#src/kernel/db/data-error.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { seal, unseal } from '#src/kernel/seal.ts';
import { registryStore } from './registry-store.ts';

const CONTEXT = 'master key check';

/** Throws DataError if the data were sealed under another master key. The first start records the key. */
export const checkMasterKey = (platform: DurableFile<PlatformDb>, sealingKey: Buffer): Promise<void> =>
  platform.write((db) => {
    const noted = registryStore(db).masterKeyCheck();
    if (noted === undefined) {
      registryStore(db).setMasterKeyCheck(seal(sealingKey, Buffer.from(CONTEXT), CONTEXT));
      return;
    }
    try {
      unseal(sealingKey, noted, CONTEXT);
    } catch (error) {
      throw new DataError(
        'the master key is not the one that these data were sealed under: restore the former key',
        { cause: error },
      );
    }
  });
