// Opens the room of the foreign shapes: requests in the forms of other services' APIs, translated to native ones, which go
// the one way in, and the answers to them.
import type { Domains } from '#src/domains/open.ts';
import type { Intake } from '#src/intake/open.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import type { Messages } from '#src/messages/open.ts';
import { euRoutes } from './eu/routes.ts';
import { createShapes, type NativeInstead } from './shapes.ts';
import { vendorAInstead } from './vendor-a/instead.ts';
import { vendorARoutes } from './vendor-a/routes.ts';
import { vendorBInstead } from './vendor-b/instead.ts';
import type { LookupDeps } from './vendor-b/lookups/lookups.ts';
import { vendorBLookups } from './vendor-b/lookups/routes.ts';
import { vendorBRoutes } from './vendor-b/routes.ts';
import { templateRoutes } from './vendor-b/templates.ts';
import { vendorCRoutes } from './vendor-c/routes.ts';

export const instead: NativeInstead = {
  'vendor-a': vendorAInstead,
  'vendor-b': vendorBInstead,
  'vendor-c': [
    ['/messages', 'GET /api/practices/{id}/messages/search'],
    ['/suppression', 'GET /api/practices/{id}/suppression or POST /api/practices/{id}/suppression'],
    ['/templates', 'POST /api/practices/{id}/templates'],
    ['/marketing', 'POST /api/practices/{id}/lists'],
    ['/user/webhooks', 'POST /api/practices/{id}/webhooks'],
  ],
  eu: [
    ['/messages', 'GET /api/practices/{id}/messages/search'],
    ['/domains', 'GET /api/practices/{id}/dns-records or POST /api/practices/{id}/custom-domain'],
    ['/projects', 'GET /api/practices/{id}/projects'],
    ['/routes', 'GET /api/practices/{id}/routes'],
    ['/stats', 'GET /api/practices/{id}/rates'],
    ['/suppressions', 'GET /api/practices/{id}/suppression or POST /api/practices/{id}/suppression'],
    ['/team/members', 'GET /api/practices/{id}/members'],
    ['/team/roles', 'GET /api/practices/{id}/roles'],
    ['/team', 'GET /api/practices/{id}'],
    ['/webhooks', 'GET /api/practices/{id}/webhooks or POST /api/practices/{id}/webhooks'],
    ['/blocked-file-types', 'GET /api/meta'],
  ],
};

interface CompatParts {
  readonly domains: Domains;
  readonly intake: Intake;
  readonly messages: Messages;
  readonly sources: LookupDeps['sources'];
}

export const openCompat = (
  { config, storage }: Base,
  { domains, intake, messages: { indexer }, sources }: CompatParts,
) => {
  const shapes = createShapes(config, instead);
  return {
    /** The shapes in the order in which a path without a prefix is looked for. */
    shapes: Object.values(shapes),
    routes: [
      ...vendorARoutes(intake.context, domains, shapes['vendor-a']),
      ...vendorBRoutes(intake.context, shapes['vendor-b']),
      ...templateRoutes(intake.context, shapes['vendor-b']),
      ...vendorBLookups({
        ...intake.context,
        shape: shapes['vendor-b'],
        indexer,
        sources,
        origin: config().service.public_origin,
      }),
      ...vendorCRoutes(intake.context, shapes['vendor-c']),
      ...euRoutes(intake.context, storage.tenants, shapes.eu),
    ],
  } satisfies Room & Record<string, unknown>;
};
