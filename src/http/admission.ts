// Who makes a request, how often they may, and whether they may do what it asks, where it asks it. All of it is decided
// before parameters and body are looked at.
import { requireRecentSignIn } from '#src/accounts/people/credential-faults.ts';
import { asOperator } from '#src/accounts/people/operators.ts';
import { type Access, anonymous, type Caller, hintFor } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Limits } from '#src/kernel/limits.ts';
import { clientKey, createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import type { Route } from '#src/kernel/route.ts';
import type { Clock } from '#src/kernel/time.ts';
import { namesPracticeInHeader } from './api-facts.ts';
import { type Authenticate, identify, isWrite } from './credentials.ts';
import type { Exchange } from './exchange.ts';
import { isTenantPath } from './routing.ts';

export interface AdmissionOptions {
  /** Not asked where a request brings no credential. */
  readonly authenticate: Authenticate;
  /** The practice of the project with that id; the id itself where no project has it. */
  readonly practiceNamed: (id: string) => string;
  readonly tenantExists: (id: string) => boolean;
  /** Who a member is in that tenant; null where it is none of theirs, or there is none. `id` is a UUID. */
  readonly enterTenant: (caller: Caller, id: string) => Promise<Caller | null>;
  /** Leaves an entry in the audit of the tenant that an operator's session enters, once a day. */
  readonly noteEntrance: (tenantId: string, caller: Caller, change: Change) => Promise<void>;
  /** Whether a member is Owner or Admin of any practice. */
  readonly mayCreatePractice: (caller: Caller) => Promise<boolean>;
  readonly limits: () => Limits;
  readonly clock: Clock;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
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
    throw new AppError('rate_limited', 'Too many requests.', { extra: { retry_after: retryAfter } });
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
      throw new AppError('not_found', 'There is no such practice.', {
        hint: 'A practice is named by its id, a UUID, not by its slug or name; GET /api/practices lists yours.',
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
    throw new AppError('forbidden', `The credential lacks the permission ${access}.`, {
      ...hintFor(access),
      extra: { permission: access },
    });
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
  new AppError('invalid_request', 'The request does not say which practice it is for.', {
    hint: 'Name it, or a project of it, by project_id; or name it in the header X-Service-Practice.',
    extra: {
      fields: [{ path: 'header.X-Service-Practice', message: 'is required without a token of a practice' }],
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
