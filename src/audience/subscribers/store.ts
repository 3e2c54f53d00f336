// Subscribers in the tenant's file: one row for a person on a list. The person is named by the hash that suppressions have too.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { joinWords } from '#src/kernel/typed-words.ts';

export const subscriberStatuses = ['pending', 'active', 'unsubscribed', 'bounced', 'complained'] as const;
export type SubscriberStatus = (typeof subscriberStatuses)[number];

export interface SubscriberRow {
  seq: number;
  id: string;
  list_seq: number;
  /** See `addressHash`. */
  address_hash: Buffer;
  address: string;
  name: string | null;
  /** Values for templates, strings by name. */
  data_json: string;
  status: SubscriberStatus;
  /** The entry of the consent ledger that made the status. */
  consent_seq: number;
  /** The entry by which the person agreed to tracking; null: they did not. */
  tracking_seq: number | null;
  /** When the last confirmation mail was accepted, and from then on when it left. */
  asked_at: number | null;
  created_at: number;
  /** Since when it has been active, the last time. */
  confirmed_at: number | null;
  updated_at: number;
  /** When the last mail of a campaign left to them whose opens or clicks are recorded with their consent; null: none has, as far as kept. */
  tracked_at: number | null;
  opened_at: number | null;
  clicked_at: number | null;
}

export type NewSubscriber = Omit<SubscriberRow, 'seq' | keyof typeof NEVER_TRACKED>;

export const NEVER_TRACKED = { tracked_at: null, opened_at: null, clicked_at: null } as const;

export interface SubscriberPage {
  readonly rows: SubscriberRow[];
  /** The number at which the next page continues; null at the end. */
  readonly next: number | null;
}

/** Reading them takes some 10 ms if none has the text. */
const ROWS_PER_CALL = 2_000;

interface PageParameters {
  readonly list: number;
  readonly status: SubscriberStatus | null;
  readonly before: number;
}

export const subscriberStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<NewSubscriber>(
    `INSERT INTO subscribers (id, list_seq, address_hash, address, name, data_json, status, consent_seq, tracking_seq,
       asked_at, created_at, confirmed_at, updated_at)
     VALUES (:id, :list_seq, :address_hash, :address, :name, :data_json, :status, :consent_seq, :tracking_seq,
       :asked_at, :created_at, :confirmed_at, :updated_at)`,
  );
  const bySeq = db.prepare<[number], SubscriberRow>('SELECT * FROM subscribers WHERE seq = ?');
  const byId = db.prepare<[string], SubscriberRow>('SELECT * FROM subscribers WHERE id = ?');
  const onList = db.prepare<[number, Buffer], SubscriberRow>(
    'SELECT * FROM subscribers WHERE list_seq = ? AND address_hash = ?',
  );
  const ofPerson = db.prepare<[Buffer], SubscriberRow>(
    'SELECT * FROM subscribers WHERE address_hash = ? ORDER BY seq',
  );
  const update = db.prepare<
    Omit<SubscriberRow, 'id' | 'list_seq' | 'created_at' | keyof typeof NEVER_TRACKED>
  >(
    `UPDATE subscribers SET address_hash = :address_hash, address = :address, name = :name, data_json = :data_json,
       status = :status, consent_seq = :consent_seq, tracking_seq = :tracking_seq, asked_at = :asked_at, confirmed_at = :confirmed_at,
       updated_at = :updated_at,
       ${['tracked_at', 'opened_at', 'clicked_at'].map((name) => `${name} = iif(:status = 'active' AND :tracking_seq IS NOT NULL, ${name}, NULL)`).join(', ')}
     WHERE seq = :seq`,
  );
  /** The index is named: left to itself SQLite looks for the rows of a rare status among all others. */
  const pagesOf = (index: string, ofStatus: string) => ({
    passed: db
      .prepare<PageParameters & { readonly rows: number }, number>(
        `SELECT seq FROM subscribers INDEXED BY ${index} WHERE list_seq = :list AND seq < :before ${ofStatus}
         ORDER BY seq DESC LIMIT 1 OFFSET :rows`,
      )
      .pluck(),
    newestFirst: db.prepare<
      PageParameters & { readonly from: number; readonly words: string; readonly limit: number },
      SubscriberRow
    >(
      `SELECT * FROM subscribers INDEXED BY ${index}
       WHERE list_seq = :list AND seq >= :from AND seq < :before ${ofStatus}
         AND have_words(:words, address, name)
       ORDER BY seq DESC LIMIT :limit`,
    ),
  });
  const pages = pagesOf('subscribers_list', '');
  const pagesOfStatus = pagesOf('subscribers_status', 'AND status = :status');
  const after = db.prepare<[number, number, number], SubscriberRow>(
    'SELECT * FROM subscribers WHERE list_seq = ? AND seq > ? ORDER BY seq LIMIT ?',
  );
  const activeAfter = db.prepare<[number, number, number], Pick<SubscriberRow, 'seq' | 'address_hash'>>(
    `SELECT seq, address_hash FROM subscribers INDEXED BY subscribers_status
     WHERE list_seq = ? AND status = 'active' AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const unconfirmed = db.prepare<[number, number], SubscriberRow>(
    `SELECT * FROM subscribers
     WHERE confirmed_at IS NULL AND status IN ('pending', 'unsubscribed') AND coalesce(asked_at, created_at) < ?
       AND NOT EXISTS (SELECT 1 FROM confirmation_mails WHERE subscriber_seq = subscribers.seq AND sent_at IS NULL)
     ORDER BY coalesce(asked_at, created_at) LIMIT ?`,
  );
  const remove = db.prepare<[number]>('DELETE FROM subscribers WHERE seq = ?');
  return {
    /** Throws where the person is on the list already. The number of the row. */
    insert: (row: NewSubscriber): number => Number(insert.run(row).lastInsertRowid),
    bySeq: (seq: number): SubscriberRow | undefined => bySeq.get(seq),
    byId: (id: string): SubscriberRow | undefined => byId.get(id),
    onList: (listSeq: number, person: Buffer): SubscriberRow | undefined => onList.get(listSeq, person),
    ofPerson: (person: Buffer): SubscriberRow[] => ofPerson.all(person),
    /** Newest first, at most `limit` before position `before`; it may be fewer, even none, although more are left. */
    page: (
      list: number,
      { status, text }: { readonly status: SubscriberStatus | null; readonly text: string | null },
      before: number | null,
      limit: number,
      rowsPerCall = ROWS_PER_CALL,
    ): SubscriberPage => {
      const { passed, newestFirst } = status === null ? pages : pagesOfStatus;
      const asked = { list, status, before: before ?? Number.MAX_SAFE_INTEGER };
      const last = passed.get({ ...asked, rows: rowsPerCall });
      const words = joinWords(text);
      const from = last === undefined ? 0 : last + 1;
      const rows = newestFirst.all({ ...asked, from, words, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      return rows.length > limit
        ? { rows: shown, next: shown.at(-1)?.seq ?? null }
        : { rows, next: last === undefined ? null : from };
    },
    /** Oldest first, after position `after`. */
    after: (list: number, position: number, limit: number): SubscriberRow[] =>
      after.all(list, position, limit),
    /** Active ones after that position. */
    activeAfter: (list: number, position: number, limit: number) => activeAfter.all(list, position, limit),
    /** Those who have not confirmed, or said no, and were asked the last time before that, the earliest first. No mail to them is still to leave. */
    unconfirmed: (before: number, limit: number): SubscriberRow[] => unconfirmed.all(before, limit),
    update: (row: SubscriberRow): void => {
      update.run(row);
    },
    remove: (seq: number): void => {
      remove.run(seq);
    },
  };
});
