// The list of routes, checked once at the start and laid out as a tree of path segments: finding an endpoint costs the
// same with ten routes as with two hundred. Fixed segments win over `{parameters}`.
import { isAccess } from '#src/kernel/access.ts';
import type { Method, Route } from '#src/kernel/route.ts';

export interface Endpoint {
  readonly route: Route;
  readonly parameters: readonly string[];
  /** `/api/practices/{id}` and what is below: `id` names the tenant. */
  readonly ofTenant: boolean;
}

export type Found =
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint; readonly params: Record<string, string> }
  /** The path exists for other methods: those, in upper case. */
  | { readonly kind: 'other_method'; readonly allowed: readonly string[] }
  | { readonly kind: 'nothing' };

export interface RouteTable {
  /** `method` in upper case as on the wire; `path` still percent-encoded. */
  find(method: string, path: string): Found;
}

interface Node {
  readonly fixed: Map<string, Node>;
  parameter: Node | undefined;
  readonly endpoints: Map<string, Endpoint>;
}

const newNode = (): Node => ({ fixed: new Map(), parameter: undefined, endpoints: new Map() });

const PARAMETER = /^\{([A-Za-z][A-Za-z0-9_]*)\}$/;
const FIXED = /^[A-Za-z0-9._~-]+$/;
const NOTHING: Found = { kind: 'nothing' };
const BODILESS: ReadonlySet<Method> = new Set(['get']);

export const isTenantPath = (path: string): boolean => /^\/api\/practices\/\{id\}(?:\/|$)/.test(path);

export const parametersOf = (path: string): string[] =>
  path.split('/').flatMap((segment) => PARAMETER.exec(segment)?.[1] ?? []);

/** What is wrong with a declaration, in words for whoever wrote it; undefined where nothing is. */
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
  if (new Set(inPath).size < inPath.length) return 'a parameter stands twice in the path';
  if (/^\/api\/practices\/\{(?!id\})/.test(route.path)) return 'the tenant in the path must be named {id}';
  const statuses = Object.keys(route.responses).map(Number);
  // A retired route has nothing but its refusal.
  if (statuses.length === 0 && !route.errors?.length) return 'no response is declared';
  const odd = statuses.filter((status) => !Number.isInteger(status) || status < 200 || status > 599);
  if (odd.length > 0) return `${odd.join(', ')} is no status of a response`;
  if (route.body && BODILESS.has(route.method)) return `a ${route.method} request has no body`;
  if (!isAccess(route.access)) return `${String(route.access)} is no access`;
  if (BODILESS.has(route.method) !== (route.audit === undefined))
    return 'a route that may change something says what the audit keeps of it, others do not';
  return undefined;
};

const insert = (root: Node, route: Route): void => {
  const name = `${route.method} ${route.path}`;
  const defect = defectOf(route);
  if (defect) throw new Error(`route ${name}: ${defect}`);
  let node = root;
  for (const segment of route.path.split('/').slice(1)) {
    const next = (PARAMETER.test(segment) ? node.parameter : node.fixed.get(segment)) ?? newNode();
    if (PARAMETER.test(segment)) node.parameter = next;
    else node.fixed.set(segment, next);
    node = next;
  }
  const method = route.method.toUpperCase();
  const other = node.endpoints.get(method);
  if (other)
    throw new Error(`route ${name}: ${other.route.method} ${other.route.path} answers the same requests`);
  const endpoint = { route, parameters: parametersOf(route.path), ofTenant: isTenantPath(route.path) };
  node.endpoints.set(method, endpoint);
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

const decode = (segment: string): string | undefined => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

/** Throws Error, naming the route and the defect, where a declaration contradicts itself or another one. */
export const createRouteTable = (routes: readonly Route[]): RouteTable => {
  const root = newNode();
  for (const route of routes) insert(root, route);
  return {
    find(method, path) {
      const values: string[] = [];
      const node = path.startsWith('/') ? walk(root, path, 0, values) : undefined;
      if (!node) return NOTHING;
      // GET's handler answers HEAD, the server leaves its body out (RFC 9110 §9.3.2).
      const endpoint = node.endpoints.get(method === 'HEAD' ? 'GET' : method);
      if (!endpoint) {
        const allowed = [...node.endpoints.keys()];
        return { kind: 'other_method', allowed: allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed };
      }
      const params: Record<string, string> = {};
      for (const [index, name] of endpoint.parameters.entries()) {
        const value = decode(values[index] ?? '');
        if (value === undefined) return NOTHING;
        params[name] = value;
      }
      return { kind: 'endpoint', endpoint, params };
    },
  };
};
