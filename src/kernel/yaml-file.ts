// A YAML 1.2 text checked against a strict zod schema. All that is wrong comes back at once, each problem with file, line, column,
// key and what was expected. A key without a value counts as absent. Nothing is read from the disk here.
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { z } from 'zod';
import { expectedOf, knownKeys, metaText, oneOf, schemaAt } from './expected.ts';
import { nearest } from './nearest.ts';

export type Path = readonly PropertyKey[];

export interface FileProblem {
  readonly file: string;
  /** The first line is 1, as in editors. */
  readonly line: number;
  readonly column: number;
  /** `http.listen`, `upstreams[0].port`; empty where the text is no YAML at all. */
  readonly key: string;
  readonly expected: string;
  /** What is there instead; absent where it might be a secret. */
  readonly got?: string;
}

/** Alias expansion beyond this is an attack or a mistake; settings need a handful. */
const MAX_ALIAS_COUNT = 50;
const MAX_TEXT_LENGTH = 256 * 1_024;
/** One slip in the syntax causes many errors behind it; only the first ones help. */
const MAX_SYNTAX_PROBLEMS = 5;
const MAX_SHOWN_LENGTH = 80;

export const keyName = (path: Path): string =>
  path.reduce<string>(
    (name, step) =>
      typeof step === 'number' ? `${name}[${step}]` : name === '' ? String(step) : `${name}.${String(step)}`,
    '',
  );

export const formatProblem = ({ file, line, column, key, expected, got }: FileProblem): string =>
  `${file}:${line}:${column}: ${key === '' ? '' : `${key}: `}expected ${expected}${got === undefined ? '' : `, got ${got}`}`;

/** Everything that is wrong with a configuration, one problem a line. */
export class ConfigError extends Error {
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

export interface YamlFile<T> {
  /** The top-level keys that are valid; all of them where there are no problems. */
  readonly value: Partial<T>;
  readonly problems: readonly FileProblem[];
  /** A problem found later, at the position of `path`, or of its nearest parent that exists. */
  readonly problemAt: (path: Path, expected: string, got?: string) => FileProblem;
}

/** A value as it is shown in a problem: scalars in JSON form and cut, the rest by its kind. */
const shown = (value: unknown): string => {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
};

const valueAt = (data: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[step] : undefined,
    data,
  );

const offsetOf = (node: unknown): number => (node as Node | null)?.range?.[0] ?? 0;

type Parsed = ReturnType<typeof parseDocument>;

/** Offset of the key or list entry that `path` names, or of the last step that exists. */
const offsetAt = (document: Parsed, path: Path): number => {
  let node: unknown = document.contents;
  let offset = offsetOf(node);
  for (const step of path) {
    const container: unknown = isAlias(node) ? node.resolve(document) : node;
    if (isMap(container)) {
      const pair = container.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!pair) return offset;
      offset = offsetOf(pair.key);
      node = pair.value;
    } else if (isSeq(container) && container.items[Number(step)] !== undefined) {
      node = container.items[Number(step)];
      offset = offsetOf(node);
    } else return offset;
  }
  return offset;
};

/** `key:` without a value reads as null in YAML; for a setting it means that it is not set. */
const absentWhereNull = (_key: unknown, value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inner ?? undefined]));

const shownMessage = (code: string, message: string): string =>
  code === 'MULTIPLE_DOCS' ? 'several' : message;

/** Key text at a position, for the message about a key that is there twice. */
const keyTextAt = (text: string, offset: number): string =>
  /^[\w.-]{1,64}/.exec(text.slice(offset, offset + 64))?.[0] ?? 'a key';

export const readYaml = <S extends z.ZodObject>(
  file: string,
  text: string,
  schema: S,
): YamlFile<z.output<S>> => {
  const lines = new LineCounter();
  const problemAtOffset = (offset: number, key: string, expected: string, got?: string): FileProblem => {
    const { line, col } = lines.linePos(offset);
    return {
      file,
      line: Math.max(line, 1),
      column: Math.max(col, 1),
      key,
      expected,
      ...(got === undefined ? {} : { got }),
    };
  };
  const unreadable = (problems: FileProblem[]): YamlFile<z.output<S>> => ({
    value: {},
    problems,
    problemAt: (path, expected, got) => problemAtOffset(0, keyName(path), expected, got),
  });
  if (text.length > MAX_TEXT_LENGTH)
    return unreadable([problemAtOffset(0, '', `at most ${MAX_TEXT_LENGTH} characters`, String(text.length))]);

  let document: Parsed;
  let data: unknown;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
    const wrong = [...document.errors, ...document.warnings].slice(0, MAX_SYNTAX_PROBLEMS);
    if (wrong.length > 0)
      return unreadable(
        wrong.map(({ code, message, pos: [offset] }) =>
          code === 'DUPLICATE_KEY'
            ? problemAtOffset(offset, '', 'each key once', `${keyTextAt(text, offset)} again`)
            : problemAtOffset(
                offset,
                '',
                code === 'MULTIPLE_DOCS' ? 'one YAML document' : 'valid YAML',
                shownMessage(code, message),
              ),
        ),
      );
    data = document.toJS({ maxAliasCount: MAX_ALIAS_COUNT, reviver: absentWhereNull }) ?? {};
  } catch (error) {
    // Excessive aliases and nesting are thrown, not listed.
    return unreadable([
      problemAtOffset(0, '', 'YAML of sensible size', error instanceof Error ? error.message : String(error)),
    ]);
  }

  const problemAt = (path: Path, expected: string, got?: string): FileProblem =>
    problemAtOffset(offsetAt(document, path), keyName(path), expected, got);

  const problemsOf = (issue: z.core.$ZodIssue, parent: Path = []): FileProblem[] => {
    const path = [...parent, ...issue.path];
    const place = schemaAt(schema, path, data);
    const got =
      place !== null && metaText(place, 'shown') === 'never' ? undefined : shown(valueAt(data, path));
    if (issue.code === 'unrecognized_keys') {
      const known = place === null ? [] : knownKeys(place, valueAt(data, path));
      return issue.keys.map((key) => {
        const near = nearest(key, known);
        return problemAt(
          [...path, key],
          near ? `a known key, the nearest is ${near}` : `a known key: ${oneOf(known)}`,
        );
      });
    }
    if (issue.code === 'invalid_union') {
      const inside = issue.errors.filter((branch) => branch.some((inner) => inner.path.length > 0));
      if (inside.length === 1) return (inside[0] ?? []).flatMap((inner) => problemsOf(inner, path));
    }
    const words = place === null ? issue.message : metaText(place, 'expected');
    return [
      problemAt(
        path,
        words ?? (place === null || issue.code === 'custom' ? issue.message : expectedOf(place)),
        got,
      ),
    ];
  };

  const whole = schema.safeParse(data);
  if (whole.success) return { value: whole.data as Partial<z.output<S>>, problems: [], problemAt };
  // What is valid by itself goes back too, so that the caller's own checks report in the same run.
  const value: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(schema.shape)) {
    const result = part.safeParse(valueAt(data, [key]));
    if (result.success) value[key] = result.data;
  }
  return {
    value: value as Partial<z.output<S>>,
    problems: whole.error.issues.flatMap((issue) => problemsOf(issue)),
    problemAt,
  };
};
