// Shows how long a practice's data are kept, and lets it choose shorter periods. The nightly job applies them.

import type { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { requireCurrent } from '#src/events/require-current.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { FieldProblem } from '#src/kernel/error-table.ts';
import { AppError } from '#src/kernel/errors.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';
import { type Choice, choiceOf, kept, mostDays, type Periods, periodsInForce } from './rules.ts';
import { patchRetentionBody, retentionSchema } from './schema.ts';

const present = (choice: Choice, installation: Periods): z.infer<typeof retentionSchema> => {
  const inForce = periodsInForce(choice, installation);
  const one = (name: keyof Periods) => ({
    days: inForce[name] / DAY,
    practice_days: choice[name],
    installation_days: installation[name] / DAY,
  });
  return {
    bodies: one('bodies'),
    attachments: one('attachments'),
    events: one('events'),
    messages: one('messages'),
    consent_ip: one('consent_ip'),
    consent_user_agent: one('consent_user_agent'),
  };
};

/** Throws `invalid_request` where a period is longer than that of the installation. */
const requireNoMore = (wanted: z.output<typeof patchRetentionBody>, installation: Periods): void => {
  const fields = kept.flatMap((name): FieldProblem[] => {
    const days = wanted[name];
    const most = mostDays(installation[name]);
    if (days === undefined || days === null || days <= most) return [];
    return [
      {
        path: `body.${name}`,
        message: say`must be at most ${most}, because the installation keeps it no longer`,
      },
    ];
  });
  if (fields.length === 0) return;
  throw new AppError('invalid_request', say`A practice cannot keep data longer than the installation does.`, {
    hint: say`Choose fewer days, or null for the period of the installation. Only the operator can raise that period.`,
    extra: { fields },
  });
};

/** What the practice chose. */
const version = (shown: z.infer<typeof retentionSchema>): unknown =>
  kept.map((name) => shown[name].practice_days);

export const retentionRoutes = (files: TenantFiles, clock: Clock, installation: () => Periods): Route[] => [
  defineRoute({
    method: 'get',
    path: '/api/practices/{id}/retention',
    tag: 'Practices',
    id: 'getRetention',
    summary: 'How long data are kept',
    version,
    access: 'stats.view',
    stability: 'stable',
    params: tenantParams,
    responses: { 200: { description: 'The days in force, and whose they are.', body: retentionSchema } },
    handle: async ({ params }) => {
      const row = await files.read(params.id, (db) => tenantStore(db).practice());
      return { status: 200, body: present(choiceOf(row), installation()) };
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/practices/{id}/retention',
    tag: 'Practices',
    id: 'updateRetention',
    summary: 'Keep data for a shorter time',
    version,
    description:
      'Absent fields stay as they are. With 0 days the content of a message is removed in the night after it was sent to its last recipient. Data that a shorter period makes too old are removed in the next night, and do not come back when a longer period is chosen.',
    access: 'practice.manage',
    audit: 'practice.retention',
    stability: 'stable',
    params: tenantParams,
    body: patchRetentionBody,
    responses: { 200: { description: 'The days in force, and whose they are.', body: retentionSchema } },
    handle: async ({ params, body }, request) => {
      const installed = installation();
      requireNoMore(body, installed);
      const changed = await files.write(params.id, (db) => {
        const row = tenantStore(db).practice();
        const before = choiceOf(row);
        const target = { type: 'practice', id: row.id };
        requireCurrent(db, request, present(before, installed), {
          targetId: target.id,
          actions: [request.change.action],
        });
        const after = Object.fromEntries(
          kept.map((name) => [name, body[name] === undefined ? before[name] : body[name]]),
        ) as Choice;
        tenantStore(db).updateRetention({
          keep_bodies: after.bodies,
          keep_attachments: after.attachments,
          keep_events: after.events,
          keep_messages: after.messages,
          keep_consent_ip: after.consent_ip,
          keep_consent_user_agent: after.consent_user_agent,
        });
        const entry = { target, before: present(before, installed), after: present(after, installed) };
        auditStore(db).record(request.change, entry, clock.now());
        return entry.after;
      });
      return { status: 200, body: changed };
    },
  }),
];
