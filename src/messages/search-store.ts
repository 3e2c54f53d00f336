// Finding messages: newest first, by any combination of filters.
//
// What is to be found is a list of clauses over each message's text (search-text.ts), and perhaps a status. One of four
// ways brings up candidates by an index, and each is then held against all clauses:
//   - no clause: all messages by their key, or those of the status by its index;
//   - few messages of the status: those, whatever else is asked for;
//   - a clause of three characters or more: what the trigrams find;
//   - one or two characters alone: the texts one after the other.
// Messages that the index has not come to yet are looked at one after the other before it is asked.
//
// Candidates come in growing portions. A call holds up the event loop, so that it ends when its time is over: where a
// common word and a common status never meet, the page stays short, and the next call goes on where this one ended.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Kind } from './kinds.ts';
import { messageOrderStore } from './order-store.ts';
import type { Status } from './rules.ts';
import { type SearchText, searchIndexStore } from './search-index-store.ts';
import { blockStart, type Clause, clausesOf, fits, trigramQuery } from './search-text.ts';
import { type MessageRow, messageStore } from './store.ts';

export interface MessageFilter {
  /** Part of a recipient's address or name, the subject or a tag. */
  readonly text: string | null;
  readonly tag: string | null;
  readonly status: Status | null;
  readonly routeId: string | null;
  /** Ids; null: all. */
  readonly projects: readonly string[] | null;
  readonly kind: Kind | null;
  readonly createdFrom: number | null;
  readonly createdBefore: number | null;
}

export interface Found {
  readonly rows: MessageRow[];
  /** Where to go on; null where nothing older is left. */
  readonly before: number | null;
}

/** What one call may cost: no portion begins after `ms`, and each has at most so many candidates. */
export interface SearchBudget {
  readonly ms: number;
  readonly portion: number;
}

/** A portion takes some 6 ms where all of it is read from the disk's cache and nothing fits. */
const BUDGET: SearchBudget = { ms: 15, portion: 1_024 };
const GROWTH = 4;
/** So many messages of a status are rather looked at all than found by their texts. */
const FEW = 8_000;
/** Numbers that one portion spans where each text is looked at. */
const TEXTS = 16_384;

interface Range {
  readonly before: number;
  readonly from: number;
  readonly limit: number;
}

/** `text` is null where another filter has ruled it out already. */
type Candidate = { readonly seq: number; readonly text: string | null };

/** A part of the numbers, down to `from`, and how candidates of a range in it are found, newest first. */
interface Leg {
  readonly from: number;
  /** Where the range that ends before that number begins, or earlier. */
  readonly rangeFrom: (before: number) => number;
  readonly candidates: (range: Range) => readonly Candidate[];
}

/** One look into a narrow index, where the row itself would be a page of its own. */
const HAS_STATUS = `(:status IS NULL OR EXISTS
  (SELECT 1 FROM messages INDEXED BY messages_status WHERE messages.status = :status AND messages.seq = search_texts.seq))`;

export const messageSearchStore = perConnection((db: TenantDb) => {
  const order = messageOrderStore(db);
  const index = searchIndexStore(db);
  const messages = messageStore(db);
  const byKey = db.prepare<Range, SearchText>(
    `SELECT seq, '' AS text FROM messages
     WHERE seq < :before AND seq >= :from ORDER BY seq DESC LIMIT :limit`,
  );
  const byStatus = db.prepare<Range & { status: Status }, SearchText>(
    `SELECT seq, '' AS text FROM messages INDEXED BY messages_status
     WHERE status = :status AND seq < :before AND seq >= :from ORDER BY seq DESC LIMIT :limit`,
  );
  const textsByStatus = db.prepare<Range & { status: Status }, Candidate>(
    `SELECT seq, (SELECT text FROM search_texts WHERE search_texts.seq = messages.seq) AS text
     FROM messages INDEXED BY messages_status
     WHERE status = :status AND seq < :before AND seq >= :from ORDER BY seq DESC LIMIT :limit`,
  );
  const countByStatus = db
    .prepare<Range & { status: Status }, number>(
      `SELECT count(*) FROM (SELECT 1 FROM messages INDEXED BY messages_status
       WHERE status = :status AND seq < :before AND seq >= :from LIMIT :limit)`,
    )
    .pluck();
  const byTrigrams = db.prepare<Range & { query: string; status: Status | null }, Candidate>(
    `SELECT rowid AS seq,
       (SELECT text FROM search_texts WHERE search_texts.seq = search_trigrams.rowid AND ${HAS_STATUS}) AS text
     FROM search_trigrams
     WHERE search_trigrams MATCH :query AND rowid < :before AND rowid >= :from ORDER BY rowid DESC LIMIT :limit`,
  );
  const byText = db.prepare<Range & { part: string; status: Status | null }, Candidate>(
    `SELECT seq, CASE WHEN ${HAS_STATUS} THEN text END AS text FROM search_texts
     WHERE seq < :before AND seq >= :from AND instr(text, :part) > 0 ORDER BY seq DESC LIMIT :limit`,
  );

  /** Of the messages that the index has. */
  const indexedLeg = (
    clauses: readonly Clause[],
    status: Status | null,
    from: number,
    before: number,
  ): Leg => {
    if (status !== null && countByStatus.get({ status, from, before, limit: FEW }) !== FEW)
      return { from, rangeFrom: () => from, candidates: (range) => textsByStatus.all({ ...range, status }) };
    const query = trigramQuery(clauses);
    if (query !== null)
      return {
        from,
        rangeFrom: (end) => blockStart(end - 1),
        candidates: (range) =>
          byTrigrams.all({ ...range, query: query(blockStart(range.before - 1)), status }),
      };
    const part = clauses.find(({ length }) => length === 1)?.[0] ?? '';
    return {
      from,
      rangeFrom: (end) => end - TEXTS,
      candidates: (range) => byText.all({ ...range, part, status }),
    };
  };

  const legsOf = (clauses: readonly Clause[], status: Status | null, from: number, before: number): Leg[] => {
    if (clauses.length === 0) {
      const candidates = (range: Range) =>
        status === null ? byKey.all(range) : byStatus.all({ ...range, status });
      return [{ from, rangeFrom: () => from, candidates }];
    }
    const indexed = index.indexedTo() + 1;
    const candidates = (range: Range) => index.textsToCome(range.before, range.from, range.limit);
    const toCome: Leg = { from: Math.max(from, indexed), rangeFrom: () => from, candidates };
    return [toCome, indexedLeg(clauses, status, from, Math.min(before, indexed))];
  };

  /** The newest that fit and are `wanted`, at most so many, and the position down to which all have been looked at. */
  const walk = (
    legs: readonly Leg[],
    clauses: readonly Clause[],
    isWanted: (row: MessageRow) => boolean,
    before: number,
    limit: number,
    budget: SearchBudget,
  ): { rows: MessageRow[]; position: number } => {
    const end = performance.now() + budget.ms;
    const rows: MessageRow[] = [];
    let position = before;
    let portion = Math.min(limit, budget.portion);
    for (const leg of legs) {
      while (position > leg.from) {
        const from = Math.max(leg.from, leg.rangeFrom(position));
        const candidates = leg.candidates({ before: position, from, limit: portion });
        for (const { seq, text } of candidates) {
          const row = text !== null && fits(text, clauses) ? messages.bySeq(seq) : undefined;
          if (row && isWanted(row)) rows.push(row);
          if (rows.length === limit) return { rows, position: seq };
        }
        position = candidates.length === portion ? (candidates.at(-1)?.seq ?? from) : from;
        if (performance.now() >= end) return { rows, position };
        portion = Math.min(portion * GROWTH, budget.portion);
      }
    }
    return { rows, position };
  };

  return {
    /** At most `limit` of those before position `before`; maybe fewer, even none, though more are left. */
    find: (filter: MessageFilter, before: number | null, limit: number, budget = BUDGET): Found => {
      const { status, routeId, kind, projects, createdFrom, createdBefore } = filter;
      const from = createdFrom === null ? 1 : order.firstSince(createdFrom);
      const until = createdBefore === null ? order.newest() + 1 : order.firstSince(createdBefore);
      const start = Math.min(before ?? until, until);
      // Clauses may let a stranger to them pass, and the clock may have been set back between two messages.
      const isWanted = (row: MessageRow): boolean =>
        (status === null || row.status === status) &&
        (routeId === null || row.route_id === routeId) &&
        (kind === null || row.message_kind === kind) &&
        (projects === null || projects.includes(row.project_id)) &&
        (createdFrom === null || row.created_at >= createdFrom) &&
        (createdBefore === null || row.created_at < createdBefore);
      if (projects?.length === 0) return { rows: [], before: null };
      const clauses = clausesOf(filter);
      const legs = legsOf(clauses, status, from, start);
      // One more than asked for tells whether there is a next page.
      const { rows, position } = walk(legs, clauses, isWanted, start, limit + 1, budget);
      const last = rows[limit - 1];
      if (rows.length > limit && last) return { rows: rows.slice(0, limit), before: last.seq };
      return { rows, before: position > from ? position : null };
    },
    /** How many messages a search has to look at one after the other, because the index has not come to them yet. */
    behind: index.behind,
  };
});
