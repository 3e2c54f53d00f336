// What `sendwerk restore DIR --replace` does while no service runs, with the world's own disk and threads in the place of the real ones.
import { existsSync, mkdirSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { type App, createApp } from '#src/app/app.ts';
import { readFile } from '#src/app/cli/beside-daemon.ts';
import { loadConfig } from '#src/kernel/config/config.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { lockDirectory, PLATFORM_NAME, RESTORING_LOCK } from '#src/kernel/db/storage.ts';
import { createLog } from '#src/kernel/log.ts';
import type { NewHost } from '#src/kernel/moved.ts';
import { tenantFile } from '#src/operations/manifest.ts';
import { openSource } from '#src/operations/restore-source.ts';
import {
  beginStaging,
  changeStagedRegistry,
  removeEmpty,
  replacedName,
  stageRegistry,
  stageTenant,
  swapAll,
} from '#src/operations/staging.ts';
import type { Scene, Service } from '../scene.ts';
import { SimDisk } from '../world/disk.ts';
import { configFileOf, restoringParts, schemaOnce } from './running-files.ts';

const silent = createLog('silent');

/** Opened, not started: nothing listens and nothing is sent. */
export const withApp = async <T>(
  service: Service,
  directory: string,
  work: (app: App) => Promise<T>,
): Promise<T> => {
  const { config } = loadConfig(configFileOf(service), {});
  const disk = new SimDisk({ syncFails: () => false });
  const app = await createApp({ ...config, data_dir: directory }, silent, {
    disk: disk.face(),
    maintenance: disk.maintenance(schemaOnce()),
    signThreads: {
      sign: () => Promise.reject(new Error('nothing is signed')),
      finishBody: () => Promise.reject(new Error('nothing is composed')),
      stop: async () => undefined,
    },
    jobsByHand: true,
  });
  try {
    return await work(app);
  } finally {
    await app.stop();
  }
};

interface Moved {
  readonly id: string;
  readonly newHost: NewHost;
  readonly until: number;
}

const movedIn = (target: string) =>
  existsSync(join(target, PLATFORM_NAME))
    ? readFile(join(target, PLATFORM_NAME), (db: PlatformDb) => {
        const all = registryStore(db).every();
        return registryStore(db)
          .moved()
          .flatMap(({ id, newHost, until }) => {
            const tenant = all.find((one) => one.id === id);
            return tenant === undefined ? [] : [{ moved: { id, newHost, until } as Moved, tenant }];
          });
      })
    : [];

const restoreLocked = async (scene: Scene, directory: string): Promise<void> => {
  const { service } = scene;
  const target = service.dataDir;
  const source = await openSource(directory);
  const moved = movedIn(target);
  const ids = source.tenants.filter((id) => !moved.some(({ tenant }) => tenant.id === id));
  const restoring = restoringParts();
  const now = scene.now();
  const staging = await beginStaging(target);
  for (const id of ids)
    await stageTenant(
      source,
      id,
      { to: join(staging, 'files', id, 'tenant.db'), replaced: join(target, tenantFile(id)) },
      restoring,
      now,
    );
  await stageRegistry(
    source,
    { to: join(staging, PLATFORM_NAME), replaced: join(target, PLATFORM_NAME) },
    restoring,
  );
  await withApp(service, staging, async (app) => {
    await removeEmpty(join(staging, 'tenants'));
    if (ids.length > 0) await rename(join(staging, 'files'), join(staging, 'tenants'));
    else mkdirSync(join(staging, 'tenants'), { mode: 0o700 });
    for (const id of ids) await app.registerFile(id, join(staging, tenantFile(id)));
  });
  await changeStagedRegistry(target, restoring, (db) => {
    for (const { moved: one, tenant } of moved) {
      registryStore(db).register(tenant);
      registryStore(db).move(one.id, one.newHost, one.until);
    }
  });
  await swapAll(target, replacedName(target, now));
};

/** Where an earlier one was cut off, it does the same again. */
export const restoreEverything = async (scene: Scene, directory: string): Promise<void> => {
  const target = scene.service.dataDir;
  const unlock = [lockDirectory(target, RESTORING_LOCK), lockDirectory(target)];
  try {
    await restoreLocked(scene, directory);
  } finally {
    for (const end of unlock) end();
  }
};
