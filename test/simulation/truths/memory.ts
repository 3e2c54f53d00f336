// What truths remember of each tenant's file between two steps: a truth looks at what is new. Read again only where the file has changed.
// What was visible and not yet synced may be gone after a crash, so that a new process is a new beginning for what is remembered here.
import type Database from 'better-sqlite3';
import type { EventType } from '#src/events/catalogue.ts';
import { GAP } from '#src/kernel/db/leave-gap.ts';
import type { Channel } from '#src/messages/kinds.ts';
import type { Status } from '#src/messages/rules.ts';
import type { HandedOver, Practice, Scene, Service } from '../scene.ts';
import { type Host, hostsOf, lookAtHost } from './homes.ts';
import { row, rows, together, value } from './sql.ts';

/** A copy that is being tried. */
export interface Claim {
  readonly recipientId: number;
  readonly attempts: number;
  readonly dueAt: number;
  /** How things stood at the last look before it; null: it was there at the first. */
  readonly before: Standing | null;
  /** When that look was. */
  readonly notBefore: number;
}

/** What of a file decides whether a mail may leave. */
export interface Standing {
  readonly claims: ReadonlyMap<number, Claim>;
  /** Recipients whose copies wait for a person, since a restore. */
  readonly held: ReadonlySet<number>;
  readonly pausedAt: number | null;
  readonly campaigns: ReadonlyMap<number, { readonly status: string; readonly updated_at: number }>;
  readonly lastSuppression: number;
}

export interface LoggedEvent {
  readonly seq: number;
  readonly id: string;
  readonly message_seq: number;
  readonly recipient_id: number | null;
  readonly inbound_seq: number | null;
  readonly type: EventType;
  readonly at: number;
}

export interface TenantMemory {
  readonly id: string;
  readonly name: string;
  /** Null: it is none of the template's. */
  readonly practice: Practice | null;
  service: Service;
  generation: number;
  version: number;
  /** When it was last looked at. */
  lookedAt: number;
  standing: Standing;
  lastEvent: number;
  lastMessage: number;
  lastRecipient: number;
  readonly statuses: Map<number, Status>;
  readonly events: Map<string, LoggedEvent>;
  /** Numbers of events that a receiver has got: they are durable, and never another's. */
  readonly published: Map<number, string>;
  /** The gaps that restores and imports leave in all numbers. */
  gaps: number;
  /** What was answered from this time on may be gone, until `restoredAt`; both 0 where nothing was restored. */
  restoredTo: number;
  restoredAt: number;
  /** Counts the processes that have worked on it; `formerEpoch`: at the last step. */
  epoch: number;
  formerEpoch: number;
}

/** What has changed in a tenant's file since the last step. */
export interface News {
  readonly tenant: TenantMemory;
  readonly before: Standing;
  /** How things stood at the last look, also where that was in another process or file. */
  readonly former: Standing;
  /** When the look before was. */
  readonly since: number;
  /** A file, or a process, that was not looked at before: what is in it is no change. */
  readonly isNew: boolean;
  /** Where the log ended before. */
  readonly lastEvent: number;
  readonly events: readonly LoggedEvent[];
  readonly messages: readonly {
    readonly seq: number;
    readonly campaign_seq: number | null;
    readonly created_at: number;
  }[];
  readonly recipients: readonly { readonly id: number; readonly status: Status }[];
}

export interface Memory {
  readonly hosts: readonly Host[];
  readonly tenants: Map<string, TenantMemory>;
  /** Of this step. */
  news: readonly News[];
  /** Of this step. */
  mails: readonly Mail[];
  /** All mails that were handed over, by their tenant, recipient and Message-ID. */
  readonly copies: Map<string, Copy>;
  /** So many of the peers' records have been looked at. */
  readonly looked: { mails: number; deliveries: number };
}

/** What left for one recipient of one message. */
export interface Copy {
  readonly tenant: TenantMemory;
  readonly recipientId: number;
  readonly messageId: string;
  readonly sent: { readonly wasAnswered: boolean; readonly fromEpoch: number; readonly toEpoch: number }[];
  /** Its last outcome was found stored after a start: nothing more may leave. */
  isSettled: boolean;
  /** How often a person may have let it go after a restore. */
  releases: number;
}

export interface MailFacts {
  readonly id: number;
  readonly address: string;
  readonly status: Status;
  readonly message_seq: number;
  readonly message_id: string;
  readonly internet_message_id: string;
  readonly project_id: string;
  readonly route_id: string;
  readonly channel: Channel;
  readonly source: string;
  readonly scheduled_at: number | null;
}

/** A mail that the relay took over in this step. */
export interface Mail {
  readonly sent: HandedOver;
  /** Its place among all that were handed over. */
  readonly index: number;
  readonly tenant: TenantMemory;
  readonly recipientId: number;
  /** Null: the tenant's file is not here, or has no such recipient. */
  readonly facts: MailFacts | null;
  readonly isPresent: boolean;
  readonly copy: Copy;
}

const NOTHING: Standing = {
  claims: new Map(),
  held: new Set(),
  pausedAt: null,
  campaigns: new Map(),
  lastSuppression: 0,
};

export const createMemory = (scene: Pick<Scene, 'service' | 'other'>): Memory => ({
  hosts: hostsOf(scene),
  tenants: new Map(),
  ...{ news: [], mails: [], copies: new Map(), looked: { mails: 0, deliveries: 0 } },
});

const standingOf = (db: Database.Database, former: Standing | null, notBefore: number): Standing => {
  const claims = new Map<number, Claim>();
  for (const { recipient_id, attempts, due_at } of rows<{
    recipient_id: number;
    attempts: number;
    due_at: number;
  }>(db, 'SELECT recipient_id, attempts, due_at FROM queue WHERE claimed = 1')) {
    const known = former?.claims.get(recipient_id);
    claims.set(
      recipient_id,
      known?.attempts === attempts
        ? known
        : { recipientId: recipient_id, attempts, dueAt: due_at, before: former, notBefore },
    );
  }
  const held = rows<{ recipient_id: number }>(db, 'SELECT recipient_id FROM queue WHERE claimed = 2');
  const campaigns = rows<{ seq: number; status: string; updated_at: number }>(
    db,
    'SELECT seq, status, updated_at FROM campaigns',
  );
  return {
    claims,
    held: new Set(held.map(({ recipient_id }) => recipient_id)),
    pausedAt: value<number | null>(db, 'SELECT paused_at FROM practice') ?? null,
    campaigns: new Map(campaigns.map((campaign) => [campaign.seq, campaign])),
    lastSuppression: value<number>(db, "SELECT seq FROM sqlite_sequence WHERE name = 'suppressions'") ?? 0,
  };
};

const gapsIn = (db: Database.Database): number =>
  Math.floor((value<number>(db, "SELECT seq FROM sqlite_sequence WHERE name = 'recipients'") ?? 0) / GAP);

/** The file is another one by now: what was accepted since its copy was made is gone. */
const noteRestore = (tenant: TenantMemory, db: Database.Database, now: number): void => {
  const gaps = gapsIn(db);
  if (gaps > tenant.gaps) {
    tenant.restoredTo =
      value<number | null>(
        db,
        'SELECT max(m.created_at) FROM recipients r JOIN messages m ON m.seq = r.message_seq WHERE r.id < ?',
        gaps * GAP,
      ) ?? 0;
    tenant.restoredAt = now;
  }
  tenant.gaps = gaps;
};

const EVENTS =
  'SELECT seq, id, message_seq, recipient_id, inbound_seq, type, at FROM events WHERE seq > ? ORDER BY seq';

/** What is there, without any of it being news. */
const begin = (tenant: TenantMemory, db: Database.Database): void => {
  tenant.statuses.clear();
  tenant.events.clear();
  for (const { id, status } of rows<{ id: number; status: Status }>(db, 'SELECT id, status FROM recipients'))
    tenant.statuses.set(id, status);
  tenant.lastEvent = 0;
  for (const event of rows<LoggedEvent>(db, EVENTS, 0)) {
    tenant.events.set(event.id, event);
    tenant.lastEvent = event.seq;
  }
  tenant.lastMessage = value<number | null>(db, 'SELECT max(seq) FROM messages') ?? 0;
  tenant.lastRecipient = value<number | null>(db, 'SELECT max(id) FROM recipients') ?? 0;
};

const readNews = (tenant: TenantMemory, db: Database.Database, now: number): News => {
  const generation = tenant.service.generation();
  const { standing: former, lookedAt: since, lastEvent } = tenant;
  const isOther = generation !== tenant.generation;
  const isNew = isOther || gapsIn(db) > tenant.gaps;
  if (isOther) tenant.epoch += 1;
  tenant.generation = generation;
  tenant.lookedAt = now;
  tenant.standing = standingOf(db, isNew ? null : former, since);
  if (isNew) {
    noteRestore(tenant, db, now);
    begin(tenant, db);
    const before = tenant.standing;
    const nothing = { events: [], messages: [], recipients: [] };
    return { tenant, before, former, since, isNew, lastEvent: tenant.lastEvent, ...nothing };
  }
  const news: News = {
    ...{ tenant, before: former, former, since, isNew, lastEvent },
    events: rows<LoggedEvent>(db, EVENTS, lastEvent),
    messages: rows(
      db,
      'SELECT seq, campaign_seq, created_at FROM messages WHERE seq > ?',
      tenant.lastMessage,
    ),
    recipients: rows(db, 'SELECT id, status FROM recipients WHERE id > ?', tenant.lastRecipient),
  };
  tenant.lastEvent = news.events.at(-1)?.seq ?? lastEvent;
  tenant.lastMessage = news.messages.at(-1)?.seq ?? tenant.lastMessage;
  tenant.lastRecipient = news.recipients.at(-1)?.id ?? tenant.lastRecipient;
  for (const event of news.events) tenant.events.set(event.id, event);
  return news;
};

const lookForNews = (tenant: TenantMemory, db: Database.Database, now: number): News | null => {
  const version = value<number>(db, 'PRAGMA data_version') ?? 0;
  if (version === tenant.version && tenant.service.generation() === tenant.generation) {
    tenant.lookedAt = now;
    return null;
  }
  tenant.version = version;
  return together(db, () => readNews(tenant, db, now));
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
    ...{ lastEvent: 0, lastMessage: 0, lastRecipient: 0, gaps: 0, restoredTo: 0, restoredAt: 0 },
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

/** The tenants that work on a host now. */
export const present = ({ hosts, tenants }: Memory): TenantMemory[] =>
  hosts.flatMap(({ service, tenants: there }) =>
    service.isUp()
      ? [...there.values()].flatMap(({ id, state }) => {
          const tenant = tenants.get(id);
          return state === 'active' && tenant !== undefined && tenant.service === service ? [tenant] : [];
        })
      : [],
  );

export const inFile = <T>({ service, id }: TenantMemory, work: (db: Database.Database) => T): T =>
  service.look(id, work);

export const rowIn = <Row>(
  tenant: TenantMemory,
  sql: string,
  ...values: readonly unknown[]
): Row | undefined => inFile(tenant, (db) => row<Row>(db, sql, ...values));

export const rowsIn = <Row>(tenant: TenantMemory, sql: string, ...values: readonly unknown[]): Row[] =>
  inFile(tenant, (db) => rows<Row>(db, sql, ...values));
