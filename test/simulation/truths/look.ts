// Looks at the files of all tenants, and reads of each that has changed what is new. A commit makes a connection forget its pages, so that
// each table that is read costs: what the numbers of the tables say is not asked again.
import type Database from 'better-sqlite3';
import { GAP } from '#src/kernel/db/leave-gap.ts';
import type { Status } from '#src/messages/rules.ts';
import type { Scene } from '../scene.ts';
import { type Host, hostsOf, lookAtHost } from './homes.ts';
import type { Claim, LoggedEvent, Memory, News, Standing, TenantMemory } from './memory.ts';
import { rows, value } from './sql.ts';

const NOTHING: Standing = {
  claims: new Map(),
  held: new Set(),
  pausedAt: null,
  campaigns: new Map(),
  lastSuppression: 0,
  dueAt: null,
};

export const createMemory = (scene: Pick<Scene, 'service' | 'other'>): Memory => ({
  hosts: hostsOf(scene),
  tenants: new Map(),
  ...{ news: [], mails: [], copies: new Map(), looked: { mails: 0, deliveries: 0 } },
});

/** The last number that each table has given. */
type Numbers = ReadonlyMap<string, number>;

const numbersIn = (db: Database.Database): Numbers =>
  new Map(
    rows<{ name: string; seq: number }>(db, 'SELECT name, seq FROM sqlite_sequence').map(({ name, seq }) => [
      name,
      seq,
    ]),
  );

const gapsOf = (numbers: Numbers): number => Math.floor((numbers.get('recipients') ?? 0) / GAP);

interface Queued {
  readonly recipient_id: number;
  readonly claimed: 0 | 1 | 2;
  readonly attempts: number;
  readonly due_at: number;
}

const QUEUE = 'SELECT recipient_id, claimed, attempts, due_at FROM queue';
const CAMPAIGNS = 'SELECT seq, status, updated_at FROM campaigns';

const standingOf = (
  db: Database.Database,
  numbers: Numbers,
  former: Standing | null,
  notBefore: number,
): Standing => {
  const claims = new Map<number, Claim>();
  const held = new Set<number>();
  let dueAt: number | null = null;
  for (const { recipient_id: recipientId, claimed, attempts, due_at } of rows<Queued>(db, QUEUE)) {
    if (claimed === 2) held.add(recipientId);
    else dueAt = dueAt === null ? due_at : Math.min(dueAt, due_at);
    if (claimed !== 1) continue;
    const known = former?.claims.get(recipientId);
    const claim = { recipientId, attempts, dueAt: due_at, before: former, notBefore };
    claims.set(recipientId, known?.attempts === attempts ? known : claim);
  }
  const campaigns = numbers.has('campaigns')
    ? rows<{ seq: number; status: string; updated_at: number }>(db, CAMPAIGNS)
    : [];
  return {
    ...{ claims, held, dueAt },
    pausedAt: value<number | null>(db, 'SELECT paused_at FROM practice') ?? null,
    campaigns: new Map(campaigns.map((campaign) => [campaign.seq, campaign])),
    lastSuppression: numbers.get('suppressions') ?? 0,
  };
};

const EVENTS =
  'SELECT seq, id, message_seq, recipient_id, inbound_seq, type, at FROM events WHERE seq > ? ORDER BY seq';

/** What is there, without any of it being news. */
const begin = (tenant: TenantMemory, db: Database.Database, numbers: Numbers): void => {
  tenant.statuses.clear();
  tenant.events.clear();
  for (const { id, status } of rows<{ id: number; status: Status }>(db, 'SELECT id, status FROM recipients'))
    tenant.statuses.set(id, status);
  for (const event of rows<LoggedEvent>(db, EVENTS, 0)) tenant.events.set(event.id, event);
  tenant.lastEvent = numbers.get('events') ?? 0;
  tenant.lastMessage = value<number | null>(db, 'SELECT max(seq) FROM messages') ?? 0;
  tenant.lastRecipient = numbers.get('recipients') ?? 0;
};

/** Another connection is to another file: one that was restored, or has come back. */
const readBy = new WeakMap<TenantMemory, Database.Database>();

const readNews = (tenant: TenantMemory, db: Database.Database, now: number): News => {
  const generation = tenant.service.generation();
  const numbers = numbersIn(db);
  const { standing: former, lookedAt: since, lastEvent } = tenant;
  const isOther = generation !== tenant.generation || readBy.get(tenant) !== db;
  readBy.set(tenant, db);
  const isNew = isOther || gapsOf(numbers) > tenant.gaps;
  if (isOther) tenant.epoch += 1;
  tenant.generation = generation;
  tenant.lookedAt = now;
  tenant.standing = standingOf(db, numbers, isNew ? null : former, since);
  const logEnd = numbers.get('events') ?? 0;
  if (isNew) {
    if (gapsOf(numbers) > tenant.gaps) tenant.restoredAt = now;
    tenant.gaps = gapsOf(numbers);
    begin(tenant, db, numbers);
    const nothing = { events: [], messages: [], recipients: [] };
    return { tenant, before: tenant.standing, former, since, isNew, lastEvent: logEnd, logEnd, ...nothing };
  }
  const hasEvents = logEnd > lastEvent;
  const hasMessages = (numbers.get('recipients') ?? 0) > tenant.lastRecipient;
  const news: News = {
    ...{ tenant, before: former, former, since, isNew, lastEvent, logEnd },
    events: hasEvents ? rows<LoggedEvent>(db, EVENTS, lastEvent) : [],
    messages: hasMessages
      ? rows(db, 'SELECT seq, campaign_seq, created_at FROM messages WHERE seq > ?', tenant.lastMessage)
      : [],
    recipients: hasMessages
      ? rows(db, 'SELECT id, status FROM recipients WHERE id > ?', tenant.lastRecipient)
      : [],
  };
  tenant.lastEvent = logEnd;
  tenant.lastMessage = news.messages.at(-1)?.seq ?? tenant.lastMessage;
  tenant.lastRecipient = numbers.get('recipients') ?? 0;
  for (const event of news.events) tenant.events.set(event.id, event);
  return news;
};

const lookForNews = (tenant: TenantMemory, db: Database.Database, now: number): News | null => {
  const version = value<number>(db, 'PRAGMA data_version') ?? 0;
  const isSame = tenant.service.generation() === tenant.generation && readBy.get(tenant) === db;
  if (version === tenant.version && isSame) {
    tenant.lookedAt = now;
    return null;
  }
  tenant.version = version;
  return readNews(tenant, db, now);
};

const remembered = (memory: Memory, scene: Scene, host: Host, id: string, slug: string): TenantMemory => {
  const known = memory.tenants.get(id);
  if (known !== undefined) {
    if (known.service !== host.service) {
      known.service = host.service;
      known.generation = -1;
    }
    return known;
  }
  const tenant: TenantMemory = {
    ...{
      id,
      name: slug,
      practice: scene.practices.find((one) => one.id === id) ?? null,
      service: host.service,
    },
    ...{ generation: -1, version: -1, lookedAt: 0, standing: NOTHING },
    ...{ lastEvent: 0, lastMessage: 0, lastRecipient: 0, gaps: 0, restoredAt: 0 },
    ...{ epoch: 0, formerEpoch: 0 },
    statuses: new Map(),
    events: new Map(),
    published: new Map(),
  };
  memory.tenants.set(id, tenant);
  return tenant;
};

/** Looks at all hosts that run, and at each file that has changed. */
export const lookAround = (scene: Scene, memory: Memory): void => {
  const news: News[] = [];
  const now = scene.now();
  for (const tenant of memory.tenants.values()) tenant.formerEpoch = tenant.epoch;
  for (const host of memory.hosts) {
    if (!lookAtHost(host)) continue;
    for (const { id, slug, state } of host.tenants.values()) {
      if (state !== 'active') continue;
      const tenant = remembered(memory, scene, host, id, slug);
      const found = host.service.look(id, (db) => lookForNews(tenant, db, now));
      if (found !== null) news.push(found);
    }
  }
  memory.news = news;
};
