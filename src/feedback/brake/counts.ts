// How many mails each token has sent in the present UTC hour and day: in memory, and written to the tenants' files now and then, so
// that a message costs no statement for it. A crash loses some minutes of them, which a rule of thumb can bear.
import { utcDay } from '#src/accounts/counters/rules.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { HOUR } from '#src/kernel/time.ts';
import { ALL_TOKENS, brakeStore } from './store.ts';

interface Count {
  hour: number;
  inHour: number;
  day: number;
  inDay: number;
  /** What is not written yet, each day for itself. */
  readonly unwritten: Map<number, { mails: number; busiest: number }>;
}

export interface Counted {
  readonly hour: number;
  readonly day: number;
}

/** What one transaction has counted. It may run twice, or fail: then it is taken back. */
export interface Tally {
  /** `isFree`: they do not wait. What waits is no reason to slow another token. */
  add(db: TenantDb, tokenId: string, mails: number, isFree: boolean, now: number): void;
  takeBack(): void;
}

export interface TokenCounts {
  of(db: TenantDb, tenantId: string, tokenId: string, now: number): Counted;
  tally(tenantId: string): Tally;
  /** `mark` says what else is noted of the token's day. Rejects where a file cannot be written; the next call tries it again. */
  write(
    files: TenantFiles,
    now: number,
    mark: (db: TenantDb, tokenId: string) => { readonly is_slowed: 0 | 1; readonly is_approved: 0 | 1 },
    signal?: AbortSignal,
  ): Promise<void>;
  /** The tenant is gone. */
  forget(tenantId: string): void;
}

const hourOf = (now: number): number => Math.floor(now / HOUR);

export const createTokenCounts = (): TokenCounts => {
  const tenants = new Map<string, Map<string, Count>>();

  const storedIn = (db: TenantDb, tokenId: string, day: number): number => {
    return (
      brakeStore(db)
        .days(tokenId)
        .find((row) => row.day === day)?.mails ?? 0
    );
  };

  const countOf = (db: TenantDb, tenantId: string, tokenId: string, now: number): Count => {
    const counts = tenants.get(tenantId) ?? new Map<string, Count>();
    tenants.set(tenantId, counts);
    const day = utcDay(now);
    const hour = hourOf(now);
    let count = counts.get(tokenId);
    if (count === undefined) {
      count = { hour, inHour: 0, day, inDay: storedIn(db, tokenId, day), unwritten: new Map() };
      counts.set(tokenId, count);
    }
    if (count.hour !== hour) Object.assign(count, { hour, inHour: 0 });
    if (count.day !== day) Object.assign(count, { day, inDay: 0 });
    return count;
  };

  const addTo = (count: Count, mails: number): void => {
    count.inHour += mails;
    count.inDay += mails;
    const part = count.unwritten.get(count.day) ?? { mails: 0, busiest: 0 };
    part.mails += mails;
    part.busiest = Math.max(part.busiest, count.inHour);
    count.unwritten.set(count.day, part);
  };

  /** Counts of an hour that is over, and of which nothing is left to be written, are found in the file again. */
  const forgetIdle = (now: number): void => {
    for (const [tenantId, counts] of tenants) {
      for (const [tokenId, { hour, unwritten }] of counts)
        if (hour < hourOf(now) && (unwritten.size === 0 || tokenId === ALL_TOKENS)) counts.delete(tokenId);
      if (counts.size === 0) tenants.delete(tenantId);
    }
  };

  const writeTenant = async (
    files: TenantFiles,
    tenantId: string,
    mark: Parameters<TokenCounts['write']>[2],
  ): Promise<void> => {
    const parts = [...(tenants.get(tenantId) ?? [])].flatMap(([tokenId, { unwritten }]) =>
      tokenId === ALL_TOKENS
        ? []
        : [...unwritten].map(([day, { mails, busiest }]) => ({ tokenId, unwritten, day, mails, busiest })),
    );
    if (parts.length === 0) return;
    await files.write(tenantId, (db) => {
      for (const { tokenId, day, mails, busiest } of parts)
        brakeStore(db).addToDay(tokenId, { day, mails, busiest_hour: busiest, ...mark(db, tokenId) });
    });
    for (const { unwritten, day, mails } of parts) {
      const part = unwritten.get(day);
      // More may have been counted meanwhile.
      if (part && part.mails > mails) part.mails -= mails;
      else unwritten.delete(day);
    }
  };

  return {
    of: (db, tenantId, tokenId, now) => {
      const { inHour, inDay } = countOf(db, tenantId, tokenId, now);
      return { hour: inHour, day: inDay };
    },
    tally: (tenantId) => {
      let added: {
        readonly count: Count;
        readonly hour: number;
        readonly day: number;
        readonly mails: number;
      }[] = [];
      return {
        add: (db, tokenId, mails, isFree, now) => {
          for (const name of isFree ? [tokenId, ALL_TOKENS] : [tokenId]) {
            const count = countOf(db, tenantId, name, now);
            addTo(count, mails);
            added.push({ count, hour: count.hour, day: count.day, mails });
          }
        },
        takeBack: () => {
          for (const { count, hour, day, mails } of added) {
            if (count.hour === hour) count.inHour -= mails;
            if (count.day === day) count.inDay -= mails;
            const part = count.unwritten.get(day);
            if (part) part.mails = Math.max(0, part.mails - mails);
          }
          added = [];
        },
      };
    },
    write: async (files, now, mark, signal) => {
      const failures: unknown[] = [];
      for (const tenantId of [...tenants.keys()]) {
        if (signal?.aborted) break;
        await writeTenant(files, tenantId, mark).catch((error) => failures.push(error));
      }
      forgetIdle(now);
      if (failures.length > 0) throw new AggregateError(failures, 'what some tokens sent is not noted');
    },
    forget: (tenantId) => {
      tenants.delete(tenantId);
    },
  };
};
