// Lists, campaigns and the ledger of consent: their numbers are those of their rows, and the chain of the ledger holds.

import type Database from 'better-sqlite3';
import { verifyLedger } from '#src/audience/consent/verify-ledger.ts';
import { countersOf } from '#src/audience/log/rules.ts';
import type { EventType } from '#src/events/catalogue.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { inFile, type Memory, present, type TenantMemory } from './memory.ts';
import { rows } from './sql.ts';
import { broken, type Truth } from './truth.ts';

/** Stores have many statements, of which the check needs four. */
const withLateStatements = (db: Database.Database): TenantDb => {
  const prepare = (sql: string) => {
    let made: Database.Statement | null = null;
    const late = (isPlucked: boolean): object => ({
      get: (...values: unknown[]) => ready(isPlucked).get(...values),
      all: (...values: unknown[]) => ready(isPlucked).all(...values),
      iterate: (...values: unknown[]) => ready(isPlucked).iterate(...values),
      pluck: () => late(true),
    });
    const ready = (isPlucked: boolean): Database.Statement => {
      made ??= db.prepare(sql);
      return isPlucked ? made.pluck() : made;
    };
    return late(false);
  };
  return { prepare, transaction: db.transaction.bind(db) } as unknown as TenantDb;
};

export const ledgersHold: Truth = {
  name: 'the ledger of consent is whole',
  check: (_scene, _book, memory: Memory) => {
    for (const tenant of present(memory)) {
      const { fault } = inFile(tenant, (db) => verifyLedger(withLateStatements(db), null));
      if (fault !== null) broken(`${tenant.name}: entry ${fault.seq} of the ledger: ${fault.what}`);
    }
  },
};

interface Counted {
  readonly key: string;
  readonly count: number;
}

const sumsOf = (tenant: TenantMemory, sql: string): Map<string, number> =>
  new Map(inFile(tenant, (db) => rows<Counted>(db, sql)).map(({ key, count }) => [key, count]));

const compare = (
  tenant: TenantMemory,
  what: string,
  expected: ReadonlyMap<string, number>,
  found: ReadonlyMap<string, number>,
): void => {
  for (const key of new Set([...expected.keys(), ...found.keys()]))
    if ((expected.get(key) ?? 0) !== (found.get(key) ?? 0))
      broken(
        `${tenant.name}: ${what} ${key} is ${found.get(key) ?? 0}, and counted again ${expected.get(key) ?? 0}`,
      );
};

interface CampaignEvent {
  readonly campaign_seq: number;
  readonly recipient_id: number;
  readonly type: EventType;
  readonly own: 0 | 1;
}

/** Also those up to the cursor alone, where the follower has been stopped in the middle. */
const EVENTS = `SELECT m.campaign_seq, e.recipient_id, e.type, e.data_json ->> '$.attempt' IS NOT NULL AS own
  FROM events e JOIN messages m ON m.seq = e.message_seq
  WHERE m.campaign_seq IS NOT NULL AND e.recipient_id IS NOT NULL AND coalesce(e.data_json ->> '$.bot', 0) = 0
    AND coalesce(e.data_json ->> '$.counted', 1) = 1
    AND e.seq <= coalesce((SELECT seq FROM event_cursors WHERE follower = 'audience'), 0)
  ORDER BY e.seq`;

const campaignCounts = (tenant: TenantMemory): Map<string, number> => {
  const sums = new Map<string, number>();
  const known = new Set<string>();
  for (const { campaign_seq, recipient_id, type, own } of inFile(tenant, (db) =>
    rows<CampaignEvent>(db, EVENTS),
  )) {
    const repeated = known.has(`${recipient_id} ${type}`);
    const hasOpened = known.has(`${recipient_id} message.opened`);
    for (const name of countersOf({ type, own: own === 1, repeated, hasOpened }))
      sums.set(`${campaign_seq} ${name}`, (sums.get(`${campaign_seq} ${name}`) ?? 0) + 1);
    known.add(`${recipient_id} ${type}`);
  }
  return sums;
};

const FOUND = `SELECT campaign_seq || ' ' || name AS key, count FROM campaign_counters
  WHERE count <> 0 AND name <> 'handed_over' AND name NOT LIKE 'excluded:%'`;

export const audienceAgrees: Truth = {
  name: 'the numbers of lists and campaigns are those of their rows',
  check: (_scene, _book, memory: Memory) => {
    for (const tenant of present(memory)) {
      compare(
        tenant,
        'the count of the list and status',
        sumsOf(
          tenant,
          "SELECT list_seq || ' ' || status AS key, count(*) AS count FROM subscribers GROUP BY 1",
        ),
        sumsOf(tenant, "SELECT list_seq || ' ' || status AS key, count FROM list_counts WHERE count <> 0"),
      );
      compare(
        tenant,
        'handed over by campaign',
        sumsOf(
          tenant,
          'SELECT campaign_seq AS key, count(*) AS count FROM messages WHERE campaign_seq IS NOT NULL GROUP BY 1',
        ),
        sumsOf(
          tenant,
          "SELECT campaign_seq AS key, count FROM campaign_counters WHERE name = 'handed_over' AND count <> 0",
        ),
      );
      compare(
        tenant,
        'left out of the campaign',
        sumsOf(
          tenant,
          "SELECT campaign_seq || ' excluded:' || reason AS key, count(*) AS count FROM campaign_exclusions GROUP BY 1",
        ),
        sumsOf(
          tenant,
          "SELECT campaign_seq || ' ' || name AS key, count FROM campaign_counters WHERE name LIKE 'excluded:%' AND count <> 0",
        ),
      );
      compare(tenant, 'the count of the campaign', campaignCounts(tenant), sumsOf(tenant, FOUND));
    }
  },
};
