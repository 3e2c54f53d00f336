// Suppressions in the tenant's file, found by the hash of their address. Listed newest first; one call reads a bounded number
// of rows, because it blocks the event loop, and the next call continues.
import { keepBeside, remembered } from '#src/kernel/db/memory.ts';
import { numbersOf } from '#src/kernel/db/numbers.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { joinWords } from '#src/kernel/typed-words.ts';
import type {
  SuppressionFacts,
  SuppressionReason,
  SuppressionScope,
} from '#src/messages/suppression-rules.ts';

export interface SuppressionRow extends SuppressionFacts {
  seq: number;
  address_hash: Buffer;
  /** Null once the person's data has been erased. */
  address: string | null;
  source_message_id: string | null;
  note: string | null;
  created_at: number;
}

type NewSuppressionRow = Omit<SuppressionRow, 'seq' | 'lifted_json'>;

export interface SuppressionFilter {
  readonly scope: SuppressionScope | null;
  readonly reason: SuppressionReason | null;
  /** The words of an address, as they are typed. */
  readonly text: string | null;
  readonly projectId: string | null;
  readonly routeId: string | null;
  /** Only rows of these projects and routes; null: all. */
  readonly within: VisiblePlaces | null;
}

/** Ids of the projects and routes that the caller may see. */
export interface VisiblePlaces {
  readonly projects: readonly string[];
  readonly routes: readonly string[];
}

export interface SuppressionPage {
  readonly rows: SuppressionRow[];
  /** The number at which the next page continues; null at the end. */
  readonly next: number | null;
}

/** Reading them takes about 10 ms if no row fits. */
const ROWS_PER_CALL = 50_000;
/** Comparing the addresses of so many takes as long. */
const ADDRESSES_PER_CALL = 2_000;

interface Parameters extends Omit<SuppressionFilter, 'within' | 'text'> {
  readonly words: string;
  readonly projects: string | null;
  readonly routes: string | null;
  readonly from: number;
  readonly before: number;
  readonly limit: number;
}

export const suppressionStore = perConnection((db: TenantDb) => {
  const ofAddress = db.prepare<[Buffer], SuppressionFacts>(
    'SELECT id, scope, project_id, route_id, reason, lifted_json FROM suppressions WHERE address_hash = ?',
  );
  const rowsOfAddress = db.prepare<[Buffer], SuppressionRow>(
    'SELECT * FROM suppressions WHERE address_hash = ? ORDER BY seq DESC',
  );
  const byId = db.prepare<[string], SuppressionRow>('SELECT * FROM suppressions WHERE id = ?');
  const insert = db.prepare<NewSuppressionRow>(
    `INSERT INTO suppressions
       (id, address_hash, address, scope, project_id, route_id, reason, source_message_id, note, created_at)
     VALUES (:id, :address_hash, :address, :scope, :project_id, :route_id, :reason, :source_message_id, :note, :created_at)
     ON CONFLICT DO NOTHING`,
  );
  const restate = db.prepare<[SuppressionReason, string | null, string]>(
    'UPDATE suppressions SET reason = ?, source_message_id = ? WHERE id = ?',
  );
  const lift = db.prepare<[string | null, string]>('UPDATE suppressions SET lifted_json = ? WHERE id = ?');
  const remove = db.prepare<[string]>('DELETE FROM suppressions WHERE id = ?');
  const newest = db.prepare<[], number | null>('SELECT max(seq) FROM suppressions').pluck();
  const numbers = numbersOf(db, 'suppressions');
  const select = `SELECT * FROM suppressions
     WHERE seq >= :from AND seq < :before
       AND (:scope IS NULL OR scope = :scope)
       AND (:reason IS NULL OR reason = :reason)
       AND (:projectId IS NULL OR project_id = :projectId)
       AND (:routeId IS NULL OR route_id = :routeId)
       AND have_words(:words, address)
       AND (:projects IS NULL OR project_id IN (SELECT value FROM json_each(:projects))
                              OR route_id IN (SELECT value FROM json_each(:routes)))`;
  const newestFirst = db.prepare<Parameters, SuppressionRow>(`${select} ORDER BY seq DESC LIMIT :limit`);
  const oldestFirst = db.prepare<Parameters, SuppressionRow>(`${select} ORDER BY seq LIMIT :limit`);

  const countOf = db
    .prepare<{ from: number; projects: string | null; routes: string | null }, number>(
      `SELECT count(*) FROM suppressions WHERE seq > :from
         AND (:projects IS NULL OR project_id IN (SELECT value FROM json_each(:projects))
                                OR route_id IN (SELECT value FROM json_each(:routes)))`,
    )
    .pluck();

  const isEmpty = remembered(db, () => newest.get() === null);
  let version = 0;
  const added = (): void => {
    version += 1;
    isEmpty.forget();
  };
  keepBeside(db, { forget: added });

  const parameters = ({ within, text, ...filter }: SuppressionFilter) => ({
    ...filter,
    words: joinWords(text),
    projects: within && JSON.stringify(within.projects),
    routes: within && JSON.stringify(within.routes),
  });
  return {
    /** How many of the newest there are in these places; null: in all. */
    count: (within: VisiblePlaces | null, rowsPerCall = ROWS_PER_CALL): number =>
      countOf.get({
        from: (newest.get() ?? 0) - rowsPerCall,
        projects: within && JSON.stringify(within.projects),
        routes: within && JSON.stringify(within.routes),
      }) ?? 0,
    /** Whether no address is suppressed: then none needs to be hashed. */
    isEmpty: (): boolean => isEmpty(),
    /** Changes whenever an address may have been suppressed that was not before. It belongs to this connection. */
    version: (): number => version,
    ofAddress: (hash: Buffer): SuppressionFacts[] => ofAddress.all(hash),
    /** Newest first: a handful at the most, one a scope. */
    rowsOfAddress: (hash: Buffer): SuppressionRow[] => rowsOfAddress.all(hash),
    byId: (id: string): SuppressionRow | undefined => byId.get(id),
    /** False where the address is suppressed in that scope already: the first reason is kept. */
    insert: (row: NewSuppressionRow): boolean => {
      added();
      return insert.run(row).changes > 0;
    },
    restate: (id: string, reason: SuppressionReason, sourceMessageId: string | null): void => {
      restate.run(reason, sourceMessageId, id);
    },
    /** `lifted_json`: null where it holds for all channels again. */
    lift: (id: string, lifted_json: string | null): void => {
      lift.run(lifted_json, id);
      added();
    },
    remove: (id: string): void => {
      remove.run(id);
      isEmpty.forget();
    },
    /** Returns at most `limit` before position `before`; there may be fewer, even none, although more are left. */
    find: (
      filter: SuppressionFilter,
      before: number | null,
      limit: number,
      rowsPerCall = filter.text === null ? ROWS_PER_CALL : ADDRESSES_PER_CALL,
    ): SuppressionPage => {
      const start = before ?? (newest.get() ?? 0) + 1;
      const from = Math.max(0, start - rowsPerCall);
      const rows = newestFirst.all({ ...parameters(filter), from, before: start, limit: limit + 1 });
      const last = rows[limit - 1];
      if (rows.length > limit && last) return { rows: rows.slice(0, limit), next: last.seq };
      const next = numbers.endBefore(from);
      return { rows, next: next > 1 ? next : null };
    },
    /** Oldest first, after position `after`: in an export, rows added meanwhile come at the end. */
    findAfter: (
      filter: SuppressionFilter,
      after: number,
      limit: number,
      rowsPerCall = ROWS_PER_CALL,
    ): SuppressionPage => {
      const end = newest.get() ?? 0;
      const before = Math.min(end + 1, (numbers.firstFrom(after + 1) ?? end) + rowsPerCall);
      const rows = oldestFirst.all({ ...parameters(filter), from: after + 1, before, limit });
      const last = rows.at(-1);
      if (rows.length === limit && last) return { rows, next: last.seq };
      return { rows, next: before > end ? null : before - 1 };
    },
  };
});
