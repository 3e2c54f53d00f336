// What can be said of a route from its declaration alone, for the two descriptions made of it: /openapi.yaml and
// /reference.
import { type ErrorCode, errorTable } from '#src/kernel/errors.ts';
import type { Route } from '#src/kernel/route.ts';
import { isTenantPath, parametersOf } from './route-table.ts';

/** What both descriptions say about the service itself. */
export interface ServiceInfo {
  readonly name: string;
  readonly version: string;
  /** Without a slash at its end. */
  readonly origin: string;
}

export const errorCodes = Object.keys(errorTable) as ErrorCode[];

/** Every code the route may answer with: those the door adds for all of its kind, and its own. In the table's order. */
export const errorsOf = (route: Route): ErrorCode[] => {
  const needsCredential = route.access !== 'public';
  const needsPermission = needsCredential && route.access !== 'authenticated';
  const byDoor: readonly [ErrorCode, boolean][] = [
    ['invalid_json', route.body !== undefined],
    ['invalid_request', route.body !== undefined || route.query !== undefined || route.params !== undefined],
    ['unauthorized', needsCredential],
    ['forbidden', needsPermission],
    ['not_found', isTenantPath(route.path) || parametersOf(route.path).length > 0],
    ['body_too_large', route.body !== undefined],
    ['unsupported_media_type', route.body !== undefined],
    ['rate_limited', route.path.startsWith('/api/')],
    ['internal_error', true],
    ['unavailable', true],
  ];
  const codes = new Set<ErrorCode>(route.errors ?? []);
  for (const [code, applies] of byDoor) if (applies) codes.add(code);
  return errorCodes.filter((code) => codes.has(code));
};

export const statusOf = (code: ErrorCode): number => errorTable[code].status;

/** `post /api/practices/{id}/send` as `post_api_practices_by_id_send`. */
export const operationId = (route: Route): string =>
  `${route.method}${route.path.replace(/\{(\w+)\}/g, 'by_$1').replace(/[^A-Za-z0-9_]+/g, '_')}`;
