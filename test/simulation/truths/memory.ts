// What truths remember of each tenant's file between two steps: a truth looks at what is new. Read again only where the file has changed.
// What was visible and not yet synced may be gone after a crash, so that a new process is a new beginning for what is remembered here.
import type Database from 'better-sqlite3';
import type { EventType } from '#src/events/catalogue.ts';
import type { Channel } from '#src/messages/kinds.ts';
import type { Status } from '#src/messages/rules.ts';
import type { HandedOver, Practice, Service } from '../scene.ts';
import type { Host } from './homes.ts';

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
  /** When the first copy is due; null: none waits. */
  readonly dueAt: number | null;
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
  /** When its file was last put back; 0: never. */
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
  /** Where the log ended before, and ends now. */
  readonly lastEvent: number;
  readonly logEnd: number;
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
  /** Its last outcome was found stored after a start: no mail from this one on may leave. What came before may have been that outcome's. */
  settledFrom: number;
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
