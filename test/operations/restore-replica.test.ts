import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Config } from '#src/kernel/config/config.ts';
import { restoreReplica } from '#src/operations/replica/restore-replica.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

test('where Litestream is not where it is looked for, it says by which option it is named', async () => {
  const home = await temporaryDirectory();
  const metrics = { host: '127.0.0.1', port: 9_464 };
  const replica = { to: `file://${home}/replica`, keep: 86_400_000, metrics } as NonNullable<
    Config['replica']
  >;
  const restored = restoreReplica({
    program: join(home, 'litestream'),
    replica,
    dataDirectory: join(home, 'data'),
    directory: join(home, 'restored'),
    at: undefined,
    tables: { tenants: () => [] },
  });
  await expect(restored).rejects.toThrow(/litestream does not exist: name Litestream by --litestream/);
});
