// How each error code of the service reads in the forms of vendors A and B: the one table of it. Vendor A names an error and
// repeats the status; vendor B numbers it, and its clients throw by status first, so that every refusal of a message is a 422.
// In the EU form errors are the native ones. Pure.
import { isNothingSent } from '#src/accounts/people/credential-faults.ts';
import { type AppError, type ErrorCode, type FieldProblem, isWrongMethod } from '#src/kernel/errors.ts';
import { hintInOwnWords, inOwnWords, type OwnWords, vendorAWords, vendorBWords } from './own-words.ts';

/** The public form of an error, as answers and items of a batch have it. */
export type Refusal = Pick<ReturnType<AppError['toJSON']>, 'code' | 'error' | 'hint'> & {
  readonly fields?: readonly FieldProblem[];
} & { readonly [name in (typeof shownExtras)[number]]?: unknown };

/** What a native answer has beside the text, and hints name. What else there is, the text has already. */
const shownExtras = [
  'content_reasons',
  'recipients',
  'allowed',
  'missing',
  'permission',
  'retry_after',
  'message_id',
] as const;
const MAX_EXTRA = 500;

type VendorA = readonly [name: string, status: number];
type VendorB = readonly [code: number, status: number];

export const foreignErrors = {
  invalid_json: { a: ['validation_error', 400], b: [402, 422] },
  invalid_request: { a: ['validation_error', 422], b: [300, 422] },
  unauthorized: { a: ['invalid_api_key', 403], b: [10, 401] },
  plan_cap_reached: { a: ['monthly_quota_exceeded', 429], b: [405, 422] },
  forbidden: { a: ['restricted_api_key', 401], b: [10, 401] },
  sign_in_again: { a: ['restricted_api_key', 401], b: [10, 401] },
  not_found: { a: ['not_found', 404], b: [300, 404] },
  tenant_paused: { a: ['validation_error', 403], b: [413, 422] },
  idempotency_conflict: { a: ['invalid_idempotent_request', 409], b: [300, 422] },
  idempotency_in_progress: { a: ['concurrent_idempotent_requests', 409], b: [300, 422] },
  conflict: { a: ['validation_error', 422], b: [300, 422] },
  form_closed: { a: ['validation_error', 422], b: [300, 422] },
  billing_not_configured: { a: ['validation_error', 422], b: [300, 422] },
  gone: { a: ['not_found', 404], b: [300, 404] },
  body_too_large: { a: ['validation_error', 413], b: [300, 413] },
  unsupported_media_type: { a: ['invalid_parameter', 422], b: [409, 422] },
  content_blocked: { a: ['validation_error', 422], b: [300, 422] },
  kind_not_allowed_on_route: { a: ['validation_error', 422], b: [1236, 422] },
  impressum_incomplete: { a: ['validation_error', 422], b: [413, 422] },
  dkim_not_verified: { a: ['validation_error', 403], b: [401, 422] },
  warmup_not_ready: { a: ['validation_error', 422], b: [413, 422] },
  warmup_cap_reached: { a: ['daily_quota_exceeded', 429], b: [413, 422] },
  consent_required: { a: ['validation_error', 422], b: [413, 422] },
  no_recipients: { a: ['validation_error', 422], b: [413, 422] },
  promotional_on_transactional: { a: ['validation_error', 422], b: [300, 422] },
  attachment_rejected: { a: ['invalid_attachment', 422], b: [411, 422] },
  too_many_recipients: { a: ['validation_error', 422], b: [300, 422] },
  safe_mode_recipient: { a: ['validation_error', 403], b: [412, 422] },
  from_not_allowed: { a: ['validation_error', 403], b: [400, 422] },
  header_not_allowed: { a: ['validation_error', 422], b: [300, 422] },
  invalid_recipient: { a: ['validation_error', 422], b: [300, 422] },
  invalid_entry: { a: ['validation_error', 422], b: [300, 422] },
  rate_limited: { a: ['rate_limit_exceeded', 429], b: [429, 429] },
  internal_error: { a: ['internal_server_error', 500], b: [101, 500] },
  unavailable: { a: ['application_error', 503], b: [100, 503] },
} as const satisfies Record<ErrorCode, { readonly a: VendorA; readonly b: VendorB }>;

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

const shortened = (text: string): string =>
  text.length > MAX_EXTRA ? `${text.slice(0, MAX_EXTRA).toWellFormed()}…` : text;

const extraWords = (refusal: Refusal): string[] =>
  shownExtras.flatMap((name) => {
    const values = [refusal[name] ?? []].flat().map(String);
    if (values.every((value) => refusal.error.includes(value))) return [];
    return [sentence(`\`${name}\`: ${shortened(values.join(', '))}`)];
  });

/** What happened, where, and what to do, in one line: those forms have one text for all of it. */
const wordsOf = (refusal: Refusal, words: OwnWords): string => {
  const { error, hint, fields = [] } = refusal;
  const isSaid = ({ path, message }: FieldProblem): boolean =>
    error.includes(`\`${path}\``) && error.includes(message);
  // All that follow are named, so that their number says no more.
  const first = error.replace(` (and ${fields.length - 1} more)`, '');
  const others = fields.filter((field) => !isSaid(field));
  const problems = [first, ...others.map(({ path, message }) => `\`${path}\`: ${message}`)];
  return [
    ...problems.map((problem) => sentence(inOwnWords(problem, words))),
    ...extraWords(refusal),
    hintInOwnWords(hint, words),
  ].join(' ');
};

/** Top-level fields of a message: of the only one, or of one among several. */
const field = /^body(?:\[(\d+)\])?\.(\w+)/;
const isMissing = ({ path, message }: FieldProblem): boolean =>
  message === 'is required' && field.exec(path)?.[0] === path;

/** The names that say more than the table's, of a malformed request. */
const namedByField = (problem: FieldProblem): VendorA | undefined => {
  const { path } = problem;
  if (path === 'header.Idempotency-Key') return ['invalid_idempotency_key', 400];
  if (!path.startsWith('body')) return ['invalid_parameter', 422];
  if (isMissing(problem)) return ['missing_required_field', 422];
  const name = field.exec(path)?.[2];
  if (name === 'from') return ['invalid_from_address', 422];
  return name === 'attachments' ? ['invalid_attachment', 422] : undefined;
};

const namedBy = (refusal: Refusal): VendorA => {
  if (refusal.code === 'unauthorized' && isNothingSent(refusal)) return ['missing_api_key', 401];
  if (isWrongMethod(refusal)) return ['method_not_allowed', 405];
  const [first] = refusal.fields ?? [];
  return (first && namedByField(first)) ?? foreignErrors[refusal.code].a;
};

const missingWords = ({ path }: FieldProblem, hint: string): string => {
  const [, index, name] = field.exec(path) ?? [];
  const where = index === undefined ? '' : ` in message ${Number(index) + 1}`;
  return `Missing \`${name}\` field${where}. ${hintInOwnWords(hint, vendorAWords)}`;
};

/** A refusal as vendor A's: `{statusCode, name, message}`. */
export const asVendorA = (refusal: Refusal) => {
  const [name, statusCode] = namedBy(refusal);
  const [first] = refusal.fields ?? [];
  const message =
    first && isMissing(first) ? missingWords(first, refusal.hint) : wordsOf(refusal, vendorAWords);
  return { statusCode, name, message };
};

/** What is not there has a code of its own in vendor B's form; the advice is for what is named in another way here. */
const missing: Readonly<Record<string, readonly [...VendorB, advice?: string]>> = {
  message: [701, 404],
  bounce: [407, 422],
  template: [1101, 422, 'TemplateAlias takes the name or id of a template; templates have no number.'],
  route: [1235, 422],
  stream: [1235, 422],
  project: [300, 422],
};

const NOT_AS_EXPECTED: VendorB = [403, 422];
const noTestToken =
  'There is no token for tests: safe mode keeps mail from strangers, and POST /api/practices/{id}/send/score checks a message without sending it.';

/** The codes that say more than the table's. */
const numberedBy = (refusal: Refusal): readonly [...VendorB, advice?: string] => {
  const numbered = foreignErrors[refusal.code].b;
  if (refusal.code === 'not_found')
    return missing[/^There is no (?:such )?(\w+)/.exec(refusal.error)?.[1] ?? ''] ?? numbered;
  if (refusal.code === 'unauthorized' && !isNothingSent(refusal)) return [...numbered, noTestToken];
  const [first] = refusal.fields ?? [];
  return first && /^body(?:\[\d+\])?$/.test(first.path) ? NOT_AS_EXPECTED : numbered;
};

/** A refusal as vendor B's: `{ErrorCode, Message}`, with the status that its clients expect of it. */
export const asVendorB = (refusal: Refusal) => {
  const [ErrorCode, status, advice] = numberedBy(refusal);
  const words = wordsOf(refusal, vendorBWords);
  const Message = advice === undefined ? words : `${words} ${advice}`;
  return { status, body: { ErrorCode, Message } };
};
