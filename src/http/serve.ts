// What happens to every request, as a list of steps: draining, admission, parameters, body, admission again where the body
// was still on its way, handler, answer. A step ends the request by throwing an AppError.
import type { z } from 'zod';
import type { ByteBudget } from '#src/kernel/byte-budget.ts';
import { AppError } from '#src/kernel/errors.ts';
import { TenantMoved } from '#src/kernel/moved.ts';
import { clientKey } from '#src/kernel/rate-limit.ts';
import { etagOf } from '#src/kernel/record-version.ts';
import { ANY_TYPE, type ForeignShape, type Route, type RouteResult, wrongMethod } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { validate } from '#src/kernel/validate.ts';
import { type AdmissionOptions, createAdmission } from './admission.ts';
import { errorsOf } from './api-facts.ts';
import { type Holding, hasArrived, readBody } from './body.ts';
import { createCompress } from './compression.ts';
import { answer, answerError, type Exchange } from './exchange.ts';
import { createForeignPaths } from './request-head.ts';
import { createRouter } from './routing.ts';

export interface ServeOptions extends AdmissionOptions {
  readonly routes: readonly Route[];
  readonly shapes: readonly ForeignShape[];
  /** Heads the pages on which browsers read a refusal. */
  readonly serviceName: string;
  readonly draining: () => boolean;
  /** Answers that their route does not declare become `internal_error`: for tests and development. */
  readonly checkResponses?: boolean;
  /** Whether the tenant of any request may have moved to another host. */
  readonly someMoved: () => boolean;
  /** How long a client may read nothing of a large answer or a stream, ms; a minute where absent. */
  readonly unreadMs?: number;
}

/** The limit of routes that declare none of their own: far above any record of the API, far below an attachment. */
const DEFAULT_BODY_BYTES = 1024 * 1024;
/** For routes that anyone may call: far above a code, an address, a password. What strangers hold is bounded by it. */
const PUBLIC_BODY_BYTES = 16 * 1024;
/** A restart takes seconds. */
const DRAINING_RETRY_SECONDS = 5;
/** One of them has been read by then. */
const LARGE_ANSWER_RETRY_SECONDS = 5;

const queryFor = ({ shape }: Route, query: Exchange['request']['query']): object =>
  shape?.ignoresCaseInQuery
    ? Object.fromEntries(Object.entries(query).map(([name, value]) => [name.toLowerCase(), value]))
    : query;

/** The tenant, whichever of its tokens is used; the operator; or a stranger's address, so that strangers do not share. */
export const budgetOwner = ({ caller, clientAddress }: Exchange): string =>
  caller.kind === 'anonymous'
    ? `address ${clientKey(clientAddress)}`
    : (caller.tenantId ?? caller.credentialId);

/**
 * The function that answers a request; it never throws or rejects. Throws Error where the list of routes is defective.
 */
export const createServe = (
  options: ServeOptions,
  budgets: { readonly bodies: ByteBudget; readonly answers: ByteBudget },
): ((exchange: Exchange) => Promise<void>) => {
  const find = createRouter(options.routes);
  const findFor = createForeignPaths(find, options.shapes);
  const admission = createAdmission(options);

  const refuseWhileDraining = (exchange: Exchange, route: Route | undefined): void => {
    if (!options.draining()) return;
    exchange.headers.Connection = 'close';
    if (route?.isAnsweredWhileDraining) return;
    admission.countRequest(exchange);
    throw new AppError('unavailable', say`The service is shutting down.`, {
      extra: { retry_after: DRAINING_RETRY_SECONDS },
    });
  };

  const releaseBody = (exchange: Exchange): void => {
    budgets.bodies.release(exchange.bodyOwner, exchange.bytesHeld);
    exchange.bytesHeld = 0;
  };

  const bodyOf = async (exchange: Exchange, route: Route): Promise<unknown> => {
    const usual = route.access === 'public' ? PUBLIC_BODY_BYTES : DEFAULT_BODY_BYTES;
    const limitBytes = Math.min(route.bodyLimit ?? usual, options.limits().body_bytes);
    const copy = (bytes: Buffer): void => {
      exchange.bodyBytes = bytes;
    };
    const terms = {
      limitBytes,
      form: route.form,
      fileFields: route.fileFields ?? [],
      textTypes: route.text ?? [],
      // Whose request it is may be found out by the body; with a credential it is known before.
      copy: route.access === 'public' && options.someMoved() ? copy : undefined,
    };
    const owner = budgetOwner(exchange);
    exchange.bodyOwner = owner;
    const holding: Holding = {
      take: (bytes) => {
        // Nothing would give the room back of a request that has its answer.
        if (exchange.isSettled) return true;
        const isTaken = budgets.bodies.take(owner, bytes);
        if (isTaken) exchange.bytesHeld += bytes;
        return isTaken;
      },
      reserve: (bytes, gone) =>
        budgets.bodies.reserve(owner, bytes, gone, () => {
          if (exchange.isSettled) budgets.bodies.release(owner, bytes);
          else exchange.bytesHeld += bytes;
        }),
      received: (bytes) => {
        exchange.bytesIn += bytes;
      },
      watch: (giveWay) => budgets.bodies.watch(owner, () => exchange.bytesIn, giveWay),
    };
    try {
      return await readBody(exchange.request, exchange.response, terms, holding);
    } catch (refusal) {
      // What was read of it is gone; the client may go on sending for a while.
      releaseBody(exchange);
      throw refusal;
    }
  };

  const run = async (exchange: Exchange, route: Route): Promise<RouteResult> => {
    refuseWhileDraining(exchange, route);
    const isAdmitted = await admission.admit(exchange, route);
    const { request, params } = exchange;
    const isWhole = hasArrived(request);
    const input = {
      params: (route.params ? validate(route.params, params, 'params') : params) as never,
      query: (route.query ? validate(route.query, queryFor(route, request.query), 'query') : {}) as never,
      body: (route.body ? validate(route.body, await bodyOf(exchange, route), 'body') : undefined) as never,
    };
    const admitAgain = () => admission.admitAgain(exchange, route, input.body);
    if (route.body && (!isWhole || !isAdmitted)) await admitAgain();
    exchange.readmit = admitAgain;
    const result = await route.handle(input, exchange);
    if (options.checkResponses) {
      checkResponse(route, result);
      checkAudit(exchange, route, result);
      checkVersion(exchange, route, result);
    }
    return withVersion(route, result);
  };

  /** A client that asks for much and reads none of it fills its own share of the memory, not that of others. */
  const holdAnswer = (exchange: Exchange, bytes: number): void => {
    // A client that has left by now has given back what was held: nothing would give this back.
    if (exchange.isSettled) return;
    if (!budgets.answers.take(budgetOwner(exchange), bytes))
      throw new AppError('unavailable', say`Too many large answers wait to be read.`, {
        extra: { retry_after: LARGE_ANSWER_RETRY_SECONDS },
      });
    exchange.answerHeld = bytes;
  };

  /** The request's route. Throws `not_found`, and what the steps before it throw. */
  const routeOf = (exchange: Exchange): Route => {
    const found = findFor(exchange);
    if (found.route !== undefined) {
      exchange.params = found.params;
      exchange.route = found.route;
      return found.route;
    }
    const allowed = found.allowed?.join(', ');
    if (allowed !== undefined) exchange.headers.Allow = allowed;
    refuseWhileDraining(exchange, undefined);
    admission.limitRate(exchange);
    const instead = exchange.shape?.insteadOf(exchange.path.slice(exchange.shape.base.length));
    if (allowed !== undefined)
      throw wrongMethod(
        instead === undefined ? say`It takes ${allowed}.` : say`It takes ${allowed}. ${instead}`,
      );
    const nearest = instead === undefined ? found.nearest() : undefined;
    const hint = instead ?? (nearest === undefined ? undefined : say`Perhaps ${nearest} is meant.`);
    throw new AppError('not_found', say`There is nothing at this path.`, hint === undefined ? {} : { hint });
  };

  const refuse = async (exchange: Exchange, thrown: unknown): Promise<void> => {
    try {
      if (options.checkResponses) checkRefusal(exchange.route, thrown);
      await answerError(exchange, thrown, options.serviceName);
    } catch (error) {
      await answerError(exchange, error, options.serviceName).catch(() => exchange.response.destroy());
    }
  };

  const compress = createCompress();
  return async (exchange) => {
    try {
      const result = await run(exchange, routeOf(exchange));
      await answer(exchange, result, {
        hold: (bytes) => holdAnswer(exchange, bytes),
        compress,
        unreadMs: options.unreadMs,
      });
    } catch (thrown) {
      // Who is signed in here is not known there: what is forwarded has a tenant's token, or no credential.
      if (thrown instanceof TenantMoved && exchange.caller.kind === 'anonymous') {
        const { forward } = await import('./forward.ts');
        const failed = await forward(exchange, thrown.newHost);
        if (failed !== null) await refuse(exchange, failed);
      } else await refuse(exchange, thrown);
    }
  };
};

const checkAudit = ({ change }: Exchange, { audit, method, path }: Route, { status }: RouteResult): void => {
  if (typeof audit !== 'string' || status >= 400 || change.recorded) return;
  throw new Error(`${method} ${path} changed something that the audit does not show`);
};

/** The record that is answered, with its version. */
const withVersion = ({ version }: Route, result: RouteResult): RouteResult =>
  version === undefined || result.status !== 200
    ? result
    : { ...result, headers: { ...result.headers, ETag: etagOf(version, result.body as object) } };

const checkVersion = ({ versionAsked }: Exchange, route: Route, { status }: RouteResult): void => {
  const { version, method, path } = route;
  if (version === undefined || method === 'get' || status >= 400 || versionAsked) return;
  throw new Error(`${method} ${path} changed a record without asking for the version that If-Match names`);
};

const isSchema = (body: z.ZodType | string | undefined): body is z.ZodType => typeof body === 'object';

/** Throws Error where a thrown refusal is not among the declared errors of `route`. */
const checkRefusal = (route: Route | undefined, thrown: unknown): void => {
  if (route === undefined || !(thrown instanceof AppError) || errorsOf(route).includes(thrown.code)) return;
  throw new Error(`${route.method} ${route.path} answered ${thrown.code}, which it does not declare`, {
    cause: thrown,
  });
};

/** Throws Error where `result` is not among the declared responses of `route`. */
const checkResponse = (route: Route, result: RouteResult): void => {
  const name = `${route.method} ${route.path} answered ${result.status}`;
  // An error that comes with header fields of its own.
  if (result.body instanceof AppError) {
    checkRefusal(route, result.body);
    return;
  }
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
    declared.body !== ANY_TYPE &&
    result.contentType?.split(';')[0] !== declared.body.split(';')[0]
  ) {
    throw new Error(`${name} as ${result.contentType ?? 'JSON'}, and declares ${declared.body}`);
  }
};
