// What can be said of routes and events from their declarations alone, for the two descriptions made of them:
// /openapi.yaml and /reference.
import { errorTable } from '#src/kernel/error-table.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import type { EventsDescription } from '#src/kernel/events-description.ts';
import { HTML_TYPE } from '#src/kernel/page.ts';
import type { Route } from '#src/kernel/route.ts';
import { FORM_TYPES } from './form.ts';
import { namesPracticeInHeader, parametersOf } from './routing.ts';

/** What both descriptions say about the service itself. */
export interface ServiceInfo {
  readonly name: string;
  readonly version: string;
  /** The origin has no slash at its end. */
  readonly origin: string;
  readonly events: EventsDescription;
}

export const errorCodes = Object.keys(errorTable) as ErrorCode[];

/** Whether browsers read its answers: then they get its refusals as pages too. */
export const answersPages = ({ responses }: Route): boolean =>
  Object.values(responses).some(({ body }) => body === HTML_TYPE);

const JSON_TYPE = 'application/json';

/** Media types of the request body. */
export const bodyTypes = ({ form, text = [] }: Route): readonly string[] => [
  ...new Set([JSON_TYPE, ...text, ...(form ? FORM_TYPES : [])]),
];

/** Whether a body of that type is described as text. JSON that is handed on as bytes is described as JSON. */
export const isTextType = ({ text = [] }: Route, type: string): boolean =>
  type !== JSON_TYPE && text.includes(type);

/** Whether If-Match names the version that it may change. */
export const takesVersion = ({ version, method }: Route): boolean =>
  version !== undefined && method !== 'get';

/** Every code the route may answer with: those that the server adds to all routes of its kind, and its own. They are in the table's order. */
export const errorsOf = (route: Route): ErrorCode[] => {
  const needsCredential = route.access !== 'public';
  // What changes something is refused to a browser's session without its X-CSRF-Token, whatever else is asked for.
  const mayLack = needsCredential && (route.access !== 'authenticated' || route.method !== 'get');
  const byHeader = namesPracticeInHeader(route);
  const hasInput = route.body !== undefined || route.query !== undefined || route.params !== undefined;
  const byDoor: readonly [ErrorCode, boolean][] = [
    ['invalid_json', route.body !== undefined],
    // Two right credentials of different kinds are refused by it.
    ['invalid_request', hasInput || needsCredential],
    ['unauthorized', needsCredential],
    ['forbidden', mayLack],
    ['sign_in_again', mayLack && route.method !== 'get' && route.access !== 'session'],
    ['not_found', byHeader || parametersOf(route.path).length > 0],
    ['body_too_large', route.body !== undefined],
    ['version_conflict', takesVersion(route)],
    ['unsupported_media_type', route.body !== undefined],
    ['rate_limited', route.path.startsWith('/api/') || route.rate !== undefined],
    ['internal_error', true],
    ['unavailable', true],
  ];
  const codes = new Set<ErrorCode>(route.errors ?? []);
  for (const [code, applies] of byDoor) if (applies) codes.add(code);
  return errorCodes.filter((code) => codes.has(code));
};

export const statusFor = ({ shape }: Route, code: ErrorCode): number =>
  shape?.refusals?.statusOf(code) ?? errorTable[code].status;
