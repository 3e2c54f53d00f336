// Pause and resumption of a practice by people.
import { z } from 'zod';
import { practiceSchema, tenantParams } from '#src/accounts/tenants/schema.ts';
import { refuseSystemTenant } from '#src/accounts/tenants/system-tenant.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { lineSchema } from '#src/kernel/fields.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { type Lane, lanes } from '#src/kernel/stream.ts';
import type { Clock } from '#src/kernel/time.ts';
import { pausePractice, resumePractice } from './pause.ts';

export interface PauseRoutesDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Owners may have to be told. */
  readonly tell: (tenantId: string) => void;
  /** See DueRegistry.hold. */
  readonly holdDue: (tenantId: string, dueAt: number) => Promise<() => void>;
  /** Something of that lane is due. */
  readonly wake: (tenantId: string, lane: Lane, dueAt: number) => void;
}

const REASON_LENGTH = 500;

const pauseBody = z.strictObject({
  reason: lineSchema(REASON_LENGTH).describe('for owners and whoever sends; it stands in refusals'),
});

export const pauseRoutes = ({ storage, clock, tell, holdDue, wake }: PauseRoutesDeps): Route[] => {
  const files = storage.tenants;
  const shared = {
    method: 'post',
    tag: 'Practices',
    access: 'practice.manage',
    stability: 'stable',
    params: tenantParams,
    responses: { 200: { description: 'The practice.', body: practiceSchema } },
  } as const;
  return [
    defineRoute({
      ...shared,
      path: '/api/practices/{id}/pause',
      summary: 'Pause sending',
      description:
        'New messages are refused with `tenant_paused`; what is queued or scheduled waits and is lost by no pause. What is being sent at this moment still goes out. Of a practice that is paused already only the operator changes the pause, into one that only the operator lifts. All owners are told by mail.',
      audit: 'practice.pause',
      body: pauseBody,
      errors: ['conflict'],
      handle: async ({ params: { id }, body: { reason } }, { caller, change }) => {
        await refuseSystemTenant(storage, id);
        const body = await files.write(id, (db) => pausePractice(db, reason, caller, change, clock.now()));
        tell(id);
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/practices/{id}/resume',
      summary: 'Resume sending',
      description:
        'By an owner, and by the operator, who alone lifts a pause of their own. What waited goes out at once, and the guardrail counts anew. All owners are told by mail.',
      audit: 'practice.resume',
      errors: ['conflict'],
      handle: async ({ params: { id } }, { caller, change }) => {
        const now = clock.now();
        // A crash right after the resumption: the next start looks at what waits at once, not at its next look in an hour.
        const release = await holdDue(id, now);
        try {
          const body = await files.write(id, (db) => resumePractice(db, caller, change, now));
          for (const lane of lanes) wake(id, lane, now);
          tell(id);
          return { status: 200, body };
        } finally {
          release();
        }
      },
    }),
  ];
};
