// Counters are what the rows and the log say when they are counted again.
import { isCounted, monthOf, utcDay } from '#src/accounts/counters/rules.ts';
import { type CountedOutcome, countedOutcomes } from '#src/accounts/counters/store.ts';
import type { EventType } from '#src/events/catalogue.ts';
import { inFile, type Memory, present, type TenantMemory } from './memory.ts';
import { rows } from './sql.ts';
import { broken, type Truth } from './truth.ts';

const SIMULATOR = '@simulator.';

interface Outcome {
  readonly recipient_id: number;
  readonly type: EventType;
  readonly at: number;
  readonly own: 0 | 1;
  readonly address: string;
  readonly route_id: string;
  readonly project_id: string;
  readonly source: string;
}

/** What was said by machines, or by reporters without a proof, counts nowhere. */
const OUTCOMES = `SELECT e.recipient_id, e.type, e.at, e.data_json ->> '$.attempt' IS NOT NULL AS own, r.address, m.route_id,
    m.project_id, m.source
  FROM events e JOIN recipients r ON r.id = e.recipient_id JOIN messages m ON m.seq = e.message_seq
  WHERE e.inbound_seq IS NULL AND coalesce(e.data_json ->> '$.bot', 0) = 0 AND coalesce(e.data_json ->> '$.counted', 1) = 1
  ORDER BY e.seq`;

const outcomesOf: Readonly<Partial<Record<EventType, readonly CountedOutcome[]>>> = {
  'message.sent': ['sent'],
  'message.delivered': ['delivered'],
  'message.hard_bounced': ['hard_bounced'],
  'message.soft_bounced': ['soft_bounced'],
  'message.spam_complaint': ['complaints'],
  'message.opened': ['opens'],
  'message.clicked': ['opens', 'clicks'],
};
/** These follow from more than the log: who had left before counts no second time. */
const NOT_RECOUNTED: ReadonlySet<string> = new Set(['unsubscribes']);

interface Accepted {
  readonly seq: number;
  readonly created_at: number;
  readonly route_id: string;
  readonly project_id: string;
  readonly channel: string;
  readonly source: string;
  readonly message_kind: string;
  readonly status: string;
  readonly address: string;
  /** Suppressed in the millisecond of its acceptance. */
  readonly suppressed: 0 | 1;
  readonly cancelled: 0 | 1;
  readonly blocked: 0 | 1;
}

const ACCEPTED = `SELECT m.seq, m.created_at, m.route_id, m.project_id, m.channel, m.source, m.message_kind, r.status, r.address,
    EXISTS (SELECT 1 FROM events WHERE message_seq = m.seq AND recipient_id = r.id AND type = 'message.suppressed'
      AND at = m.created_at) AS suppressed,
    EXISTS (SELECT 1 FROM events WHERE message_seq = m.seq AND recipient_id = r.id AND type = 'message.failed'
      AND data_json ->> '$.diagnostic' IN ('cancelled before it was due', 'the campaign was cancelled')) AS cancelled,
    EXISTS (SELECT 1 FROM events WHERE message_seq = m.seq AND type = 'message.content_blocked') AS blocked
  FROM messages m JOIN recipients r ON r.message_seq = m.seq`;

type Sums = Map<string, number>;
const add = (sums: Sums, key: string, count = 1): void => {
  sums.set(key, (sums.get(key) ?? 0) + count);
};

/** What the counters should have, by day, route, project and name. */
const recount = (
  tenant: TenantMemory,
): { outcomes: Sums; channels: Sums; months: Sums; isExact: boolean } => {
  const outcomes: Sums = new Map();
  const channels: Sums = new Map();
  const months: Sums = new Map();
  let isExact = true;
  const known = new Map<number, Set<CountedOutcome>>();
  for (const one of inFile(tenant, (db) => rows<Outcome>(db, OUTCOMES))) {
    const names = outcomesOf[one.type];
    if (names === undefined || !isCounted(one.source) || one.address.includes(SIMULATOR)) continue;
    const isRefusal =
      one.own === 1 && (one.type === 'message.hard_bounced' || one.type === 'message.soft_bounced');
    const before = known.get(one.recipient_id) ?? new Set();
    known.set(one.recipient_id, before);
    for (const name of isRefusal ? (['refused', ...names] as const) : names) {
      if (before.has(name)) continue;
      before.add(name);
      add(outcomes, `${utcDay(one.at)} ${one.route_id} ${one.project_id} ${name}`);
    }
  }
  for (const one of inFile(tenant, (db) => rows<Accepted>(db, ACCEPTED))) {
    if (one.address.startsWith('#')) isExact = false;
    if (one.blocked || one.suppressed || one.cancelled || one.address.includes(SIMULATOR)) continue;
    add(months, monthOf(one.created_at).name);
    if (!isCounted(one.source)) continue;
    const day = utcDay(one.created_at);
    add(outcomes, `${day} ${one.route_id} ${one.project_id} accepted`);
    add(channels, `${day} ${one.project_id} ${one.channel}`);
  }
  return { outcomes, channels, months, isExact };
};

const compare = (tenant: TenantMemory, what: string, counted: Sums, found: Sums): void => {
  for (const key of new Set([...counted.keys(), ...found.keys()])) {
    const [expected, there] = [counted.get(key) ?? 0, found.get(key) ?? 0];
    if (expected !== there)
      broken(`${tenant.name}: ${what} of ${key} is ${there}, and counted again it is ${expected}`);
  }
};

const countersIn = (tenant: TenantMemory): Sums => {
  const sums: Sums = new Map();
  const found = inFile(tenant, (db) => rows<Record<string, string | number>>(db, 'SELECT * FROM counters'));
  for (const row of found)
    for (const name of ['accepted', ...countedOutcomes])
      if (!NOT_RECOUNTED.has(name) && row[name] !== 0)
        add(sums, `${row.day} ${row.route_id} ${row.project_id} ${name}`, Number(row[name]));
  return sums;
};

const without = (sums: Sums, end: string): Sums => new Map([...sums].filter(([key]) => !key.endsWith(end)));

const checkTenant = (tenant: TenantMemory): void => {
  const { outcomes, channels, months, isExact } = recount(tenant);
  const counters = countersIn(tenant);
  compare(tenant, 'the counter', without(outcomes, ' accepted'), without(counters, ' accepted'));
  // What was cancelled is not told any more where the person was erased.
  if (!isExact) return;
  compare(tenant, 'the counter', outcomes, counters);
  const sumsOf = (sql: string): Sums =>
    new Map(
      inFile(tenant, (db) => rows<{ key: string; count: number }>(db, sql)).map(({ key, count }) => [
        key,
        count,
      ]),
    );
  compare(
    tenant,
    'the counter of the channel',
    channels,
    sumsOf(
      "SELECT day || ' ' || project_id || ' ' || channel AS key, accepted AS count FROM channel_counters WHERE accepted <> 0",
    ),
  );
  compare(
    tenant,
    'the usage',
    months,
    sumsOf('SELECT month AS key, accepted AS count FROM monthly_usage WHERE accepted <> 0'),
  );
};

export const countersAgree: Truth = {
  name: 'counters are what is counted again',
  check: (_scene, _book, memory: Memory) => {
    for (const tenant of present(memory)) checkTenant(tenant);
  },
};
