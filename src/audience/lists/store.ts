// Lists in the tenant's file, with the numbers of their subscribers by status.
import type { SubscriberStatus } from '#src/audience/subscribers/store.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Language } from '#src/kernel/language.ts';
import type { Channel } from '#src/messages/kinds.ts';

/** Whose opens and clicks may be recorded: everyone's, those of people who agreed to it, no one's. */
export const trackingConsents = ['always', 'asked', 'never'] as const;
export type TrackingConsent = (typeof trackingConsents)[number];

export interface ListRow {
  seq: number;
  id: string;
  name: string;
  description: string | null;
  channel: Channel;
  language: Language;
  wording: string;
  wording_version: number;
  is_public: 0 | 1;
  two_steps: 0 | 1;
  tracking_consent: TrackingConsent;
  created_at: number;
  archived_at: number | null;
}

/** A list that is archived, with subscribers of whom the ledger does not know yet that their consent ended with it. */
export interface EndingList extends Pick<ListRow, 'seq' | 'id'> {
  readonly archived_at: number;
  /** Up to which it knows. */
  readonly ended_seq: number;
}

export const listStore = perConnection((db: TenantDb) => {
  const bySeq = db.prepare<[number], ListRow>('SELECT * FROM lists WHERE seq = ?');
  const byId = db.prepare<[string], ListRow>('SELECT * FROM lists WHERE id = ?');
  const byName = db.prepare<[string], ListRow>('SELECT * FROM lists WHERE name = ? AND archived_at IS NULL');
  const all = db.prepare<[], ListRow>('SELECT * FROM lists ORDER BY name, seq');
  const insert = db.prepare<Omit<ListRow, 'seq'>>(
    `INSERT INTO lists (id, name, description, channel, language, wording, wording_version, is_public, two_steps,
       tracking_consent, created_at, archived_at)
     VALUES (:id, :name, :description, :channel, :language, :wording, :wording_version, :is_public, :two_steps,
       :tracking_consent, :created_at, :archived_at)`,
  );
  const update = db.prepare<Omit<ListRow, 'id' | 'created_at'>>(
    `UPDATE lists SET name = :name, description = :description, channel = :channel, language = :language,
       wording = :wording, wording_version = :wording_version, is_public = :is_public, two_steps = :two_steps,
       tracking_consent = :tracking_consent, archived_at = :archived_at
     WHERE seq = :seq`,
  );
  const ends = db.prepare<[], EndingList>(
    'SELECT seq, id, archived_at, ended_seq FROM lists WHERE archived_at IS NOT NULL AND ended_seq IS NOT NULL LIMIT 1',
  );
  const setEnded = db.prepare<[number | null, number]>('UPDATE lists SET ended_seq = ? WHERE seq = ?');
  const any = db.prepare<[], number>('SELECT 1 FROM lists LIMIT 1').pluck();
  const counts = db.prepare<[number], { status: SubscriberStatus; count: number }>(
    'SELECT status, count FROM list_counts WHERE list_seq = ? AND count > 0',
  );
  const openCampaign = db
    .prepare<[string], string>(
      `SELECT name FROM campaigns WHERE status IN ('scheduled', 'sending', 'paused')
         AND EXISTS (SELECT 1 FROM json_each(list_ids_json) WHERE value = ?) LIMIT 1`,
    )
    .pluck();
  return {
    bySeq: (seq: number): ListRow | undefined => bySeq.get(seq),
    /** None has the id null. */
    byId: (id: string | null): ListRow | undefined => (id === null ? undefined : byId.get(id)),
    /** Finds a list that is not archived. */
    byName: (name: string): ListRow | undefined => byName.get(name),
    /** All lists by their names, also those that are archived. */
    all: (): ListRow[] => all.all(),
    /** The number of the row. */
    insert: (row: Omit<ListRow, 'seq'>): number => Number(insert.run(row).lastInsertRowid),
    endsConsents: (): EndingList | undefined => ends.get(),
    /** `upTo`: null for all. */
    setEnded: (seq: number, upTo: number | null): void => {
      setEnded.run(upTo, seq);
    },
    update: (row: ListRow): void => {
      update.run(row);
    },
    /** Name of a campaign that is to go on to that list. */
    openCampaign: (id: string): string | undefined => openCampaign.get(id),
    isEmpty: (): boolean => any.get() === undefined,
    /** A status without subscribers is missing. */
    counts: (seq: number): ReadonlyMap<SubscriberStatus, number> =>
      new Map(counts.all(seq).map(({ status, count }) => [status, count])),
  };
});
