// Finds messages by any combination of filters, newest first.
//
// A search is a list of clauses over each message's text (search-text.ts), and perhaps a status. An index yields
// candidates in one of four ways, and each candidate is then compared with all clauses:
//   - no clause: all messages by their key, or those of the status by its index;
//   - few messages have the status: all of these;
//   - a clause has three characters or more: the messages that the trigrams find;
//   - only one or two characters: all texts, one after the other.
// Messages that are not in the index yet are newer than all others, so they are read first, one after the other.
//
// Candidates are read in growing batches. A call blocks the event loop, so it ends when its time is over: if a common
// word and a common status rarely occur together, the page stays short, and the next call continues from there.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Kind } from './kinds.ts';
import { messageOrderStore } from './order-store.ts';
import type { Status } from './rules.ts';
import { type SearchText, searchIndexStore } from './search-index-store.ts';
import { blockStart, type Clause, clausesOf, fits, trigramQuery } from './search-text.ts';
import { type MessageRow, messageStore } from './store.ts';

export interface MessageFilter {
  /** Part of a recipient's address or name, the subject or a tag; of several texts at least one. */
  readonly text: string | readonly string[] | null;
  readonly tag: string | null;
  readonly status: Status | null;
  readonly routeId: string | null;
  /** Ids; null: all. */
  readonly projects: readonly string[] | null;
  readonly kind: Kind | null;
  /** Number of the campaign. */
  readonly campaign: number | null;
  readonly createdFrom: number | null;
  readonly createdBefore: number | null;
}

export interface SearchPage {
  readonly rows: MessageRow[];
  /** The next page has the messages before this number; null: nothing older is left. */
  readonly before: number | null;
}

/** What one call may cost: no batch begins after `ms`, and a batch has at most `batch` candidates. */
export interface SearchBudget {
  readonly ms: number;
  readonly batch: number;
}

/** A batch takes about 6 ms if it is read from the disk cache and nothing in it fits. */
const BUDGET: SearchBudget = { ms: 15, batch: 1_024 };
const GROWTH = 4;
/** If fewer messages than this have the status, reading all of them is cheaper than asking the trigrams. */
const FEW = 8_000;
/** How many message numbers one batch covers where every text is read. */
const TEXTS = 16_384;

interface Range {
  readonly before: number;
  readonly from: number;
  readonly limit: number;
}

/** `text` is null where another filter has ruled it out already. */
type Candidate = { readonly seq: number; readonly text: string | null };

/** One part of the walk: message numbers down to `from`, and how candidates in it are found, newest first. */
interface Leg {
  readonly from: number;
  /** The start of the range that ends before that number; it may be lower than `from`. */
  readonly rangeFrom: (before: number) => number;
  readonly candidates: (range: Range) => readonly Candidate[];
}

/** Reads the status from a narrow index, because each full row would be another page to read. */
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
  const byCampaign = db.prepare<Range & { campaign: number }, SearchText>(
    `SELECT seq, '' AS text FROM messages INDEXED BY messages_campaign
     WHERE campaign_seq = :campaign AND seq < :before AND seq >= :from ORDER BY seq DESC LIMIT :limit`,
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

  /** The part of the messages that are in the index. */
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

  const legsOf = (
    clauses: readonly Clause[],
    { status, campaign }: Pick<MessageFilter, 'status' | 'campaign'>,
    from: number,
    before: number,
  ): Leg[] => {
    if (clauses.length === 0) {
      const candidates = (range: Range) => {
        if (campaign !== null) return byCampaign.all({ ...range, campaign });
        return status === null ? byKey.all(range) : byStatus.all({ ...range, status });
      };
      return [{ from, rangeFrom: () => from, candidates }];
    }
    const indexed = index.indexedTo() + 1;
    const candidates = (range: Range) => index.unindexedTexts(range.before, range.from, range.limit);
    const unindexed: Leg = { from: Math.max(from, indexed), rangeFrom: () => from, candidates };
    return [unindexed, indexedLeg(clauses, status, from, Math.min(before, indexed))];
  };

  /** The newest rows that fit and are wanted, at most `limit`, and the number down to which all have been checked. */
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
    let batch = Math.min(limit, budget.batch);
    for (const leg of legs) {
      while (position > leg.from) {
        const from = Math.max(leg.from, leg.rangeFrom(position));
        const candidates = leg.candidates({ before: position, from, limit: batch });
        for (const { seq, text } of candidates) {
          const row = text !== null && fits(text, clauses) ? messages.bySeq(seq) : undefined;
          if (row && isWanted(row)) rows.push(row);
          if (rows.length === limit) return { rows, position: seq };
        }
        position = candidates.length === batch ? (candidates.at(-1)?.seq ?? from) : from;
        if (performance.now() >= end) return { rows, position };
        batch = Math.min(batch * GROWTH, budget.batch);
      }
    }
    return { rows, position };
  };

  return {
    /** At most `limit` messages before number `before`. It may return fewer, even none, although more are left. */
    find: (filter: MessageFilter, before: number | null, limit: number, budget = BUDGET): SearchPage => {
      const { status, routeId, kind, campaign, projects, createdFrom, createdBefore } = filter;
      const from = createdFrom === null ? 1 : order.firstSince(createdFrom);
      const until = createdBefore === null ? order.newest() + 1 : order.firstSince(createdBefore);
      const start = Math.min(before ?? until, until);
      // Two values may share a facet, and the clock may have been set back between two messages; so the row decides.
      const isWanted = (row: MessageRow): boolean =>
        (status === null || row.status === status) &&
        (routeId === null || row.route_id === routeId) &&
        (kind === null || row.message_kind === kind) &&
        (campaign === null || row.campaign_seq === campaign) &&
        (projects === null || projects.includes(row.project_id)) &&
        (createdFrom === null || row.created_at >= createdFrom) &&
        (createdBefore === null || row.created_at < createdBefore);
      if (projects?.length === 0) return { rows: [], before: null };
      const clauses = clausesOf(filter);
      const legs = legsOf(clauses, filter, from, start);
      // One more row than requested shows whether there is a next page.
      const { rows, position } = walk(legs, clauses, isWanted, start, limit + 1, budget);
      const last = rows[limit - 1];
      if (rows.length > limit && last) return { rows: rows.slice(0, limit), before: last.seq };
      return { rows, before: position > from ? position : null };
    },
    /** How many messages are not in the index yet, so that a search reads them one after the other. */
    behind: index.behind,
  };
});
