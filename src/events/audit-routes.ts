// The audit over the API: a practice's for those who may see it, the installation's for the operator.
import { z } from 'zod';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { AnyDb, PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { decodeCursor, encodeCursor, listOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { auditEntrySchema, auditQuery, presentAuditEntry } from './audit-schema.ts';
import { auditSearchStore } from './audit-search-store.ts';

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

export const auditRoutes = ({
  platform,
  files,
}: {
  readonly platform: DurableFile<PlatformDb>;
  readonly files: TenantFiles;
}): Route[] => [
  defineRoute({
    ...shared,
    path: '/api/practices/{id}/audit',
    summary: 'Who changed what in a practice',
    access: 'audit.view',
    params,
    handle: async ({ params: { id }, query }) => {
      const position = decodeCursor(query.cursor);
      return { status: 200, body: await files.read(id, (db) => pageOf(db, query, position)) };
    },
  }),
  defineRoute({
    ...shared,
    path: '/api/admin/audit',
    summary: 'Who changed what outside of the practices',
    access: 'operator',
    handle: async ({ query }) => {
      const position = decodeCursor(query.cursor);
      return { status: 200, body: await platform.read((db) => pageOf(db, query, position)) };
    },
  }),
];
