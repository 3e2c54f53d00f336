// The operator's list of practices with members and usage, read out of each practice's file.
import type { z } from 'zod';
import { monthOf } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { decodeCursor, encodeCursor } from '#src/kernel/list.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { OperatorPractice, operatorPracticesQuery } from './operator-schema.ts';
import type { TenantPeople } from './people.ts';
import { presentPractice } from './present.ts';
import { readEach } from './read-each.ts';
import { registryStore, type TenantRow } from './registry-store.ts';
import { tenantStore } from './store.ts';

export interface OperatorListDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly people: TenantPeople;
}

type Query = z.output<typeof operatorPracticesQuery>;

/** With a filter a call looks at so many at most; without one at as many as it shows. */
const PRACTICES_PER_CALL = 200;
/** Read together before it is looked whether the page is full. */
const CHUNK = 8;

const describe = (db: TenantDb, people: TenantPeople, now: number): OperatorPractice => {
  const { id, name, slug, status, plan, monthly_cap, safe_mode, domain, created_at } = presentPractice(
    tenantStore(db).practice(),
    now,
  );
  const { members, owners } = people.summary(db);
  const month = monthOf(now);
  const accepted = counterStore(db).usage(month.name).accepted;
  const usage = { month: month.name, accepted, share: accepted / monthly_cap };
  const practice = { id, name, slug, status, plan, monthly_cap, safe_mode, domain, created_at };
  return { ...practice, members, owners: [...owners], usage };
};

/** One that cannot be read may be what is looked for: it is shown whatever the filter. */
const fits = (practice: OperatorPractice, { plan, status }: Query): boolean =>
  'unavailable' in practice ||
  ((plan === undefined || practice.plan === plan) && (status === undefined || practice.status === status));

export const listForOperator = async (
  { storage, clock, people }: OperatorListDeps,
  query: Query,
  log: Log,
): Promise<{ data: OperatorPractice[]; next_cursor: string | null }> => {
  const after = decodeCursor(query.cursor) ?? 0;
  const isFiltered = query.plan !== undefined || query.status !== undefined;
  const share = isFiltered ? PRACTICES_PER_CALL : query.limit;
  const rows = await storage.platform.read((db): readonly TenantRow[] => {
    if (query.purpose === 'practice') return registryStore(db).list(after, share + 1);
    const system = registryStore(db).system();
    return system && system.number > after ? [system] : [];
  });
  const now = clock.now();
  const data: OperatorPractice[] = [];
  let looked = 0;
  while (data.length < query.limit && looked < Math.min(share, rows.length)) {
    const chunk = rows.slice(looked, Math.min(looked + CHUNK, share));
    const found = await readEach(
      storage.tenants,
      chunk,
      (db) => describe(db, people, now),
      (error, { id }) => log.warn({ err: error, practice_id: id }, 'a practice cannot be read'),
    );
    for (const [index, { id, slug }] of chunk.entries()) {
      if (data.length === query.limit) break;
      looked += 1;
      const practice = found[index] ?? { id, slug, unavailable: true as const };
      if (fits(practice, query)) data.push(practice);
    }
  }
  const last = rows[looked - 1];
  return { data, next_cursor: last && rows.length > looked ? encodeCursor(last.number) : null };
};
