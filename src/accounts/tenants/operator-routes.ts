// What the operator sees and decides: practices with their usage, plans, approval, safe mode.

import { z } from 'zod';
import type { Base } from '#src/kernel/base.ts';
import { listOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { changePractice } from './change-practice.ts';
import {
  listForOperator,
  operatorPracticeSchema,
  operatorPracticesQuery,
  planSchema,
  setApprovalBody,
  setPlanBody,
  setSafeModeBody,
} from './operator-practices.ts';
import { planNames, plans } from './rules.ts';
import { practiceSchema, tenantParams } from './schema.ts';
import type { PracticeRow, PracticeSettings } from './store.ts';
import type { Summaries } from './summaries.ts';
import { refuseSystemTenant } from './system-tenant.ts';

const TAG = 'Platform administration';

export const operatorRoutes = (
  deps: Pick<Base, 'storage' | 'clock'> & { readonly summaries: Summaries },
): Route[] => {
  return [
    defineRoute({
      method: 'get',
      path: '/api/admin/practices',
      tag: TAG,
      id: 'listAllPractices',
      summary: 'All practices with their usage',
      access: 'operator',
      stability: 'stable',
      query: operatorPracticesQuery,
      responses: {
        200: {
          description:
            'In the order of their creation. A page may hold fewer than `limit` while `next_cursor` is set: a call looks at 5,000 practices at most. Practices that have just come by an update are read from their files first.',
          body: listOf(operatorPracticeSchema),
        },
      },
      handle: async ({ query }) => ({ status: 200, body: await listForOperator(deps, query) }),
    }),
    defineRoute({
      method: 'get',
      path: '/api/admin/plans',
      tag: TAG,
      id: 'listPlans',
      summary: 'Plans',
      access: 'operator',
      stability: 'stable',
      responses: { 200: { description: 'All.', body: z.strictObject({ data: z.array(planSchema) }) } },
      handle: () => ({
        status: 200,
        body: {
          data: planNames.map((plan) => ({
            plan,
            monthly_cap: plans[plan].monthlyCap,
            custom_roles: plans[plan].customRoles,
          })),
        },
      }),
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/plan',
      tag: TAG,
      id: 'setPracticePlan',
      summary: "Set a practice's plan",
      access: 'operator',
      audit: 'practice.plan',
      stability: 'stable',
      params: tenantParams,
      body: setPlanBody,
      responses: { 200: { description: 'The practice.', body: practiceSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }, { change }) => {
        await refuseSystemTenant(deps.storage, params.id);
        return {
          status: 200,
          body: await changePractice(deps, params.id, { plan: body.plan }, change),
        };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/approval',
      tag: TAG,
      id: 'setPracticeApproval',
      summary: 'Approve a practice, or withdraw that',
      description:
        'On the plan Test, and where the operator has switched safe mode on, a practice goes live only with it. Withdrawn, it brings no safe mode back by itself.',
      access: 'operator',
      audit: 'practice.approval',
      stability: 'stable',
      params: tenantParams,
      body: setApprovalBody,
      responses: { 200: { description: 'The practice.', body: practiceSchema } },
      errors: ['conflict'],
      handle: async ({ params, body: { approved } }, { change }) => {
        await refuseSystemTenant(deps.storage, params.id);
        const fields = ({ approved_at }: PracticeRow, now: number) => ({
          approved_at: approved ? (approved_at ?? now) : null,
        });
        return { status: 200, body: await changePractice(deps, params.id, fields, change) };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/safe-mode',
      tag: TAG,
      id: 'setSafeMode',
      summary: 'Switch safe mode on or off',
      description:
        'In safe mode only the simulator and the addresses on the allowlist can be sent to. Switched on here, it withdraws the approval, and on every plan the practice leaves it only with a new one.',
      access: 'operator',
      audit: 'practice.safe_mode',
      stability: 'stable',
      params: tenantParams,
      body: setSafeModeBody,
      responses: { 200: { description: 'The practice.', body: practiceSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }, { change }) => {
        await refuseSystemTenant(deps.storage, params.id);
        const fields: Partial<PracticeSettings> = body.enabled
          ? { safe_mode: 1, safe_mode_held: 1, approved_at: null }
          : { safe_mode: 0, safe_mode_held: 0 };
        return { status: 200, body: await changePractice(deps, params.id, fields, change) };
      },
    }),
  ];
};
