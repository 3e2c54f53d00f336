// The HTTP server with all routes, their descriptions, and what the service says of itself.
import type { Accounts } from '#src/accounts/open.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Base } from '#src/kernel/base.ts';
import type { ForeignShape, Route } from '#src/kernel/route.ts';
import { dashboardRoutes } from './dashboard-files.ts';
import { documentationRoutes } from './documentation.ts';
import { landingRoute } from './landing.ts';
import { previewFrameRoute } from './preview-frame.ts';
import { createHttpServer } from './server.ts';
import { type Health, serviceRoutes } from './service-routes.ts';

export interface HttpParts {
  readonly routes: readonly Route[];
  readonly shapes: readonly ForeignShape[];
  readonly health: () => Health;
  /** Whether any scanner is configured. */
  readonly scanners: () => boolean;
  /** Answers that their route does not declare become errors: for tests. */
  readonly checkResponses?: boolean | undefined;
}

/** Throws where the list of routes is defective. */
export const openHttp = (base: Base, accounts: Accounts, parts: HttpParts) => {
  const { config, clock, log, version, draining } = base;
  const { service, http, smtp, billing } = config();
  const { name, host, public_origin: origin } = service;
  const { listen: submission, implicit_listen: implicit } = smtp.submission ?? {};
  const isInSafeMode = (tenantId: string): Promise<boolean> =>
    base.storage.tenants.read(tenantId, (db) => tenantStore(db).practice().safe_mode === 1);
  const passwordLogin = () => config().auth.password_login;
  const routes: readonly Route[] = [
    ...parts.routes,
    ...serviceRoutes({
      name,
      version,
      safeMode: async (tenantId) => (tenantId === null ? config().safe_mode.default : isInSafeMode(tenantId)),
      limits: base.limits,
      passwordLogin,
      scanners: parts.scanners,
      submission: smtp.submission
        ? { host, port: submission?.port ?? null, implicit_port: implicit?.port ?? null }
        : null,
      simulatorHost: base.simulatorDomain,
      inbound: smtp.inbound !== undefined,
      billing: billing.provider !== 'none',
      health: parts.health,
    }),
    landingRoute(name),
    ...dashboardRoutes({ serviceName: name, passwordLogin }),
    previewFrameRoute,
    ...documentationRoutes(() => routes, { name, version, origin }),
  ];
  const { authenticate, enterTenant, noteEntrance, mayCreatePractice, practiceNamed, tenantExists } =
    accounts;
  return createHttpServer({
    listen: http.listen,
    routes,
    shapes: parts.shapes,
    trustProxy: http.trust_proxy,
    bodies: base.messageBudget,
    log,
    clock,
    authenticate,
    enterTenant,
    noteEntrance,
    mayCreatePractice,
    practiceNamed,
    tenantExists,
    serviceName: name,
    limits: base.limits,
    draining,
    ...(parts.checkResponses === undefined ? {} : { checkResponses: parts.checkResponses }),
  });
};
