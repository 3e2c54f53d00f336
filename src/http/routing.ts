// The list of routes, checked once at the start and laid out as a tree of path segments. Fixed segments win over
// `{parameters}`. express's own router is not used: it tries its paths one after the other, which took 20 to 40 µs of CPU a
// request with 160 routes, where the tree takes less than one.
import { isAccess, isPermission } from '#src/kernel/access.ts';
import { editDistance } from '#src/kernel/nearest.ts';
import type { Method, Route } from '#src/kernel/route.ts';

const PARAMETER = /^\{([A-Za-z][A-Za-z0-9_]*)\}$/;
const FIXED = /^[A-Za-z0-9._~-]+$/;
const BODILESS: ReadonlySet<Method> = new Set(['get']);
const PRACTICE_PATH = '/api/practices/{id}';

/** `/api/practices/{id}` and what is below: `id` names the tenant. */
export const isTenantPath = (path: string): boolean =>
  path === PRACTICE_PATH || path.startsWith(`${PRACTICE_PATH}/`);

/** Whether a header says which practice it is for: the path does not, and a permission is held in a practice only. */
export const namesPracticeInHeader = ({ access, path }: Route): boolean =>
  isPermission(access) && !isTenantPath(path);

export const parametersOf = (path: string): string[] =>
  path.split('/').flatMap((segment) => PARAMETER.exec(segment)?.[1] ?? []);

/** What is wrong with a declaration, for the engineer who wrote it; undefined where nothing is. */
const defectOf = (route: Route): string | undefined => {
  const segments = route.path.split('/').slice(1);
  const wellFormed =
    route.path === '/' || segments.every((segment) => PARAMETER.test(segment) || FIXED.test(segment));
  if (!route.path.startsWith('/') || !wellFormed)
    return 'the path is not made of fixed segments and {parameters}';
  const inPath = parametersOf(route.path);
  const inSchema = Object.keys(route.params?.shape ?? {});
  const missing = inPath.filter((name) => !inSchema.includes(name));
  if (missing.length > 0) return `the path has {${missing.join('}, {')}}, the params schema has not`;
  const extra = inSchema.filter((name) => !inPath.includes(name));
  if (extra.length > 0) return `the params schema has ${extra.join(', ')}, the path has not`;
  if (new Set(inPath).size < inPath.length) return 'a parameter is twice in the path';
  if (/^\/api\/practices\/\{(?!id\})/.test(route.path)) return 'the tenant in the path must be named {id}';
  const statuses = Object.keys(route.responses).map(Number);
  // A retired route has nothing but its refusal.
  if (statuses.length === 0 && !route.errors?.length) return 'no response is declared';
  const odd = statuses.filter((status) => !Number.isInteger(status) || status < 200 || status > 599);
  if (odd.length > 0) return `${odd.join(', ')} is no status of a response`;
  if (route.body && BODILESS.has(route.method) && !route.body.safeParse(undefined).success)
    return `a ${route.method} request needs no body`;
  if (!isAccess(route.access)) return `${String(route.access)} is no access`;
  if (BODILESS.has(route.method) !== (route.audit === undefined))
    return 'a route that may change something says what the audit keeps of it, others do not';
  return undefined;
};

/** What a request finds: its route with the values of the parameters, decoded; or the methods that its path has; or nothing. */
export type Found =
  | { readonly route: Route; readonly params: Record<string, string> }
  | {
      readonly route: undefined;
      readonly allowed: readonly string[] | undefined;
      /** Looks for the method and path of a route that is near, where nothing is at the path. */
      readonly nearest: () => string | undefined;
    };

interface Endpoint {
  readonly route: Route;
  readonly parameters: readonly string[];
}

interface Node {
  readonly fixed: Map<string, Node>;
  parameter: Node | undefined;
  /** The method is in upper case. */
  readonly endpoints: Map<string, Endpoint>;
}

const newNode = (): Node => ({ fixed: new Map(), parameter: undefined, endpoints: new Map() });

/** Throws Error, naming the route and the defect, where a declaration contradicts itself or another one. */
const insert = (root: Node, route: Route): void => {
  const name = `route ${route.method} ${route.path}`;
  const defect = defectOf(route);
  if (defect) throw new Error(`${name}: ${defect}`);
  let node = root;
  for (const segment of route.path.split('/').slice(1)) {
    const next = (PARAMETER.test(segment) ? node.parameter : node.fixed.get(segment)) ?? newNode();
    if (PARAMETER.test(segment)) node.parameter = next;
    else node.fixed.set(segment, next);
    node = next;
  }
  const method = route.method.toUpperCase();
  const other = node.endpoints.get(method)?.route;
  if (other) throw new Error(`${name}: ${other.method} ${other.path} answers the same requests`);
  node.endpoints.set(method, { route, parameters: parametersOf(route.path) });
};

/** Walks the segments of `path` from `offset` (that of a slash); values of parameters are pushed to `values`. */
const walk = (node: Node, path: string, offset: number, values: string[]): Node | undefined => {
  if (offset >= path.length) return node.endpoints.size > 0 ? node : undefined;
  const slash = path.indexOf('/', offset + 1);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(offset + 1, end);
  const fixed = node.fixed.get(segment);
  const found = fixed && walk(fixed, path, end, values);
  if (found || !node.parameter || segment === '') return found;
  values.push(segment);
  const below = walk(node.parameter, path, end, values);
  if (!below) values.pop();
  return below;
};

/** Undefined where it is not well-formed percent-encoding. */
const decode = (segment: string): string | undefined => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

const NOTHING = { route: undefined, allowed: undefined, nearest: () => undefined } as const;

/** More segments, or longer ones, are not compared: a path that is found nowhere must not cost much. */
const MAX_COMPARED = { segments: 12, characters: 64 };
/** Edits between a path and the route that was meant. */
const MAX_EDITS = 4;

const words = (segment: string): readonly string[] => segment.split(/[-._]/);
const isWithin = (some: readonly string[], all: readonly string[]): boolean =>
  some.every((word) => word.length > 2 && all.includes(word));

/**
 * How many edits lead from one segment to the route's: words that are left out or too many cost two for all, as `abuse` for
 * `abuse-tickets`. Infinity where more than a third of the segment would be another one.
 */
const editsOfSegment = (wanted: string, given: string): number => {
  const [some, all] = [words(wanted), words(given)];
  if (isWithin(some, all) || isWithin(all, some)) return 2;
  const most = Math.floor(wanted.length / 3);
  if (Math.abs(wanted.length - given.length) > most) return Infinity;
  const edits = editDistance(wanted, given);
  return edits > most ? Infinity : edits;
};

interface Known {
  readonly route: Route;
  readonly segments: readonly string[];
}

/** How many edits lead from the segments to the route's path, whose parameters fit anything; Infinity beyond `MAX_EDITS`. */
const editsTo = (route: readonly string[], segments: readonly string[]): number => {
  if (route.length !== segments.length) return Infinity;
  let edits = 0;
  for (const [at, fixed] of route.entries()) {
    const given = (segments[at] ?? '').toLowerCase();
    if (fixed === given || (PARAMETER.test(fixed) && given !== '')) continue;
    // A parameter that was left out.
    edits += PARAMETER.test(fixed) ? fixed.length : editsOfSegment(fixed, given);
    if (edits > MAX_EDITS) return Infinity;
  }
  return edits;
};

/** `/api/practices/{id}/…`: a shorter path is the beginning of too many. */
const MIN_BEGINNING = 4;

/** The route that goes on with one segment where the path ends, as `…/messages/search` for `…/messages`; a fixed one before a parameter. */
const goingOn = (known: readonly Known[], method: string, given: readonly string[]): Route | undefined => {
  if (given.length < MIN_BEGINNING) return undefined;
  const found = known.filter(
    ({ route, segments }) =>
      route.method.toUpperCase() === method && editsTo(segments.slice(0, -1), given) === 0,
  );
  return (found.find(({ segments }) => !PARAMETER.test(segments.at(-1) ?? '')) ?? found[0])?.route;
};

/** The method and path of the route that a path with nothing at it was probably meant for; also one that lacks `/api`. */
const nearestTo = (routes: readonly Route[]): ((method: string, path: string) => string | undefined) => {
  // Links in mail are no paths that a person types.
  const known: readonly Known[] = routes
    .filter(({ path }) => path.startsWith('/api/'))
    .map((route) => ({ route, segments: route.path.split('/').slice(1) }));
  return (method, path) => {
    const given = path.split('/').slice(1);
    if (given.length > MAX_COMPARED.segments || given.some(({ length }) => length > MAX_COMPARED.characters))
      return undefined;
    let best: { readonly route: Route; readonly edits: number } | undefined;
    for (const segments of [given, ['api', ...given]])
      for (const { route, segments: wanted } of known) {
        // The one that takes the method comes first among two that are as near.
        const edits = editsTo(wanted, segments) + (route.method.toUpperCase() === method ? 0 : 0.5);
        if (edits < Infinity && (!best || edits < best.edits)) best = { route, edits };
      }
    const route = best?.route ?? goingOn(known, method, given);
    return route && `${route.method.toUpperCase()} ${route.path}`;
  };
};

/** The function that finds a request's route. Throws Error where the list of routes is defective. */
export const createRouter = (routes: readonly Route[]): ((method: string, path: string) => Found) => {
  const root = newNode();
  for (const route of routes) insert(root, route);
  const nearest = nearestTo(routes);
  return (method, given) => {
    const path = given.length > 1 && given.endsWith('/') ? given.slice(0, -1) : given;
    const values: string[] = [];
    const node = path.startsWith('/') ? walk(root, path, 0, values) : undefined;
    if (!node) return { ...NOTHING, nearest: () => nearest(method, path) };
    // GET's handler answers HEAD, node leaves its body out (RFC 9110 §9.3.2).
    const found = node.endpoints.get(method === 'HEAD' ? 'GET' : method);
    if (!found) {
      const methods = [...node.endpoints.keys()];
      return { ...NOTHING, allowed: methods.includes('GET') ? [...methods, 'HEAD'] : methods };
    }
    const params: Record<string, string> = {};
    for (const [at, name] of found.parameters.entries()) {
      const value = decode(values[at] ?? '');
      if (value === undefined) return NOTHING;
      params[name] = value;
    }
    return { route: found.route, params };
  };
};
