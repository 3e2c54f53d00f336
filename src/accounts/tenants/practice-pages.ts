// Pages of practices in the order of their creation: the registry says which there are, and each one's file what is shown of it.
import { z } from 'zod';
import { accountStore } from '#src/accounts/entry/account-store.ts';
import { callerIn } from '#src/accounts/entry/enter.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { decodeCursor, encodeCursor } from '#src/kernel/list.ts';
import type { Log } from '#src/kernel/log.ts';
import { readEach } from './read-each.ts';
import { registryStore, type TenantRow } from './registry-store.ts';
import { hasWords } from './rules.ts';
import type { PracticeRow } from './store.ts';

export const nameQuery = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .optional()
  .describe('words of its name, slug or domain, or its id; `mueller` finds Müller')
  .meta({ examples: ['markt'] });

/** What it is found by. */
export const namesOf = ({
  name,
  slug,
  custom_domain,
  pending_domain,
  managed_host,
}: PracticeRow): string[] => [name, slug, custom_domain ?? '', pending_domain ?? '', managed_host];

export const isNamed = (row: PracticeRow, words: string): boolean =>
  words === row.id || hasWords(namesOf(row), words);

/** A call with a filter reads at most this many; without one it reads as many as it shows. */
const PRACTICES_PER_CALL = 200;
/** Read together; then the page may be full. */
const CHUNK = 8;

export interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export interface PracticePage<T> {
  readonly files: TenantFiles;
  readonly query: PageQuery;
  readonly isFiltered: boolean;
  /** Returns at most `limit` rows after that number. */
  readonly rows: (after: number, limit: number) => Promise<readonly TenantRow[]>;
  /** Null where it is not wanted. */
  readonly read: (db: TenantDb, row: TenantRow) => T | null;
  /** The entry for a practice whose file cannot be read; null: it is left out. */
  readonly unreadable: (row: TenantRow) => T | null;
  readonly log: Log;
}

/** A page may hold fewer than `limit` while there are more. */
export const practicePage = async <T extends object>({
  files,
  query,
  isFiltered,
  rows: rowsAfter,
  read,
  unreadable,
  log,
}: PracticePage<T>): Promise<{ data: T[]; next_cursor: string | null }> => {
  const share = isFiltered ? PRACTICES_PER_CALL : query.limit;
  const rows = await rowsAfter(decodeCursor(query.cursor) ?? 0, share + 1);
  const data: T[] = [];
  let looked = 0;
  while (data.length < query.limit && looked < Math.min(share, rows.length)) {
    const chunk = rows.slice(looked, Math.min(looked + CHUNK, share));
    const found = await readEach(
      files,
      chunk.map((row) => ({ id: row.id, row })),
      (db, { row }) => read(db, row),
      (error, { id }) => log.warn({ err: error, practice_id: id }, 'a practice cannot be read'),
    );
    for (const [index, row] of chunk.entries()) {
      if (data.length === query.limit) break;
      looked += 1;
      const one = found[index];
      const shown = one === undefined ? unreadable(row) : one;
      if (shown !== null) data.push(shown);
    }
  }
  const last = rows[looked - 1];
  return { data, next_cursor: last && rows.length > looked ? encodeCursor(last.number) : null };
};

interface CallersPage<T> extends Pick<PracticePage<T>, 'query' | 'isFiltered' | 'log'> {
  /** `caller`: as they are in that practice. */
  readonly read: (db: TenantDb, caller: Caller) => T | null;
  /** See `PracticePage`; absent: all that cannot be read are left out. */
  readonly unreadable?: PracticePage<T>['unreadable'];
}

/** A page of the practices that the caller may enter. A token has one; where that cannot be read, it throws. */
export const callersPage = async <T extends object>(
  { platform, tenants }: Storage,
  caller: Caller,
  page: CallersPage<T>,
): Promise<{ data: T[]; next_cursor: string | null }> => {
  const { account, kind, tenantId } = caller;
  if (tenantId !== null) {
    const isFirst = decodeCursor(page.query.cursor) === null;
    const own = isFirst ? await tenants.read(tenantId, (db) => page.read(db, caller)) : null;
    return { data: own === null ? [] : [own], next_cursor: null };
  }
  return practicePage({
    ...page,
    files: tenants,
    rows: (after, limit) =>
      platform.read((db) =>
        kind === 'operator' || account === null
          ? registryStore(db).list(after, limit)
          : accountStore(db).memberships(account.id, after, limit),
      ),
    read: (db, { id }) => {
      const entered = callerIn(db, caller, id);
      return entered && page.read(db, entered);
    },
    unreadable: page.unreadable ?? (() => null),
  });
};
