// What happens to every request, as a list of steps: draining, authentication, rate limit, tenant, permission,
// parameters, body, once more authentication to permission where the body was long in coming, handler, answer. A step
// ends the request by throwing an AppError.
import { parse as parseQuery } from 'node:querystring';
import type { z } from 'zod';
import { type Access, anonymous, type Caller, hintFor, isPermission } from '#src/kernel/access.ts';
import type { ByteBudget } from '#src/kernel/byte-budget.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Limits } from '#src/kernel/limits.ts';
import { clientKey, type RateLimit, type RateLimiter } from '#src/kernel/rate-limit.ts';
import type { Route, RouteResult } from '#src/kernel/route.ts';
import type { Clock } from '#src/kernel/time.ts';
import { validate } from '#src/kernel/validate.ts';
import { CLICK_PATH, OPEN_PATH } from '#src/mail/copy-links.ts';
import { answer, answerError } from './answer.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { errorsOf } from './route-facts.ts';
import type { Endpoint, Found, RouteTable } from './route-table.ts';

/** What a request brings to say who makes it. */
export interface Credentials {
  readonly bearer: string | null;
  readonly adminToken: string | null;
  /** The header, where neither of the others is given. */
  readonly cookie: string | null;
  readonly csrfToken: string | null;
  /** Whether the request may change something: then a cookie alone is not enough. */
  readonly isWrite: boolean;
  /** Of a request that has been let in before and is under way still: nobody has used anything since. */
  readonly isOnceMore: boolean;
}

export interface ServeOptions {
  /** Null: unknown, expired or revoked. Not asked where a request brings no credential. */
  readonly authenticate: (
    credentials: Credentials,
    clientAddress: string,
  ) => Caller | null | Promise<Caller | null>;
  readonly tenantExists: (id: string) => boolean;
  /** Who a member is in that tenant; null where it is none of theirs, or there is none. `id` is a UUID. */
  readonly enterTenant: (caller: Caller, id: string) => Promise<Caller | null>;
  /** Whether a member is Owner or Admin of any practice. */
  readonly mayCreatePractice: (caller: Caller) => Promise<boolean>;
  readonly limits: () => Limits;
  readonly clock: Clock;
  /** Heads the pages on which browsers read a refusal. */
  readonly serviceName: string;
  readonly draining: () => boolean;
  /** Answers that their route does not declare become `internal_error`: for tests and development. */
  readonly checkResponses?: boolean;
  /** How long a client may read nothing of a large answer or a stream, ms; a minute where absent. */
  readonly unreadMs?: number;
}

export interface ServeParts {
  readonly table: RouteTable;
  readonly limiter: RateLimiter;
  readonly budget: ByteBudget;
  /** Of large answers that are not read yet. */
  readonly answers: ByteBudget;
}

/** For routes that declare no limit of their own: far above any record of the API, far below an attachment. */
const DEFAULT_BODY_BYTES = 1024 * 1024;
/** Of those that anyone may call, likewise: a code, an address, a password. What strangers hold is bounded by it. */
const PUBLIC_BODY_BYTES = 16 * 1024;
/** A restart takes seconds. */
const DRAINING_RETRY_SECONDS = 5;
/** Until one of them has been read. */
const LARGE_ANSWER_RETRY_SECONDS = 5;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
/** What watchers and clients read while the service goes down, and the links in mails, which are followed once. */
const ANSWERED_WHILE_DRAINING: ReadonlySet<string> = new Set([
  '/healthz',
  '/openapi.yaml',
  '/api/meta',
  `${OPEN_PATH}/{token}`,
  `${CLICK_PATH}/{token}/{url}`,
]);
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const noCredentials: Credentials = {
  bearer: null,
  adminToken: null,
  cookie: null,
  csrfToken: null,
  isWrite: false,
  isOnceMore: false,
};
const NO_QUERY: Readonly<Record<string, string>> = {};

/** Answers the request; never throws. */
export const createServe = (
  options: ServeOptions,
  parts: ServeParts,
): ((exchange: Exchange) => Promise<void>) => {
  const run = async (exchange: Exchange): Promise<RouteResult> => {
    const found = parts.table.find(exchange.request.method ?? '', exchange.path);
    if (found.kind === 'endpoint') exchange.route = found.endpoint.route;
    refuseWhileDraining(exchange, found);
    const caller = await Promise.try(() => identify(exchange)).catch((refusal: unknown) => {
      limitRate(exchange);
      throw refusal;
    });
    exchange.caller = caller ?? anonymous;
    limitRate(exchange);
    if (caller === null) throw notLive();
    if (found.kind !== 'endpoint') return refuseUnknown(exchange, found);
    const { endpoint, params } = found;
    await admit(exchange, caller, endpoint, params);
    return handle(exchange, endpoint, params);
  };

  /** Makes the caller who they are where the request goes, if they may do there what it asks. */
  const admit = async (
    exchange: Exchange,
    caller: Caller,
    endpoint: Endpoint,
    params: Record<string, string>,
  ): Promise<void> => {
    exchange.caller = await enterTenant(exchange, caller, endpoint, params);
    await requireAccess(exchange.caller, endpoint.route);
  };

  /**
   * A body may be minutes on its way, an answer hours: whoever lost their right or their session has it no more, and a session
   * that nobody uses but for this comes to its end.
   */
  const admitAgain = async (
    exchange: Exchange,
    endpoint: Endpoint,
    params: Record<string, string>,
  ): Promise<Caller> => {
    const caller = await identify(exchange, true);
    if (caller === null) throw notLive();
    await admit(exchange, caller, endpoint, params);
    return exchange.caller;
  };

  const refuseWhileDraining = (exchange: Exchange, found: Found): void => {
    if (!options.draining()) return;
    exchange.headers.Connection = 'close';
    const answered = found.kind === 'endpoint' && found.endpoint.route.method === 'get';
    if (answered && ANSWERED_WHILE_DRAINING.has(found.endpoint.route.path)) return;
    takeToken(exchange);
    throw new AppError('unavailable', 'The service is shutting down.', {
      extra: { retry_after: DRAINING_RETRY_SECONDS },
    });
  };

  /** The caller, anonymous where the route asks for none, null where it asks and the credential is missing or wrong. */
  const identify = (exchange: Exchange, isOnceMore = false): Caller | null | Promise<Caller | null> => {
    if (exchange.route === undefined || exchange.route.access === 'public') return anonymous;
    const { headers, method = '' } = exchange.request;
    const given = { ...noCredentials, isWrite: !READING.has(method), isOnceMore };
    const ask = (credentials: Credentials) => options.authenticate(credentials, exchange.clientAddress);
    if (headers['x-admin-token'] !== undefined) {
      const adminToken = exchange.header('x-admin-token');
      return adminToken === undefined ? null : ask({ ...given, adminToken });
    }
    if (headers.authorization !== undefined) {
      const bearer = BEARER.exec(exchange.header('authorization') ?? '')?.[1];
      return bearer === undefined ? null : ask({ ...given, bearer });
    }
    const { cookie } = headers;
    if (cookie === undefined) return null;
    return ask({ ...given, cookie, csrfToken: exchange.header('x-csrf-token') ?? null });
  };

  const takeToken = (exchange: Exchange): number => {
    const { caller, route, clientAddress } = exchange;
    const limits = options.limits();
    const address = clientKey(clientAddress);
    const key = caller.kind === 'anonymous' ? `address ${address}` : caller.credentialId;
    const wait = exchange.isApi ? takeFrom(exchange, key, limits.requests) : 0;
    return wait > 0 || route?.rate === undefined
      ? wait
      : takeFrom(exchange, `sign-in address ${address}`, limits.signInPerAddress);
  };

  const takeFrom = ({ headers }: Exchange, key: string, limit: RateLimit): number => {
    const verdict = parts.limiter.take(key, options.clock.now(), limit);
    headers['RateLimit-Limit'] = String(limit.burst);
    headers['RateLimit-Remaining'] = String(verdict.remaining);
    headers['RateLimit-Reset'] = String(verdict.resetSeconds);
    return verdict.retryAfterSeconds;
  };

  const limitRate = (exchange: Exchange): void => {
    const retryAfter = takeToken(exchange);
    if (retryAfter === 0) return;
    throw new AppError('rate_limited', 'Too many requests.', { extra: { retry_after: retryAfter } });
  };

  /**
   * The caller as who they are in the tenant that the request is about. One refusal for a malformed id, an unknown one
   * and another tenant's: it tells nobody which ids exist.
   */
  const enterTenant = async (
    exchange: Exchange,
    caller: Caller,
    { ofTenant, route }: Endpoint,
    params: Record<string, string>,
  ): Promise<Caller> => {
    if (!ofTenant && !isPermission(route.access)) return caller;
    const named = ofTenant
      ? params.id
      : (exchange.header('x-service-practice') ?? namedInQuery(exchange, route, 'practice_id'));
    const id =
      (named ?? caller.tenantId ?? namedInQuery(exchange, route, 'project_id'))?.toLowerCase() ?? null;
    if (id === null) throw practiceNotNamed();
    const entered = await enter(caller, id);
    if (entered === null) throw new AppError('not_found', 'There is no such practice.');
    exchange.tenantId = id;
    if (ofTenant) params.id = id;
    return entered;
  };

  const enter = (caller: Caller, id: string): Caller | null | Promise<Caller | null> => {
    if (caller.tenantId !== null) return caller.tenantId === id ? caller : null;
    if (!UUID.test(id)) return null;
    if (caller.kind === 'member') return options.enterTenant(caller, id);
    return options.tenantExists(id) ? caller : null;
  };

  const requireAccess = async (caller: Caller, { access }: Route): Promise<void> => {
    if (await isGranted(caller, access)) return;
    throw new AppError('forbidden', `The credential lacks the permission ${access}.`, {
      ...hintFor(access),
      extra: { permission: access },
    });
  };

  const isGranted = (caller: Caller, access: Access): boolean | Promise<boolean> => {
    switch (access) {
      case 'public':
      case 'authenticated':
        return true;
      case 'session':
        return caller.kind === 'member';
      case 'operator':
        return caller.kind === 'operator';
      case 'practice_creator':
        return caller.kind === 'operator' || (caller.kind === 'member' && options.mayCreatePractice(caller));
      default:
        return caller.permissions.has(access);
    }
  };

  const handle = async (
    exchange: Exchange,
    endpoint: Endpoint,
    params: Record<string, string>,
  ): Promise<RouteResult> => {
    const { route } = endpoint;
    const isWhole = exchange.request.complete;
    const input = {
      params: (route.params ? validate(route.params, params, 'params') : params) as never,
      query: (route.query ? validate(route.query, queryOf(exchange), 'query') : NO_QUERY) as never,
      body: (route.body ? validate(route.body, await bodyOf(exchange, route), 'body') : undefined) as never,
    };
    if (route.body && !isWhole) await admitAgain(exchange, endpoint, params);
    exchange.readmit = () => admitAgain(exchange, endpoint, params);
    const result = await route.handle(input, exchange);
    if (options.checkResponses) {
      checkResponse(route, result);
      checkAudit(exchange, route, result);
    }
    return result;
  };

  const bodyOf = (exchange: Exchange, route: Route): Promise<unknown> => {
    const usual = route.access === 'public' ? PUBLIC_BODY_BYTES : DEFAULT_BODY_BYTES;
    const limitBytes = Math.min(route.bodyLimit ?? usual, options.limits().body_bytes);
    const terms = { limitBytes, takesForms: route.form === true, textTypes: route.text ?? [] };
    const owner = budgetOwner(exchange);
    return readBody(exchange.request, exchange.response, terms, {
      take: (bytes) => {
        const isTaken = parts.budget.take(owner, bytes);
        if (isTaken) exchange.bytesHeld += bytes;
        return isTaken;
      },
      reserve: (bytes, gone) =>
        parts.budget.reserve(owner, bytes, gone, () => {
          if (exchange.isSettled) parts.budget.release(owner, bytes);
          else exchange.bytesHeld += bytes;
        }),
      received: (bytes) => {
        exchange.bytesIn += bytes;
      },
    });
  };

  /** Who asks for much and reads none of it fills their own share of the memory, nobody else's. */
  const holdAnswer = (exchange: Exchange, bytes: number): void => {
    // Whoever has left by now has given back what was held: nobody would give this back.
    if (exchange.isSettled) return;
    if (!parts.answers.take(budgetOwner(exchange), bytes))
      throw new AppError('unavailable', 'Too many large answers are under way.', {
        extra: { retry_after: LARGE_ANSWER_RETRY_SECONDS },
      });
    exchange.answerHeld = bytes;
  };

  return async (exchange) => {
    try {
      const hold = (bytes: number): void => holdAnswer(exchange, bytes);
      const { unreadMs } = options;
      await answer(exchange, await run(exchange), { hold, ...(unreadMs === undefined ? {} : { unreadMs }) });
    } catch (thrown) {
      await answerError(exchange, thrown, options.serviceName).catch(() => exchange.response.destroy());
    }
  };
};

/** A tenant, whichever of its tokens is used; the operator by himself; a stranger by his address, not all of them as one. */
export const budgetOwner = ({ caller, clientAddress }: Exchange): string =>
  caller.kind === 'anonymous'
    ? `address ${clientKey(clientAddress)}`
    : (caller.tenantId ?? caller.credentialId);

const notLive = (): AppError => new AppError('unauthorized', 'The request has no live credential.');

const refuseUnknown = (exchange: Exchange, found: Exclude<Found, { kind: 'endpoint' }>): never => {
  if (found.kind === 'nothing') throw new AppError('not_found', 'There is nothing at this path.');
  const allowed = found.allowed.join(', ');
  exchange.headers.Allow = allowed;
  throw new AppError('not_found', 'This path does not take this method.', { hint: `It takes ${allowed}.` });
};

const checkAudit = ({ change }: Exchange, { audit, method, path }: Route, { status }: RouteResult): void => {
  if (typeof audit !== 'string' || status >= 400 || change.recorded) return;
  throw new Error(`${method} ${path} changed something that the audit does not tell of`);
};

const practiceNotNamed = (): AppError =>
  new AppError('invalid_request', 'The request does not say which practice it is for.', {
    hint: 'Name it in the header X-Service-Practice, or use the path under /api/practices/{id}.',
    extra: {
      fields: [{ path: 'header.X-Service-Practice', message: 'is required without a token of a practice' }],
    },
  });

const queryOf = ({ request }: Exchange): unknown => {
  const url = request.url ?? '';
  const mark = url.indexOf('?');
  return mark < 0 ? NO_QUERY : parseQuery(url.slice(mark + 1));
};

const namedInQuery = (exchange: Exchange, { practiceInQuery }: Route, name: string): string | undefined => {
  if (practiceInQuery === undefined) return undefined;
  const given = (queryOf(exchange) as Readonly<Record<string, unknown>>)[name];
  return typeof given === 'string' ? given : undefined;
};

const isSchema = (body: z.ZodType | string | undefined): body is z.ZodType => typeof body === 'object';

/** Throws Error where `result` is not among the declared responses of `route`. */
const checkResponse = (route: Route, result: RouteResult): void => {
  const name = `${route.method} ${route.path} answered ${result.status}`;
  // An error that comes with header fields of its own.
  if (result.body instanceof AppError && errorsOf(route).includes(result.body.code)) return;
  const declared = route.responses[result.status];
  if (!declared) throw new Error(`${name}, which it does not declare`);
  if (declared.otherwise !== undefined && result.contentType === declared.otherwise) return;
  if (isSchema(declared.body)) {
    const checked = declared.body.safeParse(result.body);
    if (!checked.success)
      throw new Error(`${name} with a body it does not declare`, { cause: checked.error });
  } else if (declared.body === undefined && result.body !== undefined) {
    throw new Error(`${name} with a body, and declares none`);
  } else if (
    typeof declared.body === 'string' &&
    result.contentType?.split(';')[0] !== declared.body.split(';')[0]
  ) {
    throw new Error(`${name} as ${result.contentType ?? 'JSON'}, and declares ${declared.body}`);
  }
};
