// Once faults have ended and time has passed, nothing waits any more but what has a reason to.
import { inFile, type Memory, present, type TenantMemory } from './memory.ts';
import { rows, value } from './sql.ts';
import { broken, type Truth } from './truth.ts';

const HOUR_MS = 3_600_000;

interface Queued {
  readonly id: number;
  readonly address: string;
  readonly status: string;
  readonly claimed: number;
  readonly due_at: number;
  readonly attempts: number;
}

const QUEUED = `SELECT r.id, r.address, r.status, q.claimed, q.due_at, q.attempts FROM queue q
  JOIN recipients r ON r.id = q.recipient_id WHERE q.claimed < 2`;
/** A delay that a report tells of is of a mail that has left. */
const LEFT_OVER = `SELECT r.id, r.address, r.status FROM recipients r
  WHERE NOT EXISTS (SELECT 1 FROM queue WHERE recipient_id = r.id) AND (r.status IN ('pending', 'queued')
    OR r.status = 'delivery_delayed' AND NOT EXISTS (SELECT 1 FROM events WHERE message_seq = r.message_seq AND recipient_id = r.id
      AND type = 'message.delivery_delayed' AND data_json ->> '$.attempt' IS NULL))`;

const checkQueue = (tenant: TenantMemory, now: number): void => {
  const { pausedAt } = tenant.standing;
  for (const { id, address, status, claimed, due_at, attempts } of inFile(tenant, (db) =>
    rows<Queued>(db, QUEUED),
  )) {
    const who = `${tenant.name}: recipient ${id} (${address}), ${status}, after ${attempts} attempts,`;
    if (claimed === 1) broken(`${who} is still being tried, since at most ${new Date(due_at).toISOString()}`);
    if (pausedAt === null && due_at < now - HOUR_MS)
      broken(`${who} was due at ${new Date(due_at).toISOString()}, and still waits`);
  }
  for (const { id, address, status } of inFile(tenant, (db) =>
    rows<Pick<Queued, 'id' | 'address' | 'status'>>(db, LEFT_OVER),
  ))
    broken(`${tenant.name}: recipient ${id} (${address}) is ${status}, and is not in the queue`);
};

/** What each follower and task has before it, and the time by which it had to be done. */
const WORK: Readonly<Record<string, string>> = {
  'forwards that are due': 'SELECT count(*) FROM inbound_forwards WHERE next_attempt_at < ?',
  'webhook deliveries that are due': `SELECT count(*) FROM webhook_deliveries d JOIN webhooks w ON w.number = d.webhook
    WHERE d.status = 'pending' AND d.next_attempt_at < ?`,
  'deliveries that wait behind none': `SELECT count(*) FROM webhook_deliveries d WHERE d.status = 'pending' AND d.created_at < ?
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries h WHERE h.webhook = d.webhook AND h.order_key = d.order_key
      AND h.status = 'pending' AND h.next_attempt_at IS NOT NULL)`,
  'imports that are due': 'SELECT count(*) FROM imports WHERE due_at < ?',
  'campaigns that are due': 'SELECT count(*) FROM campaigns WHERE due_at < ?',
  'alerts that are due': "SELECT count(*) FROM alerts WHERE status = 'active' AND due_at < ?",
};

const AUDIENCE_BEHIND = `SELECT count(*) FROM events WHERE seq > coalesce((SELECT seq FROM event_cursors WHERE follower = 'audience'), 0)
  AND type IN ('message.sent', 'message.delivered', 'message.opened', 'message.clicked', 'message.unsubscribed',
    'message.soft_bounced', 'message.hard_bounced', 'message.spam_complaint', 'message.failed', 'message.suppressed')
  AND EXISTS (SELECT 1 FROM lists)`;

export const waitingEnds: Truth = {
  name: 'what waited has come to its end',
  check: (scene, _book, memory: Memory) => {
    const now = scene.now();
    for (const tenant of present(memory)) {
      checkQueue(tenant, now);
      inFile(tenant, (db) => {
        for (const [what, sql] of Object.entries(WORK)) {
          const count = value<number>(db, sql, now - HOUR_MS) ?? 0;
          if (count > 0) broken(`${tenant.name}: there are ${count} ${what} for more than an hour`);
        }
        const behind = value<number>(db, AUDIENCE_BEHIND) ?? 0;
        if (behind > 0)
          broken(`${tenant.name}: lists and campaigns have ${behind} events of the log before them`);
      });
    }
  },
};
