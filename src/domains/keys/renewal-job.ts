// Looks after the keys of tenants whose time has come: what the DNS serves, new keys for tokens that are free again,
// keys that start to sign, rotations by schedule, hosts that are out of use for good.
//
// | step | order | a crash in between leaves |
// | renewed token | key in the tenant's file -> record in the registry -> `published_at` in the file | a key that signs nothing, published at the next look |
// | removed token or host | registry -> file | a key that signs nothing and is published again or removed at the next look |
// | started or rotated key | file alone | nothing: both records are in the DNS before and after |
//
// A tenant's next look is put an hour ahead before it is looked at, so that one that brings the process down does not do
// so again and again.

import { systemChange } from '#src/kernel/change.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Log } from '#src/kernel/log.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { type DkimKeyRow, dkimKeyStore, sendingDomainStore } from '../store.ts';
import {
  type HostKeys,
  hostsOf,
  type KeyDeps,
  LONGEST_WAIT_MS,
  scheduleKeyWork,
  settingsOf,
} from './key-hosts.ts';
import { type NextStep, planKeys } from './key-rules.ts';
import { renewKey } from './keys.ts';
import { publishKeys } from './publish-keys.ts';
import { requireKeyInDns, rotateHost } from './rotate.ts';
import { changeKeys } from './signers.ts';

const TENANTS_PER_RUN = 50;
/** To make an RSA key keeps a thread of the pool busy for a while, and signing needs it too. */
const AT_A_TIME = 2;
/** After what could not be done: a key that is not seen, a file that cannot be read. */
const RETRY_MS = HOUR;
/** Beyond the next looks at records and keys, whichever is later. */
const BEYOND_ANY_MS = LONGEST_WAIT_MS + DAY;

interface Due {
  readonly step: NextStep;
  readonly row: DkimKeyRow;
}

const dueSteps = (deps: KeyDeps, tenantId: string, { rows, use }: HostKeys): Due[] => {
  const now = deps.clock.now();
  const plans = planKeys(rows, use, settingsOf(deps, tenantId));
  return rows.flatMap((row, index) => {
    const { step = null, at = null } = plans[index] ?? {};
    return step !== null && at !== null && at <= now ? [{ step, row }] : [];
  });
};

const removeKeys = async (
  deps: KeyDeps,
  tenantId: string,
  rows: readonly DkimKeyRow[],
  host: string | null = null,
): Promise<void> => {
  await deps.storage.platform.write((db) => {
    const registry = domainRegistryStore(db);
    for (const { token, position } of rows) if (position > 0) registry.withdraw(token, tenantId);
    if (host !== null) registry.removeDomain(host, tenantId);
  });
  const hosts = rows.map(({ domain }) => domain);
  await changeKeys(deps, tenantId, hosts, (db) => {
    for (const { domain, token } of rows) dkimKeyStore(db).remove(domain, token);
    if (host !== null) sendingDomainStore(db).remove(host);
  });
};

const renew = async (deps: KeyDeps, tenantId: string, row: DkimKeyRow): Promise<void> => {
  const { storage, clock, sealingKey, generateKeyPair } = deps;
  const renewed = await renewKey(tenantId, row, sealingKey, clock.now(), generateKeyPair);
  await storage.tenants.write(tenantId, (db) => dkimKeyStore(db).update(renewed));
};

const activate = async (deps: KeyDeps, tenantId: string, row: DkimKeyRow): Promise<void> => {
  await requireKeyInDns(deps, tenantId, row);
  await changeKeys(deps, tenantId, [row.domain], (db) =>
    dkimKeyStore(db).update({ ...row, role: 'active', activated_at: deps.clock.now() }),
  );
};

/** Whether all that was due has been done; what the DNS does not show yet is not. */
const processHost = async (deps: KeyDeps, tenantId: string, keys: HostKeys, log: Log): Promise<boolean> => {
  const { host } = keys;
  const due = dueSteps(deps, tenantId, keys);
  const rowsTo = (name: NextStep): DkimKeyRow[] =>
    due.filter(({ step }) => step === name).map(({ row }) => row);
  if (keys.use.kind === 'retired') {
    if (due.length > 0) await removeKeys(deps, tenantId, keys.rows, host);
    return true;
  }
  const gone = rowsTo('remove');
  if (gone.length > 0) await removeKeys(deps, tenantId, gone);
  for (const row of rowsTo('renew')) await renew(deps, tenantId, row);
  try {
    if (rowsTo('retire').length > 0) {
      await rotateHost(deps, tenantId, { host, compromised: false }, systemChange('dkim.rotate'));
      return true;
    }
    for (const row of rowsTo('activate')) await activate(deps, tenantId, row);
    return true;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'conflict')) throw error;
    log.warn(
      { practice_id: tenantId, host, problem: error.message, hint: error.hint },
      'a DKIM key is not put to use',
    );
    return false;
  }
};

/** In the tenant's turn. */
const processTenant = async (
  deps: KeyDeps,
  tenantId: string,
  signal: AbortSignal,
  log: Log,
): Promise<void> => {
  const { storage, clock } = deps;
  await storage.platform.write((db) => domainRegistryStore(db).setKeysAt(tenantId, clock.now() + RETRY_MS));
  await publishKeys(deps, tenantId);
  let done = true;
  for (const keys of await storage.tenants.read(tenantId, hostsOf)) {
    if (signal.aborted) return;
    done = (await processHost(deps, tenantId, keys, log)) && done;
  }
  await publishKeys(deps, tenantId);
  await scheduleKeyWork(deps, tenantId, clock.now() + (done ? 0 : RETRY_MS));
};

export const keyRenewalJob = (deps: KeyDeps): Job => ({
  name: 'look after DKIM keys',
  schedule: '*/10 * * * *',
  run: async (signal, log) => {
    const now = deps.clock.now();
    const ids = await deps.storage.platform.write((db) => {
      domainRegistryStore(db).bringForward(now, BEYOND_ANY_MS);
      return domainRegistryStore(db).dueKeys(now, TENANTS_PER_RUN);
    });
    const rest = ids.values();
    const work = async (): Promise<void> => {
      for (const id of rest) {
        if (signal.aborted) return;
        await deps
          .queue(id, () => processTenant(deps, id, signal, log))
          .catch((error) =>
            log.error({ err: error, practice_id: id }, 'the DKIM keys of a practice are left as they are'),
          );
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  },
});
