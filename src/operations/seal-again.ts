// After a change of the master key, everything that is sealed under the former one is sealed again, tenant by tenant, then the
// registry. It is done in slices beside the daemon's other work. Nothing notes how far it is but the values themselves: the
// last one of each tenant's file is that of its lasting keys, so a file in which this one is new has nothing old, and after a
// crash the work begins again at the first other file. A value that is removed or replaced meanwhile is left alone.
import type { Base } from '#src/kernel/base.ts';
import { replaceSealed, type SealedRow, sealedRowsAfter } from '#src/kernel/db/sealed-rows.ts';
import type { AnyDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { KeyFor, SealingPurpose } from '#src/kernel/keys.ts';
import { createPace, type Pace } from '#src/kernel/pace.ts';
import { type SealingKey, seal, unseal } from '#src/kernel/seal.ts';
import type { SealedPlace, SealedPlaces } from '#src/kernel/sealed-place.ts';

export interface SealAgainDeps extends Pick<Base, 'storage' | 'key' | 'log'> {
  readonly places: readonly SealedPlaces[];
  /** Its value is the last one of a tenant's file. */
  readonly last: SealedPlace;
  /** Tenants in the order of their numbers. */
  readonly tenantsAfter: (
    number: number,
  ) => Promise<readonly { readonly number: number; readonly id: string }[]>;
  /** Nothing is sealed under the former key any more. */
  readonly ended: () => Promise<void>;
}

/** One file, and the id of its tenant. */
interface File {
  readonly id: string;
  readonly read: <T>(work: (db: AnyDb) => T) => Promise<T>;
  readonly write: (work: (db: AnyDb) => void) => Promise<void>;
}

export interface SealedAgain {
  /** Values that were sealed again. */
  values: number;
  /** Values that neither key opens. They were damaged before. */
  unreadable: number;
  /** Tenants whose files could not be read or written: it is to be run again. */
  failed: number;
}

const opens = (key: SealingKey, sealed: Buffer, context: string): Buffer | null => {
  try {
    return unseal(key, sealed, context);
  } catch {
    return null;
  }
};

/** Null: it is sealed under the present key. */
const sealedAgain = (key: SealingKey, sealed: Buffer, context: string): Buffer | 'unreadable' | null => {
  if (opens({ present: key.present, former: null }, sealed, context) !== null) return null;
  const plain = opens(key, sealed, context);
  return plain === null ? 'unreadable' : seal(key, plain, context);
};

/** Seals the values again in the order of `places`. */
export const sealFileAgain = async (
  file: File,
  places: readonly SealedPlace[],
  { key, log, signal }: Pick<Base, 'key' | 'log'> & { readonly signal: AbortSignal },
  done: SealedAgain,
  pace: Pace = (work) => work(),
): Promise<void> => {
  for (const place of places) {
    const sealingKey = key(place.purpose);
    let after: SealedRow['key'] | null = null;
    while (!signal.aborted) {
      const from: SealedRow['key'] | null = after;
      const rows: SealedRow[] = await file.read((db) => sealedRowsAfter(db, place, from));
      if (rows.length === 0) break;
      const changed = rows.flatMap((row) => {
        const again = sealedAgain(sealingKey, row.sealed, place.boundTo(row.values, file.id));
        if (again !== 'unreadable') return again === null ? [] : [{ ...row, again }];
        done.unreadable++;
        const { table, column } = place;
        log.warn({ file: file.id, table, column, key: row.key }, 'a sealed value opens under neither key');
        return [];
      });
      if (changed.length > 0) await pace(() => file.write((db) => replaceSealed(db, place, changed)));
      done.values += changed.length;
      after = rows.at(-1)?.key ?? null;
    }
  }
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Seals the values of a file that no one else uses. Other work has its turn between its slices. */
export const sealClosedFile = async (
  db: TenantDb,
  id: string,
  places: readonly SealedPlace[],
  key: (purpose: SealingPurpose) => SealingKey,
  log: Base['log'],
): Promise<void> => {
  const file: File = {
    id,
    read: async (work) => work(db),
    write: async (work) => db.transaction(() => work(db))(),
  };
  const terms = { key: key as KeyFor, log, signal: new AbortController().signal };
  await sealFileAgain(file, places, terms, { values: 0, unreadable: 0, failed: 0 }, async (work) => {
    await turn();
    return work();
  });
};

/** Resolves with what was done; `ended` was called if it was all. */
export const sealAgain = async (
  deps: SealAgainDeps,
  signal: AbortSignal,
  pace: Pace = createPace(signal),
): Promise<SealedAgain> => {
  const { storage, key, log, places, last, tenantsAfter, ended } = deps;
  const { platform, tenants } = storage;
  const done: SealedAgain = { values: 0, unreadable: 0, failed: 0 };
  const ofTenants = [...places.flatMap(({ tenant = [] }) => tenant), last];
  const tenant = async (id: string): Promise<void> => {
    const file: File = {
      id,
      read: (work) => tenants.read(id, work),
      write: (work) => tenants.write(id, work),
    };
    const [lastly] = await file.read((db) => sealedRowsAfter(db, last, null));
    if (lastly && sealedAgain(key(last.purpose), lastly.sealed, last.boundTo({}, id)) === null) return;
    await sealFileAgain(file, ofTenants, { key, log, signal }, done, pace);
  };
  let some = await tenantsAfter(0);
  while (some.length > 0 && !signal.aborted) {
    for (const { id } of some) {
      if (signal.aborted) break;
      await tenant(id).catch((error) => {
        done.failed++;
        log.warn({ err: error, tenant: id }, 'a practice is not yet sealed under the new master key');
      });
    }
    some = await tenantsAfter(some.at(-1)?.number ?? 0);
  }
  if (signal.aborted || done.failed > 0) return done;
  const registry: File = {
    id: '',
    read: (work) => platform.read(work),
    write: (work) => platform.write(work),
  };
  const ofRegistry = places.flatMap((room) => room.platform ?? []);
  await sealFileAgain(registry, ofRegistry, { key, log, signal }, done, pace);
  if (!signal.aborted) await ended();
  return done;
};
