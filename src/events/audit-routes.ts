// The audit over the API: a practice's for those who may see it, the installation's for the operator.

import { z } from 'zod';
import type { AnyDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { decodeCursor, encodeCursor, listOf, listQuery } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { toIso } from '#src/kernel/time.ts';
import { type AuditRow, auditSearchStore } from './audit-store.ts';

const actorKinds = ['operator', 'team_token', 'project_token', 'member', 'anonymous', 'system'] as const;

export const auditEntrySchema = z
  .strictObject({
    id: z.uuid(),
    at: z.iso.datetime(),
    action: z.string().describe('`member.update`'),
    actor: z
      .strictObject({
        kind: z.enum(actorKinds),
        id: z.string().describe('of the token, of the account that is signed in; else the kind itself'),
        name: z.string().describe('of the token; the address that is signed in'),
      })
      .describe('who did it'),
    target: z.strictObject({ type: z.string(), id: z.string() }).describe('to what'),
    client_address: z.string().nullable().describe('null where the service did it by itself'),
    request_id: z.string().nullable().describe('X-Request-Id of the answer'),
    before: z
      .unknown()
      .describe('the record as the API shows it, without secrets; null where there was none'),
    after: z.unknown().describe('the same; null where there is none any more'),
    personal_data_removed: z
      .boolean()
      .describe(
        'it named a person who has been erased since; a keyed hash has taken the place of the address',
      ),
  })
  .meta({ id: 'AuditEntry' });

const ACTION = /^[a-z_]{1,50}(?:\.[a-z_]{1,50})?$/;
const MAX_ID = 100;

export const auditQuery = z.strictObject({
  ...listQuery,
  action: z
    .string()
    .regex(ACTION, 'expected an action such as `member.update`, or a noun such as `member`')
    .optional()
    .describe('an action (`member.update`), or a noun (`member`) for all that is done to it'),
  actor_id: z.string().max(MAX_ID).toLowerCase().optional(),
  target_id: z.string().max(MAX_ID).toLowerCase().optional(),
  from: z.iso.datetime({ offset: true }).optional().describe('not before'),
  to: z.iso.datetime({ offset: true }).optional().describe('before'),
});

const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json));

export const presentAuditEntry = (row: AuditRow): z.infer<typeof auditEntrySchema> => ({
  id: row.id,
  at: toIso(row.at),
  action: row.action,
  actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
  target: { type: row.target_type, id: row.target_id },
  client_address: row.client_address,
  request_id: row.request_id,
  before: parsed(row.before_json),
  after: parsed(row.after_json),
  personal_data_removed: row.is_reduced === 1,
});

const params = z.strictObject({ id: idSchema.describe('the practice') });

const shared = {
  method: 'get',
  tag: 'Audit',
  stability: 'stable',
  query: auditQuery,
  responses: {
    200: {
      description:
        'Newest first. A page may hold fewer than `limit`, even none, while `next_cursor` is set: a call looks at 50,000 entries at most.',
      body: listOf(auditEntrySchema),
    },
  },
} as const;

const timeOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));

const pageOf = (db: AnyDb, query: z.output<typeof auditQuery>, position: number | null) => {
  const filter = {
    action: query.action ?? null,
    actorId: query.actor_id ?? null,
    targetId: query.target_id ?? null,
    from: timeOf(query.from),
    before: timeOf(query.to),
  };
  const { rows, next } = auditSearchStore(db).find(filter, position, query.limit);
  return { data: rows.map(presentAuditEntry), next_cursor: next === null ? null : encodeCursor(next) };
};

export const auditRoutes = ({ platform, tenants }: Storage): Route[] => [
  defineRoute({
    ...shared,
    path: '/api/practices/{id}/audit',
    id: 'listAuditEntries',
    summary: 'Who changed what in a practice',
    access: 'audit.view',
    params,
    handle: async ({ params: { id }, query }) => {
      const position = decodeCursor(query.cursor);
      return { status: 200, body: await tenants.read(id, (db) => pageOf(db, query, position)) };
    },
  }),
  defineRoute({
    ...shared,
    path: '/api/admin/audit',
    id: 'listPlatformAuditEntries',
    summary: 'Who changed what outside of the practices',
    access: 'operator',
    handle: async ({ query }) => {
      const position = decodeCursor(query.cursor);
      return { status: 200, body: await platform.read((db) => pageOf(db, query, position)) };
    },
  }),
];
