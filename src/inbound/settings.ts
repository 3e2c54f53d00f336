// Enables and disables the receiving of mail, and changes how it is received. A tenant that receives is in the registry
// before its file says so, and for as long as it does:
//
// enable:  registry → tenant's file; a crash in between leaves a tenant whose file is opened for strangers once for nothing
// disable: tenant's file → registry; the same
//
// The nightly round puts right what such a crash, or a registry restored from an older backup, leaves.

import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { KeyedQueue } from '#src/kernel/concurrency.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { FieldProblem } from '#src/kernel/errors.ts';
import type { Clock } from '#src/kernel/time.ts';
import { unfit } from '#src/kernel/validate.ts';
import { addressDomain, maskAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { mostDays } from '#src/messages/retention/rules.ts';
import { setForwardTargets } from './forwarding/targets.ts';
import type { InboundOptions, OptionsPatch } from './options.ts';
import { type InboundSettings, inboundRegistryStore, inboundSettingsStore } from './settings-store.ts';

export interface SettingsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Changes of one tenant that concern both files go one after the other. */
  readonly queue: KeyedQueue;
}

/** Entries of other people are masked: the audit is kept when their mail is gone. */
const audited = ({ enabledAt, options }: InboundSettings) => {
  const masked = (list: readonly string[]) =>
    list.map((entry) => (entry.includes('@') ? maskAddress(entry as Address) : entry));
  const { allow, block } = options.senders;
  return {
    enabled: enabledAt !== null,
    ...options,
    senders: { allow: masked(allow), block: masked(block) },
  };
};

/** Of two records the fields that differ: the options are long. */
const differing = <T extends object>(one: T, other: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(one).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(other[name as keyof T]),
    ),
  ) as Partial<T>;

/** In the caller's transaction. */
const writeSettings = (
  db: TenantDb,
  tenantId: string,
  next: InboundSettings,
  change: Change,
  now: number,
): void => {
  const store = inboundSettingsStore(db);
  const [before, after] = [audited(store.current()), audited(next)];
  store.put(next);
  const target = { type: 'inbound', id: tenantId };
  const entry = { target, before: differing(before, after), after: differing(after, before) };
  auditStore(db).record(change, entry, now);
};

export const enableInbound = (
  { storage, clock, queue }: SettingsDeps,
  tenantId: string,
  change: Change,
): Promise<void> =>
  queue(tenantId, async () => {
    await storage.platform.write((db) => inboundRegistryStore(db).add(tenantId));
    await storage.tenants.write(tenantId, (db) => {
      const { enabledAt, options } = inboundSettingsStore(db).current();
      const now = clock.now();
      writeSettings(db, tenantId, { enabledAt: enabledAt ?? now, options }, change, now);
    });
  });

/** Mail and options are kept. */
export const disableInbound = (
  { storage, clock, queue }: SettingsDeps,
  tenantId: string,
  change: Change,
): Promise<void> =>
  queue(tenantId, async () => {
    await storage.tenants.write(tenantId, (db) => {
      const { options } = inboundSettingsStore(db).current();
      writeSettings(db, tenantId, { enabledAt: null, options }, change, clock.now());
    });
    await storage.platform.write((db) => inboundRegistryStore(db).remove(tenantId));
  });

/** For the nightly round: what the tenant's file says is in the registry too. */
export const registerInbound = (
  { storage, queue }: Pick<SettingsDeps, 'storage' | 'queue'>,
  tenantId: string,
): Promise<void> =>
  queue(tenantId, async () => {
    const { enabledAt } = await storage.tenants.read(tenantId, (db) => inboundSettingsStore(db).current());
    const isEnabled = enabledAt !== null;
    const isKnown = await storage.platform.read((db) => inboundRegistryStore(db).has(tenantId));
    if (isEnabled === isKnown) return;
    await storage.platform.write((db) => {
      if (isEnabled) inboundRegistryStore(db).add(tenantId);
      else inboundRegistryStore(db).remove(tenantId);
    });
  });

export interface OptionBounds {
  /** ms for which the installation keeps mail received. */
  readonly retention: number;
  /** The practice's own receiving hosts: forwarding there would come back. */
  readonly hosts: readonly string[];
}

const problemsOf = (wanted: OptionsPatch, { retention, hosts }: OptionBounds): FieldProblem[] => {
  const targets = [
    { path: 'body.catch_all.forward_to', address: wanted.catch_all?.forward_to },
    ...(wanted.addresses ?? []).map(({ forward_to }, index) => ({
      path: `body.addresses[${index}].forward_to`,
      address: forward_to,
    })),
  ];
  const most = mostDays(retention);
  return [
    ...targets
      .filter(({ address }) => address && hosts.includes(addressDomain(address as Address)))
      .map(({ path }) => ({ path, message: 'expected an address outside of this mailbox' })),
    ...((wanted.retention_days ?? 0) > most
      ? [
          {
            path: 'body.retention_days',
            message: `must be at most ${most}, because the installation keeps mail no longer`,
          },
        ]
      : []),
  ];
};

/** A field that is absent stays as it is. Throws `invalid_request`. */
export const changeOptions = (
  db: TenantDb,
  tenantId: string,
  wanted: OptionsPatch,
  bounds: OptionBounds,
  { change, now }: { readonly change: Change; readonly now: number },
): void => {
  const problems = problemsOf(wanted, bounds);
  if (problems.length > 0) throw unfit(problems);
  const { enabledAt, options: before } = inboundSettingsStore(db).current();
  const options = {
    ...before,
    ...wanted,
    catch_all: { ...before.catch_all, ...wanted.catch_all },
    senders: { ...before.senders, ...wanted.senders },
  } as InboundOptions;
  writeSettings(db, tenantId, { enabledAt, options }, change, now);
  setForwardTargets(db, now);
};
