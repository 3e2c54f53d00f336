// The HTTP server with all routes, their descriptions, and what the service says of itself.
import type { Accounts } from '#src/accounts/open.ts';
import type { Base } from '#src/kernel/base.ts';
import type { Route } from '#src/kernel/route.ts';
import { documentationRoutes } from './documentation.ts';
import { landingRoute } from './landing.ts';
import { createHttpServer } from './server.ts';
import { type Health, serviceRoutes } from './service-routes.ts';

export interface HttpParts {
  readonly routes: readonly Route[];
  readonly health: () => Health;
  /** Whether any scanner is configured. */
  readonly scanners: () => boolean;
  /** Answers that their route does not declare become errors: for tests. */
  readonly checkResponses?: boolean | undefined;
}

/** Throws where the list of routes is defective. */
export const openHttp = (base: Base, accounts: Accounts, parts: HttpParts) => {
  const { config, clock, log, version, draining } = base;
  const { service, http, smtp } = config();
  const { name, public_origin: origin } = service;
  const routes: readonly Route[] = [
    ...parts.routes,
    ...serviceRoutes({
      name,
      version,
      safeMode: () => config().safe_mode.default,
      limits: base.limits,
      passwordLogin: () => config().auth.password_login,
      scanners: parts.scanners,
      submission: smtp.submission !== undefined,
      inbound: smtp.inbound !== undefined,
      health: parts.health,
    }),
    landingRoute(name),
    ...documentationRoutes(() => routes, { name, version, origin }),
  ];
  const { authenticate, enterTenant, mayCreatePractice, practiceNamed, tenantExists } = accounts;
  return createHttpServer({
    listen: http.listen,
    routes,
    trustProxy: http.trust_proxy,
    bodies: base.messageBudget,
    log,
    clock,
    authenticate,
    enterTenant,
    mayCreatePractice,
    practiceNamed,
    tenantExists,
    serviceName: name,
    limits: base.limits,
    draining,
    ...(parts.checkResponses === undefined ? {} : { checkResponses: parts.checkResponses }),
  });
};
