// Practices and plans as the operator sees them.
import { z } from 'zod';
import { listQuery } from '#src/kernel/list.ts';
import { planNames } from './plans.ts';
import { practiceSchema } from './schema.ts';

const { id, name, slug, status, plan, monthly_cap, safe_mode, domain, created_at } = practiceSchema.shape;

export const operatorPracticeSchema = z.union([
  z.strictObject({
    id,
    name,
    slug,
    status,
    plan,
    monthly_cap,
    safe_mode,
    domain,
    created_at,
    members: z.int().describe('invited ones as well'),
    owners: z.array(z.string()).describe('addresses of those who have accepted'),
    usage: z.strictObject({
      month: z.string().describe('UTC, `2026-11`'),
      accepted: z.int().describe('mails, one a recipient'),
      share: z.number().describe('of the cap; 1 is all of it'),
    }),
  }),
  z.strictObject({ id, slug, unavailable: z.literal(true).describe('its data cannot be read now') }),
]);

export type OperatorPractice = z.infer<typeof operatorPracticeSchema>;

export const operatorPracticesQuery = z.strictObject({
  ...listQuery,
  plan: z.enum(planNames).optional(),
  status: z.enum(['active', 'paused']).optional(),
  purpose: z
    .enum(['practice', 'system'])
    .default('practice')
    .describe('`system`: the one by which the service sends its own mail'),
});

export const planSchema = z.strictObject({
  plan: z.enum(planNames),
  monthly_cap: z.int().describe('mails a UTC month'),
  custom_roles: z.boolean(),
});

export const setPlanBody = z.strictObject({ plan: z.enum(planNames) });
export const setSafeModeBody = z.strictObject({ enabled: z.boolean() });
export const setApprovalBody = z.strictObject({ approved: z.boolean() });
