// An installation with practices, made once: each daemon starts on a copy of it, so that every run begins alike.
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Daemon, type DaemonOptions, type Practice, startDaemon } from '#test/support/daemon.ts';
import { createPractices } from '#test/support/practices.ts';

/** The one with the highest monthly cap, 100,000. */
const PLAN = 'gruppe';

export const tenantFile = ({ dataDir }: Pick<Daemon, 'dataDir'>, practiceId: string): string =>
  path.join(dataDir, 'tenants', practiceId, 'tenant.db');

export interface Installation {
  readonly practices: readonly Practice[];
  /** Its data directory. Who changes something there changes the copies that are made later. */
  readonly dataDir: string;
  /** On a copy, which the daemon's `remove` takes away. */
  start(options?: Omit<DaemonOptions, 'dataDir'>): Promise<Daemon>;
  remove(): Promise<void>;
}

export async function makeInstallation(count: number): Promise<Installation> {
  const maker = await startDaemon();
  await maker.stop();
  const { dataDir } = maker;
  return {
    practices: await createPractices(maker, count, { plan: PLAN }),
    dataDir,
    start: async (options) => {
      const home = await mkdtemp(path.join(tmpdir(), 'bench-'));
      await cp(path.dirname(dataDir), home, { recursive: true });
      return startDaemon({ ...options, dataDir: path.join(home, 'data') });
    },
    remove: maker.remove,
  };
}
