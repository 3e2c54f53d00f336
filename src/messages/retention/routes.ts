// How long a practice's data are kept: shown, and chosen shorter than the installation does. The nightly job acts on it.

import type { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError, type FieldProblem } from '#src/kernel/errors.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';
import { type Choice, choiceOf, kept, mostDays, type Periods, periodsInForce } from './rules.ts';
import { patchRetentionBody, retentionSchema } from './schema.ts';

export interface RetentionRoutesDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
  /** As the configuration is now. */
  readonly installation: () => Periods;
}

const present = (choice: Choice, installation: Periods): z.infer<typeof retentionSchema> => {
  const inForce = periodsInForce(choice, installation);
  const one = (name: keyof Periods) => ({
    days: inForce[name] / DAY,
    practice_days: choice[name],
    installation_days: installation[name] / DAY,
  });
  return { bodies: one('bodies'), attachments: one('attachments'), events: one('events') };
};

/** Throws `invalid_request` for what would be longer than the installation keeps it. */
const requireNoMore = (wanted: z.output<typeof patchRetentionBody>, installation: Periods): void => {
  const fields = kept.flatMap((name): FieldProblem[] => {
    const days = wanted[name];
    const most = mostDays(installation[name]);
    if (days === undefined || days === null || days <= most) return [];
    return [
      { path: `body.${name}`, message: `must be at most ${most}: the installation keeps it no longer` },
    ];
  });
  if (fields.length === 0) return;
  throw new AppError('invalid_request', 'Nothing is kept for longer than the installation keeps it.', {
    hint: 'Choose fewer days, or null for as many as the installation keeps; only the operator can raise that.',
    extra: { fields },
  });
};

export const retentionRoutes = ({ files, clock, installation }: RetentionRoutesDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/api/practices/{id}/retention',
    tag: 'Practices',
    summary: 'How long data are kept',
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
    summary: 'Keep data for a shorter time',
    description:
      'What is absent stays as it is. With 0 days the content of a message goes in the night after it has left for its last recipient. What a shorter period makes too old goes in the next night, and does not come back when a longer one is chosen.',
    access: 'practice.manage',
    audit: 'practice.retention',
    stability: 'stable',
    params: tenantParams,
    body: patchRetentionBody,
    responses: { 200: { description: 'The days in force, and whose they are.', body: retentionSchema } },
    handle: async ({ params, body }, { change }) => {
      const installed = installation();
      requireNoMore(body, installed);
      const changed = await files.write(params.id, (db) => {
        const row = tenantStore(db).practice();
        const before = choiceOf(row);
        const { bodies = before.bodies, attachments = before.attachments, events = before.events } = body;
        const after: Choice = { bodies, attachments, events };
        tenantStore(db).updateRetention({
          keep_bodies: bodies,
          keep_attachments: attachments,
          keep_events: events,
        });
        const target = { type: 'practice', id: row.id };
        const entry = { target, before: present(before, installed), after: present(after, installed) };
        auditStore(db).record(change, entry, clock.now());
        return entry.after;
      });
      return { status: 200, body: changed };
    },
  }),
];
