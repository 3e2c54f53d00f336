// The legal block of a practice (Impressum): what its mails and public pages say of who sends them.
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import type { Clock } from '#src/kernel/time.ts';
import { changePractice } from './change-practice.ts';
import { tenantParams } from './practice-routes.ts';
import { complianceBody, practiceSchema } from './schema.ts';
import type { PracticeSettings } from './store.ts';

export const complianceRoutes = (deps: { files: TenantFiles; clock: Clock }): Route[] => [
  defineRoute({
    method: 'patch',
    path: '/api/practices/{id}/compliance',
    tag: 'Practices',
    summary: 'Set the legal block',
    description: 'What is absent stays as it is; null clears it. Marketing mail needs all of it.',
    access: 'practice.manage',
    audit: 'practice.compliance',
    stability: 'stable',
    params: tenantParams,
    body: complianceBody,
    responses: { 200: { description: 'The practice.', body: practiceSchema } },
    handle: async ({ params, body: { street, city, privacy_url } }, { change }) => {
      const fields: Partial<PracticeSettings> = {
        ...(street === undefined ? {} : { legal_street: street }),
        ...(city === undefined ? {} : { legal_city: city }),
        ...(privacy_url === undefined ? {} : { legal_privacy_url: privacy_url }),
      };
      return { status: 200, body: await changePractice(deps, params.id, fields, change) };
    },
  }),
];
