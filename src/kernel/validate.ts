// Values from outside against a schema: the parsed value, or `invalid_request` with every problem in words a human can
// act on. A schema's own messages win over those made here; no client's value is said back.
import type { z } from 'zod';
import { said, say, type Text, type Value } from '#src/kernel/say.ts';
import type { FieldProblem } from './error-table.ts';
import { AppError } from './errors.ts';
import { cut, formatPath } from './fields.ts';
import { foldWord, nearest } from './nearest.ts';

/** A batch of 500 wrong items needs no longer answer than one: the first problems show the mistake. */
const MAX_FIELDS = 20;
const MAX_ALTERNATIVES = 20;
/**
 * The bound for a whole request: each suggestion costs a comparison with every known word, and a body may hold 100,000 unknown
 * ones.
 */
const MAX_SUGGESTIONS = 20;

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

/** The parsed value, or all that is wrong with it. `root` is the place of `value` in the request: `body`, `query`. */
export const check = <T>(
  schema: z.ZodType<T>,
  value: unknown,
  root: string,
): { readonly value: T; readonly problems: null } | { readonly problems: readonly FieldProblem[] } => {
  const result = schema.safeParse(value, { error: describer() });
  if (result.success) return { value: result.data, problems: null };
  return { problems: result.error.issues.flatMap((issue) => fieldProblems(issue, root, [])) };
};

/** `invalid_request` that names the first of them, and how many there are. */
export const unfit = (problems: readonly FieldProblem[]): AppError<'invalid_request'> => {
  const [first, ...others] = problems;
  const summary = first ? say`\`${first.path}\`: ${first.message}` : say`The request does not fit.`;
  const whole = others.length > 0 ? say`${summary} (and ${others.length} more)` : summary;
  return new AppError('invalid_request', whole, {
    extra: { fields: problems.slice(0, MAX_FIELDS) },
  });
};

/** Throws AppError `invalid_request`. `root` as for `check`. */
export const validate = <T>(schema: z.ZodType<T>, value: unknown, root: string): T => {
  const checked = check(schema, value, root);
  if (checked.problems === null) return checked.value;
  throw unfit(checked.problems);
};

/** zod keeps a message as one string, so a text with values goes through it as JSON behind this mark. */
const MARK = '\x1e';

/** The text as the message of a check. */
export const because = (text: Text): string => `${MARK}${JSON.stringify(text)}`;

/** The text of an issue's message: schemas write those without values as they are. */
export const textOf = (message: string): Text =>
  message.startsWith(MARK) ? (JSON.parse(message.slice(MARK.length)) as Text) : said(message);

const fieldProblems = (issue: Issue, root: string, above: readonly PropertyKey[]): FieldProblem[] => {
  const path = [...above, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys': {
      // `describer` writes one line a key, in their order; a schema's own message is one for all.
      const lines = issue.message.split('\n');
      return issue.keys.slice(0, MAX_FIELDS).map((key, index) => ({
        path: formatPath(root, [...path, key]),
        message: textOf(lines[index] ?? lines[0] ?? ''),
      }));
    }
    case 'invalid_union': {
      const branch = likelyBranch(issue.errors);
      if (branch) return branch.flatMap((inner) => fieldProblems(inner, root, path));
      return [{ path: formatPath(root, path), message: textOf(issue.message) }];
    }
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.flatMap((inner) => fieldProblems(inner, root, path));
    default:
      return [{ path: formatPath(root, path), message: textOf(issue.message) }];
  }
};

const isWrongKind = (issue: Issue): boolean =>
  issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');

/** The alternative the client seems to have meant: the right kind of value, fewest problems inside. */
const likelyBranch = (branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined =>
  branches
    .filter((issues) => issues.length > 0 && !issues.some(isWrongKind))
    .toSorted((a, b) => a.length - b.length)[0];

const kindNames: Readonly<Record<string, Text>> = {
  array: say`an array`,
  bigint: say`a whole number`,
  boolean: say`true or false`,
  int: say`a whole number`,
  null: say`null`,
  number: say`a number`,
  object: say`an object`,
  record: say`an object`,
  string: say`a string`,
  undefined: say`absent`,
};

const formatNames: Readonly<Record<string, Text>> = {
  base64: say`base64`,
  base64url: say`base64url`,
  cidrv4: say`an IPv4 network`,
  cidrv6: say`an IPv6 network`,
  date: say`a date (2026-01-31)`,
  datetime: say`a date and time (2026-01-31T12:00:00Z)`,
  email: say`an e-mail address`,
  ipv4: say`an IPv4 address`,
  ipv6: say`an IPv6 address`,
  url: say`a URL`,
  uuid: say`a UUID`,
};

const OTHER_FORMAT = say`in the form that /reference describes`;

const kindOf = (value: unknown): Text =>
  kindNames[value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value] ?? say`something else`;

const quoted = (values: readonly unknown[]): readonly string[] =>
  [...new Set(values.map((value) => `\`${String(value)}\``))].slice(0, MAX_ALTERNATIVES);

type Relation = 'at least' | 'at most' | 'exactly' | 'more than' | 'less than';

const relations: Readonly<Record<Relation, Text>> = {
  'at least': say`at least`,
  'at most': say`at most`,
  exactly: say`exactly`,
  'more than': say`more than`,
  'less than': say`less than`,
};

/** What counts in the value and how: `at most 3 characters`. */
const amount = (origin: string, bound: number | bigint, relation: Relation): Text => {
  const how = relations[relation];
  const count = Number(bound);
  if (origin === 'string')
    return count === 1 ? say`must have ${how} 1 character` : say`must have ${how} ${count} characters`;
  if (origin === 'array' || origin === 'set')
    return count === 1 ? say`must have ${how} 1 item` : say`must have ${how} ${count} items`;
  if (origin === 'object' || origin === 'map')
    return count === 1 ? say`must have ${how} 1 field` : say`must have ${how} ${count} fields`;
  return say`must be ${how} ${count}`;
};

const REQUIRED = say`is required`;

const wrongKind = (expected: string, input: unknown): Text => {
  if (input === undefined) return REQUIRED;
  if (expected === 'int' && typeof input === 'number') return say`must be a whole number`;
  const wanted = kindNames[expected] ?? expected;
  return Number.isNaN(input) ? say`must be ${wanted}` : say`must be ${wanted}, not ${kindOf(input)}`;
};

const unionMessage = (issue: Extract<RawIssue, { code: 'invalid_union' }>): Text => {
  if ('options' in issue && Array.isArray(issue.options)) return say`must be ${quoted(issue.options)}`;
  if (issue.input === undefined) return REQUIRED;
  const kinds = issue.errors.flatMap(([first]) =>
    first?.code === 'invalid_type' ? [kindNames[first.expected] ?? first.expected] : [],
  );
  const values = issue.errors.flatMap(([first]) => (first?.code === 'invalid_value' ? first.values : []));
  const expected = [...new Set<Value>([...kinds, ...quoted(values)])].slice(0, MAX_ALTERNATIVES);
  return expected.length > 0 ? say`must be ${expected}` : say`fits none of its forms`;
};

/** Words of other send APIs for fields that have other names here: in each list the first that is known there. */
const ELSEWHERE: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    body: ['text'],
    plain: ['text'],
    plaintext: ['text'],
    message: ['text'],
    content: ['text', 'html'],
    htmlcontent: ['html'],
    htmlpart: ['html'],
    textcontent: ['text'],
    textpart: ['text'],
    email: ['to', 'address'],
    recipient: ['to'],
    recipients: ['to'],
    personalizations: ['to'],
    title: ['subject', 'name'],
    sender: ['from'],
    fromemail: ['from'],
    name: ['filename'],
    data: ['content'],
    type: ['content_type'],
    mimetype: ['content_type'],
    cid: ['content_id'],
    sendat: ['scheduled_at'],
    category: ['tag'],
    categories: ['tags'],
    templateid: ['template'],
    variables: ['data'],
    substitutions: ['data'],
    mergevars: ['data'],
    dynamictemplatedata: ['data'],
    customargs: ['metadata'],
  }),
);

const meantBy = (key: string, known: readonly string[]): string | undefined =>
  ELSEWHERE.get(foldWord(key))?.find((word) => known.includes(word)) ?? nearest(key, known);

const unknownField = (key: string, meant: string | undefined): Text => {
  const shown = cut(key).replace(/\p{Cc}/gu, ' ');
  return meant === undefined
    ? say`unknown field \`${shown}\``
    : say`unknown field \`${shown}\`; did you mean \`${meant}\`?`;
};

const knownKeys = (issue: RawIssue): readonly string[] => {
  const def = issue.inst?._zod.def;
  return def && 'shape' in def && def.shape ? Object.keys(def.shape) : [];
};

const describe = (issue: RawIssue): Text | undefined => {
  switch (issue.code) {
    case 'invalid_type':
      return wrongKind(issue.expected, issue.input);
    case 'invalid_value':
      return issue.input === undefined ? REQUIRED : say`must be ${quoted(issue.values)}`;
    case 'invalid_union':
      return unionMessage(issue);
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return say`must not be empty`;
      if (issue.exact) return amount(issue.origin, issue.minimum, 'exactly');
      return amount(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      if (issue.exact) return amount(issue.origin, issue.maximum, 'exactly');
      return amount(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'invalid_format':
      if (issue.format === 'uuid' && /^[a-z][a-z0-9-]*$/i.test(String(issue.input)))
        return say`must be the id, a UUID, not a slug or name`;
      return say`must be ${formatNames[issue.format] ?? OTHER_FORMAT}`;
    case 'not_multiple_of':
      return say`must be a multiple of ${Number(issue.divisor)}`;
    default:
      return undefined;
  }
};

/** zod's error map for one parse. */
const describer = (): ((issue: RawIssue) => string | undefined) => {
  let suggestionsLeft = MAX_SUGGESTIONS;
  return (issue) => {
    if (issue.code !== 'unrecognized_keys') {
      const text = describe(issue);
      return text && because(text);
    }
    const known = knownKeys(issue);
    const lines = issue.keys.slice(0, MAX_FIELDS).map((key) => {
      suggestionsLeft -= 1;
      return because(unknownField(key, suggestionsLeft < 0 ? undefined : meantBy(key, known)));
    });
    return lines.join('\n');
  };
};
