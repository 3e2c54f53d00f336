// What the lookups work with, and what their routes share.
import type { KeyObject } from 'node:crypto';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { ForeignShape, RequestContext } from '#src/kernel/route.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { SearchIndexer } from '#src/messages/search-indexer.ts';
import type { Sources } from '#src/relay/source-routes.ts';

export interface LookupDeps {
  readonly shape: ForeignShape;
  readonly files: TenantFiles;
  readonly clock: Clock;
  /** The key of `addressHash`. */
  readonly suppressionKey: KeyObject;
  readonly indexer: Pick<SearchIndexer, 'waiting'>;
  readonly sources: Sources;
  /** The public origin. */
  readonly origin: string;
}

export const lookup = ({ shape }: Pick<LookupDeps, 'shape'>) =>
  ({ shape, tag: 'Compatibility: vendor B shape', stability: 'stable' }) as const;

export const tenantOf = ({ tenantId }: Pick<RequestContext, 'tenantId'>): string => {
  if (tenantId === null)
    throw new Error('the server names the tenant of every route that asks for a permission');
  return tenantId;
};
