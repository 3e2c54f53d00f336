// API tokens as the API shows and takes them.
import { z } from 'zod';
import { nameSchema } from '#src/kernel/fields.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { tokenScopes } from './rules.ts';
import type { TokenRow } from './store.ts';

export const tokenSchema = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  scope: z.enum(tokenScopes),
  project_id: z.uuid().nullable(),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable().describe("to the minute's precision"),
});

export const createdTokenSchema = z.strictObject({
  ...tokenSchema.shape,
  token: z.string().describe('the secret itself; shown this once'),
});

export const createTokenBody = z.strictObject({
  name: nameSchema,
  scope: z.enum(tokenScopes),
  project_id: z.uuid().optional().describe('required for scope `project`'),
});

export const presentToken = (row: TokenRow): z.infer<typeof tokenSchema> => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  project_id: row.project_id,
  created_at: toIso(row.created_at),
  last_used_at: toIsoOrNull(row.last_used_at),
});
