// The service as its operator runs it: its jobs, stops, crashes and starts, and changes of its configuration.
import { type Act, Cut, type Scene, type Service } from '../scene.ts';
import { runningOf } from './running-memory.ts';

const MINUTE = 60_000;
const TURNS = 40;

/** A start may fail while the disk does. */
const isOfDisk = (error: unknown): boolean =>
  /SQLITE_|EIO|ENOSPC|disk|full|I\/O/i.test(
    `${(error as { code?: unknown }).code} ${(error as Error).message}`,
  );

/** Resolves when it answers again. */
export const startAgain = async (scene: Scene, service: Service): Promise<void> => {
  for (let turn = 0; turn < TURNS && !service.isUp(); turn += 1) {
    const { keptDown } = runningOf(scene);
    if (keptDown !== null && service === scene.service) await keptDown;
    try {
      await service.start();
    } catch (error) {
      if (!(error instanceof Cut) && !isOfDisk(error)) throw error;
      scene.note(`the start failed: ${(error as Error).message}`);
      service.crash();
    }
    if (!service.isUp()) await scene.sleep(MINUTE / 4);
  }
};

const crash = (scene: Scene, service: Service): void => {
  // The power of the machine fails for all that runs on it.
  if (service === scene.service) for (const command of [...runningOf(scene).commands]) command.kill();
  service.crash();
};

const some = (scene: Scene, isOther: boolean): Service =>
  isOther && scene.other.isUp() ? scene.other : scene.service;

const crashOne: Act = {
  name: 'the service crashes',
  weight: 0.9,
  run: async (scene, dice) => {
    const service = some(scene, dice.chance(0.2));
    const pause = dice.pick([1, 200, 20_000, 10 * MINUTE]);
    if (!service.isUp()) return;
    crash(scene, service);
    await scene.sleep(dice.int(1, pause));
    await startAgain(scene, service);
  },
};

/** The second crash meets a start, or what it has just begun. */
const crashTwice: Act = {
  name: 'the service crashes as it starts',
  weight: 0.25,
  run: async (scene, dice) => {
    const { service } = scene;
    if (!service.isUp()) return;
    crash(scene, service);
    const started = startAgain(scene, service);
    await scene.sleep(dice.int(1, 60));
    crash(scene, service);
    await started;
    await startAgain(scene, service);
  },
};

const stopOne: Act = {
  name: 'the service is stopped, and started',
  weight: 0.6,
  run: async (scene, dice) => {
    const service = some(scene, dice.chance(0.2));
    const pause = dice.pick([1, 200, 20_000, 10 * MINUTE]);
    if (!service.isUp()) return;
    try {
      await service.stop();
      await scene.sleep(dice.int(1, pause));
    } finally {
      await startAgain(scene, service);
    }
  },
};

const JOBS: readonly (readonly [name: string, times: number])[] = [
  ['remove what is old', 1],
  ['look after the files', 2],
  ['bring the registry of due times up to date', 12],
  ['check the DNS records of custom domains', 3],
  ['look after DKIM keys', 2],
  ['note when tokens were used', 1],
  ['note when sessions were used', 1],
  ['note when inbound hooks were used', 1],
  ['remove dead sessions and codes', 1],
  ['remove old abuse tickets', 1],
  ['look for the last backup', 1],
  ['look after the scanners', 1],
  ['seal again after a change of the master key', 1],
];
const oneOfThem = JOBS.flatMap(([name, times]) => Array.from({ length: times }, () => name));

const job: Act = {
  name: 'a job comes to its time',
  weight: 3,
  run: async (scene, dice) => {
    const name = dice.pick(oneOfThem);
    const service = some(scene, dice.chance(0.2));
    if (service.isUp()) await service.runJob(name);
  },
};

const CHANGES: readonly Readonly<Record<string, unknown>>[] = [
  { log: { level: 'error' } },
  { log: { level: 'warn' } },
  { limits: { api_rate: { per_second: 50, burst: 20 } } },
  { limits: { api_rate: { per_second: 1_000_000, burst: 1_000_000 } } },
  { queue: { retry: ['1m', '5m', '30m'] } },
  { alerts: { gather: '10s' } },
  { alerts: { gather: '1m' } },
];

const reconfigure: Act = {
  name: 'the operator changes the configuration',
  weight: 0.3,
  run: async (scene, dice) => scene.service.reconfigure(dice.pick(CHANGES)),
};

export const serviceActs: readonly Act[] = [crashOne, crashTwice, stopOne, job, reconfigure];
