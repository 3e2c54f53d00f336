// What the lookups work with, and what their routes share.

import type { Caller } from '#src/kernel/access.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import type { ForeignShape, RequestContext } from '#src/kernel/route.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { SearchIndexer } from '#src/messages/search-indexer.ts';

export interface LookupDeps {
  readonly shape: ForeignShape;
  readonly files: TenantFiles;
  readonly clock: Clock;
  /** The key of `addressHash`. */
  readonly suppressionKey: TenantKey;
  readonly indexer: Pick<SearchIndexer, 'waiting'>;
  /** Reads the source of a recipient's copy. */
  readonly sources: (
    tenantId: string,
    query: { readonly messageId: string; readonly caller: Caller },
  ) => Promise<Buffer>;
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
