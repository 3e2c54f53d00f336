// The HTTP server with all routes, their descriptions, and what the service says of itself.
import type { Base } from '#src/kernel/base.ts';
import type { EventsDescription } from '#src/kernel/events-description.ts';
import type { HealthPart } from '#src/kernel/health.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import type { ForeignShape, Route } from '#src/kernel/route.ts';
import { type Sentences, type Speak, speakerOf } from '#src/kernel/say.ts';
import { dashboardRoutes } from './dashboard-files.ts';
import { documentationRoutes } from './documentation.ts';
import type { Speakers } from './exchange.ts';
import { healthRoutes } from './health.ts';
import { landingRoute } from './landing.ts';
import { metaRoute, type ServiceFacts } from './meta.ts';
import { previewFrameRoute } from './preview-frame.ts';
import { createHttpServer, type HttpServerOptions } from './server.ts';

export interface HttpParts {
  readonly routes: readonly Route[];
  readonly shapes: readonly ForeignShape[];
  readonly health: Readonly<Record<string, HealthPart>>;
  /** What webhooks bring. */
  readonly events: EventsDescription;
  readonly isInSafeMode: (tenantId: string) => Promise<boolean>;
  readonly attachmentPolicy: ServiceFacts['attachmentPolicy'];
  /** Whether any scanner is configured. */
  readonly scanners: () => boolean;
  /** Texts of refusals that clients may ask for in other languages than English. */
  readonly refusals: Readonly<Partial<Record<MemberLanguage, Sentences>>>;
  /** Answers that their route does not declare become errors: for tests. */
  readonly checkResponses?: boolean | undefined;
}

/** Who is asked whether a request may enter. */
type Doors = Pick<
  HttpServerOptions,
  | 'authenticate'
  | 'enterTenant'
  | 'noteEntrance'
  | 'mayCreatePractice'
  | 'practiceNamed'
  | 'tenantExists'
  | 'someMoved'
>;

/** Each is made when its language is first asked for: its sentences are loaded by then. */
const speakersOf = (refusals: HttpParts['refusals']): Speakers => {
  const made: Partial<Record<MemberLanguage, Speak>> = {};
  const speakers = {};
  for (const language of Object.keys(refusals) as MemberLanguage[])
    Object.defineProperty(speakers, language, {
      get: () => (made[language] ??= speakerOf(language, refusals[language])),
    });
  return speakers;
};

/** Throws where the list of routes is defective. */
export const openHttp = (base: Base, doors: Doors, parts: HttpParts) => {
  const { config, clock, log, version, draining } = base;
  const { service, http, smtp, billing } = config();
  const { name, host, public_origin: origin } = service;
  const { listen: submission, implicit_listen: implicit } = smtp.submission ?? {};
  const passwordLogin = () => config().auth.password_login;
  const routes: readonly Route[] = [
    ...parts.routes,
    ...healthRoutes(base, parts.health),
    metaRoute({
      name,
      version,
      safeMode: async (tenantId) =>
        tenantId === null ? config().safe_mode.default : parts.isInSafeMode(tenantId),
      limits: base.limits,
      passwordLogin,
      scanners: parts.scanners,
      attachmentPolicy: parts.attachmentPolicy,
      submission: smtp.submission
        ? { host, port: submission?.port ?? null, implicit_port: implicit?.port ?? null }
        : null,
      simulatorHost: base.simulatorDomain,
      inbound: smtp.inbound !== undefined,
      billing: billing.provider !== 'none',
    }),
    landingRoute(name),
    ...dashboardRoutes({ serviceName: name, passwordLogin }),
    previewFrameRoute,
    ...documentationRoutes(() => routes, { name, version, origin, events: parts.events }),
  ];
  const {
    authenticate,
    enterTenant,
    noteEntrance,
    mayCreatePractice,
    practiceNamed,
    tenantExists,
    someMoved,
  } = doors;
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
    someMoved,
    speakers: speakersOf(parts.refusals),
    serviceName: name,
    limits: base.limits,
    draining,
    ...(parts.checkResponses === undefined ? {} : { checkResponses: parts.checkResponses }),
  });
};
