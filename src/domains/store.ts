// What a tenant's file holds about domains: sealed DKIM keys, custom domains, and the last check of each host.

import { rememberedBy } from '#src/kernel/db/memory.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import type { HostCheck, RecordStatus } from './records/host-check.ts';

export interface DkimKeyRow {
  token: string;
  domain: string;
  algorithm: DkimSigner['algorithm'];
  /** `active` signs; the others are only published. See the migration. */
  role: 'active' | 'next' | 'retiring' | 'revoked';
  /**
   * Position among the host's tokens, from 1. 0 is an imported key, whose record the tenant publishes itself.
   */
  position: number;
  sealed_key: Buffer;
  created_at: number;
  published_at: number | null;
  activated_at: number | null;
  retired_at: number | null;
}

export const dkimKeyStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<DkimKeyRow>(
    `INSERT INTO dkim_keys (domain, token, position, algorithm, role, sealed_key, created_at, published_at, activated_at, retired_at)
     VALUES (:domain, :token, :position, :algorithm, :role, :sealed_key, :created_at, :published_at, :activated_at, :retired_at)`,
  );
  const update = db.prepare<DkimKeyRow>(
    `UPDATE dkim_keys SET position = :position, algorithm = :algorithm, role = :role, sealed_key = :sealed_key,
     created_at = :created_at, published_at = :published_at, activated_at = :activated_at, retired_at = :retired_at
     WHERE domain = :domain AND token = :token`,
  );
  const active = db.prepare<[string], DkimKeyRow>(
    "SELECT * FROM dkim_keys WHERE domain = ? AND role = 'active' ORDER BY algorithm DESC",
  );
  const ofHost = db.prepare<[string], DkimKeyRow>(
    'SELECT * FROM dkim_keys WHERE domain = ? ORDER BY position, token',
  );
  const hosts = db.prepare<[], string>('SELECT DISTINCT domain FROM dkim_keys ORDER BY domain').pluck();
  const remove = db.prepare<[string, string]>('DELETE FROM dkim_keys WHERE domain = ? AND token = ?');
  return {
    insert: (row: DkimKeyRow): void => {
      insert.run(row);
    },
    /** Updates every column but host and token, which name the row. */
    update: (row: DkimKeyRow): void => {
      update.run(row);
    },
    remove: (host: string, token: string): void => {
      remove.run(host, token);
    },
    /** The keys that sign for a host, RSA first. */
    active: (host: string): DkimKeyRow[] => active.all(host),
    /** All keys of a host: imported ones first, then in the order of the tokens. */
    ofHost: (host: string): DkimKeyRow[] => ofHost.all(host),
    /** Every host that has keys. */
    hosts: (): string[] => hosts.all(),
  };
});

export interface SendingDomainRow {
  name: string;
  attached_at: number;
  verified_at: number | null;
  retired_at: number | null;
}

export const sendingDomainStore = perConnection((db: TenantDb) => {
  const attach = db.prepare<[string, number]>(
    `INSERT INTO sending_domains (name, attached_at) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET attached_at = excluded.attached_at, retired_at = NULL`,
  );
  const get = db.prepare<[string], SendingDomainRow>('SELECT * FROM sending_domains WHERE name = ?');
  const all = db.prepare<[], SendingDomainRow>('SELECT * FROM sending_domains ORDER BY name');
  const verify = db.prepare<[number, string]>(
    'UPDATE sending_domains SET verified_at = coalesce(verified_at, ?) WHERE name = ?',
  );
  const unprove = db.prepare('UPDATE sending_domains SET verified_at = NULL');
  const retire = db.prepare<[number, string]>('UPDATE sending_domains SET retired_at = ? WHERE name = ?');
  const remove = db.prepare<[string]>('DELETE FROM sending_domains WHERE name = ?');
  return {
    /** Adds the domain, or puts it back into use; the time of its first verification stays. */
    attach: (name: string, now: number): void => {
      attach.run(name, now);
    },
    get: (name: string): SendingDomainRow | undefined => get.get(name),
    all: (): SendingDomainRow[] => all.all(),
    /** Stores the time of the first verification; later ones change nothing. */
    verify: (name: string, now: number): void => {
      verify.run(now, name);
    },
    /** All of them have to be proved again. */
    unprove: (): void => {
      unprove.run();
    },
    retire: (name: string, now: number): void => {
      retire.run(now, name);
    },
    remove: (name: string): void => {
      remove.run(name);
    },
  };
});

export interface DnsCheckRow {
  host: string;
  checked_at: number;
  /** A `HostCheck` as JSON. */
  result_json: string;
  standings_json: string;
}

export const dnsCheckStore = perConnection((db: TenantDb) => {
  const put = db.prepare<DnsCheckRow>(
    `INSERT INTO dns_checks (host, checked_at, result_json, standings_json)
     VALUES (:host, :checked_at, :result_json, :standings_json)
     ON CONFLICT (host) DO UPDATE SET checked_at = excluded.checked_at, result_json = excluded.result_json,
       standings_json = excluded.standings_json`,
  );
  const get = db.prepare<[string], DnsCheckRow>('SELECT * FROM dns_checks WHERE host = ?');
  const keepOnly = db.prepare<[string]>(
    'DELETE FROM dns_checks WHERE host NOT IN (SELECT value FROM json_each(?))',
  );
  /** Asked for each message. */
  const inboundMx = rememberedBy(db, (host: string): RecordStatus | 'unchecked' => {
    const row = get.get(host);
    const check: HostCheck | null = row === undefined ? null : JSON.parse(row.result_json);
    return check?.inbound.find(({ purpose }) => purpose === 'inbound_mx')?.status ?? 'unchecked';
  });
  return {
    put: (row: DnsCheckRow): void => {
      put.run(row);
      inboundMx.forget();
    },
    /** What the last check found at `in.<host>`. */
    inboundMx: (host: string): RecordStatus | 'unchecked' => inboundMx(host),
    get: (host: string): DnsCheckRow | undefined => get.get(host),
    /** Deletes the checks of all other hosts. */
    keepOnly: (hosts: readonly string[]): void => {
      keepOnly.run(JSON.stringify(hosts));
      inboundMx.forget();
    },
  };
});

export interface LastCheck {
  readonly checkedAt: number;
  readonly check: HostCheck;
}

/** Whether the last check of a host found its DKIM records to be wrong. */
export const isDkimBroken = (db: TenantDb, host: string): boolean =>
  lastCheck(db, host)?.check.records.some(
    ({ purpose, status }) => purpose === 'dkim' && status !== 'ok' && status !== 'error',
  ) ?? false;

/** Null if the host was never checked, or if its check was deleted since. */
export const lastCheck = (db: TenantDb, host: string): LastCheck | null => {
  const row = dnsCheckStore(db).get(host);
  return row === undefined ? null : { checkedAt: row.checked_at, check: JSON.parse(row.result_json) };
};
