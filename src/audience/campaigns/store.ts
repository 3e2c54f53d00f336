// Campaigns in the tenant's file: the rows, their content, who was left out, and the counters.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Kind } from '#src/messages/kinds.ts';

export const campaignStatuses = [
  'draft',
  'scheduled',
  'sending',
  'paused',
  'sent',
  'cancelled',
  'failed',
] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

export interface CampaignRow {
  seq: number;
  id: string;
  name: string;
  project_id: string;
  route_id: string;
  message_kind: Kind;
  list_ids_json: string;
  filter_json: string;
  /** Null: it begins when it is sent. */
  schedule_at: number | null;
  time_zone: string | null;
  max_per_hour: number | null;
  status: CampaignStatus;
  /** A code: why it is paused, failed or waits. */
  reason: string | null;
  /** When it is looked at again; null: nothing is to be done. */
  due_at: number | null;
  /** Each person up to this hash has been handed over or left out. */
  after_hash: Buffer | null;
  shared_id: number | null;
  file_identity: string | null;
  /** The last hand-over. */
  progress_at: number | null;
  /** Set where some minutes passed without a hand-over. */
  looked_at: number | null;
  /** When owners were notified that it does not go on; null: not since the last hand-over. */
  alarmed_at: number | null;
  /** What the owners are still to be notified of: see `notices.ts`. */
  notice_json: string | null;
  /** `OwnCounts` when it was last resumed: they no longer count against it. */
  resumed_json: string | null;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  finished_at: number | null;
}

/** A campaign in lists of campaigns. */
export interface CampaignHead extends CampaignRow {
  subject: string;
}

/** A person of its lists who got nothing. */
export interface ExclusionRow {
  campaign_seq: number;
  address_hash: Buffer;
  subscriber_seq: number;
  reason: string;
}

/** Counter of the people who became messages. */
export const HANDED_OVER = 'handed_over';
/** Counters of those left out, by reason: `excluded:no_consent`. */
export const EXCLUDED = 'excluded:';

export const campaignStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<Omit<CampaignRow, 'seq'>>(
    `INSERT INTO campaigns (id, name, project_id, route_id, message_kind, list_ids_json, filter_json, schedule_at, time_zone,
       max_per_hour, status, reason, due_at, after_hash, shared_id, file_identity, progress_at, looked_at, alarmed_at, notice_json, resumed_json, created_at,
       updated_at, started_at, finished_at)
     VALUES (:id, :name, :project_id, :route_id, :message_kind, :list_ids_json, :filter_json, :schedule_at, :time_zone,
       :max_per_hour, :status, :reason, :due_at, :after_hash, :shared_id, :file_identity, :progress_at, :looked_at, :alarmed_at, :notice_json, :resumed_json,
       :created_at, :updated_at, :started_at, :finished_at)`,
  );
  const update = db.prepare<Omit<CampaignRow, 'id' | 'created_at'>>(
    `UPDATE campaigns SET name = :name, project_id = :project_id, route_id = :route_id, message_kind = :message_kind,
       list_ids_json = :list_ids_json, filter_json = :filter_json, schedule_at = :schedule_at, time_zone = :time_zone,
       max_per_hour = :max_per_hour, status = :status, reason = :reason, due_at = :due_at, after_hash = :after_hash,
       shared_id = :shared_id, file_identity = :file_identity, progress_at = :progress_at,
       looked_at = :looked_at, alarmed_at = :alarmed_at, notice_json = :notice_json, resumed_json = :resumed_json,
       updated_at = :updated_at, started_at = :started_at, finished_at = :finished_at
     WHERE seq = :seq`,
  );
  const bySeq = db.prepare<[number], CampaignRow>('SELECT * FROM campaigns WHERE seq = ?');
  const byId = db.prepare<[string], CampaignRow>('SELECT * FROM campaigns WHERE id = ?');
  const newestFirst = db.prepare<
    { before: number | null; status: CampaignStatus | null; limit: number },
    CampaignHead
  >(
    `SELECT campaigns.*, coalesce(campaign_contents.content_json ->> '$.subject', '') AS subject
     FROM campaigns LEFT JOIN campaign_contents ON campaign_seq = seq
     WHERE (:before IS NULL OR seq < :before) AND (:status IS NULL OR status = :status)
     ORDER BY seq DESC LIMIT :limit`,
  );
  const activeSince = db.prepare<[after: number, at: number, limit: number], CampaignHead>(
    `SELECT campaigns.*, coalesce(campaign_contents.content_json ->> '$.subject', '') AS subject
     FROM campaigns LEFT JOIN campaign_contents ON campaign_seq = seq
     WHERE seq > ? AND coalesce(finished_at, started_at, created_at) >= ? ORDER BY seq LIMIT ?`,
  );
  const waitingFor = db
    .prepare<[string], string>(
      `SELECT name FROM campaigns JOIN campaign_contents ON campaign_seq = seq
       WHERE status IN ('scheduled', 'sending', 'paused') AND content_json ->> '$.segment_id' = ? LIMIT 1`,
    )
    .pluck();
  const remove = db.prepare<[number]>('DELETE FROM campaigns WHERE seq = ?');
  const follow = db.prepare<[to: string, from: string]>(
    'UPDATE campaigns SET file_identity = ? WHERE file_identity = ?',
  );
  const content = db
    .prepare<[number], string>('SELECT content_json FROM campaign_contents WHERE campaign_seq = ?')
    .pluck();
  const putContent = db.prepare<[number, string]>(
    `INSERT INTO campaign_contents (campaign_seq, content_json) VALUES (?, ?)
     ON CONFLICT (campaign_seq) DO UPDATE SET content_json = excluded.content_json`,
  );
  const due = db.prepare<[number], Pick<CampaignRow, 'seq' | 'due_at'>>(
    'SELECT seq, due_at FROM campaigns WHERE due_at <= ? ORDER BY due_at',
  );
  const nextDue = db
    .prepare<[number], number | null>('SELECT min(due_at) FROM campaigns WHERE due_at > ?')
    .pluck();
  const isAnyDue = db.prepare<[], number>('SELECT 1 FROM campaigns WHERE due_at IS NOT NULL LIMIT 1').pluck();
  const exclude = db.prepare<ExclusionRow>(
    `INSERT INTO campaign_exclusions (campaign_seq, address_hash, subscriber_seq, reason)
     VALUES (:campaign_seq, :address_hash, :subscriber_seq, :reason)`,
  );
  const count = db.prepare<[number, string, number]>(
    `INSERT INTO campaign_counters (campaign_seq, name, count) VALUES (?, ?, ?)
     ON CONFLICT (campaign_seq, name) DO UPDATE SET count = count + excluded.count`,
  );
  const counters = db.prepare<[number], { name: string; count: number }>(
    'SELECT name, count FROM campaign_counters WHERE campaign_seq = ?',
  );
  return {
    /** Those of the file `from` go on in the file `to`, which alone is worked on from then on. */
    follow: (from: string, to: string): void => {
      follow.run(to, from);
    },
    /** The number of the row. */
    insert: (row: Omit<CampaignRow, 'seq'>): number => Number(insert.run(row).lastInsertRowid),
    update: (row: CampaignRow): void => {
      update.run(row);
    },
    bySeq: (seq: number): CampaignRow | undefined => bySeq.get(seq),
    byId: (id: string): CampaignRow | undefined => byId.get(id),
    /** Those before number `before` (null: from the newest), newest first; null: in any status. */
    newestFirst: (before: number | null, status: CampaignStatus | null, limit: number): CampaignHead[] =>
      newestFirst.all({ before, status, limit }),
    /** Those after number `after` that were created, begun or ended at `at` or later, oldest first. */
    activeSince: (after: number, at: number, limit: number): CampaignHead[] =>
      activeSince.all(after, at, limit),
    /** The name of one that took that segment and is not sent as a whole. */
    waitingFor: (segmentId: string): string | undefined => waitingFor.get(segmentId),
    /** The content goes with it. */
    remove: (seq: number): void => {
      remove.run(seq);
    },
    /** The JSON of its content: see `schema.ts`. */
    content: (seq: number): string => content.get(seq) ?? '{}',
    putContent: (seq: number, json: string): void => {
      putContent.run(seq, json);
    },
    /** Numbers of those that are to be looked at, the most urgent first. */
    due: (now: number): number[] => due.all(now).map(({ seq }) => seq),
    nextDue: (now: number): number | null => nextDue.get(now) ?? null,
    isAnyDue: (): boolean => isAnyDue.get() !== undefined,
    /** Once for each person. */
    exclude: (row: ExclusionRow): void => {
      exclude.run(row);
    },
    /** Adds to a counter: `handed_over`, `excluded:<reason>`, or what became of the mails (`sent`, `delivered`, …). */
    count: (seq: number, name: string, by: number): void => {
      count.run(seq, name, by);
    },
    /** A counter that is 0 is missing. */
    counters: (seq: number): ReadonlyMap<string, number> =>
      new Map(counters.all(seq).map(({ name, count }) => [name, count])),
  };
});
