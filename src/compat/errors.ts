// How a refusal reads in the forms of vendors A, B and C; the error table has the codes. Vendor A names an error and
// repeats the status; vendor B numbers it, and its clients throw by status first, so that every refusal of a message is a 422;
// vendor C has a status, and for each problem its field.
// In the EU form errors are the native ones. Pure.
import { isNothingSent } from '#src/kernel/credentials.ts';
import {
  errorTable,
  type SaidProblem,
  type VendorA,
  type VendorB,
  type VendorC,
} from '#src/kernel/error-table.ts';
import type { AppError } from '#src/kernel/errors.ts';
import { isWrongMethod } from '#src/kernel/route.ts';
import { hintInOwnWords, inOwnWords, type OwnWords, ownWords } from './own-words.ts';

/** The public form of an error, as answers and items of a batch have it. */
export type Refusal = Pick<ReturnType<AppError['toJSON']>, 'code' | 'error' | 'hint'> & {
  readonly fields?: readonly SaidProblem[];
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
  const isSaid = ({ path, message }: SaidProblem): boolean =>
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
const isMissing = ({ path, message }: SaidProblem): boolean =>
  message === 'is required' && field.exec(path)?.[0] === path;

/** The names that say more than the table's, of a malformed request. */
const namedByField = (problem: SaidProblem): VendorA | undefined => {
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
  return (first && namedByField(first)) ?? errorTable[refusal.code].foreign.a;
};

const missingWords = ({ path }: SaidProblem, hint: string): string => {
  const [, index, name] = field.exec(path) ?? [];
  const where = index === undefined ? '' : ` in message ${Number(index) + 1}`;
  return `Missing \`${name}\` field${where}. ${hintInOwnWords(hint, ownWords.a)}`;
};

/** A refusal as vendor A's: `{statusCode, name, message}`. */
export const asVendorA = (refusal: Refusal) => {
  const [name, statusCode] = namedBy(refusal);
  const [first] = refusal.fields ?? [];
  const message =
    first && isMissing(first) ? missingWords(first, refusal.hint) : wordsOf(refusal, ownWords.a);
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
  const numbered = errorTable[refusal.code].foreign.b;
  if (refusal.code === 'not_found')
    return missing[/^There is no (?:such )?(\w+)/.exec(refusal.error)?.[1] ?? ''] ?? numbered;
  if (refusal.code === 'unauthorized' && !isNothingSent(refusal)) return [...numbered, noTestToken];
  const [first] = refusal.fields ?? [];
  return first && /^body(?:\[\d+\])?$/.test(first.path) ? NOT_AS_EXPECTED : numbered;
};

/** A refusal as vendor B's: `{ErrorCode, Message}`, with the status that its clients expect of it. */
export const asVendorB = (refusal: Refusal) => {
  const [ErrorCode, status, advice] = numberedBy(refusal);
  const words = wordsOf(refusal, ownWords.b);
  const Message = advice === undefined ? words : `${words} ${advice}`;
  return { status, body: { ErrorCode, Message } };
};

/** `personalizations.0.to.0.email`; what a translated message has is named as in the mail that it came in. */
const vendorCField = (path: string): string => {
  const [, index, name = '', rest = ''] = /^body\[(\d+)\]\.(\w+)(.*)$/.exec(path) ?? [];
  const own = `${ownWords.c.names[name] ?? name}${rest}`;
  const place = /^(?:to|cc|bcc|data)$/.test(name) ? `personalizations.${index}.${own}` : own;
  return (index === undefined ? path.replace(/^\w+\.?/, '') : place).replace(/\[(\d+)\]/g, '.$1');
};

/** A refusal as vendor C's: `{errors: [{message, field, help}]}`. */
export const asVendorC = (refusal: Refusal) => {
  const { code, error, fields = [] } = refusal;
  const [status, field = null] = errorTable[code].foreign.c as VendorC;
  const help = hintInOwnWords(refusal.hint, ownWords.c);
  const message = [sentence(inOwnWords(error, ownWords.c)), ...extraWords(refusal)].join(' ');
  const problems = fields.map(({ path, message: told }) => ({
    message: inOwnWords(told, ownWords.c),
    field: vendorCField(path),
    help,
  }));
  return {
    status: isWrongMethod(refusal) ? 405 : status,
    body: { errors: problems.length > 0 ? problems : [{ message, field, help }] },
  };
};
