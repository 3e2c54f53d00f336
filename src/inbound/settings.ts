// Enables and disables the receiving of mail, and changes how it is received. A tenant that receives is in the registry
// before its file says so, and for as long as it does:
//
// enable:  registry → tenant's file; a crash in between leaves a tenant whose file is opened for strangers once for nothing
// disable: tenant's file → registry; the same
//
// The nightly round puts right what such a crash, or a registry restored from an older backup, leaves.

import { requirePermission, requireUnlimited } from '#src/accounts/entry/enter.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { KeyedQueue } from '#src/kernel/concurrency.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { FieldProblem } from '#src/kernel/error-table.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
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

const fieldsOf = ({ enabledAt, options }: InboundSettings) => ({ enabled: enabledAt !== null, ...options });

/** The options without the addresses of other people: the audit is kept when their mail is gone. */
const audited = ({ addresses, catch_all, senders, ...rest }: Partial<ReturnType<typeof fieldsOf>>) => {
  const masked = (entry: string) => (entry.includes('@') ? maskAddress(entry as Address) : entry);
  const forwarding = <T extends { readonly forward_to: string | null }>(mailbox: T): T => ({
    ...mailbox,
    forward_to: mailbox.forward_to && masked(mailbox.forward_to),
  });
  return {
    ...rest,
    ...(addresses && { addresses: addresses.map(forwarding) }),
    ...(catch_all && { catch_all: forwarding(catch_all) }),
    ...(senders && { senders: { allow: senders.allow.map(masked), block: senders.block.map(masked) } }),
  };
};

/** The fields in which two records differ: the options are long. */
const differing = <T extends object>(one: T, other: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(one).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(other[name as keyof T]),
    ),
  ) as Partial<T>;

/** Called in the caller's transaction. */
const writeSettings = (
  db: TenantDb,
  tenantId: string,
  next: InboundSettings,
  change: Change,
  now: number,
): void => {
  const store = inboundSettingsStore(db);
  const [before, after] = [fieldsOf(store.current()), fieldsOf(next)];
  store.put(next);
  const target = { type: 'inbound', id: tenantId };
  const entry = {
    target,
    before: audited(differing(before, after)),
    after: audited(differing(after, before)),
  };
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

/** The nightly round calls it: what the tenant's file says is in the registry too. */
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
      .map(({ path }) => ({ path, message: say`expected an address outside of this mailbox` })),
    ...((wanted.retention_days ?? 0) > most
      ? [
          {
            path: 'body.retention_days',
            message: say`must be at most ${most}, because the installation keeps mail no longer`,
          },
        ]
      : []),
  ];
};

/** Each mailbox that forwards, with its target. */
const forwardsIn = ({ addresses, catch_all }: InboundOptions): string[] =>
  [...addresses, { local_part: '', ...catch_all }].flatMap(({ local_part, forward_to }) =>
    forward_to === null ? [] : `${local_part} ${forward_to}`,
  );

/**
 * A field that is absent stays as it is. Throws `invalid_request`, and `forbidden` where mail is to be forwarded to where it was not:
 * its target reads the mailbox for as long as it likes, so who names it must be allowed to.
 */
export const changeOptions = (
  db: TenantDb,
  tenantId: string,
  wanted: OptionsPatch,
  bounds: OptionBounds,
  { change, caller, now }: Pick<RequestContext, 'change' | 'caller'> & { readonly now: number },
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
  const former = new Set(forwardsIn(before));
  if (forwardsIn(options).some((forward) => !former.has(forward))) {
    requirePermission(db, caller, 'messages.view_content');
    requireUnlimited(db, caller);
  }
  writeSettings(db, tenantId, { enabledAt, options }, change, now);
  setForwardTargets(db, now);
};
