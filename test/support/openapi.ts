// A description of the API as one tree: references are replaced by what they name, `allOf` by all its fields.
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
