// Paths of other services' APIs: below the base of their shape, or by an alias of it, which is looked for only where the service
// has no path of its own. From there on the request is one for the path below the base.
import type { ForeignShape } from '#src/kernel/route.ts';
import type { Exchange } from './exchange.ts';
import type { Found } from './routing.ts';

const NO_PREFIX = '/';

const isBelow = (prefix: string, path: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');

interface Candidate {
  readonly shape: ForeignShape;
  readonly alias: string;
  /** Below the shape's base. */
  readonly path: string;
}

const candidatesOf = (shape: ForeignShape, path: string): Candidate[] =>
  shape.aliases().flatMap((alias) => {
    if (alias === NO_PREFIX) return [{ shape, alias, path: shape.base + path }];
    return isBelow(alias, path) ? [{ shape, alias, path: shape.base + path.slice(alias.length) }] : [];
  });

/** Finds what a request is for, and notes the shape that its path has. */
export const createForeignPaths = (
  find: (method: string, path: string) => Found,
  shapes: readonly ForeignShape[],
): ((exchange: Exchange) => Found) => {
  const isPath = (found: Found): boolean => found.route !== undefined || found.allowed !== undefined;

  /**
   * Without a prefix the shape is that of the field in which the token comes, else the first that knows the path, be it only to
   * name what to use instead.
   */
  const byAlias = ({ request, method, path }: Exchange): Candidate | undefined => {
    const ofToken = shapes.filter(({ tokenHeaders }) =>
      tokenHeaders().some((name) => request.headers[name] !== undefined),
    );
    const isKnown = ({ shape, alias, path: own }: Candidate): boolean =>
      alias !== NO_PREFIX ||
      ofToken.includes(shape) ||
      isPath(find(method, own)) ||
      shape.insteadOf(path) !== undefined;
    return (ofToken.length > 0 ? ofToken : shapes)
      .flatMap((shape) => candidatesOf(shape, path))
      .find(isKnown);
  };

  return (exchange) => {
    let found = find(exchange.method, exchange.path);
    const ofBase = shapes.find(({ base }) => isBelow(base, exchange.path));
    const alias = isPath(found) || ofBase ? undefined : byAlias(exchange);
    if (alias) {
      exchange.goTo(alias.path);
      found = find(exchange.method, exchange.path);
    }
    exchange.shape = found.route ? found.route.shape : (alias?.shape ?? ofBase);
    return found;
  };
};
