// Campaigns over HTTP: made, changed, copied, removed. They are the whole practice's.
import { z } from 'zod';
import { requireAllProjects } from '#src/accounts/tenants/project-routes.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { requireCurrent } from '#src/events/require-current.ts';
import { SEND_ERRORS } from '#src/intake/accept.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { decodeCursor, listOf, listQuery, toPage } from '#src/kernel/list.ts';
import { wholeBut } from '#src/kernel/record-version.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { nameSchema } from '#src/mail/line-schema.ts';
import {
  type CampaignChange,
  campaignOf,
  changeCampaign,
  createCampaign,
  duplicateCampaign,
  type Planned,
  planChange,
  planCreation,
  removeCampaign,
} from './change.ts';
import { campaignHeadSchema, campaignSchema, presentCampaign, presentHead } from './record.ts';
import { campaignBody } from './schema.ts';
import { type CampaignRow, campaignStatuses, campaignStore } from './store.ts';
import { type CampaignContext, requireReady } from './try.ts';

/** Room for text and HTML at their bounds with every character escaped. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;

const MANAGE = '/api/practices/{id}/campaigns';
export const ONE = `${MANAGE}/{campaignID}`;
export const campaignParams = z.strictObject({ ...tenantParams.shape, campaignID: idSchema });

export const shared = { tag: 'Campaigns', access: 'campaigns.send', stability: 'stable' } as const;
const one = { description: 'The campaign with its numbers.', body: campaignSchema };
/** What people write of it, and whether it is still a draft. */
const version = wholeBut<z.output<typeof campaignSchema>>(
  ...(['counts', 'rates', 'left_out', 'progress', 'waiting', 'reason'] as const),
  ...(['refusals', 'unknown_fields', 'updated_at', 'started_at', 'finished_at'] as const),
);
/** With a schedule, also what sending it now would be refused with. */
const writeErrors = [...new Set([...SEND_ERRORS, 'no_recipients', 'rate_limited'] as const)];

export const requireWhole = (caller: Caller): void =>
  requireAllProjects(caller, 'campaigns.send', say`A campaign`);

/** A campaign sends messages. */
export const requireSending = (caller: Caller): void => {
  if (caller.permissions.has('messages.send')) return;
  throw new AppError('forbidden', say`A campaign sends messages, which this access may not.`, {
    hint: say`Ask someone who may send.`,
    extra: { permission: 'messages.send' },
  });
};

export const campaignRoutes = (context: CampaignContext): Route[] => {
  const { files, clock, hold, intake, wake } = context;
  /** What is scheduled is refused as `POST …/schedule` refuses it. */
  const requireSchedulable = async (
    tenantId: string,
    { caller, change }: RequestContext,
    { schedule_at }: z.output<typeof campaignBody>,
    plan: (db: TenantDb, change: CampaignChange) => Planned,
  ): Promise<void> => {
    requireWhole(caller);
    if (schedule_at === undefined || schedule_at === null) return;
    requireSending(caller);
    const tools = await intake.tools();
    await requireReady(context, tenantId, (db) =>
      plan(db, { change, identity: files.identify(tenantId), now: clock.now(), tools }),
    );
  };
  /** A schedule is work of which the registry must know. */
  const write = async (
    tenantId: string,
    { caller, change, speak }: RequestContext,
    work: (db: TenantDb, change: CampaignChange) => CampaignRow,
  ) => {
    requireWhole(caller);
    const tools = await intake.tools();
    const release = await hold(tenantId);
    try {
      return await files.write(tenantId, (db) => {
        const row = work(db, {
          change,
          identity: files.identify(tenantId),
          now: clock.now(),
          tools,
        });
        if (row.status === 'scheduled') requireSending(caller);
        return presentCampaign(db, row, speak);
      });
    } finally {
      release();
      wake(tenantId);
    }
  };

  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: MANAGE,
      id: 'listCampaigns',
      summary: 'Campaigns',
      params: tenantParams,
      query: z.strictObject({ ...listQuery, status: z.enum(campaignStatuses).optional() }),
      responses: {
        200: { description: 'Newest first, without their content.', body: listOf(campaignHeadSchema) },
      },
      errors: ['forbidden'],
      handle: async ({ params, query }, { caller }) => {
        requireWhole(caller);
        const before = decodeCursor(query.cursor);
        return {
          status: 200,
          body: await files.read(params.id, (db) => {
            const rows = campaignStore(db).newestFirst(before, query.status ?? null, query.limit + 1);
            return toPage(
              rows,
              query.limit,
              ({ seq }) => seq,
              (row) => presentHead(db, row),
            );
          }),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: MANAGE,
      id: 'createCampaign',
      summary: 'Create a campaign',
      description:
        'A draft; with `schedule_at` it is scheduled. Text, HTML and subject have placeholders `{{name}}`, which take the values of each subscriber, and `{{email}}` and `{{name}}`; for what a person has no value of, those for all in `values`; who lacks one is left out.',
      audit: 'campaign.create',
      params: tenantParams,
      body: campaignBody,
      bodyLimit: BODY_LIMIT_BYTES,
      responses: { 201: one },
      errors: writeErrors,
      handle: async ({ params, body }, request) => {
        await requireSchedulable(params.id, request, body, (db, change) => planCreation(db, body, change));
        return {
          status: 201,
          body: await write(params.id, request, (db, change) => createCampaign(db, body, change)),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: ONE,
      id: 'getCampaign',
      summary: 'A campaign, with its content and numbers',
      version,
      params: campaignParams,
      responses: { 200: one },
      errors: ['forbidden', 'not_found'],
      handle: async ({ params }, { caller, speak }) => {
        requireWhole(caller);
        return {
          status: 200,
          body: await files.read(params.id, (db) =>
            presentCampaign(db, campaignOf(db, params.campaignID), speak),
          ),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      path: ONE,
      id: 'updateCampaign',
      summary: 'Change a draft or a scheduled campaign',
      version,
      description: '`schedule_at` schedules it, null makes it a draft again.',
      audit: 'campaign.update',
      params: campaignParams,
      body: campaignBody,
      bodyLimit: BODY_LIMIT_BYTES,
      responses: { 200: one },
      errors: writeErrors,
      handle: async ({ params, body }, request) => {
        const { id, campaignID } = params;
        await requireSchedulable(id, request, body, (db, change) => planChange(db, campaignID, body, change));
        return {
          status: 200,
          body: await write(id, request, (db, change) => {
            const present = presentCampaign(db, campaignOf(db, campaignID), request.speak);
            requireCurrent(db, request, present, {
              targetId: campaignID,
              actions: ['campaign.create', 'campaign.update'],
            });
            return changeCampaign(db, campaignID, body, change);
          }),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: ONE,
      id: 'deleteCampaign',
      summary: 'Delete a draft',
      audit: 'campaign.delete',
      params: campaignParams,
      responses: { 204: { description: 'It is gone.' } },
      errors: ['forbidden', 'not_found', 'conflict'],
      handle: async ({ params }, { caller, change }) => {
        requireWhole(caller);
        await files.write(params.id, (db) => removeCampaign(db, params.campaignID, change, clock.now()));
        return { status: 204 };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${ONE}/duplicate`,
      id: 'duplicateCampaign',
      summary: 'Make a draft with the content and lists of a campaign',
      audit: 'campaign.create',
      params: campaignParams,
      body: z
        .strictObject({ name: nameSchema.optional() })
        .meta({ examples: [{ name: 'Grippeschutz im Winter' }] }),
      responses: { 201: one },
      errors: ['forbidden', 'not_found'],
      handle: async ({ params, body }, request) => ({
        status: 201,
        body: await write(params.id, request, (db, change) =>
          duplicateCampaign(db, params.campaignID, body.name, change),
        ),
      }),
    }),
  ];
};
