// The one error type of the service and the one table of its codes. Every server translates from here:
// HTTP to `{code, error, hint, ...}`, SMTP to a reply line, the command line to an exit. Unknown errors become
// `internal_error`: the public text never shows internals, the log line found by the request id does.
import { z } from 'zod';
import { scannerReport } from './scanner-report.ts';

interface CodeDeclaration {
  readonly status: number;
  /** The reply over SMTP: reply and enhanced status code (RFC 5321 §4.2.1, RFC 3463); 4xx where it is temporary. */
  readonly smtp: `${4 | 5}${string} ${4 | 5}.${string}`;
  /** What to do, for the caller; a thrower may give a better one. */
  readonly hint: string;
  /** Whether the same request may succeed later without being changed. */
  readonly temporary?: true;
  /** Fields beside `code`, `error` and `hint` in the JSON form. */
  readonly extra?: z.ZodRawShape;
}

const fieldProblem = z
  .strictObject({
    path: z.string().describe('where in the request: `body.to[0]`, `query.limit`'),
    message: z.string(),
  })
  .meta({ id: 'FieldProblem' });
export type FieldProblem = z.infer<typeof fieldProblem>;

/** A placeholder of content, and how many people have no value for it. */
export const placeholderLack = z
  .strictObject({ name: z.string(), people: z.int() })
  .meta({ id: 'PlaceholderLack' });

export const errorTable = {
  invalid_json: {
    status: 400,
    smtp: '554 5.6.0',
    hint: 'Send one JSON document in UTF-8 with Content-Type: application/json.',
  },
  invalid_request: {
    status: 400,
    smtp: '554 5.6.0',
    hint: 'Correct the fields named in `fields`; /reference describes each.',
    extra: { fields: z.array(fieldProblem) },
  },
  unauthorized: {
    status: 401,
    smtp: '535 5.7.8',
    hint: 'Send `Authorization: Bearer <token>` with an API token or a session.',
  },
  plan_cap_reached: {
    status: 402,
    smtp: '550 5.7.1',
    hint: 'Wait for the next month or choose a larger plan.',
    extra: { used: z.int(), cap: z.int(), resets_at: z.iso.datetime() },
  },
  forbidden: {
    status: 403,
    smtp: '550 5.7.1',
    hint: 'Use a credential that has the permission named in `permission`.',
    extra: { permission: z.string().optional().describe('absent where the credential lacks none') },
  },
  sign_in_again: {
    status: 403,
    smtp: '550 5.7.1',
    hint: 'Sign in again, with a code by POST /api/auth/request-otp or with the password, and send the request again with the new session.',
  },
  not_found: {
    status: 404,
    smtp: '554 5.6.0',
    hint: 'Check the path and the ids in it; GET /reference lists all paths.',
  },
  tenant_paused: {
    status: 409,
    smtp: '550 5.7.1',
    hint: 'Resolve the reason, then resume the practice.',
    extra: { reason: z.string(), paused_at: z.iso.datetime() },
  },
  idempotency_conflict: {
    status: 409,
    smtp: '554 5.6.0',
    hint: 'Use a new idempotency key for another message.',
  },
  idempotency_in_progress: {
    status: 409,
    smtp: '451 4.3.0',
    temporary: true,
    hint: 'The first call with this key is still running; ask again in a moment.',
  },
  conflict: {
    status: 409,
    smtp: '550 5.7.1',
    hint: 'Choose another name, or bring the record into a state that allows this.',
  },
  form_closed: {
    status: 409,
    smtp: '550 5.7.1',
    hint: 'Nothing was stored. The practice can open the form again, unless the list is archived.',
    extra: { reason: z.string() },
  },
  billing_not_configured: {
    status: 409,
    smtp: '550 5.7.1',
    hint: 'The operator has configured no payment provider.',
  },
  gone: {
    status: 410,
    smtp: '550 5.7.1',
    hint: 'This route was retired; /reference lists those that exist.',
  },
  body_too_large: {
    status: 413,
    smtp: '552 5.3.4',
    hint: 'Send fewer or smaller attachments.',
    extra: { limit_bytes: z.int() },
  },
  unsupported_media_type: {
    status: 415,
    smtp: '554 5.6.1',
    hint: 'Send Content-Type: application/json without Content-Encoding.',
  },
  content_blocked: {
    status: 422,
    smtp: '550 5.7.1',
    hint: 'Change the content named in `content_reasons`.',
    extra: {
      content_reasons: z.array(z.string()),
      scanner: scannerReport.nullable().describe('null where none is configured'),
      message_id: z.string(),
    },
  },
  kind_not_allowed_on_route: {
    status: 422,
    smtp: '550 5.7.1',
    hint: 'Send marketing kinds over `broadcast`, all others over `outgoing`.',
  },
  impressum_incomplete: {
    status: 422,
    smtp: '550 5.7.1',
    hint: 'Complete the legal block of the practice.',
    extra: { missing: z.array(z.string()) },
  },
  dkim_not_verified: {
    status: 422,
    smtp: '550 5.7.1',
    hint: 'Publish the DKIM records of the domain, then check DNS.',
    extra: { missing: z.array(z.string()) },
  },
  warmup_not_ready: {
    status: 422,
    smtp: '451 4.7.1',
    temporary: true,
    hint: 'Broadcast opens on warm-up day 3; until then a From address on the managed host needs none.',
    extra: { day: z.int() },
  },
  warmup_cap_reached: {
    status: 422,
    smtp: '451 4.7.1',
    temporary: true,
    hint: "Wait for the next day; the warm-up's cap grows daily.",
    extra: { cap: z.int() },
  },
  consent_required: {
    status: 422,
    smtp: '550 5.7.1',
    hint: 'List sends need active newsletter consent.',
    extra: { missing: z.array(z.string()) },
  },
  no_recipients: {
    status: 422,
    smtp: '550 5.7.1',
    hint: 'GET /api/practices/{id}/campaigns/{campaignID}/audience says who is left out and why.',
    extra: {
      people: z.int().describe('on its lists, each once'),
      left_out: z.record(z.string(), z.int()).describe('people by reason'),
      placeholders: z.array(placeholderLack).describe('that people lack a value for'),
    },
  },
  promotional_on_transactional: {
    status: 422,
    smtp: '550 5.7.1',
    hint: 'Send promotional content over a marketing route.',
    extra: { content_reasons: z.array(z.string()) },
  },
  attachment_rejected: {
    status: 422,
    smtp: '550 5.7.1',
    hint: '`attachment_policy` of GET /api/meta lists what is allowed.',
    extra: { attachment: z.string(), reason: z.string() },
  },
  too_many_recipients: {
    status: 422,
    smtp: '550 5.5.3',
    hint: 'Split the message; to, cc and bcc count together.',
    extra: { count: z.int(), limit: z.int() },
  },
  safe_mode_recipient: {
    status: 422,
    smtp: '550 5.7.1',
    hint: "Safe mode is on: send to the simulator or to an address on the operator's allowlist.",
    extra: { recipients: z.array(z.string()) },
  },
  from_not_allowed: {
    status: 422,
    smtp: '550 5.7.1',
    hint: 'Use an address on one of the domains in `allowed`, or omit `from`.',
    extra: { allowed: z.array(z.string()) },
  },
  header_not_allowed: {
    status: 422,
    smtp: '554 5.6.0',
    hint: 'Only X-* and a few standard headers may be set, without line breaks in their values.',
    extra: { header: z.string() },
  },
  invalid_recipient: {
    status: 422,
    smtp: '550 5.1.3',
    hint: 'Correct or remove the addresses in `recipients`.',
    extra: { recipients: z.array(z.string()) },
  },
  invalid_entry: {
    status: 422,
    smtp: '554 5.6.0',
    hint: 'Correct the fields of this entry named in `fields`; the other entries are not affected.',
    extra: { fields: z.array(fieldProblem) },
  },
  rate_limited: {
    status: 429,
    smtp: '451 4.7.0',
    temporary: true,
    hint: 'Slow down; `retry_after` is in seconds.',
    extra: { retry_after: z.int() },
  },
  internal_error: {
    status: 500,
    smtp: '451 4.3.0',
    temporary: true,
    hint: 'Report the X-Request-Id of this answer to the operator.',
  },
  unavailable: {
    status: 503,
    smtp: '451 4.3.2',
    temporary: true,
    hint: 'Nothing was accepted; send the same request again after `retry_after` seconds.',
    extra: { retry_after: z.int() },
  },
} as const satisfies Record<string, CodeDeclaration>;

export type ErrorCode = keyof typeof errorTable;

type ExtraOf<C extends ErrorCode> = (typeof errorTable)[C] extends { extra: infer S extends z.ZodRawShape }
  ? { extra: z.infer<z.ZodObject<S>> }
  : { extra?: never };

type Details<C extends ErrorCode> = ExtraOf<C> & { hint?: string; cause?: unknown };

/** An error that its receiver may read: `message` and `hint` are public, `cause` goes to the log only. */
export class AppError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly hint: string;
  readonly extra: Record<string, unknown>;

  constructor(
    code: C,
    message: string,
    ...[details]: ExtraOf<C> extends { extra: unknown } ? [Details<C>] : [Details<C>?]
  ) {
    super(message, { cause: details?.cause });
    this.name = 'AppError';
    this.code = code;
    this.hint = details?.hint ?? errorTable[code].hint;
    this.extra = (details?.extra ?? {}) as Record<string, unknown>;
  }

  get status(): number {
    return errorTable[this.code].status;
  }

  /** The public form: `{code, error, hint, ...extra}`. */
  toJSON(): { code: ErrorCode; error: string; hint: string } {
    return { code: this.code, error: this.message, hint: this.hint, ...this.extra };
  }
}

const WRONG_METHOD = 'This path does not take this method.';

export const wrongMethod = (hint: string): AppError<'not_found'> =>
  new AppError('not_found', WRONG_METHOD, { hint });

/** Whether something is at the path, for other methods: other APIs have a code of their own for that. */
export const isWrongMethod = (error: { readonly error: string }): boolean => error.error === WRONG_METHOD;

/** Any thrown value as an AppError; what is not one becomes `internal_error`, whose text shows nothing of it. */
export const toAppError = (thrown: unknown): AppError =>
  thrown instanceof AppError
    ? thrown
    : new AppError('internal_error', 'The request failed by a defect of the service.', { cause: thrown });
