// The API's two documents, of its own calls and of those in the forms of other services; and a document as one tree: references are
// replaced by what they name, `allOf` by all its fields.
import { parse } from 'yaml';
import type { TestApp } from './app.ts';

interface Node {
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What `#/components/…` names; undefined where there is nothing. */
export const resolveRef = (document: unknown, ref: string): unknown =>
  ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((at, part) => (isNode(at) ? at[part] : undefined), document);

const combined = ({ allOf, ...rest }: Node, parts: readonly Node[]): Node => {
  const all = [...parts, rest];
  const required = all.flatMap(({ required }) => (Array.isArray(required) ? required : []));
  return Object.assign({}, ...all, {
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  });
};

/** What holds itself keeps its reference. */
export const dereference = <T>(document: T): T => {
  const walk = (value: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, within));
    if (!isNode(value)) return value;
    const { $ref, ...rest } = value;
    if (typeof $ref === 'string' && !within.includes($ref))
      return { ...(walk(resolveRef(document, $ref), [...within, $ref]) as Node), ...rest };
    const whole: Node = Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, walk(inner, within)]),
    );
    return Array.isArray(whole.allOf) ? combined(whole, whole.allOf.filter(isNode)) : whole;
  };
  return walk(document, []) as T;
};

/** Both, parsed. */
// biome-ignore lint/suspicious/noExplicitAny: each reader knows what it looks for.
export const describedParts = async (app: Pick<TestApp, 'request'>): Promise<any[]> =>
  Promise.all(
    ['/openapi.yaml', '/openapi-compat.yaml'].map(async (path) =>
      parse((await app.request('GET', path)).text),
    ),
  );

/** The paths of both, each as in its document; with `isWhole`, without references. */
export const describedPaths = async <Paths>(
  app: Pick<TestApp, 'request'>,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): Promise<Paths> =>
  Object.assign({}, ...(await describedParts(app)).map((part) => (isWhole ? dereference(part) : part).paths));
