// The nightly part of retention that keeps the rows of old messages without what they say of people. Transactions take a few
// milliseconds, with pauses in between. How far it has come is stored with each of them, so that a night does not look at
// all messages again, and a crash loses nothing; a message that waits is looked at again each night.

import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { addressPseudonym, textPseudonym } from '#src/messages/pseudonym.ts';
import { pseudonymStore } from './pseudonym-store.ts';
import { nextOldMessages } from './rules.ts';

export interface PseudonymiseDeps {
  readonly files: Pick<TenantFiles, 'read' | 'write'>;
  /** The key of `addressHash`. */
  readonly key: TenantKey;
  /** Messages that were due before this time, ms. */
  readonly before: number;
  readonly now: number;
  readonly pace: Pace;
}

export const pseudonymise = async (
  tenantId: string,
  { files, key, before, now, pace }: PseudonymiseDeps,
  signal: AbortSignal,
): Promise<void> => {
  const pseudonyms = {
    ofAddress: (address: Parameters<typeof addressPseudonym>[2]) => addressPseudonym(key, tenantId, address),
    ofText: (text: string) => textPseudonym(key, tenantId, text),
  };
  let done = await files.read(tenantId, (db) => pseudonymStore(db).doneTo());
  let firstLeft: number | null = null;
  for (let after: number | null = done; after !== null && !signal.aborted; ) {
    const from: number = after;
    after = await pace(async () => {
      const batch = await files.read(tenantId, (db) =>
        nextOldMessages(pseudonymStore(db).after(from), { before, now }),
      );
      firstLeft ??= batch.firstLeft;
      const doneTo = firstLeft === null ? (batch.last ?? done) : firstLeft - 1;
      if (batch.keys.length > 0 || doneTo > done)
        await files.write(tenantId, (db) => {
          pseudonymStore(db).replace(batch.keys, pseudonyms);
          pseudonymStore(db).setDoneTo(doneTo);
        });
      done = Math.max(done, doneTo);
      return batch.isMore ? batch.last : null;
    });
  }
};
