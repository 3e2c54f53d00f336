// A daemon with another master key than the one its data were sealed under could neither sign nor undo what it seals
// with the new one: such a start is refused.
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { seal, unseal } from '#src/kernel/seal.ts';
import { registryStore } from './registry-store.ts';

const CONTEXT = 'master key check';

/** Throws where the data know another master key; the first start notes the key. */
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
      throw new Error(
        'the master key is not the one that these data were sealed under: restore the former key',
        {
          cause: error,
        },
      );
    }
  });
