// Vendor B's lookups of messages, and of the opens and clicks of all of them or of one.
import { z } from 'zod';
import { eventStore } from '#src/events/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import { fold, foldPart } from '#src/kernel/typed-words.ts';
import { visibleMessage } from '#src/messages/present.ts';
import { everyMessage, messageSearchStore } from '#src/messages/search-store.ts';
import type { MessageRow } from '#src/messages/store.ts';
import { routeOfStream, streamOfRoute } from '../streams.ts';
import { type LookupDeps, lookup, tenantOf } from './lookups.ts';
import { filterText, pagedQuery, pageOf, periodOf, periodShape, ROWS_PER_SLICE } from './page.ts';
import {
  outboundDetails,
  outboundMessage,
  presentDetails,
  presentOutbound,
  recipientsOf,
  waiting,
} from './present-message.ts';
import { sliceOfEvents } from './slice.ts';
import type { LoggedEvent } from './store.ts';

const MAX_EVENTS = 10_000;

/** What is no id is that of no message. */
const messageParams = z.strictObject({
  messageID: z
    .string()
    .max(100)
    .toLowerCase()
    .meta({ examples: ['0198c5b2-6c9e-7d21-9f6f-3a1d5b0e7c44'] }),
});

const searchQuery = pagedQuery({
  recipient: filterText.describe('a whole address'),
  fromemail: filterText.describe('a whole address'),
  tag: filterText,
  subject: filterText.describe('a part of it'),
  status: z.enum(['queued', 'sent', 'processed']).optional(),
  messagestream: filterText,
  ...periodShape,
});
type Search = z.output<typeof searchQuery>;

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The filters `metadata_<name>`; names in the query are in lower case. */
const metadataFits = (row: MessageRow, query: Search): boolean => {
  const wanted = Object.entries(query).filter(([name]) => name.startsWith('metadata_'));
  if (wanted.length === 0) return true;
  const given = new Map(
    Object.entries(JSON.parse(row.metadata_json)).map(([name, value]) => [
      `metadata_${name.toLowerCase()}`,
      value,
    ]),
  );
  return wanted.every(([name, value]) => given.get(name) === value);
};

/** What the search's own filters do not decide. */
const fits = (row: MessageRow, query: Search): boolean =>
  (!query.recipient || recipientsOf(row).some((address) => isSame(address, query.recipient ?? ''))) &&
  (!query.fromemail || isSame(JSON.parse(row.from_json).address, query.fromemail)) &&
  (!query.subject || fold(row.subject).includes(foldPart(query.subject))) &&
  (query.status === undefined || waiting.includes(row.status) === (query.status === 'queued')) &&
  metadataFits(row, query);

const findMessages = (db: TenantDb, query: Search, caller: Caller, before: number | null) => {
  const { from, before: createdBefore } = periodOf(query);
  const part = query.recipient || query.subject;
  const filter = {
    ...everyMessage,
    parts: part ? [part] : null,
    tag: query.tag || null,
    statuses: query.status === 'queued' ? waiting : null,
    routeId: query.messagestream ? routeOfStream(db, query.messagestream, caller).id : null,
    projects: caller.projects && [...caller.projects],
    createdFrom: from,
    createdBefore,
  };
  const { rows, before: next } = messageSearchStore(db).find(filter, before, ROWS_PER_SLICE);
  return { items: rows.filter((row) => fits(row, query)), next };
};

const trackedQuery = pagedQuery({ recipient: filterText, tag: filterText, messagestream: filterText });

const notKept = [
  'client_name',
  'client_company',
  'client_family',
  'os_name',
  'os_family',
  'os_company',
  'platform',
  'country',
  'region',
  'city',
];

/** A filter that cannot be applied would find too much. */
const requireKept = (query: Readonly<Record<string, unknown>>): void => {
  const fields = notKept
    .filter((name) => query[name] !== undefined && query[name] !== '')
    .map((name) => ({ path: `query.${name}`, message: say`is not kept of opens and clicks` }));
  if (fields.length > 0)
    throw new AppError('invalid_request', say`Programs and places are not kept of opens and clicks.`, {
      hint: say`GET /api/practices/{id}/messages/{messageID}/events has what is kept.`,
      extra: { fields },
    });
};

const program = z.strictObject({ Name: z.string(), Company: z.string(), Family: z.string() });
const unknownProgram = { Name: '', Company: '', Family: '' };

const trackedShape = {
  Client: program,
  OS: program,
  Platform: z.literal('Unknown'),
  UserAgent: z.string(),
  Geo: z.strictObject({ IP: z.string().describe('cut to the network') }),
  MessageID: z.uuid(),
  MessageStream: z.string(),
  ReceivedAt: z.iso.datetime(),
  Tag: z.string().nullable(),
  Recipient: z.string(),
};
const openSchema = z
  .strictObject({ RecordType: z.literal('Open'), ReadSeconds: z.literal(0), ...trackedShape })
  .meta({ id: 'VendorBOpen' });
const clickSchema = z
  .strictObject({
    RecordType: z.literal('Click'),
    ClickLocation: z.literal('HTML'),
    OriginalLink: z.string(),
    ...trackedShape,
  })
  .meta({ id: 'VendorBClick' });

const presentTracked = (db: TenantDb, { data, ...row }: LoggedEvent) => ({
  Client: unknownProgram,
  OS: unknownProgram,
  Platform: 'Unknown',
  UserAgent: data.user_agent ?? '',
  Geo: { IP: data.ip ?? '' },
  MessageID: row.message_id,
  MessageStream: streamOfRoute(db, row.route_id),
  ReceivedAt: toIso(row.at),
  Tag: row.tag,
  Recipient: row.recipient,
});

const presentOpen = (db: TenantDb, event: LoggedEvent) => ({
  RecordType: 'Open',
  ReadSeconds: 0,
  ...presentTracked(db, event),
});
const presentClick = (db: TenantDb, event: LoggedEvent) => ({
  RecordType: 'Click',
  ClickLocation: 'HTML',
  OriginalLink: event.data.url ?? '',
  ...presentTracked(db, event),
});

export const messageLookups = (deps: LookupDeps): Route[] => {
  const { shape, files, indexer, sources } = deps;
  const shared = { ...lookup(deps), method: 'get', access: 'messages.view' } as const;

  const tracked = (kind: 'opened' | 'clicked', name: 'Opens' | 'Clicks') => {
    const present = kind === 'opened' ? presentOpen : presentClick;
    const answer = z.strictObject({
      TotalCount: z.int(),
      [name]: z.array(kind === 'opened' ? openSchema : clickSchema),
    });
    const list = async (
      tenantId: string,
      query: z.output<typeof trackedQuery>,
      caller: Caller,
      messageId: string | null,
    ) => {
      requireKept(query);
      const { total, page } = await pageOf(
        (before) =>
          files.read(tenantId, (db) => {
            if (messageId !== null) visibleMessage(db, messageId, caller);
            const route = query.messagestream ? routeOfStream(db, query.messagestream, caller) : null;
            const isWanted = (row: LoggedEvent): boolean =>
              (!query.recipient || isSame(row.recipient, query.recipient)) &&
              (!query.tag || isSame(row.tag ?? '', query.tag)) &&
              (route === null || row.route_id === route.id);
            return sliceOfEvents(db, { kind, messageId, caller, isWanted }, before);
          }),
        query,
      );
      return files.read(tenantId, (db) => ({
        TotalCount: total,
        [name]: page.map((event) => present(db, event)),
      }));
    };
    const path = `${shape.base}/messages/outbound/${name.toLowerCase()}`;
    const responses = {
      200: { description: 'Newest first, without those of machines.', body: answer },
    } as const;
    return [
      defineRoute({
        ...shared,
        path,
        id: `vendorbList${name}`,
        summary: `${name} of all messages`,
        query: trackedQuery,
        responses,
        handle: async ({ query }, context) => ({
          status: 200,
          body: await list(tenantOf(context), query, context.caller, null),
        }),
      }),
      defineRoute({
        ...shared,
        path: `${path}/{messageID}`,
        id: `vendorbListMessage${name}`,
        summary: `${name} of one message`,
        params: messageParams,
        query: trackedQuery,
        responses,
        handle: async ({ params, query }, context) => ({
          status: 200,
          body: await list(tenantOf(context), query, context.caller, params.messageID),
        }),
      }),
    ];
  };

  return [
    defineRoute({
      ...shared,
      path: `${shape.base}/messages/outbound`,
      id: 'vendorbListMessages',
      summary: 'Find messages',
      description:
        'Newest first. `TotalCount` is at most 10,000, and what was found so far where filters let little through; where they let so little through that the page is not full, the list is refused. `metadata_<name>` finds messages with that value.',
      query: searchQuery,
      responses: {
        200: {
          description: 'Messages, without content.',
          body: z.strictObject({ TotalCount: z.int(), Messages: z.array(outboundMessage) }),
        },
      },
      handle: async ({ query }, context) => {
        const tenantId = tenantOf(context);
        const { caller } = context;
        const { total, page } = await pageOf(
          (before) =>
            files.read(tenantId, (db) => {
              indexer.waiting(tenantId, messageSearchStore(db).behind());
              return findMessages(db, query, caller, before);
            }),
          query,
        );
        const body = await files.read(tenantId, (db) => ({
          TotalCount: total,
          Messages: page.map((row) => presentOutbound(db, row)),
        }));
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/messages/outbound/{messageID}/details`,
      id: 'vendorbGetMessage',
      summary: 'One message with its events',
      params: messageParams,
      responses: {
        200: { description: 'Content with `messages.view_content` only.', body: outboundDetails },
      },
      handle: async ({ params }, context) => {
        const { caller } = context;
        const body = await files.read(tenantOf(context), (db) => {
          const row = visibleMessage(db, params.messageID, caller);
          const events = eventStore(db).ofMessage(row.seq, 0, MAX_EVENTS, false);
          return presentDetails(db, row, events, caller);
        });
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/messages/outbound/{messageID}/dump`,
      access: 'messages.view_content',
      id: 'vendorbGetMessageSource',
      summary: 'The source of a message',
      description: 'As `getMessageSource` has it.',
      params: messageParams,
      responses: {
        200: {
          description: 'The copy of its first recipient, unsigned.',
          body: z.strictObject({ Body: z.string() }),
        },
      },
      handle: async ({ params }, context) => {
        const { caller } = context;
        const source = await sources(tenantOf(context), { messageId: params.messageID, caller });
        return { status: 200, body: { Body: source.toString('latin1') } };
      },
    }),
    ...tracked('opened', 'Opens'),
    ...tracked('clicked', 'Clicks'),
  ];
};
