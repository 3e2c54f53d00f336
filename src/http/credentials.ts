// The credentials of a request. The header fields win over the cookie, which browsers send by themselves. Where both the
// bearer and the admin token are sent, one that is wrong is passed over if the other is right: clients and proxies add one
// of them to every request. Two that are right are refused, because they may do different things.
import type { Credentials } from '#src/accounts/people/authenticate.ts';
import { isCredentialFault, nothingSent, unreadable } from '#src/accounts/people/credential-faults.ts';
import type { Caller } from '#src/kernel/access.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Exchange } from './exchange.ts';

/** Throws or rejects with `unauthorized`, which says why, and `forbidden` for a write by cookie alone. */
export type Authenticate = (credentials: Credentials, clientAddress: string) => Caller | Promise<Caller>;

const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Whether the request may change something. */
export const isWrite = ({ method }: Pick<Exchange, 'method'>): boolean => !READING.has(method);

const sentTwice = (name: string): AppError =>
  new AppError('unauthorized', `${name} is in the head more than once.`, { hint: 'Send it once.' });

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
    throw new AppError('unauthorized', `${bearer.message} ${operator.message}`, { hint: bearer.hint });
  }
  if (operator instanceof AppError) return bearer;
  const message = 'two right credentials of different kinds: send one of them';
  throw new AppError('invalid_request', 'The request has a bearer and the admin token, and both are right.', {
    hint: 'Send the one that the request is to be made with.',
    extra: { fields: ['header.Authorization', 'header.X-Admin-Token'].map((path) => ({ path, message })) },
  });
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
