// Processes the keys of tenants that are due: publishes what the DNS must serve, gives free tokens new keys, lets keys
// start to sign, rotates by schedule, and removes the keys of hosts that are out of use for good.
//
// | step | order of the writes | a crash in between leaves |
// | --- | --- | --- |
// | renew a token | tenant's file → registry → `published_at` in the file | a key that does not sign, published next time |
// | remove a token or host | registry → file | a key that does not sign, published or removed next time |
// | start or rotate a key | file alone | nothing: both records are in the DNS before and after |
//
// The next time of a tenant is set an hour ahead before its keys are processed, so that a tenant that ends the process
// does not do so again and again.

import { systemChange } from '#src/kernel/change.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Log } from '#src/kernel/log.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { type DkimKeyRow, dkimKeyStore, sendingDomainStore } from '../store.ts';
import { type HostKeys, hostsOf, LONGEST_WAIT_MS, scheduleKeyWork } from './key-hosts.ts';
import { type NextStep, planKeys } from './key-rules.ts';
import { renewKey } from './keys.ts';
import { publishKeys } from './publish-keys.ts';
import { requireKeyInDns, rotateHost } from './rotate.ts';
import { changeKeys } from './signers.ts';

const TENANTS_PER_RUN = 50;
/** Making an RSA key occupies a thread of the pool, where syncs wait as well, and most of a CPU. */
const AT_A_TIME = 2;
/** The wait after a failure: the DNS lacks a key, or a file cannot be read. */
const RETRY_MS = HOUR;
/** Later than any time that is ever set. */
const BEYOND_ANY_MS = LONGEST_WAIT_MS + DAY;

interface Due {
  readonly step: NextStep;
  readonly row: DkimKeyRow;
}

const dueSteps = (deps: DomainDeps, tenantId: string, { rows, use }: HostKeys): Due[] => {
  const now = deps.clock.now();
  const plans = planKeys(rows, use, deps.keySettings(tenantId));
  return rows.flatMap((row, index) => {
    const { step = null, at = null } = plans[index] ?? {};
    return step !== null && at !== null && at <= now ? [{ step, row }] : [];
  });
};

const removeKeys = async (
  deps: DomainDeps,
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

const renew = async (deps: DomainDeps, tenantId: string, row: DkimKeyRow): Promise<void> => {
  const { storage, clock, sealingKey, generateKeyPair } = deps;
  const renewed = await renewKey(tenantId, row, sealingKey, clock.now(), generateKeyPair);
  await storage.tenants.write(tenantId, (db) => dkimKeyStore(db).update(renewed));
};

const activate = async (deps: DomainDeps, tenantId: string, row: DkimKeyRow): Promise<void> => {
  await requireKeyInDns(deps, tenantId, row);
  await changeKeys(deps, tenantId, [row.domain], (db) =>
    dkimKeyStore(db).update({ ...row, role: 'active', activated_at: deps.clock.now() }),
  );
};

/** True if everything that was due is done; false while the DNS lacks a key. */
const processHost = async (
  deps: DomainDeps,
  tenantId: string,
  keys: HostKeys,
  log: Log,
): Promise<boolean> => {
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

/** Runs in the tenant's queue. */
const processTenant = async (
  deps: DomainDeps,
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

export const keyRenewalJob = (deps: DomainDeps): Job => ({
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
