// The configuration of Litestream 0.3.13: the registry and the file of each tenant, each with its place in the replica.
// https://litestream.io/reference/config/ describes its keys.
import { join, resolve } from 'node:path';
import type { Config } from '#src/kernel/config/config.ts';
import { formatListen } from '#src/kernel/config/values.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { SECOND } from '#src/kernel/time.ts';
import { tenantFile } from '#src/operations/manifest.ts';

export type ReplicaConfig = NonNullable<Config['replica']>;

/** What is lost with the host is what was stored since the last of these, and what was under way. */
const SYNC = '1s';
/** A restore begins with the last whole copy, and reads what came after it. */
const SNAPSHOT = '24h';
/** Litestream copies the pages (4 KiB each) into the database file when there are so many, while others go on. */
const COPY_PAGES = 1_000;
/** Writers wait a moment when there are so many pages, so that the write-ahead log can begin again. */
const RESTART_PAGES = 4_000;
/** Litestream waits so long for a lock of the daemon. */
const BUSY_TIMEOUT = '5s';

const placeOf = ({ to, endpoint, region, key_file }: ReplicaConfig, name: string) => {
  const url = `${to.replace(/\/+$/, '')}/${name}`;
  // Litestream takes these by path only.
  if (to.startsWith('file:')) return { type: 'file', path: new URL(url).pathname };
  return { url, endpoint, region, 'key-path': key_file };
};

/** Where each file of the installation is, by its name in the replica. */
export const replicatedFiles = (dataDirectory: string, tenantIds: readonly string[]): Map<string, string> =>
  new Map(
    [PLATFORM_NAME, ...tenantIds.map(tenantFile)].map((name) => [name, resolve(join(dataDirectory, name))]),
  );

/** YAML, as JSON is YAML. Credentials come from Litestream's environment. */
export const litestreamConfig = (
  dataDirectory: string,
  tenantIds: readonly string[],
  replica: ReplicaConfig,
): string =>
  `${JSON.stringify(
    {
      addr: formatListen(replica.metrics),
      dbs: [...replicatedFiles(dataDirectory, tenantIds)].map(([name, path]) => ({
        path,
        'busy-timeout': BUSY_TIMEOUT,
        'min-checkpoint-page-count': COPY_PAGES,
        'max-checkpoint-page-count': RESTART_PAGES,
        replicas: [
          {
            ...placeOf(replica, name),
            'sync-interval': SYNC,
            'snapshot-interval': SNAPSHOT,
            retention: `${Math.round(replica.keep / SECOND)}s`,
          },
        ],
      })),
    },
    null,
    2,
  )}\n`;
