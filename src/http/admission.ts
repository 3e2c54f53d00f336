// Who makes a request, how often they may, and whether they may do what it asks, where it asks it. All of it is decided
// before parameters and body are looked at.
import {
  type Access,
  type Authenticate,
  anonymous,
  asOperator,
  type Caller,
  type Credentials,
  refusalOf,
} from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import { isCredentialFault, nothingSent, requireRecentSignIn, unreadable } from '#src/kernel/credentials.ts';
import { AppError } from '#src/kernel/errors.ts';
import { UUID } from '#src/kernel/fields.ts';
import type { Limits } from '#src/kernel/limits.ts';
import { clientKey, createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import type { Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { Exchange } from './exchange.ts';
import { isTenantPath, namesPracticeInHeader } from './routing.ts';

export interface AdmissionOptions {
  /** Is not called where a request brings no credential. */
  readonly authenticate: Authenticate;
  /** The practice of the project with that id; the id itself where no project has it. */
  readonly practiceNamed: (id: string) => string;
  readonly tenantExists: (id: string) => boolean;
  /** The caller as a member of that tenant; null where they are no member of it, or there is none. `id` is a UUID. */
  readonly enterTenant: (caller: Caller, id: string) => Promise<Caller | null>;
  /** Leaves an entry in the audit of the tenant that an operator's session enters, once a day. */
  readonly noteEntrance: (tenantId: string, caller: Caller, change: Change) => Promise<void>;
  /** Whether a member is Owner or Admin of any practice. */
  readonly mayCreatePractice: (caller: Caller) => Promise<boolean>;
  readonly limits: () => Limits;
  readonly clock: Clock;
}

export const createAdmission = (options: AdmissionOptions) => {
  const limiter = createRateLimiter();

  const callerOf = (exchange: Exchange, isOnceMore = false): Caller | Promise<Caller> =>
    exchange.route === undefined || exchange.route.access === 'public'
      ? anonymous
      : identify(options.authenticate, exchange, isOnceMore);

  const takeFrom = ({ headers }: Exchange, key: string, limit: RateLimit): number => {
    const verdict = limiter.take(key, options.clock.now(), limit);
    headers['RateLimit-Limit'] = String(limit.burst);
    headers['RateLimit-Remaining'] = String(verdict.remaining);
    headers['RateLimit-Reset'] = String(verdict.resetSeconds);
    return verdict.retryAfterSeconds;
  };

  /** Counts the request; seconds until the next one is allowed, 0 where this one is. */
  const countRequest = (exchange: Exchange): number => {
    const { caller, route, clientAddress } = exchange;
    const limits = options.limits();
    const key = caller.kind === 'anonymous' ? `address ${clientKey(clientAddress)}` : caller.credentialId;
    const wait = exchange.isApi ? takeFrom(exchange, key, limits.requests) : 0;
    return wait > 0 || route?.rate === undefined
      ? wait
      : takeFrom(exchange, `sign-in address ${clientKey(clientAddress)}`, limits.signInPerAddress);
  };

  const limitRate = (exchange: Exchange): void => {
    const retryAfter = countRequest(exchange);
    if (retryAfter === 0) return;
    throw new AppError('rate_limited', say`Too many requests.`, { extra: { retry_after: retryAfter } });
  };

  const enter = async (caller: Caller, id: string): Promise<Caller | null> => {
    if (caller.tenantId !== null) return caller.tenantId === id ? caller : null;
    if (!UUID.test(id)) return null;
    const member = caller.kind === 'member' ? await options.enterTenant(caller, id) : null;
    if (member !== null) return member;
    const operator = caller.kind === 'member' ? asOperator(caller) : caller;
    return options.tenantExists(id) ? operator : null;
  };

  /**
   * The caller as who they are in the tenant that the request is about; null where only the body may say which one. One
   * refusal for a malformed id, an unknown one and another tenant's: it does not show which ids exist.
   */
  const enterTenant = async (
    exchange: Exchange,
    caller: Caller,
    route: Route,
    body: unknown,
  ): Promise<Caller | null> => {
    const { params } = exchange;
    const isFlat = namesPracticeInHeader(route);
    if (!isFlat && !isTenantPath(route.path)) return caller;
    const named = isFlat
      ? (exchange.header('x-service-practice') ??
        inQuery(exchange, 'practice_id') ??
        inBody(body, 'practice_id') ??
        caller.tenantId)
      : params.id;
    const project = inQuery(exchange, 'project_id') ?? inBody(body, 'project_id');
    const id = named?.toLowerCase() ?? (project && options.practiceNamed(project.toLowerCase()));
    if (id === undefined) {
      if (route.body && body === undefined) return null;
      throw practiceNotNamed();
    }
    const entered = await enter(caller, id);
    if (entered === null)
      throw new AppError('not_found', say`There is no such practice.`, {
        hint: say`A practice is named by its id, a UUID, not by its slug or name; GET /api/practices lists yours.`,
      });
    exchange.tenantId = id;
    if (!isFlat) params.id = id;
    return entered;
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
        if (caller.kind === 'operator') return true;
        // Operators name the owner and the plan.
        return caller.kind === 'member' && caller.operatorProof === null && options.mayCreatePractice(caller);
      default:
        return caller.permissions.has(access);
    }
  };

  /** A look into a tenant is in its audit before anything of it is read. Throws `sign_in_again`. */
  const checkOperator = async (exchange: Exchange, { operatorProof }: Caller): Promise<void> => {
    if (operatorProof === null) return;
    if (isWrite(exchange)) requireRecentSignIn(operatorProof, options.clock.now());
    const { tenantId, caller, change } = exchange;
    if (tenantId !== null) await options.noteEntrance(tenantId, caller, change);
  };

  /**
   * Makes the caller who they are where the request goes, if they may do there what it asks. False where that depends on the
   * body.
   */
  const admit = async (
    exchange: Exchange,
    caller: Caller,
    route: Route,
    body?: unknown,
  ): Promise<boolean> => {
    const entered = await enterTenant(exchange, caller, route, body);
    if (entered === null) return false;
    exchange.caller = entered;
    const { access } = route;
    const isGrantedAsTheyAre = await isGranted(entered, access);
    const operator = isGrantedAsTheyAre ? null : asOperator(entered);
    if (operator !== null && (await isGranted(operator, access))) exchange.caller = operator;
    if (isGrantedAsTheyAre || exchange.caller === operator) {
      if (exchange.caller.kind === 'operator') await checkOperator(exchange, exchange.caller);
      return true;
    }
    const refusal = refusalOf(access);
    if (refusal === undefined)
      throw new AppError('forbidden', say`The credential lacks the permission ${access}.`, {
        extra: { permission: access },
      });
    throw new AppError('forbidden', refusal.text, { hint: refusal.hint, extra: {} });
  };

  return {
    countRequest,
    limitRate,
    /**
     * False where the request must be admitted again with its body, which names the practice. Throws `unauthorized`,
     * `rate_limited`, `forbidden`, `not_found`, and what `authenticate` throws.
     */
    admit: async (exchange: Exchange, route: Route): Promise<boolean> => {
      try {
        exchange.caller = await callerOf(exchange);
      } finally {
        limitRate(exchange);
      }
      return admit(exchange, exchange.caller, route);
    },
    /**
     * A body may take minutes to arrive, an answer hours. A caller who has lost the right or the session since then has it no
     * more; asking does not keep an unused session alive.
     */
    admitAgain: async (exchange: Exchange, route: Route, body: unknown): Promise<Caller> => {
      await admit(exchange, await callerOf(exchange, true), route, body ?? null);
      return exchange.caller;
    },
  };
};

const practiceNotNamed = (): AppError =>
  new AppError('invalid_request', say`The request does not say which practice it is for.`, {
    hint: say`Name it, or a project of it, by project_id; or name it in the header X-Service-Practice.`,
    extra: {
      fields: [
        { path: 'header.X-Service-Practice', message: say`is required without a token of a practice` },
      ],
    },
  });

const inQuery = (exchange: Exchange, name: string): string | undefined => {
  const given = exchange.request.query[name];
  return typeof given === 'string' ? given : undefined;
};

const inBody = (body: unknown, name: 'practice_id' | 'project_id'): string | undefined => {
  const given = (body as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof given === 'string' ? given : undefined;
};

// The credentials of a request. The header fields win over the cookie, which browsers send by themselves. Where both the
// bearer and the admin token are sent, one that is wrong is passed over if the other is right: clients and proxies add one
// of them to every request. Two that are right are refused, because they may do different things.

const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Whether the request may change something. */
export const isWrite = ({ method }: Pick<Exchange, 'method'>): boolean => !READING.has(method);

const sentTwice = (name: string): AppError =>
  new AppError('unauthorized', say`${name} is in the head more than once.`, { hint: say`Send it once.` });

/** The field in which another API's clients send their token, where Authorization is absent. */
const tokenField = ({ request, shape }: Exchange): string | undefined =>
  request.headers.authorization === undefined
    ? shape?.tokenHeaders().find((name) => request.headers[name] !== undefined)
    : undefined;

/** Throws `unauthorized` where the field holds no bearer. */
const bearerOf = (exchange: Exchange): string => {
  const name = tokenField(exchange);
  const field = exchange.header(name ?? 'authorization');
  if (field === undefined) throw sentTwice(name ?? 'Authorization');
  if (name !== undefined) return field;
  const bearer = BEARER.exec(field)?.[1];
  if (bearer !== undefined) return bearer;
  throw unreadable(field, ['Bearer']);
};

const adminTokenOf = (exchange: Exchange): string => {
  const field = exchange.header('x-admin-token');
  if (field === undefined) throw sentTwice('X-Admin-Token');
  return field;
};

const oneOf = async (
  byBearer: () => Promise<Caller>,
  byAdminToken: () => Promise<Caller>,
): Promise<Caller> => {
  const asFault = (thrown: unknown): AppError => {
    if (isCredentialFault(thrown)) return thrown;
    throw thrown;
  };
  const bearer = await byBearer().catch(asFault);
  const operator = await byAdminToken().catch(asFault);
  if (bearer instanceof AppError) {
    if (!(operator instanceof AppError)) return operator;
    throw new AppError('unauthorized', say`${bearer.text} ${operator.text}`, { hint: bearer.hintText });
  }
  if (operator instanceof AppError) return bearer;
  const message = say`two right credentials of different kinds: send one of them`;
  throw new AppError(
    'invalid_request',
    say`The request has a bearer and the admin token, and both are right.`,
    {
      hint: say`Send the one that the request is to be made with.`,
      extra: { fields: ['header.Authorization', 'header.X-Admin-Token'].map((path) => ({ path, message })) },
    },
  );
};

/** Who makes the request. Throws as `authenticate`, and `invalid_request` for two right credentials. */
export const identify = (
  authenticate: Authenticate,
  exchange: Exchange,
  isOnceMore: boolean,
): Caller | Promise<Caller> => {
  const { headers } = exchange.request;
  const ask = (given: Partial<Credentials>) =>
    authenticate(
      {
        bearer: null,
        adminToken: null,
        cookie: null,
        csrfToken: null,
        isWrite: isWrite(exchange),
        isOnceMore,
        ...given,
      },
      exchange.clientAddress,
    );
  const byBearer = () => ask({ bearer: bearerOf(exchange) });
  const byAdminToken = () => ask({ adminToken: adminTokenOf(exchange) });
  const hasBearer = headers.authorization !== undefined || tokenField(exchange) !== undefined;
  if (headers['x-admin-token'] !== undefined)
    return !hasBearer
      ? byAdminToken()
      : oneOf(
          async () => byBearer(),
          async () => byAdminToken(),
        );
  if (hasBearer) return byBearer();
  const { cookie } = headers;
  if (cookie === undefined) throw nothingSent();
  return ask({ cookie, csrfToken: exchange.header('x-csrf-token') ?? null });
};
