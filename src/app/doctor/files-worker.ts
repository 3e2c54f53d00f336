// The thread that looks at the databases: which are there, whether their pages are whole, and whether consent ledgers follow from their
// entries. It reads beside the daemon and writes nothing. It begins at another practice each time, so that what there was no time for
// comes another time.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { readKeys } from '#src/accounts/tenants/master-key.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { verifyLedger } from '#src/audience/consent/verify-ledger.ts';
import { type AnyDb, openReadOnly, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import type { Keys } from '#src/kernel/keys.ts';
import { Secret } from '#src/kernel/secret.ts';
import type { FilesFacts, LookedFacts } from '#src/operations/doctor/data-rules.ts';
import { quickFaultOf } from '#src/operations/file-store.ts';
import { ledgerKeyOf } from '../ledger-key.ts';

export interface FilesQuestion {
  readonly dataDirectory: string;
  /** How long it may look, ms. */
  readonly budget: number;
  /** Larger files are left out, because nothing ends the look at one. */
  readonly mostBytes: number;
  /** Base64; a secret class does not reach another thread. */
  readonly masterKey: string;
  readonly formerMasterKey: string | null;
}
export interface FilesAnswer {
  readonly files: FilesFacts;
  readonly integrity: LookedFacts;
  readonly ledgers: LookedFacts;
}

const PAGE = 1_000;

interface Tenant {
  readonly id: string;
  readonly slug: string;
}

const withFile = <D extends AnyDb, T>(path: string, work: (db: D) => T): T => {
  const db = openReadOnly<D>(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
};

const allTenants = (db: PlatformDb): Tenant[] => {
  const all: Tenant[] = [];
  for (let after = 0; ; ) {
    const page = registryStore(db).listAll(after, PAGE);
    all.push(...page.map(({ id, slug }) => ({ id, slug })));
    const last = page.at(-1);
    if (last === undefined) return all;
    after = last.number;
  }
};

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const directoriesIn = (path: string): string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

/** What SQLite says of a damaged file is a fault of it; that it may not be read is none. */
const faultIn = (work: () => string | null): string | null => {
  try {
    return work();
  } catch (error) {
    const { code = '', message } = error as Error & { readonly code?: string };
    if (/^SQLITE_(?:CORRUPT|NOTADB|IOERR|ERROR|FORMAT)/.test(code)) return message;
    throw error;
  }
};

/** Null where the master key is another one: then heads are not compared, and no daemon starts either. */
const keysIn = (db: PlatformDb, { masterKey, formerMasterKey }: FilesQuestion): Keys | null => {
  try {
    return readKeys(db, {
      masterKey: new Secret(masterKey),
      formerMasterKey: formerMasterKey === null ? null : new Secret(formerMasterKey),
      evidenceKey: null,
    });
  } catch {
    return null;
  }
};

const look = (question: FilesQuestion): FilesAnswer => {
  const { dataDirectory, budget, mostBytes } = question;
  const end = performance.now() + budget;
  const registry = join(dataDirectory, PLATFORM_NAME);
  const tenantsDirectory = join(dataDirectory, 'tenants');
  const pathOf = (id: string): string => join(tenantsDirectory, id, 'tenant.db');
  const listed = directoriesIn(tenantsDirectory);
  const { tenants, strays, fault, keys } = withFile(registry, (db: PlatformDb) => ({
    tenants: allTenants(db),
    strays: listed.filter((name) => !registryStore(db).isKnown(name)),
    fault: faultIn(() => quickFaultOf(db)),
    keys: keysIn(db, question),
  }));
  // A practice whose deletion came between is neither missing nor a stray.
  const missing = tenants.filter(({ id }) => sizeOf(pathOf(id)) === 0);
  const present = tenants.filter((tenant) => !missing.includes(tenant));
  const integrity = {
    files: present.length + 1,
    looked: 1,
    large: 0,
    faults: fault === null ? [] : [{ file: PLATFORM_NAME, what: fault }],
  };
  const ledgers = {
    files: present.length,
    looked: 0,
    large: 0,
    faults: [] as { file: string; what: string }[],
  };
  const first = Math.floor(Math.random() * present.length);
  for (const { id, slug } of [...present.slice(first), ...present.slice(0, first)]) {
    if (performance.now() > end) break;
    if (sizeOf(pathOf(id)) > mostBytes) {
      integrity.large += 1;
      ledgers.large += 1;
      continue;
    }
    const found = faultIn(() =>
      withFile(pathOf(id), (db: TenantDb) => {
        const quick = quickFaultOf(db);
        if (quick !== null) return quick;
        const { fault: wrong } = verifyLedger(db, keys && ledgerKeyOf(db, keys));
        ledgers.looked += 1;
        if (wrong !== null)
          ledgers.faults.push({
            file: slug,
            what: wrong.seq === null ? wrong.what : `entry ${wrong.seq}: ${wrong.what}`,
          });
        return null;
      }),
    );
    integrity.looked += 1;
    if (found !== null) integrity.faults.push({ file: slug, what: found });
  }
  return {
    files: {
      tenants: tenants.length,
      missing: missing.map(({ slug }) => slug),
      strays: strays.filter((name) => listed.includes(name)),
    },
    integrity,
    ledgers,
  };
};

parentPort?.postMessage(look(workerData as FilesQuestion));
