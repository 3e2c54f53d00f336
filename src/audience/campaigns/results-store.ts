// What became of a campaign: its recipients, those left out, and the links that were followed.
import type { EventType } from '#src/events/catalogue.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Status } from '#src/messages/rules.ts';

export interface RecipientResult {
  /** The order of the messages is that of this number. */
  seq: number;
  address: string;
  message_id: string;
  status: Status;
  smtp_code: number | null;
  enhanced_code: string | null;
  diagnostic: string | null;
  updated_at: number;
}

export interface LeftOutResult {
  /** The order of the subscribers is that of this number. */
  seq: number;
  reason: string;
  /** Null where the subscriber is gone. */
  address: string | null;
  subscriber_id: string | null;
}

export interface FollowedLink {
  url: string;
  clicks: number;
  recipients: number;
}

/** The place at which the next page continues; null at the end. */
export interface ResultPage<T> {
  readonly rows: readonly T[];
  readonly next: number | null;
}

/** The events of a message are read by its key: some 10 µs for each. */
const MESSAGES_PER_CALL = 1_000;

/** A URL is up to some thousand characters. */
const MAX_LINKS = 500;

const pageOf = <T extends { readonly seq: number }>(
  rows: T[],
  limit: number,
  otherwise: number | null,
): ResultPage<T> => {
  const last = rows[limit - 1];
  return rows.length > limit && last
    ? { rows: rows.slice(0, limit), next: last.seq }
    : { rows, next: otherwise };
};

export const campaignResultsStore = perConnection((db: TenantDb) => {
  const lastOf = db
    .prepare<[number, number, number], number | null>(
      `SELECT max(seq) FROM
         (SELECT seq FROM messages WHERE campaign_seq = ? AND seq > ? ORDER BY seq LIMIT ?)`,
    )
    .pluck();
  const hasMore = db
    .prepare<[number, number], number>('SELECT 1 FROM messages WHERE campaign_seq = ? AND seq > ? LIMIT 1')
    .pluck();
  const recipients = db.prepare<
    { campaign: number; after: number; to: number; types: string | null; limit: number },
    RecipientResult
  >(
    `SELECT messages.seq, recipients.address, messages.id AS message_id, recipients.status, recipients.smtp_code,
       recipients.enhanced_code, recipients.diagnostic, recipients.updated_at
     FROM messages JOIN recipients ON recipients.message_seq = messages.seq
     WHERE messages.campaign_seq = :campaign AND messages.seq > :after AND messages.seq <= :to
       AND (:types IS NULL OR EXISTS (SELECT 1 FROM events WHERE events.message_seq = messages.seq
         AND events.type IN (SELECT value FROM json_each(:types)) AND coalesce(events.data_json ->> '$.bot', 0) = 0))
     ORDER BY messages.seq LIMIT :limit`,
  );
  const leftOut = db.prepare<[number, number, number], LeftOutResult>(
    `SELECT subscriber_seq AS seq, reason, subscribers.address, subscribers.id AS subscriber_id
     FROM campaign_exclusions LEFT JOIN subscribers ON subscribers.seq = subscriber_seq
     WHERE campaign_seq = ? AND subscriber_seq > ? ORDER BY subscriber_seq LIMIT ?`,
  );
  const links = db.prepare<[number, number], FollowedLink>(
    `SELECT url, clicks, recipients FROM campaign_links WHERE campaign_seq = ?
     ORDER BY recipients DESC, clicks DESC, url LIMIT ?`,
  );
  return {
    /**
     * Those of whom the log has an event of one of these types that no machine caused; null: all that were handed over. In the
     * order of their hand-over; fewer than `limit`, even none, although more are left.
     */
    recipients: (
      campaign: number,
      types: readonly EventType[] | null,
      after: number,
      limit: number,
    ): ResultPage<RecipientResult> => {
      const to = lastOf.get(campaign, after, MESSAGES_PER_CALL) ?? after;
      const given = { campaign, after, to, types: types && JSON.stringify(types), limit: limit + 1 };
      return pageOf(recipients.all(given), limit, hasMore.get(campaign, to) === undefined ? null : to);
    },
    leftOut: (campaign: number, after: number, limit: number): ResultPage<LeftOutResult> =>
      pageOf(leftOut.all(campaign, after, limit + 1), limit, null),
    /** Most people first. */
    links: (campaign: number): FollowedLink[] => links.all(campaign, MAX_LINKS),
  };
});
