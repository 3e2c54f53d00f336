// Vendor B's lookups: messages, what came back, who is suppressed, streams and numbers.
import type { Route } from '#src/kernel/route.ts';
import { bounceLookups } from './bounce-routes.ts';
import type { LookupDeps } from './lookups.ts';
import { messageLookups } from './message-routes.ts';
import { serverLookups } from './server-routes.ts';
import { statsLookups } from './stats-routes.ts';
import { suppressionLookups } from './suppression-routes.ts';

export const vendorBLookups = (deps: LookupDeps): Route[] =>
  [messageLookups, bounceLookups, suppressionLookups, serverLookups, statsLookups].flatMap((routes) =>
    routes(deps),
  );
