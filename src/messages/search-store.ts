// Finds messages by any combination of filters, newest first.
//
// A search is a list of clauses over each message's text (search-text.ts), and perhaps statuses. An index yields
// candidates in one of five ways, and each candidate is then compared with all clauses:
//   - the text is an id or a Message-ID: the messages that have it;
//   - no clause: all messages by their key, or those of the statuses by their index;
//   - few messages have one of the statuses: all of these;
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
  /** The text as it is typed: words of a recipient's address or name, the subject or a tag; or an id or Message-ID. */
  readonly text: string | null;
  /** A part of one of these, at least one. What is found may differ from it slightly. */
  readonly parts: readonly string[] | null;
  readonly tag: string | null;
  /** One of them. */
  readonly statuses: readonly Status[] | null;
  readonly routeId: string | null;
  readonly templateId: string | null;
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

export interface NewerPage {
  readonly rows: MessageRow[];
  /** The next page has the messages after this number; null: nothing newer is left. */
  readonly after: number | null;
}

/** What one call may cost: no batch begins or goes on after `ms`, and a batch has at most `batch` candidates. */
export interface SearchBudget {
  readonly ms: number;
  readonly batch: number;
}

export const everyMessage: MessageFilter = {
  text: null,
  parts: null,
  tag: null,
  statuses: null,
  routeId: null,
  templateId: null,
  projects: null,
  kind: null,
  campaign: null,
  createdFrom: null,
  createdBefore: null,
};

/** What decides beside the text whether a message is wanted. */
type Head = Pick<
  MessageRow,
  | 'seq'
  | 'status'
  | 'route_id'
  | 'template_id'
  | 'message_kind'
  | 'campaign_seq'
  | 'project_id'
  | 'created_at'
>;

interface Walked {
  readonly found: Head[];
  /** All after this number have been compared. */
  readonly position: number;
}

export interface StatusCounts {
  readonly counts: ReadonlyMap<Status, number>;
  /** The count goes on with the messages before this number; null: nothing older is left. */
  readonly before: number | null;
}

/** A batch takes about 6 ms if it is read from the disk cache and nothing in it fits. */
const BUDGET: SearchBudget = { ms: 15, batch: 1_024 };
/** Counting has no table that waits for it, and begins with large batches. */
const COUNT_BUDGET: SearchBudget = { ms: 8, batch: 1_024 };
const GROWTH = 4;
/** So many candidates are compared between two looks at the clock: their texts may be long. */
const COMPARED = 64;
/** If fewer messages than this have one of the statuses, reading all of them is cheaper than asking the trigrams. */
const FEW = 8_000;
/** How many message numbers one batch covers where every text is read. */
const TEXTS = 16_384;
/** How many message numbers one call for newer messages covers. */
const NEWER = 10_000;

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
const HAS_STATUS = `(:statuses IS NULL OR EXISTS
  (SELECT 1 FROM messages INDEXED BY messages_status
   WHERE messages.status IN (SELECT value FROM json_each(:statuses)) AND messages.seq = search_texts.seq))`;

const IS_OF_PROJECTS = '(:projects IS NULL OR project_id IN (SELECT value FROM json_each(:projects)))';
const asList = (values: readonly string[] | null): string | null => values && JSON.stringify(values);

/** A message's id, or a Message-ID that this service made of it. */
const ID = /^<?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:@[^\s<>]+)?>?$/i;
const MESSAGE_ID = /^<?([^\s<>]+@[^\s<>]+)>?$/;

export const messageSearchStore = perConnection((db: TenantDb) => {
  const order = messageOrderStore(db);
  const index = searchIndexStore(db);
  const messages = messageStore(db);
  const byKey = db.prepare<Range & { projects: string | null }, Candidate>(
    `SELECT seq, CASE WHEN ${IS_OF_PROJECTS} THEN '' END AS text FROM messages
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
  const byTrigrams = db.prepare<Range & { query: string; statuses: string | null }, Candidate>(
    `SELECT rowid AS seq,
       (SELECT text FROM search_texts WHERE search_texts.seq = search_trigrams.rowid AND ${HAS_STATUS}) AS text
     FROM search_trigrams
     WHERE search_trigrams MATCH :query AND rowid < :before AND rowid >= :from ORDER BY rowid DESC LIMIT :limit`,
  );
  const byText = db.prepare<Range & { part: string; statuses: string | null }, Candidate>(
    `SELECT seq, CASE WHEN ${HAS_STATUS} THEN text END AS text FROM search_texts
     WHERE seq < :before AND seq >= :from AND instr(text, :part) > 0 ORDER BY seq DESC LIMIT :limit`,
  );
  const head = db.prepare<[number], Head>(
    `SELECT seq, status, route_id, template_id, message_kind, campaign_seq, project_id, created_at
     FROM messages WHERE seq = ?`,
  );
  const newer = db
    .prepare<{ after: number; to: number; projects: string | null; limit: number }, number>(
      `SELECT seq FROM messages
       WHERE seq > :after AND seq <= :to AND ${IS_OF_PROJECTS} ORDER BY seq LIMIT :limit`,
    )
    .pluck();

  /** What is found of each status, as one list. */
  const ofStatuses = <C extends Candidate>(
    statuses: readonly Status[],
    { limit, ...range }: Range,
    find: (range: Range & { status: Status }) => C[],
  ): C[] => {
    const found = statuses.flatMap((status) => find({ ...range, limit, status }));
    return statuses.length === 1 ? found : found.sort((a, b) => b.seq - a.seq).slice(0, limit);
  };

  const areFew = (statuses: readonly Status[], range: Omit<Range, 'limit'>): boolean => {
    let left = FEW;
    for (const status of statuses) left -= countByStatus.get({ ...range, status, limit: left }) ?? 0;
    return left > 0;
  };

  /** The part of the messages that are in the index. */
  const indexedLeg = (
    clauses: readonly Clause[],
    statuses: MessageFilter['statuses'],
    from: number,
    before: number,
  ): Leg => {
    if (statuses !== null && areFew(statuses, { from, before }))
      return {
        from,
        rangeFrom: () => from,
        candidates: (range) => ofStatuses(statuses, range, (of) => textsByStatus.all(of)),
      };
    const asked = asList(statuses);
    const query = trigramQuery(clauses);
    if (query !== null)
      return {
        from,
        rangeFrom: (end) => blockStart(end - 1),
        candidates: (range) =>
          byTrigrams.all({ ...range, query: query(blockStart(range.before - 1)), statuses: asked }),
      };
    const part = clauses.find(({ anyOf }) => anyOf.length === 1)?.anyOf[0] ?? '';
    return {
      from,
      rangeFrom: (end) => end - TEXTS,
      candidates: (range) => byText.all({ ...range, part, statuses: asked }),
    };
  };

  const legsOf = (
    clauses: readonly Clause[],
    { statuses, campaign, projects }: MessageFilter,
    from: number,
    before: number,
  ): Leg[] => {
    if (clauses.length === 0) {
      const candidates = (range: Range) => {
        if (campaign !== null) return byCampaign.all({ ...range, campaign });
        return statuses === null
          ? byKey.all({ ...range, projects: asList(projects) })
          : ofStatuses(statuses, range, (of) => byStatus.all(of));
      };
      return [{ from, rangeFrom: () => from, candidates }];
    }
    const indexed = index.indexedTo() + 1;
    const candidates = (range: Range) => index.unindexedTexts(range.before, range.from, range.limit);
    const unindexed: Leg = { from: Math.max(from, indexed), rangeFrom: () => from, candidates };
    return [unindexed, indexedLeg(clauses, statuses, from, Math.min(before, indexed))];
  };

  /** The messages whose id or Message-ID the text is, newest first. */
  const named = (text: string): readonly number[] => {
    const id = ID.exec(text)?.[1];
    const own = id && messages.byId(id.toLowerCase());
    if (own) return [own.seq];
    const messageId = MESSAGE_ID.exec(text)?.[1];
    if (messageId === undefined) return [];
    return messages
      .bySubmittedMessageId(`<${messageId}>`)
      .map(({ seq }) => seq)
      .toReversed();
  };

  const legOf = (seqs: readonly number[], from: number): Leg => ({
    from,
    rangeFrom: () => from,
    candidates: ({ before, from }) =>
      seqs.filter((seq) => seq < before && seq >= from).map((seq) => ({ seq, text: index.textOf(seq) })),
  });

  /** The newest messages that fit and are wanted, at most `limit`. */
  const walk = (
    legs: readonly Leg[],
    clauses: readonly Clause[],
    isWanted: (head: Head) => boolean,
    before: number,
    limit: number,
    budget: SearchBudget,
  ): Walked => {
    const end = performance.now() + budget.ms;
    const found: Head[] = [];
    let position = before;
    let batch = Math.min(limit, budget.batch);
    for (const leg of legs) {
      while (position > leg.from) {
        const from = Math.max(leg.from, leg.rangeFrom(position));
        const candidates = leg.candidates({ before: position, from, limit: batch });
        for (const [index, { seq, text }] of candidates.entries()) {
          const row = text !== null && fits(text, clauses) ? head.get(seq) : undefined;
          if (row && isWanted(row)) found.push(row);
          const isDue = (index + 1) % COMPARED === 0 && performance.now() >= end;
          if (found.length === limit || isDue) return { found, position: seq };
        }
        position = candidates.length === batch ? (candidates.at(-1)?.seq ?? from) : from;
        if (performance.now() >= end) return { found, position };
        batch = Math.min(batch * GROWTH, budget.batch);
      }
    }
    return { found, position };
  };

  /** Returns at most `limit` of the messages from `from` on that fit, before number `before`. */
  const search = (
    filter: MessageFilter,
    before: number | null,
    limit: number,
    budget: SearchBudget,
  ): Walked & { readonly from: number } => {
    const { text, statuses, routeId, templateId, kind, campaign, projects, createdFrom, createdBefore } =
      filter;
    const { from, until } = periodOf(filter);
    const start = Math.min(before ?? until, until);
    // Two values may share a facet, and the clock may have been set back between two messages; so the row decides.
    const isWanted = (row: Head): boolean =>
      (statuses === null || statuses.includes(row.status)) &&
      (routeId === null || row.route_id === routeId) &&
      (templateId === null || row.template_id === templateId) &&
      (kind === null || row.message_kind === kind) &&
      (campaign === null || row.campaign_seq === campaign) &&
      (projects === null || projects.includes(row.project_id)) &&
      (createdFrom === null || row.created_at >= createdFrom) &&
      (createdBefore === null || row.created_at < createdBefore);
    if (projects?.length === 0) return { found: [], position: from, from };
    const seqs = text === null ? [] : named(text.trim());
    const clauses = clausesOf(seqs.length === 0 ? filter : { ...filter, text: null });
    const legs = seqs.length === 0 ? legsOf(clauses, filter, from, start) : [legOf(seqs, from)];
    return { ...walk(legs, clauses, isWanted, start, limit, budget), from };
  };

  /** The numbers of the messages of the period. */
  const periodOf = ({ createdFrom, createdBefore }: MessageFilter) => ({
    from: createdFrom === null ? 1 : order.firstSince(createdFrom),
    until: createdBefore === null ? order.newest() + 1 : order.firstSince(createdBefore),
  });

  return {
    /** Returns at most `limit` messages before number `before`; maybe fewer, even none, although more are left. */
    find: (filter: MessageFilter, before: number | null, limit: number, budget = BUDGET): SearchPage => {
      // One more row than requested shows whether there is a next page.
      const { found, position, from } = search(filter, before, limit + 1, budget);
      const shown = found.slice(0, limit);
      const rows = shown.flatMap(({ seq }) => messages.bySeq(seq) ?? []);
      if (found.length > limit) return { rows, before: shown.at(-1)?.seq ?? null };
      return { rows, before: position > from ? position : null };
    },
    /** How many of at most `limit` messages before number `before` have each status. As `find`, it may see fewer. */
    count: (
      filter: MessageFilter,
      before: number | null,
      limit: number,
      budget = COUNT_BUDGET,
    ): StatusCounts => {
      const { found, position, from } = search(filter, before, limit, budget);
      const counts = new Map<Status, number>();
      for (const { status } of found) counts.set(status, (counts.get(status) ?? 0) + 1);
      return { counts, before: position > from ? position : null };
    },
    /** How many messages of the status the period has, at most `limit`, whatever else the filter says. */
    countOfStatus: (filter: MessageFilter, status: Status, limit: number): number => {
      const { from, until } = periodOf(filter);
      return countByStatus.get({ status, from, before: until, limit }) ?? 0;
    },
    /** Returns at most `limit` messages of these projects after a number, oldest first; maybe fewer, like `find`. */
    newer: (after: number, projects: readonly string[] | null, limit: number): NewerPage => {
      const to = after + NEWER;
      const found = newer.all({ after, to, projects: asList(projects), limit: limit + 1 });
      const rows = found.slice(0, limit).flatMap((seq) => messages.bySeq(seq) ?? []);
      if (found.length > limit) return { rows, after: found[limit - 1] ?? after };
      return { rows, after: to < order.newest() ? to : null };
    },
    /** How many messages are not in the index yet, so that a search reads them one after the other. */
    behind: index.behind,
  };
});
