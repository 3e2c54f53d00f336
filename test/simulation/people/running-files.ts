// Where the commands of the operator find what they need: the directory of backups, the master key, the configuration.
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { holds } from '#src/app/closed-files.ts';
import { loadSchema } from '#src/app/schema.ts';
import type { Migrations } from '#src/kernel/db/migrate.ts';
import type { Restoring } from '#src/operations/staging.ts';
import { sessionStore } from '#src/people/sign-in-store.ts';
import type { Scene, Service } from '../scene.ts';
import { runningOf } from './running-memory.ts';

const homeOf = ({ dataDir }: Service): string => dirname(dataDir);

export const configFileOf = (service: Service): string => join(homeOf(service), 'service.yaml');

export const masterKeyOf = (service: Service): Buffer =>
  Buffer.from(fs.readFileSync(join(homeOf(service), 'master.key'), 'utf8').trim(), 'base64');

/** Empty at the first call in a simulation. */
export const backupsBeside = (scene: Scene): string => {
  const directory = join(homeOf(scene.service), 'backups');
  if (runningOf(scene).backups.length === 0) fs.rmSync(directory, { recursive: true, force: true });
  return directory;
};

/** Ids of the practices whose files a backup has. */
export const sourceDirectory = (directory: string): readonly string[] =>
  fs.readdirSync(join(directory, 'tenants')).sort();

let schema: Migrations | undefined;
export const schemaOnce = (): Migrations => {
  schema ??= loadSchema();
  return schema;
};

export const restoringParts = (): Restoring => ({
  schema: schemaOnce(),
  holds,
  registry: (db) => sessionStore(db).removeAll(),
  sealAgain: null,
});
