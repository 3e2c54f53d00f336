// Rotates the keys of a host: the waiting key signs, and the keys that signed retire, or are withdrawn if someone else
// may have them. A key signs only after a lookup has just found it: an old key is better than mail that fails.
//
// The tenant's file is written first and decides which key signs; the DNS follows. A crash in between leaves a
// compromised key in the DNS that no longer signs, until the registry's due time, which is set before anything else is
// written.

import { sendingHost } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { withPatience } from '#src/kernel/dns-lookup.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import { checkKeyAt } from '../check/dkim-record.ts';
import { sentences } from '../check/judgement.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { dkimTarget } from '../records/wanted-records.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { type DkimKeyRow, dkimKeyStore } from '../store.ts';
import { scheduleKeyWork } from './key-hosts.ts';
import { type Rotation, rotationOf } from './key-rules.ts';
import { auditKeys } from './key-schema.ts';
import { keyName, recordOf } from './keys.ts';
import { publishKeys } from './publish-keys.ts';
import { changeKeys } from './signers.ts';

export interface Wanted {
  readonly host: string;
  /** Someone else may have the keys that sign. */
  readonly compromised: boolean;
}

type Ready = Extract<Rotation<DkimKeyRow>, { kind: 'rotation' }>;

const notReady = ({ host, compromised }: Wanted, readyAt: number | null, isManaged: boolean): AppError => {
  const when =
    readyAt === null
      ? 'A new key is about to be published; ask again in a few minutes.'
      : `One can from ${toIso(readyAt)} on.`;
  const wayOut = isManaged
    ? ' Until then, pause the practice if nothing may be signed with the key.'
    : ' Until then, import a key of your own (POST dkim-keys/import), or return to the managed host (POST restore-managed-domain).';
  return new AppError('conflict', say`No other key of ${host} can take over yet.`, {
    hint: say`${when}${compromised ? wayOut : ''}`,
  });
};

const readyRotation = (
  db: TenantDb,
  wanted: Wanted,
  settings: Parameters<typeof rotationOf>[1],
  now: number,
): Ready => {
  const { host } = wanted;
  const rows = dkimKeyStore(db).ofHost(host);
  if (rows.length === 0) throw new AppError('not_found', say`The practice has no keys for ${host}.`);
  const rotation = rotationOf(rows, settings, now, wanted);
  switch (rotation.kind) {
    case 'rotation':
      return rotation;
    case 'no_successor':
      throw notReady(wanted, rotation.readyAt, host === tenantStore(db).practice().managed_host);
    case 'nothing_signs':
      throw new AppError('conflict', say`No key of ${host} signs, so there is none to replace.`, {
        hint: say`A key that waits starts to sign by itself as soon as the DNS shows it.`,
      });
    default:
      return rotation satisfies never;
  }
};

/** Throws `conflict` if verifiers would not find the key; a token is reached by the host's CNAME. */
export const requireKeyInDns = async (
  { lookup, serviceHost, sealingKey }: DomainDeps,
  tenantId: string,
  row: DkimKeyRow,
): Promise<void> => {
  const name = keyName(row);
  const seen = await checkKeyAt(withPatience(lookup), name, recordOf(tenantId, row, sealingKey));
  if (seen.status === 'ok') return;
  throw new AppError('conflict', say`The key that would take over is not seen at ${name}.`, {
    hint: sentences(
      seen.hint,
      row.position > 0 && say`${name} must be a CNAME to ${dkimTarget(row.token, serviceHost)}.`,
    ),
  });
};

const apply = (db: TenantDb, { activate, retire }: Ready, compromised: boolean, now: number): void => {
  const keys = dkimKeyStore(db);
  for (const row of retire) {
    // The DNS shows the withdrawal once the registry was written.
    const published_at = compromised && row.position > 0 ? null : row.published_at;
    keys.update({ ...row, role: compromised ? 'revoked' : 'retiring', retired_at: now, published_at });
  }
  keys.update({ ...activate, role: 'active', activated_at: now, retired_at: null });
};

/**
 * Runs in the tenant's queue. Throws `conflict` if no key can take over or the DNS lacks the one that would, and
 * `not_found` for a host without keys; nothing has changed then.
 */
export const rotateHost = async (
  deps: DomainDeps,
  tenantId: string,
  wanted: Wanted,
  change: Change,
): Promise<void> => {
  const { storage, clock } = deps;
  const { host, compromised } = wanted;
  const settings = deps.keySettings(tenantId);
  const ready = (db: TenantDb) => readyRotation(db, wanted, settings, clock.now());
  const { activate } = await storage.tenants.read(tenantId, ready);
  await requireKeyInDns(deps, tenantId, activate);
  await storage.platform.write((db) => domainRegistryStore(db).setKeysAt(tenantId, clock.now()));
  await changeKeys(deps, tenantId, [host], (db) => {
    const now = clock.now();
    const before = dkimKeyStore(db).ofHost(host);
    const rotation = ready(db);
    if (rotation.activate.token !== activate.token || rotation.activate.created_at !== activate.created_at)
      throw new AppError('conflict', say`The keys of ${host} were changed meanwhile.`, {
        hint: say`Ask again.`,
      });
    apply(db, rotation, compromised, now);
    const after = auditKeys(dkimKeyStore(db).ofHost(host));
    const target = { type: 'dkim_keys', id: host };
    auditStore(db).record(change, { target, before: auditKeys(before), after }, now);
  });
  if (compromised) await publishKeys(deps, tenantId);
};

/** Like `rotateHost`; without a host, for the one in use. */
export const rotateKeys = (
  deps: DomainDeps,
  tenantId: string,
  { host, compromised }: { readonly host: string | null; readonly compromised: boolean },
  change: Change,
): Promise<void> =>
  deps.queue(tenantId, async () => {
    const inUse = await deps.storage.tenants.read(tenantId, (db) => sendingHost(tenantStore(db).practice()));
    await rotateHost(deps, tenantId, { host: host ?? inUse, compromised }, change);
    await scheduleKeyWork(deps, tenantId, deps.clock.now());
  });
