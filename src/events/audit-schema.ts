// Audit entries as the API shows them, and by what they are found.
import { z } from 'zod';
import { listQuery } from '#src/kernel/list.ts';
import { toIso } from '#src/kernel/time.ts';
import type { AuditRow } from './audit-store.ts';

const actorKinds = ['operator', 'team_token', 'project_token', 'member', 'anonymous', 'system'] as const;

export const auditEntrySchema = z.strictObject({
  id: z.uuid(),
  at: z.iso.datetime(),
  action: z.string().describe('`member.update`'),
  actor: z
    .strictObject({
      kind: z.enum(actorKinds),
      id: z.string().describe("of the token, of a member's account; else the kind itself"),
      name: z.string().describe("of the token; a member's address"),
    })
    .describe('who did it'),
  target: z.strictObject({ type: z.string(), id: z.string() }).describe('to what'),
  client_address: z.string().nullable().describe('null where the service did it by itself'),
  request_id: z.string().nullable().describe('X-Request-Id of the answer'),
  before: z.unknown().describe('the record as the API shows it, without secrets; null where there was none'),
  after: z.unknown().describe('the same; null where there is none any more'),
});

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
});
