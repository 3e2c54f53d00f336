// Due rows in the tenant's file. A claim records the attempt and the time of the next one before the network is
// touched: a crash then repeats nothing at once, and never loads a receiver with attempts.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { type Lane, lanes } from '#src/kernel/stream.ts';
import { type RetryPolicy, retryWait } from './rules.ts';

export interface QueueRow {
  recipient_id: number;
  message_seq: number;
  lane: Lane;
  attempts: number;
  size_bytes: number;
  /** The start of `giveUpAfter`: the time of its acceptance; from its first attempt on, the time of that. */
  queued_at: number;
  /** When it is tried again, unless an outcome sets another time. */
  due_at: number;
}

/** What waits in a lane. A mail that is held until a time that was asked for waits from that time on. */
export interface WaitingRow {
  lane: Lane;
  /** Recipients, those of the following kinds among them. */
  waiting: number;
  in_flight: number;
  held: number;
  /** Since a restore, until a person sends or discards them. */
  restored: number;
  /** Was tried, and will be tried again. */
  retrying: number;
  /** Acceptance of the oldest, or the time until which it was held; null where all are held. */
  since: number | null;
  /** Null where all are in flight. */
  next_due_at: number | null;
}

/** A reading takes some milliseconds then. */
export const WAITING_COUNTED = 10_000;

export interface CampaignQueueRow
  extends Pick<QueueRow, 'recipient_id' | 'message_seq' | 'attempts' | 'due_at'> {}

export const queueStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<[number, number, Lane, number, number, number]>(
    `INSERT INTO queue (recipient_id, message_seq, lane, due_at, attempts, size_bytes, queued_at)
     VALUES (?, ?, ?, ?, 0, ?, ?)`,
  );
  const due = db.prepare<[Lane, number, number], QueueRow>(
    `SELECT recipient_id, message_seq, lane, attempts, size_bytes, queued_at, due_at FROM queue
     WHERE claimed = 0 AND lane = ? AND due_at <= ? ORDER BY due_at LIMIT ?`,
  );
  const claim = db.prepare<[number, number, number, number]>(
    'UPDATE queue SET claimed = 1, attempts = ?, due_at = ?, queued_at = ? WHERE recipient_id = ?',
  );
  const release = db.prepare<[number, number, number]>(
    'UPDATE queue SET claimed = 0, attempts = ?, due_at = ? WHERE recipient_id = ?',
  );
  const giveBack = db.prepare<[number, number, number, number]>(
    'UPDATE queue SET claimed = 0, attempts = ?, due_at = ? WHERE recipient_id = ? AND claimed = 1 AND attempts = ?',
  );
  const finish = db.prepare<[number, number]>(
    'DELETE FROM queue WHERE recipient_id = ? AND claimed = 1 AND attempts = ?',
  );
  const releaseAll = db.prepare('UPDATE queue SET claimed = 0 WHERE claimed = 1');
  const remove = db.prepare<[number]>('DELETE FROM queue WHERE recipient_id = ?');
  const next = db.prepare<[], Record<Lane, number | null>>(
    `SELECT ${lanes.map((lane) => `(SELECT min(due_at) FROM queue WHERE claimed = 0 AND lane = ${lane}) AS "${lane}"`).join(', ')}`,
  );
  const earliest = db.prepare<[], number | null>('SELECT min(due_at) FROM queue WHERE claimed < 2').pluck();
  const row = db.prepare<[number], { claimed: 0 | 1 | 2; attempts: number; due_at: number }>(
    'SELECT claimed, attempts, due_at FROM queue WHERE recipient_id = ?',
  );
  const ofMessage = db.prepare<[number], QueueRow & { claimed: 0 | 1 | 2 }>(
    `SELECT recipient_id, message_seq, lane, attempts, size_bytes, queued_at, due_at, claimed FROM queue
     WHERE recipient_id IN (SELECT id FROM recipients WHERE message_seq = ?) ORDER BY recipient_id`,
  );
  // No row but those of its last mails is read, however many it has. A row has as many attempts as claims that began.
  const firstAttempts = db
    .prepare<[number, number], number>(
      `SELECT count(*) FROM (SELECT seq FROM messages WHERE campaign_seq = ? ORDER BY seq DESC LIMIT ?) AS mail
       JOIN recipients ON recipients.message_seq = mail.seq JOIN queue ON queue.recipient_id = recipients.id
       WHERE queue.attempts <= queue.claimed AND queue.claimed < 2`,
    )
    .pluck();
  // Reads the whole queue in the worst case, so only where the counters of a campaign say that much of it waits, or it is cancelled.
  const ofCampaign =
    'FROM queue CROSS JOIN messages INDEXED BY messages_campaign ON messages.seq = queue.message_seq WHERE campaign_seq = ?';
  const deferred = db
    .prepare<[number, number], number>(
      `SELECT count(*) FROM (SELECT 1 ${ofCampaign} AND attempts > claimed AND claimed < 2 LIMIT ?)`,
    )
    .pluck();
  const unclaimedOf = db.prepare<[number, number], CampaignQueueRow>(
    `SELECT recipient_id, queue.message_seq, attempts, due_at ${ofCampaign} AND claimed <> 1 LIMIT ?`,
  );
  const isAnyOf = db.prepare<[number], number>(`SELECT 1 ${ofCampaign} LIMIT 1`);
  const ofCampaigns = db.prepare<
    [string],
    Pick<QueueRow, 'recipient_id' | 'message_seq'> & { campaign_seq: number }
  >(
    `SELECT queue.recipient_id, queue.message_seq, messages.campaign_seq
     FROM messages INDEXED BY messages_campaign_waiting
       CROSS JOIN recipients ON recipients.message_seq = messages.seq
       CROSS JOIN queue ON queue.recipient_id = recipients.id
     WHERE messages.campaign_seq IS NOT NULL AND messages.status IN ('queued', 'delivery_delayed')
       AND lower(recipients.address) = lower(?) AND queue.claimed <> 1`,
  );
  const held = 'coalesce(scheduled_at, 0) > :now AND claimed < 2';
  const waiting = db.prepare<{ now: number; projectIds: string | null }, WaitingRow>(
    `SELECT lane, count(*) AS waiting, sum(claimed = 1) AS in_flight, sum(${held}) AS held,
       sum(claimed = 2) AS restored, sum(attempts > claimed AND claimed < 2) AS retrying,
       min(CASE WHEN ${held} OR claimed = 2 THEN NULL ELSE max(created_at, coalesce(scheduled_at, 0)) END) AS since,
       min(CASE WHEN claimed = 0 THEN due_at END) AS next_due_at
     FROM (SELECT * FROM queue ORDER BY recipient_id LIMIT ${WAITING_COUNTED}) CROSS JOIN messages ON seq = message_seq
     WHERE :projectIds IS NULL OR project_id IN (SELECT value FROM json_each(:projectIds))
     GROUP BY lane ORDER BY lane`,
  );
  const hold = db.prepare<[number]>(
    'UPDATE queue SET claimed = CASE WHEN claimed > 0 OR due_at <= ? THEN 2 ELSE 0 END',
  );
  const count = db.prepare<[], number>('SELECT count(*) FROM queue').pluck();
  const heldCount = db.prepare<[], number>('SELECT count(*) FROM queue WHERE claimed = 2').pluck();
  const heldRows = db.prepare<[number], { recipient_id: number; message_seq: number }>(
    'SELECT recipient_id, message_seq FROM queue WHERE claimed = 2 LIMIT ?',
  );
  const letGo = db.prepare<[number, number, number]>(
    `UPDATE queue SET claimed = 0, due_at = max(due_at, ?), queued_at = ?
     WHERE recipient_id IN (SELECT recipient_id FROM queue WHERE claimed = 2 LIMIT ?)`,
  );
  const bringForward = db.prepare<[number, number, number]>(
    `UPDATE queue SET due_at = ?
     WHERE recipient_id IN (SELECT id FROM recipients WHERE message_seq = ?) AND claimed = 0 AND due_at = ?`,
  );
  const nextAttempts = db.prepare<[number], { recipient_id: number; due_at: number; claimed: 0 | 1 | 2 }>(
    'SELECT recipient_id, due_at, claimed FROM queue WHERE recipient_id IN (SELECT id FROM recipients WHERE message_seq = ?)',
  );

  return {
    enqueue: (entry: {
      recipientId: number;
      messageSeq: number;
      lane: Lane;
      dueAt: number;
      size: number;
      now: number;
    }) => {
      insert.run(entry.recipientId, entry.messageSeq, entry.lane, entry.dueAt, entry.size, entry.now);
    },
    /**
     * Takes at most `limit` due rows of a lane, and no more than `byteBudget` bytes of messages unless the first
     * alone is larger. The rows returned count the attempt that begins now.
     */
    claim: (lane: Lane, limit: number, byteBudget: number, now: number, policy: RetryPolicy): QueueRow[] => {
      let bytes = 0;
      const rows = due.all(lane, now, limit);
      const fitting = rows.findIndex((row, index) => {
        bytes += row.size_bytes;
        return index > 0 && bytes > byteBudget;
      });
      const claimed = fitting === -1 ? rows : rows.slice(0, fitting);
      for (const row of claimed) {
        row.attempts += 1;
        row.due_at = now + retryWait(policy, row.attempts, Math.random());
        // An outage or a pause before the first attempt does not count.
        if (row.attempts === 1) row.queued_at = now;
        claim.run(row.attempts, row.due_at, row.queued_at, row.recipient_id);
      }
      return claimed;
    },
    /** Back into the queue. */
    release: (recipientId: number, attempts: number, dueAt: number): void => {
      release.run(attempts, dueAt, recipientId);
    },
    /** Ends the attempt that `row` counts, the last one. False where it was not stored, or its end was stored before. */
    finish: ({ recipient_id, attempts }: QueueRow): boolean => finish.run(recipient_id, attempts).changes > 0,
    /** The same, and the recipient is due again. */
    giveBack: (row: QueueRow, attempts: number, dueAt: number): boolean =>
      giveBack.run(attempts, dueAt, row.recipient_id, row.attempts).changes > 0,
    /** Puts back what an earlier process had claimed, due at the times that its claims wrote. */
    releaseAll: (): void => {
      releaseAll.run();
    },
    remove: (recipientId: number): void => {
      remove.run(recipientId);
    },
    /** The rows of recipients that are still queued, in the order of the recipients. */
    ofMessage: (messageSeq: number) => ofMessage.all(messageSeq),
    row: (recipientId: number) => row.get(recipientId),
    /** How many of the last `within` mails of a campaign were never tried to the end. */
    firstAttempts: (campaignSeq: number, within: number): number =>
      firstAttempts.get(campaignSeq, within) ?? 0,
    /** How many mails of a campaign were tried and are to be tried again; counts up to `atMost`. */
    deferred: (campaignSeq: number, atMost: number): number => deferred.get(campaignSeq, atMost) ?? 0,
    /** The first rows of a campaign that no attempt holds. */
    unclaimedOf: (campaignSeq: number, limit: number): CampaignQueueRow[] =>
      unclaimedOf.all(campaignSeq, limit),
    isAnyOf: (campaignSeq: number): boolean => isAnyOf.get(campaignSeq) !== undefined,
    /** Mail of campaigns to that address, in whatever case, that waits for an attempt. */
    ofCampaigns: (address: string) => ofCampaigns.all(address),
    /** What waits, counted by lane, of the projects of these ids (null: of all), among the `WAITING_COUNTED` accepted first. */
    waiting: (projects: ReadonlySet<string> | null, now: number): WaitingRow[] =>
      waiting.all({ now, projectIds: projects && JSON.stringify([...projects]) }),
    /** Next due time by lane; null where the lane is empty. */
    nextDue: (): Readonly<Record<Lane, number | null>> => next.get() ?? { 0: null, 1: null },
    /** The earliest of all rows, those that are being tried too; null where there is none. */
    earliest: (): number | null => earliest.get() ?? null,
    /** Called after a restore: what was due, or being tried, waits for a person. Returns how much. */
    hold: (now: number): number => {
      hold.run(now);
      return heldCount.get() ?? 0;
    },
    heldCount: (): number => heldCount.get() ?? 0,
    /** All that is still to be sent, held or not. */
    count: (): number => count.get() ?? 0,
    heldRows: (limit: number) => heldRows.all(limit),
    /** Some of what is held is due now, or at its time where that is later; patience with it begins again. Returns how much. */
    letGo: (now: number, limit: number): number => letGo.run(now, now, limit).changes,
    /** What of the message is due at that very time is due at another one. */
    bringForward: (messageSeq: number, from: number, to: number): void => {
      bringForward.run(to, messageSeq, from);
    },
    /** Next attempts of a message's recipients that are still queued; null: it is held since a restore. */
    nextAttempts: (messageSeq: number): Map<number, number | null> =>
      new Map(
        nextAttempts
          .all(messageSeq)
          .map(({ recipient_id, due_at, claimed }) => [recipient_id, claimed === 2 ? null : due_at]),
      ),
  };
});
