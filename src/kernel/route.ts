// What an HTTP endpoint is, without the HTTP library: one value that holds everything said about it. The server
// answers from the list of them; validation, the permission table, /openapi.yaml and /reference are derived from the same
// list.
import type { z } from 'zod';
import type { Access, Caller } from './access.ts';
import type { Change } from './change.ts';
import { AppError, type ErrorCode } from './errors.ts';
import type { FileFields } from './fields.ts';
import type { Language, MemberLanguage } from './language.ts';
import type { Log } from './log.ts';
import type { Versioned } from './record-version.ts';
import { type Speak, say, type Text } from './say.ts';

export type Stability = 'stable' | 'beta' | 'deprecated';
export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

export interface RequestContext {
  readonly requestId: string;
  /** The method as on the wire, in upper case: the handler of a GET answers HEAD too. */
  readonly method: string;
  readonly caller: Caller;
  /** The tenant that the request is about: of the path, of a token, or named in X-Service-Practice. */
  readonly tenantId: string | null;
  /** Operations that change something hand it to the audit. */
  readonly change: Change;
  /** The language of pages and mails, chosen by Accept-Language; the first one of the service where it names none. */
  readonly language: Language;
  /** The language of the service that Accept-Language asks for; null where it asks for none of them. */
  readonly namedLanguage: Language | null;
  /** The language of texts in an answer of the API: English unless Accept-Language asks for German, and in foreign shapes always. */
  readonly answerLanguage: MemberLanguage;
  /** Says texts of refusals in that language. */
  readonly speak: Speak;
  /** Code that stores it shortens it. */
  readonly clientAddress: string;
  /** Value of a request header, by its lower-case name; undefined where absent or repeated. */
  readonly header: (name: string) => string | undefined;
  /** How often the request has a header. */
  readonly countOf: (name: string) => number;
  readonly log: Log;
  /** Messages that the request has made, for the log of the API. */
  readonly noteMade: (messageIds: readonly string[]) => void;
  /**
   * The ETag of the record, which is as the route answers it, where If-Match names another version; null where it names this
   * one or the request has no If-Match. Asked in the transaction that writes: see `requireCurrent` in events/.
   */
  readonly otherVersion: (record: object) => string | null;
  /**
   * Asks again who the caller is and whether they may do this, for answers that take long. Rejects as the request would be
   * refused now.
   */
  readonly readmit: () => Promise<Caller>;
}

export interface RouteResult {
  readonly status: number;
  /**
   * JSON unless `contentType` says otherwise; absent with 204. An async iterable is sent as the client takes it, and ended by
   * `return()` at once when the client has gone.
   */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

export interface RouteInput<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
}

/** The media type of a declared body that has a different one for each file. */
export const ANY_TYPE = '*/*';

export interface RouteResponse {
  readonly description: string;
  /** Absent: no body. A string: the media type of a body that is not JSON. */
  readonly body?: z.ZodType | string;
  /** Media type of the other form that it has, where the client's Accept asks for that. */
  readonly otherwise?: string;
}

export interface RouteDeclaration<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
> {
  readonly method: Method;
  /** OpenAPI form. Where `{id}` follows `/api/practices/`, the caller must belong to that tenant, else 404. */
  readonly path: string;
  readonly tag: string;
  /**
   * Name of the operation, which generated clients and links to the reference use: verb and noun, given once and kept
   * when the path changes.
   */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Who calls it, where neither the dashboard nor the command line does, no document names it, and it is of no foreign shape. */
  readonly usedBy?: string;
  readonly access: Access;
  /**
   * The action under which the audit keeps what the route changes (`token.create`), or why there is nothing to keep. Every
   * route has it but GETs.
   */
  readonly audit?: string | { readonly none: string };
  /**
   * The record has a version, made of this part of it. An answer has it in ETag; a route that changes the record takes it in
   * If-Match.
   */
  readonly version?: Versioned;
  /** `sign_in`: also under the tight limit of sign-in and public forms, per client address. */
  readonly rate?: 'sign_in';
  /** The answer is the same for everyone as long as the service runs. */
  readonly isFixed?: boolean;
  /** While the service goes down: what monitoring and clients read, and the links in mails, which people follow once. */
  readonly isAnsweredWhileDraining?: boolean;
  readonly stability: Stability;
  /** What its 401 asks for (RFC 9110 §11.6.1), where a bearer token is not all that it takes. */
  readonly challenge?: string;
  readonly params?: P;
  readonly query?: Q;
  /** Request headers the handler reads, for the descriptions of the API; it reads them by `context.header`. */
  readonly headers?: z.ZodObject;
  readonly body?: B;
  /**
   * Whether forms are taken too (multipart/form-data, application/x-www-form-urlencoded): their fields are strings, also where
   * they are sent as files, but for those in `files`.
   */
  readonly form?: true | { readonly files: readonly string[] };
  /**
   * Media types of text that are taken too (`text/csv`): such a body is its bytes, whose encoding the handler finds. With
   * `application/json` among them JSON comes as the bytes that were sent, for a signature of them.
   */
  readonly text?: readonly string[];
  /** Where the schema takes large files as `FileOctets`. A request is for one message: they are freed with its last copy. */
  readonly fileFields?: FileFields;
  /** Upper bound of the request body in bytes; a small default where absent. */
  readonly bodyLimit?: number;
  /** The API in whose form it answers; its path is below that one's base. */
  readonly shape?: ForeignShape;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Codes this endpoint adds to those every endpoint may answer with. */
  readonly errors?: readonly ErrorCode[];
  readonly handle: (
    input: RouteInput<z.output<P>, z.output<Q>, z.output<B>>,
    context: RequestContext,
  ) => Promise<RouteResult> | RouteResult;
}

/**
 * The form of another API, in which the paths below `base` take requests and refuse them. Refusals of the server itself
 * (no credential, no such path, too large) have it too.
 */
export interface ForeignShape {
  /** `/api/compat/vendor-a` */
  readonly base: string;
  /** Prefixes by which the same paths are reached; `/` for none. */
  readonly aliases: () => readonly string[];
  /** Header fields that may carry the token in the place of Authorization, in lower case. */
  readonly tokenHeaders: () => readonly string[];
  /** How it refuses; null: as the service itself. `schema` and `statusOf` are for the descriptions of the API. */
  readonly refusals: {
    readonly write: (error: AppError) => { readonly status: number; readonly body: object };
    readonly schema: z.ZodType;
    readonly statusOf: (code: ErrorCode) => number;
  } | null;
  /** Names in the query are taken in any case; its routes declare them in lower case. */
  readonly ignoresCaseInQuery?: true;
  /** What to use instead of a path of that API that is not served, below `base`. */
  readonly insteadOf: (path: string) => Text | undefined;
}

/** A declaration whose handler's types have been checked against its own schemas. */
export interface Route extends Omit<RouteDeclaration, 'handle'> {
  readonly handle: (
    input: RouteInput<never, never, never>,
    context: RequestContext,
  ) => Promise<RouteResult> | RouteResult;
}

export const defineRoute = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  declaration: RouteDeclaration<P, Q, B>,
): Route => declaration as unknown as Route;

const WRONG_METHOD = say`This path does not take this method.`;

export const wrongMethod = (hint: Text): AppError<'not_found'> =>
  new AppError('not_found', WRONG_METHOD, { hint });

/** Whether something is at the path, for other methods: other APIs have a code of their own for that. */
export const isWrongMethod = (error: { readonly error: string }): boolean => error.error === WRONG_METHOD.key;

/** Any thrown value as an AppError; what is not one becomes `internal_error`, whose text shows nothing of it. */
export const toAppError = (thrown: unknown): AppError =>
  thrown instanceof AppError
    ? thrown
    : new AppError('internal_error', say`The request failed by a defect of the service.`, { cause: thrown });
