// The HTTP server with all routes, their descriptions, and what the service says of itself.
import type { Base } from '#src/kernel/base.ts';
import { isLoopback } from '#src/kernel/config/values.ts';
import type { EventsDescription } from '#src/kernel/events-description.ts';
import type { HealthPart } from '#src/kernel/health.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import type { ForeignShape, Route } from '#src/kernel/route.ts';
import { inEnglish, type Sentences, type Speak, speakerOf } from '#src/kernel/say.ts';
import { dashboardRoutes } from './dashboard-files.ts';
import { documentationRoutes } from './documentation.ts';
import type { SpeakIn } from './exchange.ts';
import { healthRoutes } from './health.ts';
import { type LandingFacts, landingRoute } from './landing.ts';
import { metaRoute, type ServiceFacts } from './meta.ts';
import { createHttpMetrics } from './metrics.ts';
import { previewFrameRoute } from './preview-frame.ts';
import type { SecureOptions } from './secure.ts';
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
  /** Texts of refusals in a language that clients may ask for, by the English ones; undefined where it has none of its own. */
  readonly refusals: (language: MemberLanguage) => Sentences | undefined;
  /** Null where no HTTPS is configured. */
  readonly secure: Pick<SecureOptions, 'certificates' | 'isServed' | 'challengeAt'> | null;
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
  | 'noteRequest'
> &
  Pick<LandingFacts, 'joinForm'>;

/** Each is made when its language is first asked for: its sentences are loaded by then. */
const speakersOf = (refusals: HttpParts['refusals']): SpeakIn => {
  const made = new Map<MemberLanguage, Speak>();
  return (language) => {
    const known = made.get(language);
    if (known !== undefined) return known;
    const sentences = refusals(language);
    const speak = sentences === undefined ? inEnglish : speakerOf(language, sentences);
    made.set(language, speak);
    return speak;
  };
};

/** Throws where the list of routes is defective. */
export const openHttp = (base: Base, doors: Doors, parts: HttpParts) => {
  const { config, clock, log, version, draining } = base;
  const { service, http, smtp, tls, billing } = config();
  const { name, host, public_origin: origin } = service;
  const { listen: submission, implicit_listen: implicit } = smtp.submission ?? {};
  const hasTls = Boolean(smtp.submission?.tls ?? smtp.inbound?.tls ?? tls.acme);
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
        ? {
            host: !hasTls && submission && isLoopback(submission.host) ? submission.host : host,
            port: submission?.port ?? null,
            implicit_port: implicit?.port ?? null,
            tls: hasTls,
          }
        : null,
      simulatorHost: base.simulatorDomain,
      inbound: smtp.inbound !== undefined,
      billing: billing.provider !== 'none',
    }),
    landingRoute({
      serviceName: name,
      operatedBy: service.operated_by,
      legalNotice: service.legal_notice,
      joinForm: doors.joinForm,
    }),
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
    noteRequest,
  } = doors;
  const metrics = createHttpMetrics();
  const server = createHttpServer({
    listen: http.listen,
    metrics,
    routes,
    shapes: parts.shapes,
    trustProxy: http.trust_proxy,
    secure:
      parts.secure && http.tls
        ? { ...parts.secure, origin, listen: http.tls.listen, redirect: http.tls.redirect ?? null }
        : null,
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
    ...(noteRequest && { noteRequest }),
    speakIn: speakersOf(parts.refusals),
    serviceName: name,
    limits: base.limits,
    draining,
    ...(parts.checkResponses === undefined ? {} : { checkResponses: parts.checkResponses }),
  });
  return { ...server, metrics: [metrics.requests.metric, metrics.internalErrors.metric] };
};
