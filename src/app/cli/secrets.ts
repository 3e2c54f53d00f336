// `sendwerk secrets rotate`: brings a change of the master key to its end. The running daemon seals everything again by itself, since
// only one process may write the files: then the command waits for it. Beside no daemon it does the work. Killed, it is run again.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { changeOfMasterKey, isSealedUnder } from '#src/accounts/tenants/master-key.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { type Config, loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import { isInUse, PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { SECOND, sleep } from '#src/kernel/time.ts';
import { requireOwner } from '#src/operations/owner.ts';
import { openApp, readFile } from './beside-daemon.ts';
import { CommandError } from './command.ts';
import type { CommandResult } from './config.ts';
import { createProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';

const HOW = `nothing is sealed under another master key than the present one. To change it:
  1. openssl rand -base64 32 > NEW, readable by the service alone
  2. in the configuration: secrets.master_key_file: NEW, secrets.former_master_key_file: the one of now
  3. restart the service
  4. run this again: it says when the former key can be removed
`;
const DONE = `everything is sealed under the present master key.
The former key can be removed now: take secrets.former_master_key_file out of the configuration.
Keep it, apart from the service, as long as you keep backups that were made before: they open with it alone.
`;

/** How many tenants' files are sealed under the present key, of how many. */
const createCount = ({ data_dir, secrets }: Config) => {
  const registry = join(data_dir, PLATFORM_NAME);
  const done = new Set<string>();
  return () => {
    const all = readFile(registry, (db: PlatformDb) => registryStore(db).listAll(0, Number.MAX_SAFE_INTEGER));
    for (const { id } of all) {
      const path = join(data_dir, 'tenants', id, 'tenant.db');
      if (done.has(id) || !existsSync(path)) continue;
      if (!readFile(path, (db: TenantDb) => isSealedUnder(db, secrets, id))) break;
      done.add(id);
    }
    return { done: done.size, total: all.length };
  };
};

export const secretsRotate = async (
  configFile: string,
  environment: Environment,
  terminal: Terminal,
): Promise<CommandResult> => {
  const { config } = loadConfig(configFile, environment);
  requireOwner(config.data_dir);
  const registry = join(config.data_dir, PLATFORM_NAME);
  if (!existsSync(registry)) throw new CommandError(`${registry} is missing: nothing is sealed yet`);
  const change = () => readFile(registry, (db: PlatformDb) => changeOfMasterKey(db, config.secrets));
  const finished = () => change() === 'none';
  if (finished()) return { exitCode: 0, output: config.secrets.formerMasterKey === null ? HOW : DONE };
  const progress = createProgress(
    terminal,
    'sealed again',
    undefined,
    (practices) => `${practices} practices`,
  );
  const count = createCount(config);
  const ended = new AbortController();
  terminal.signals.onEnd(() => ended.abort());
  const show = (): void => {
    const { done, total } = count();
    progress.show(done, total);
  };
  try {
    while (!finished() && !ended.signal.aborted) {
      if (isInUse(config.data_dir)) {
        if (change() === 'not begun')
          throw new CommandError(
            'the running daemon has the former master key alone: restart it, then run this again',
          );
        show();
        await sleep(SECOND, ended.signal);
        continue;
      }
      const { MASTER_KEY_JOB } = await import('#src/app/master-key-job.ts');
      const app = await openApp(config, terminal);
      const shown = setInterval(show, SECOND);
      let stopped: Promise<void> | undefined;
      const stop = (): Promise<void> => (stopped ??= app.stop());
      ended.signal.addEventListener('abort', () => void stop());
      try {
        await app.runJob(MASTER_KEY_JOB);
      } finally {
        clearInterval(shown);
        await stop();
      }
      if (!finished() && !ended.signal.aborted)
        throw new CommandError(
          'some practices could not be sealed again: mend what is said above, then run this again',
        );
    }
  } finally {
    progress.end();
  }
  if (ended.signal.aborted)
    return { exitCode: 1, output: 'not ended; the daemon goes on, or run this again\n' };
  return { exitCode: 0, output: DONE };
};
