import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTenant } from '#src/accounts/tenants/create.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { createBadRecords } from '#src/domains/custom/bad-records.ts';
import { domainCheckJob } from '#src/domains/custom/check-job.ts';
import { lastHealthOf } from '#src/domains/custom/next-check.ts';
import { claimDomain, useDomain } from '#src/domains/custom/ownership.ts';
import type { DomainDeps } from '#src/domains/domain-deps.ts';
import { createSigners } from '#src/domains/keys/signers.ts';
import { domainRegistryStore } from '#src/domains/registry-store.ts';
import { dkimKeyStore, dnsCheckStore, lastCheck } from '#src/domains/store.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { DnsLookup, Lookup } from '#src/kernel/dns-lookup.ts';
import { createLog } from '#src/kernel/log.ts';
import { DAY, MINUTE } from '#src/kernel/time.ts';
import {
  createTestClock,
  openTestStorage,
  SEALING_KEY,
  temporaryDirectory,
  tenantDeps,
} from '#test/support/storage.ts';

const clock = createTestClock();
const lines: string[] = [];
const log = createLog('warn', { write: (line) => lines.push(line) });
let storage: Storage;
/** Names that were asked for. */
let asked: string[];
let stopping: AbortController;
/** What is answered of the service's own name. */
let own: Lookup<never>;
/** Asked before each answer. */
let gate: () => Promise<void>;

const ask = async <T>(name: string): Promise<Lookup<T>> => {
  if (name === 'spf.mail.example.com') return own;
  asked.push(name);
  await gate();
  return { kind: 'none', nameExists: false };
};
const lookup: DnsLookup = { txt: ask, cname: ask, mx: ask, ns: ask, addresses: ask };

const deps = (): DomainDeps => ({
  sealingKey: SEALING_KEY,
  generateKeyPair: async () => generateKeyPairSync('ed25519'),
  managedSuffix: 'send.example.com',
  ...tenantDeps(storage, clock),
  serviceHost: 'mail.example.com',
  queue: createKeyedQueue(),
  lookup,
  signers: createSigners(SEALING_KEY, { ed25519: false }),
  notices: { enqueue: () => undefined, wake: () => undefined },
  ownersOf: async () => [],
  badRecords: createBadRecords(clock.now),
  origin: 'https://mail.example.com',
  log,
  stopping: stopping.signal,
  random: () => 0.5,
  keySettings: () => ({ keepOld: 14 * DAY, rotateAfter: 180 * DAY }),
});

const createPending = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const wanted = { name: `P${number}`, plan: 'praxis', customDomain: `d${number}.test` } as const;
    ids.push((await createTenant(tenantDeps(storage, clock), wanted)).id);
  }
  return ids;
};

const due = (now = clock.now()): Promise<string[]> =>
  storage.platform.read((db) => domainRegistryStore(db).dueChecks(now, 1_000));
const isChecked = (id: string): Promise<boolean> =>
  storage.tenants.read(id, (db) => db.prepare('SELECT 1 FROM dns_checks').get() !== undefined);
const run = (signal = new AbortController().signal): Promise<void> => domainCheckJob(deps()).run(signal, log);

beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory(), { maxOpenTenants: 20 });
  asked = [];
  own = { kind: 'none', nameExists: false };
  stopping = new AbortController();
  gate = async () => undefined;
  lines.length = 0;
});

describe('checks by schedule', () => {
  test('have their next time written down before the DNS is asked', async () => {
    const [id = ''] = await createPending(1);
    let dueWhileAsked: string[] | undefined;
    gate = async () => {
      dueWhileAsked ??= await due();
    };
    expect(await due()).toEqual([id]);
    await run();
    expect(dueWhileAsked).toEqual([]);
    expect(await due(clock.now() + 15 * MINUTE)).toEqual([id]);
  });

  test('wait where the DNS does not answer for the service itself: all are due as before', async () => {
    const [id = ''] = await createPending(1);
    for (const reason of ['timeout', 'servfail', 'refused'] as const) {
      own = { kind: 'failed', reason };
      await run();
      expect(await due()).toEqual([id]);
      expect(asked).toEqual([]);
      expect(lines.at(-1)).toContain('the DNS does not answer');
    }
    own = { kind: 'none', nameExists: false };
    await run();
    expect(await isChecked(id)).toBe(true);
  });

  test('are of eight practices at a time', async () => {
    const ids = await createPending(12);
    const open = Promise.withResolvers<void>();
    const hosts = (): Set<string> => new Set(asked.flatMap((name) => /d\d+\.test$/.exec(name)?.[0] ?? []));
    const eight = Promise.withResolvers<void>();
    gate = () => {
      if (hosts().size === 8) eight.resolve();
      return open.promise;
    };
    const ran = run();
    await eight.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(hosts().size).toBe(8);
    open.resolve();
    await ran;
    expect(hosts().size).toBe(12);
    expect(await Promise.all(ids.map(isChecked))).toEqual(ids.map(() => true));
  });

  test('end early when the service stops: those not begun are due as before', async () => {
    const ids = await createPending(10);
    const stop = new AbortController();
    gate = async () => stop.abort();
    await run(stop.signal);
    const checked = await Promise.all(ids.map(isChecked));
    expect(checked.filter(Boolean)).toHaveLength(8);
    expect((await due()).toSorted()).toEqual(ids.filter((_, index) => !checked[index]).toSorted());
  });

  test('that are under way when the service stops are thrown away: what failed by that proves nothing', async () => {
    const [id = ''] = await createPending(1);
    gate = async () => stopping.abort();
    await run();
    expect(await isChecked(id)).toBe(false);
    expect(await due(clock.now() + 15 * MINUTE)).toEqual([id]);
  });

  test('go on past a practice that cannot be looked at, which comes again later', async () => {
    const [first = '', second = ''] = await createPending(2);
    await storage.tenants.write(first, (db) =>
      db.prepare("UPDATE dkim_keys SET sealed_key = x'00' WHERE domain = 'd0.test'").run(),
    );
    await run();
    expect(await isChecked(second)).toBe(true);
    expect(lines.join('')).toContain(first);
    expect(await due()).toEqual([]);
    expect(await due(clock.now() + 15 * MINUTE)).toContain(first);
  });

  test('of a domain that is changed meanwhile are thrown away, and made again for what it is now', async () => {
    const [id = ''] = await createPending(1);
    let isChanged = false;
    gate = async () => {
      if (isChanged) return;
      isChanged = true;
      await storage.tenants.write(id, (db) => {
        const practice = tenantStore(db).practice();
        tenantStore(db).updateDomains({ ...practice, pending_domain: 'other.test' });
      });
    };
    await run();
    const hosts = await storage.tenants.read(id, (db) =>
      db.prepare('SELECT host FROM dns_checks').pluck().all(),
    );
    expect(hosts).toEqual(['other.test']);
  });

  test('of a domain that another practice claims meanwhile leave the look due that finds it lost', async () => {
    const [id = '', other = ''] = await createPending(2);
    const claim = (by: string): Promise<string | null> =>
      storage.platform.write((db) => claimDomain(db, by, 'd0.test', clock.now()));
    await claim(id);
    await storage.tenants.write(id, (db) => useDomain(db, 'd0.test', clock.now()));
    let isClaimed = false;
    gate = async () => {
      if (isClaimed) return;
      isClaimed = true;
      await claim(other);
    };
    await run();
    expect(await due()).toEqual([id]);
  });

  test('of tokens that are not the domain’s any more say nothing of those that are', async () => {
    const [id = ''] = await createPending(1);
    const tokens = (): Promise<string[]> =>
      storage.tenants.read(id, (db) =>
        dkimKeyStore(db)
          .ofHost('d0.test')
          .map(({ token }) => token),
      );
    const before = await tokens();
    let isChanged = false;
    gate = async () => {
      if (isChanged) return;
      isChanged = true;
      await storage.tenants.write(id, (db) => {
        for (const token of before) dkimKeyStore(db).remove('d0.test', token);
      });
    };
    await run();
    const after = await tokens();
    expect(after).toHaveLength(3);
    const found = await storage.tenants.read(id, (db) => lastCheck(db, 'd0.test'));
    const names = found?.check.records.filter(({ purpose }) => purpose === 'dkim').map(({ name }) => name);
    expect(names?.toSorted()).toEqual(after.map((token) => `${token}._domainkey.d0.test`).toSorted());
  });
});

test('a practice whose name servers take their time is left after half a minute', async () => {
  const [id = ''] = await createPending(1);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  gate = async () => void vi.advanceTimersByTime(3_000);
  await run();
  expect(asked).toHaveLength(10);
  expect(await isChecked(id)).toBe(true);
});

test('a notice that an earlier version sent is still known, so that owners do not get it again', async () => {
  const [id = ''] = await createPending(1);
  const stored = { 'spf TXT d0.test': { wasOk: true, badSince: 1, errorSince: null, toldAt: 2 } };
  const health = await storage.tenants.write(id, (db) => {
    const standings_json = JSON.stringify(stored);
    dnsCheckStore(db).put({ host: 'd0.test', checked_at: 1, result_json: '{}', standings_json });
    return lastHealthOf(db, 'd0.test');
  });
  expect(health).toEqual({
    'spf TXT d0.test': { wasOk: true, badSince: 1, errorSince: null, notifiedAt: 2 },
  });
});
