// How `sendwerk restore --tenant` asks a running daemon to take a file that it has prepared. Only the service's user can prepare one,
// in the data directory, so the request names the practice alone.
import { z } from 'zod';
import type { Base } from '#src/kernel/base.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import type { RecordAudit } from './held-routes.ts';
import type { createRestoreTenant } from './restore-tenant.ts';

const schema = z
  .strictObject({
    held: z.int().describe('mails and forwards that wait for a person'),
    notes: z.array(z.string()).describe('what another practice has, and keeps'),
    replaced: z.string().nullable().describe('where the former file is, below the data directory'),
  })
  .meta({ id: 'RestoredPractice' });

export const restoreRoute = (
  { storage: { platform }, clock }: Pick<Base, 'storage' | 'clock'>,
  restoreTenant: ReturnType<typeof createRestoreTenant>['restoreTenant'],
  record: RecordAudit,
): Route =>
  defineRoute({
    method: 'post',
    // The path is not below /api/practices: the registry may have lost the practice.
    path: '/api/admin/restore/{practiceID}',
    tag: 'Platform administration',
    id: 'restorePractice',
    summary: 'Put the file of a practice that `sendwerk restore` has prepared in its place',
    access: 'operator',
    audit: 'practice.recover',
    stability: 'stable',
    params: z.strictObject({ practiceID: idSchema }),
    query: z.strictObject({
      resume: z.stringbool().default(false).describe('what was due is sent at once, though it may have left'),
    }),
    responses: { 200: { description: 'It is in use.', body: schema } },
    errors: ['not_found', 'conflict'],
    handle: async ({ params: { practiceID: id }, query: { resume } }, { change }) => {
      const { held, notes, replaced } = await restoreTenant(id, { resume });
      await platform.write((db) =>
        record(
          db,
          change,
          { target: { type: 'practice', id }, before: null, after: { replaced } },
          clock.now(),
        ),
      );
      return { status: 200, body: { held, notes: [...notes], replaced } };
    },
  });
