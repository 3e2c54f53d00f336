// Vendor B's server is the practice, and its message streams are the routes.
import { z } from 'zod';
import { type RouteRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { mayUseProject } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { toIso } from '#src/kernel/time.ts';
import { routeOfStream, streamOf } from '../streams.ts';
import { type LookupDeps, lookup, tenantOf } from './lookups.ts';

const streamTypes = { transactional: 'Transactional', marketing: 'Broadcasts' } as const;

const streamSchema = z
  .strictObject({
    ID: z.string(),
    ServerID: z.int(),
    Name: z.string(),
    Description: z.string(),
    MessageStreamType: z.enum(['Transactional', 'Broadcasts']),
    CreatedAt: z.iso.datetime(),
    UpdatedAt: z.null(),
    ArchivedAt: z.null(),
    ExpectedPurgeDate: z.null(),
    SubscriptionManagementConfiguration: z.strictObject({
      UnsubscribeHandlingType: z
        .enum(['None', 'Custom'])
        .describe('`Custom` where this service puts the link to unsubscribe into the mail'),
    }),
  })
  .meta({ id: 'VendorBStream' });

const presentStream = (db: TenantDb, row: RouteRow): z.infer<typeof streamSchema> => ({
  ID: streamOf(row),
  ServerID: tenantStore(db).practice().number,
  Name: row.name,
  Description: '',
  MessageStreamType: streamTypes[row.type],
  CreatedAt: toIso(row.created_at),
  UpdatedAt: null,
  ArchivedAt: null,
  ExpectedPurgeDate: null,
  SubscriptionManagementConfiguration: {
    UnsubscribeHandlingType: row.type === 'marketing' ? 'Custom' : 'None',
  },
});

const serverSchema = z
  .strictObject({
    ID: z.int(),
    Name: z.string(),
    ApiTokens: z.array(z.string()).describe('always empty: tokens are shown once, when they are made'),
    ServerLink: z.string(),
    Color: z.string(),
    SmtpApiActivated: z.boolean(),
    RawEmailEnabled: z.boolean(),
    DeliveryType: z.enum(['Live', 'Sandbox']).describe('`Sandbox` in safe mode'),
    InboundAddress: z.string(),
    InboundHash: z.string(),
    InboundSpamThreshold: z.int(),
    PostFirstOpenOnly: z.boolean(),
    TrackOpens: z.boolean(),
    TrackLinks: z.enum(['None', 'HtmlOnly']),
    IncludeBounceContentInHook: z.boolean(),
    EnableSmtpApiErrorHooks: z.boolean(),
  })
  .meta({ id: 'VendorBServer' });

export const serverLookups = (deps: LookupDeps): Route[] => {
  const { shape, files, origin } = deps;
  const shared = { ...lookup(deps), method: 'get', access: 'messages.view' } as const;
  return [
    defineRoute({
      ...shared,
      path: `${shape.base}/server`,
      id: 'vendorbGetServer',
      summary: 'The practice of the token',
      responses: { 200: { description: 'As a server in that form.', body: serverSchema } },
      handle: async (_, context) => ({
        status: 200,
        body: await files.read(tenantOf(context), (db): z.infer<typeof serverSchema> => {
          const { id, number, name, safe_mode } = tenantStore(db).practice();
          const route = tenantStore(db).defaultRoute();
          return {
            ID: number,
            Name: name,
            ApiTokens: [],
            ServerLink: `${origin}/api/practices/${id}`,
            Color: 'Blue',
            SmtpApiActivated: true,
            RawEmailEnabled: false,
            DeliveryType: safe_mode ? 'Sandbox' : 'Live',
            InboundAddress: '',
            InboundHash: '',
            InboundSpamThreshold: 0,
            PostFirstOpenOnly: false,
            TrackOpens: route.track_opens === 1,
            TrackLinks: route.track_clicks === 1 ? 'HtmlOnly' : 'None',
            IncludeBounceContentInHook: false,
            EnableSmtpApiErrorHooks: false,
          };
        }),
      }),
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/message-streams`,
      id: 'vendorbListStreams',
      summary: 'Message streams, which are the routes',
      query: z.object({
        messagestreamtype: z.enum(['All', 'Transactional', 'Broadcasts', 'Inbound']).optional(),
      }),
      responses: {
        200: {
          description: 'Those that the caller may see.',
          body: z.strictObject({ MessageStreams: z.array(streamSchema), TotalCount: z.int() }),
        },
      },
      handle: async ({ query }, context) => {
        const wanted = query.messagestreamtype ?? 'All';
        const MessageStreams = await files.read(tenantOf(context), (db) =>
          tenantStore(db)
            .routes()
            .filter(({ project_id }) => project_id === null || mayUseProject(context.caller, project_id))
            .filter(({ type }) => wanted === 'All' || streamTypes[type] === wanted)
            .map((row) => presentStream(db, row)),
        );
        return { status: 200, body: { MessageStreams, TotalCount: MessageStreams.length } };
      },
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/message-streams/{stream}`,
      id: 'vendorbGetStream',
      summary: 'One message stream',
      params: z.strictObject({
        stream: z
          .string()
          .min(1)
          .max(100)
          .meta({ examples: ['outbound'] }),
      }),
      responses: { 200: { description: 'The stream.', body: streamSchema } },
      handle: async ({ params }, context) => ({
        status: 200,
        body: await files.read(tenantOf(context), (db) =>
          presentStream(db, routeOfStream(db, params.stream, context.caller)),
        ),
      }),
    }),
  ];
};
