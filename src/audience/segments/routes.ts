// Segments over HTTP: choices of people of lists by conditions, counted, saved under a name, and taken by campaigns.
import { z } from 'zod';
import { requireAllProjects, requireRoom } from '#src/accounts/tenants/project-routes.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { requireCurrent } from '#src/events/require-current.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { EXAMPLE_ID, idSchema } from '#src/kernel/fields.ts';
import { newId } from '#src/kernel/id.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import { nameSchema } from '#src/mail/line-schema.ts';
import { filterSchema, listIdsSchema } from '../campaigns/schema.ts';
import { campaignStore } from '../campaigns/store.ts';
import type { AudienceContext } from '../context.ts';
import { namedList } from '../lists/change.ts';
import { subscriberSchema } from '../subscribers/schema.ts';
import { countSegment } from './count.ts';
import { segmentPeople } from './people.ts';
import { segmentOf } from './segment.ts';
import { type SegmentRow, segmentStore } from './store.ts';

const ALL = '/api/practices/{id}/segments';
const ONE = `${ALL}/{segmentID}`;
const segmentParams = z.strictObject({ ...tenantParams.shape, segmentID: idSchema });

const choice = { list_ids: listIdsSchema, filter: filterSchema };

const segmentSchema = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    list_ids: z.array(z.uuid()),
    filter: filterSchema,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Segment' });

const example = { list_ids: [EXAMPLE_ID], filter: [{ field: 'ort', op: 'is', value: 'Hamburg' }] };

const segmentBody = z
  .strictObject({ name: nameSchema, ...choice })
  .meta({ examples: [{ name: 'Aus Hamburg', ...example }] });

const patchBody = z
  .strictObject({ name: nameSchema, ...choice })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field')
  .meta({ examples: [{ name: 'Aus der Stadt' }] });

const countSchema = z
  .strictObject({
    people: z.int().describe('on the lists, each once, whatever their status'),
    matching: z.int().describe('of these, who fit by one of their subscriptions'),
    active: z.int().describe('of these, who are subscribed by it now'),
    untracked: z
      .int()
      .describe(
        'subscribed to the lists, and never sent mail whose opens or clicks were recorded with their consent: they fit none of `opened`, `clicked` and `neither`',
      ),
  })
  .meta({ id: 'SegmentCount' });

const present = (row: SegmentRow): z.infer<typeof segmentSchema> => ({
  id: row.id,
  name: row.name,
  list_ids: JSON.parse(row.list_ids_json),
  filter: JSON.parse(row.filter_json),
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

/** Throws `conflict` for a name that is taken, and `not_found` for a list that does not exist. */
const requireUsable = (db: TenantDb, row: Omit<SegmentRow, 'seq'>): void => {
  const taken = segmentStore(db).byName(row.name);
  if (taken && taken.id !== row.id)
    throw new AppError('conflict', say`There is a segment with the name ${taken.name} already.`);
  for (const id of JSON.parse(row.list_ids_json) as string[]) namedList(db, id);
};

const record = (
  db: TenantDb,
  change: Change,
  [before, after]: readonly [SegmentRow | null, SegmentRow | null],
  now: number,
): void => {
  const id = (after ?? before)?.id ?? '';
  const entry = { before: before && present(before), after: after && present(after) };
  auditStore(db).record(change, { target: { type: 'segment', id }, ...entry }, now);
};

export const segmentRoutes = (context: AudienceContext, limitCounts: (tenantId: string) => void): Route[] => {
  const { files, clock } = context;
  const shared = { tag: 'Campaigns', access: 'campaigns.send', stability: 'beta' } as const;
  const one = { description: 'The segment.', body: segmentSchema };
  const version = (segment: z.infer<typeof segmentSchema>): unknown => segment;
  const requireWhole = ({ caller }: Pick<RequestContext, 'caller'>): void =>
    requireAllProjects(caller, 'campaigns.send', say`A segment`);
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: ALL,
      id: 'listSegments',
      summary: 'Segments',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: { 200: { description: 'By name.', body: listOf(segmentSchema) } },
      errors: ['forbidden'],
      handle: async ({ params, query }, request) => {
        requireWhole(request);
        const rows = await files.read(params.id, (db) => segmentStore(db).all());
        return { status: 200, body: pageOf(rows, query, present) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: ALL,
      id: 'createSegment',
      summary: 'Save a choice of people under a name',
      description:
        'People of `list_ids` who fit all conditions of `filter`. A campaign takes it by `segment_id`: lists and conditions are copied then.',
      audit: 'segment.create',
      params: tenantParams,
      body: segmentBody,
      responses: { 201: one },
      errors: ['conflict', 'forbidden'],
      handle: async ({ params, body }, request) => {
        requireWhole(request);
        const now = clock.now();
        const id = newId();
        const created = await files.write(params.id, (db) => {
          requireRoom(segmentStore(db).all(), say`segments`);
          const row = {
            ...{ id, name: body.name, created_at: now, updated_at: now },
            list_ids_json: JSON.stringify(body.list_ids),
            filter_json: JSON.stringify(body.filter),
          };
          requireUsable(db, row);
          segmentStore(db).insert(row);
          const stored = segmentOf(db, id);
          record(db, request.change, [null, stored], now);
          return present(stored);
        });
        return { status: 201, body: created };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${ALL}/count`,
      id: 'countSegment',
      summary: 'How many people fit, while the conditions are written',
      description: 'Nothing is stored. At most 20 times a minute, with the counts of campaigns.',
      audit: { none: 'nothing is stored' },
      params: tenantParams,
      body: z.strictObject(choice).meta({ examples: [example] }),
      responses: { 200: { description: 'People, each counted once.', body: countSchema } },
      errors: ['forbidden', 'not_found', 'rate_limited'],
      handle: async ({ params, body }, request) => {
        requireWhole(request);
        limitCounts(params.id);
        return { status: 200, body: await countSegment(context, params.id, body.list_ids, body.filter) };
      },
    }),
    defineRoute({
      ...shared,
      access: 'lists.manage',
      method: 'post',
      path: `${ALL}/people`,
      id: 'listSegmentPeople',
      summary: 'The people who fit',
      description:
        'Each by the first of their subscriptions that fits, in no particular order. Pages may hold fewer than `limit`, even none, while `next_cursor` is set.',
      audit: { none: 'nothing is stored' },
      params: tenantParams,
      body: z.strictObject({ ...choice, ...listQuery }).meta({ examples: [example] }),
      responses: { 200: { description: 'A page of them.', body: listOf(subscriberSchema) } },
      errors: ['not_found'],
      handle: async ({ params, body }) => ({
        status: 200,
        body: await segmentPeople(context, params.id, body.list_ids, body.filter, body),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: ONE,
      id: 'getSegment',
      summary: 'A segment',
      usedBy: 'programs that keep segments up to date',
      version,
      params: segmentParams,
      responses: { 200: one },
      errors: ['forbidden', 'not_found'],
      handle: async ({ params }, request) => {
        requireWhole(request);
        return {
          status: 200,
          body: await files.read(params.id, (db) => present(segmentOf(db, params.segmentID))),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      path: ONE,
      id: 'updateSegment',
      summary: 'Change a segment',
      description: 'Campaigns that took it stay as they are.',
      audit: 'segment.update',
      version,
      params: segmentParams,
      body: patchBody,
      responses: { 200: one },
      errors: ['conflict', 'forbidden', 'not_found'],
      handle: async ({ params, body }, request) => {
        requireWhole(request);
        const now = clock.now();
        const changed = await files.write(params.id, (db) => {
          const row = segmentOf(db, params.segmentID);
          const { change } = request;
          requireCurrent(db, request, present(row), {
            targetId: row.id,
            actions: ['segment.create', 'segment.update'],
          });
          const { name = row.name, list_ids, filter } = body;
          const next = {
            ...{ ...row, name, updated_at: now },
            list_ids_json: list_ids === undefined ? row.list_ids_json : JSON.stringify(list_ids),
            filter_json: filter === undefined ? row.filter_json : JSON.stringify(filter),
          };
          requireUsable(db, next);
          segmentStore(db).update(next);
          record(db, change, [row, next], now);
          return present(next);
        });
        return { status: 200, body: changed };
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: ONE,
      id: 'deleteSegment',
      summary: 'Delete a segment',
      description:
        'Not while a campaign that took it waits to be sent or is being sent. Other campaigns that took it stay as they are.',
      audit: 'segment.delete',
      params: segmentParams,
      responses: { 204: { description: 'It is gone.' } },
      errors: ['conflict', 'forbidden', 'not_found'],
      handle: async ({ params }, request) => {
        requireWhole(request);
        await files.write(params.id, (db) => {
          const row = segmentOf(db, params.segmentID);
          const waiting = campaignStore(db).waitingFor(row.id);
          if (waiting !== undefined)
            throw new AppError(
              'conflict',
              say`The campaign ${waiting} goes to this segment and is not sent yet.`,
              {
                hint: say`Choose other people for the campaign, or delete the segment once it is sent.`,
              },
            );
          segmentStore(db).remove(row.id);
          record(db, request.change, [row, null], clock.now());
        });
        return { status: 204 };
      },
    }),
  ];
};
