// Values from outside against a schema: the parsed value, or `invalid_request` with every problem in words a human can
// act on. A schema's own messages win over those made here; no client's value is said back.
import type { z } from 'zod';
import { AppError, type FieldProblem } from './errors.ts';
import { cut, formatPath } from './fields.ts';
import { foldWord, nearest } from './nearest.ts';

/** A batch of 500 wrong items needs no longer answer than one: the first problems show the mistake. */
const MAX_FIELDS = 20;
const MAX_ALTERNATIVES = 20;
/** Of a whole request: each costs a comparison with every known word, and a body may hold 100,000 unknown ones. */
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
  const summary = first ? `\`${first.path}\`: ${first.message}` : 'The request does not fit.';
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return new AppError('invalid_request', `${summary}${more}`, {
    extra: { fields: problems.slice(0, MAX_FIELDS) },
  });
};

/** Throws AppError `invalid_request`. `root` as for `check`. */
export const validate = <T>(schema: z.ZodType<T>, value: unknown, root: string): T => {
  const checked = check(schema, value, root);
  if (checked.problems === null) return checked.value;
  throw unfit(checked.problems);
};

const fieldProblems = (issue: Issue, root: string, above: readonly PropertyKey[]): FieldProblem[] => {
  const path = [...above, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys': {
      // `describer` writes one line a key, in their order; a schema's own message is one for all.
      const lines = issue.message.split('\n');
      return issue.keys.slice(0, MAX_FIELDS).map((key, index) => ({
        path: formatPath(root, [...path, key]),
        message: lines[index] ?? lines[0] ?? '',
      }));
    }
    case 'invalid_union': {
      const branch = likelyBranch(issue.errors);
      if (branch) return branch.flatMap((inner) => fieldProblems(inner, root, path));
      return [{ path: formatPath(root, path), message: issue.message }];
    }
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.flatMap((inner) => fieldProblems(inner, root, path));
    default:
      return [{ path: formatPath(root, path), message: issue.message }];
  }
};

const isWrongKind = (issue: Issue): boolean =>
  issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');

/** The alternative the client seems to have meant: the right kind of value, fewest problems inside. */
const likelyBranch = (branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined =>
  branches
    .filter((issues) => issues.length > 0 && !issues.some(isWrongKind))
    .toSorted((a, b) => a.length - b.length)[0];

const kindNames: Readonly<Record<string, string>> = {
  array: 'an array',
  bigint: 'a whole number',
  boolean: 'true or false',
  int: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
  undefined: 'absent',
};

const formatNames: Readonly<Record<string, string>> = {
  base64: 'base64',
  base64url: 'base64url',
  cidrv4: 'an IPv4 network',
  cidrv6: 'an IPv6 network',
  date: 'a date (2026-01-31)',
  datetime: 'a date and time (2026-01-31T12:00:00Z)',
  email: 'an e-mail address',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  url: 'a URL',
  uuid: 'a UUID',
};

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return kindNames[typeof value] ?? 'something else';
};

const alternatives = (words: readonly string[]): string => {
  const shown = [...new Set(words)].slice(0, MAX_ALTERNATIVES);
  const last = shown.length > 1 ? ` or ${shown.pop()}` : '';
  return `${shown.join(', ')}${last}`;
};

const quoted = (values: readonly unknown[]): string =>
  alternatives(values.map((value) => `\`${String(value)}\``));

/** What counts in the value and how: `at most 3 characters`. */
const amount = (origin: string, bound: number | bigint, relation: string): string => {
  if (origin === 'string') return `must have ${relation} ${bound} character${bound === 1 ? '' : 's'}`;
  if (origin === 'array' || origin === 'set')
    return `must have ${relation} ${bound} item${bound === 1 ? '' : 's'}`;
  if (origin === 'object' || origin === 'map')
    return `must have ${relation} ${bound} field${bound === 1 ? '' : 's'}`;
  return `must be ${relation} ${bound}`;
};

const wrongKind = (expected: string, input: unknown): string => {
  if (input === undefined) return 'is required';
  if (expected === 'int' && typeof input === 'number') return 'must be a whole number';
  const wanted = `must be ${kindNames[expected] ?? expected}`;
  return Number.isNaN(input) ? wanted : `${wanted}, not ${kindOf(input)}`;
};

const unionMessage = (issue: Extract<RawIssue, { code: 'invalid_union' }>): string => {
  if ('options' in issue && Array.isArray(issue.options)) return `must be ${quoted(issue.options)}`;
  if (issue.input === undefined) return 'is required';
  const expected = issue.errors.flatMap(([first]) => {
    if (first?.code === 'invalid_type') return [kindNames[first.expected] ?? first.expected];
    return first?.code === 'invalid_value' ? first.values.map((value) => `\`${String(value)}\``) : [];
  });
  return expected.length > 0 ? `must be ${alternatives(expected)}` : 'fits none of its forms';
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

const unknownField = (key: string, meant: string | undefined): string => {
  // Line breaks separate the messages of several keys.
  const shown = cut(key).replace(/\p{Cc}/gu, ' ');
  return `unknown field \`${shown}\`${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`;
};

const knownKeys = (issue: RawIssue): readonly string[] => {
  const def = issue.inst?._zod.def;
  return def && 'shape' in def && def.shape ? Object.keys(def.shape) : [];
};

const describe = (issue: RawIssue): string | undefined => {
  switch (issue.code) {
    case 'invalid_type':
      return wrongKind(issue.expected, issue.input);
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be ${quoted(issue.values)}`;
    case 'invalid_union':
      return unionMessage(issue);
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      if (issue.exact) return amount(issue.origin, issue.minimum, 'exactly');
      return amount(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      if (issue.exact) return amount(issue.origin, issue.maximum, 'exactly');
      return amount(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'invalid_format':
      if (issue.format === 'uuid' && /^[a-z][a-z0-9-]*$/i.test(String(issue.input)))
        return 'must be the id, a UUID, not a slug or name';
      return `must be ${formatNames[issue.format] ?? 'in the form that /reference describes'}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return undefined;
  }
};

/** zod's error map for one parse. */
const describer = (): ((issue: RawIssue) => string | undefined) => {
  let suggestionsLeft = MAX_SUGGESTIONS;
  return (issue) => {
    if (issue.code !== 'unrecognized_keys') return describe(issue);
    const known = knownKeys(issue);
    const lines = issue.keys.slice(0, MAX_FIELDS).map((key) => {
      suggestionsLeft -= 1;
      return unknownField(key, suggestionsLeft < 0 ? undefined : meantBy(key, known));
    });
    return lines.join('\n');
  };
};
