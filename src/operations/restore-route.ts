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
    // Not below /api/practices: the registry may have lost the practice.
    path: '/api/admin/restore/{practiceID}',
    tag: 'Platform administration',
    id: 'restorePractice',
    summary: 'Put the file of a practice that `sendwerk restore` has prepared in its place',
    access: 'operator',
    audit: 'practice.restore',
    stability: 'stable',
    params: z.strictObject({ practiceID: idSchema }),
    responses: { 200: { description: 'It is in use.', body: schema } },
    errors: ['not_found', 'conflict'],
    handle: async ({ params: { practiceID: id } }, { change }) => {
      const { notes, replaced } = await restoreTenant(id);
      await platform.write((db) =>
        record(
          db,
          change,
          { target: { type: 'practice', id }, before: null, after: { replaced } },
          clock.now(),
        ),
      );
      return { status: 200, body: { notes: [...notes], replaced } };
    },
  });
