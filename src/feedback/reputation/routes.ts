// Pause and resumption of a practice by people.

import { z } from 'zod';
import { practiceSchema, tenantParams } from '#src/accounts/tenants/schema.ts';
import { refuseSystemTenant } from '#src/accounts/tenants/system-tenant.ts';
import type { Base } from '#src/kernel/base.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { lanes } from '#src/kernel/stream.ts';
import { lineSchema } from '#src/mail/line-schema.ts';
import type { Messages } from '#src/messages/open.ts';
import { pausePractice, resumePractice } from './pause.ts';

const REASON_LENGTH = 500;

const pauseBody = z
  .strictObject({
    reason: lineSchema(REASON_LENGTH).describe('for owners and senders; refusals contain it'),
  })
  .meta({ examples: [{ reason: 'Die Liste wird geprüft.' }] });

export const pauseRoutes = (
  { storage, clock }: Pick<Base, 'storage' | 'clock'>,
  notifyOwners: (tenantId: string) => void,
  queue: Pick<Messages['queue'], 'hold' | 'wake'>,
): Route[] => {
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
      id: 'pausePractice',
      summary: 'Pause sending',
      description:
        'New messages are refused with `tenant_paused`; queued and scheduled mail waits and is not lost. Mail in flight still goes out. Only the operator can pause a practice that is paused already, and then only the operator lifts the pause. All owners are notified by mail.',
      audit: 'practice.pause',
      body: pauseBody,
      errors: ['conflict'],
      handle: async ({ params: { id }, body: { reason } }, { caller, change }) => {
        await refuseSystemTenant(storage, id);
        const body = await files.write(id, (db) => pausePractice(db, reason, caller, change, clock.now()));
        notifyOwners(id);
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/practices/{id}/resume',
      id: 'resumePractice',
      summary: 'Resume sending',
      description:
        'By an owner or the operator; only the operator lifts a pause by the operator. Waiting mail goes out at once, and the guardrail restarts its counts. All owners are notified by mail.',
      audit: 'practice.resume',
      errors: ['conflict'],
      handle: async ({ params: { id } }, { caller, change }) => {
        const now = clock.now();
        // After a crash the next start finds this tenant due at once, and not an hour later.
        const release = await queue.hold(id, now);
        try {
          const body = await files.write(id, (db) => resumePractice(db, caller, change, now));
          for (const lane of lanes) queue.wake(id, lane, now);
          notifyOwners(id);
          return { status: 200, body };
        } finally {
          release();
        }
      },
    }),
  ];
};
