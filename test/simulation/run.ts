// One simulation: steps that a seed draws, what must hold after each, and a calm at the end, in which everything that was promised
// has to come true.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createBook } from './book.ts';
import { createFaults } from './faults.ts';
import { startReceivers } from './peers/receivers.ts';
import { startRelay } from './peers/relay.ts';
import { fates } from './people/fate.ts';
import { receivingThemes } from './people/receiving.ts';
import { runningThemes } from './people/running.ts';
import { sendingThemes } from './people/sending.ts';
import { type Act, Cut, type Dice, type Scene } from './scene.ts';
import { createMachine, type Machine, publishedKeys } from './service.ts';
import {
  configAt,
  drive,
  layOut,
  OTHER_KEY_BYTE,
  OTHER_PORTS,
  PORTS,
  type Template,
  writeSecrets,
} from './template.ts';

import { homeOf } from './truths/homes.ts';
import { openTruths } from './truths/open.ts';
import { createDice } from './world/dice.ts';
import { SimDisk } from './world/disk.ts';
import { answerBy } from './world/resolver.ts';
import { beginNetwork } from './world/sockets.ts';
import { beginWorld, OUTSIDE, type Weather, World } from './world/world.ts';
import { copyZones } from './zones.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly steps: number;
  /** Where given, the other steps are left out. */
  readonly only?: ReadonlySet<number>;
}

export interface Outcome {
  readonly seed: number;
  /** Null where everything held. */
  readonly failure: string | null;
  /** The steps that were done. */
  readonly steps: readonly number[];
  readonly trace: readonly string[];
  readonly delivered: number;
  /** Made of all that happened: the same seed gives the same one. */
  readonly digest: string;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const AT_ONCE = 8;
const CALM_STEP = 1 << 30;
/** Acts draw from streams of their own, so that what completes meanwhile changes none of their draws. */
const ACT_STREAM = 0x5eed;
/** What a seed makes of the weight of each act: a simulation in which some things never happen goes deeper into the others. */
const SWARM = [0, 0.3, 1, 1, 1, 3];
const WEATHERS: readonly Weather[] = [
  { slow: 0.03, verySlow: 0.001 },
  { slow: 0.05, verySlow: 0.004 },
  { slow: 0.3, verySlow: 0.02 },
];
/** With a disk that is full, what is tried each second would fill hours. */
const MOST_WHILE_TIME_PASSES = 1_000;
/** How many steps are acts; in the others the world just goes on. */
const ACT_SHARE = 0.3;
/** How much happens in a step. */
const PAUSES = [0, 1, 2, 4, 8, 20, 60];
/** A stop has to end within the drain and what is cut off. */
const CALM_MS = 6 * HOUR;
/** Retries and deadlines have ended by then. */
const CALM_DAYS = 8;
/** Jobs are acts here; in the calm those that come each minute must not wait for one. */
const EACH_MINUTE = ['look after the files', 'bring the registry of due times up to date'];

const themes: readonly (readonly Act[])[] = [...sendingThemes, ...receivingThemes, ...runningThemes, fates];
const allActs: readonly Act[] = themes.flat();
/** And the weights of what people do about one thing: what is seldom, as a restore, comes often in some simulations. */
const THEME = [0.5, 1, 2, 8];

const choose = (weights: readonly number[], dice: Dice): number => {
  let draw = dice.next() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => {
    draw -= weight;
    return draw < 0;
  });
  return Math.max(0, found);
};

const DIGEST_CHARACTERS = 16;
const digestOf = (parts: readonly (string | number)[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, DIGEST_CHARACTERS);

export const simulate = async (
  template: Template,
  home: string,
  { seed, steps, only }: SimulationOptions,
): Promise<Outcome> => {
  const seedDice = createDice(seed, 0);
  const world = new World(template.begins, seedDice);
  beginWorld(world);
  world.weather = seedDice.pick(WEATHERS);
  const network = beginNetwork();
  const zones = copyZones(template.zones);
  const trace: string[] = [];
  const defects: string[] = [];
  let step = 0;
  let passing = 0;

  const note = (line: string): void => {
    trace.push(`${step} ${new Date(Math.floor(world.now)).toISOString()} ${line}`);
  };
  const machines: Machine[] = [];
  const relay = startRelay(network, () => step);
  const receivers = startReceivers(network, template.practices.length);
  const faults = createFaults(relay, receivers, network, () => machines);
  network.weatherOf = (_address, port) =>
    port === PORTS.http || port === PORTS.submission || port === PORTS.inbound ? 'fair' : faults.network;
  answerBy(
    zones,
    () => faults.resolver,
    publishedKeys(() => machines),
  );
  const machineAt = (name: string, ports: typeof PORTS): Machine => {
    const place = join(home, name);
    writeSecrets(place, ports === OTHER_PORTS ? OTHER_KEY_BYTE : undefined);
    const machine = createMachine({
      name,
      home: place,
      ports,
      config: configAt(place, ports),
      disk: new SimDisk({
        syncFails: () => {
          if (faults.failingSyncs === 0) return false;
          faults.failingSyncs -= 1;
          note('a sync fails');
          return true;
        },
      }),
      onLog: ({ level, msg, err }) => {
        if (Number(level) >= 50) note(`log: ${msg} ${JSON.stringify(err ?? '').slice(0, 2_000)}`);
      },
      onDefect: (what) => defects.push(what),
    });
    machines.push(machine);
    return machine;
  };
  const service = machineAt('service', PORTS);
  const other = machineAt('other', OTHER_PORTS);
  layOut(service.dataDir, template.files);
  layOut(other.dataDir, new Map());

  const scene: Scene = {
    now: () => Math.floor(world.now),
    step: () => step,
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        world.post(OUTSIDE, world.now + milliseconds, resolve);
      }),
    passTime: (milliseconds) => {
      passing = milliseconds;
    },
    note,
    service,
    other,
    practices: template.practices,
    peers: { handedOver: relay.handedOver, delivered: receivers.delivered },
    book: undefined as never,
    zones,
    faults,
  };
  const book = createBook(scene);
  Object.assign(scene, { book });

  const begun = new Map<number, string>();
  const begin = (act: Act, dice: Dice): void => {
    const number = step;
    begun.set(number, act.name);
    note(act.name);
    Promise.try(() => act.run(scene, dice))
      .catch((error: unknown) => {
        if (!(error instanceof Cut))
          defects.push(`${act.name}: ${error instanceof Error ? error.stack : error}`);
      })
      .finally(() => {
        begun.delete(number);
      });
  };
  const requireSound = (): void => {
    const uncaught = world.uncaught
      .splice(0)
      .map((error) => `uncaught: ${error instanceof Error ? error.stack : error}`);
    const [first] = [...defects, ...uncaught];
    if (first !== undefined) throw new Error(first);
  };
  const onRejection = (reason: unknown): void => {
    defects.push(`unhandled rejection: ${reason instanceof Error ? reason.stack : reason}`);
  };
  process.on('unhandledRejection', onRejection);

  const done: number[] = [];
  let truths: ReturnType<typeof openTruths> | null = null;
  let known = 0;
  const look = (): void => {
    requireSound();
    if (truths === null || !service.isUp()) return;
    if (service.generation() !== known) truths.afterStart();
    known = service.generation();
    truths.afterStep();
  };

  const run = async (): Promise<void> => {
    await drive(world, service.start(), HOUR);
    truths = openTruths(scene, book);
    known = service.generation();
    const weights = themes.flatMap((acts) => {
      const share = acts === fates ? 1 : seedDice.pick(THEME);
      return acts.map(({ weight }) => weight * share * seedDice.pick(SWARM));
    });
    for (step = 1; step <= steps; step += 1) {
      if (only !== undefined && !only.has(step)) continue;
      done.push(step);
      const dice = createDice(seed, step);
      world.dice = dice;
      if (dice.chance(ACT_SHARE)) {
        const act = allActs[choose(weights, dice)] as Act;
        begin(act, createDice(seed ^ ACT_STREAM, step));
      }
      await world.deliver(dice.pick(PAUSES));
      while (begun.size >= AT_ONCE && (await world.deliver(1)) > 0) {}
      if (passing > 0) {
        const until = world.now + passing;
        passing = 0;
        const most = world.delivered + MOST_WHILE_TIME_PASSES;
        await world.until(() => world.delivered > most, until);
      }
      look();
    }
    await calm();
  };

  /** Nothing waits for a time. */
  const isQuiet = (): boolean =>
    template.practices.every(({ id }) => {
      // It was erased, or has not ended its move.
      const home = homeOf(scene, id);
      const waits = (sql: string): boolean =>
        home?.look(id, (db) => db.prepare(sql).get() !== undefined) ?? false;
      return (
        !waits('SELECT 1 FROM queue WHERE claimed < 2') &&
        !waits("SELECT 1 FROM webhook_deliveries WHERE status = 'pending'")
      );
    });

  const calm = async (): Promise<void> => {
    step = CALM_STEP;
    world.dice = createDice(seed, CALM_STEP);
    faults.end();
    note('calm');
    await world.until(() => begun.size === 0, world.now + CALM_MS);
    requireSound();
    if (begun.size > 0) throw new Error(`what people began has not ended: ${[...begun.values()].join(', ')}`);
    faults.end();
    if (!service.isUp()) await drive(world, service.start(), HOUR);
    for (let day = 0; day < CALM_DAYS; day += 1) {
      for (const machine of machines)
        for (const job of EACH_MINUTE) if (machine.isUp()) await drive(world, machine.runJob(job), HOUR);
      await world.until(() => false, world.now + DAY);
      look();
      if (isQuiet()) break;
    }
    await drive(world, truths?.calm() ?? Promise.resolve(), DAY);
    requireSound();
    await drive(world, service.stop(), HOUR);
    requireSound();
  };

  let failure: string | null = null;
  try {
    await run();
  } catch (error) {
    failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
  } finally {
    process.off('unhandledRejection', onRejection);
    for (const machine of machines) machine.crash();
  }
  return {
    ...{ seed, failure, steps: done, trace, delivered: world.delivered },
    digest: digestOf([
      ...trace,
      world.delivered,
      world.now,
      ...relay.handedOver.map(({ at, recipient }) => `${at} ${recipient}`),
    ]),
  };
};
