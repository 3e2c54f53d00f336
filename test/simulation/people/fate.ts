// What no person decides: moods of relay, receivers, resolver, network and disk, and the time that passes.
import type { Faults } from '../faults.ts';
import { fairReceivers } from '../peers/receivers.ts';
import { fairRelay } from '../peers/relay.ts';
import type { Act, Dice, Scene } from '../scene.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const fate = (
  name: string,
  weight: number,
  run: (faults: Faults, dice: Dice, scene: Scene) => void,
): Act => ({
  name,
  weight,
  run: async (scene, dice) => run(scene.faults, dice, scene),
});

export const fates: readonly Act[] = [
  fate('the relay is fair', 2, ({ relay }) => {
    relay.mood = fairRelay();
  }),
  fate('the relay defers', 1, ({ relay }, dice) => {
    relay.mood = { ...fairRelay(), deferred: dice.pick([0.2, 1]) };
  }),
  fate('the relay cuts connections', 1, ({ relay }, dice) => {
    relay.mood = { ...fairRelay(), cut: dice.pick([0.02, 0.2]) };
  }),
  fate('answers of the relay are lost', 1, ({ relay }, dice) => {
    relay.mood = { ...fairRelay(), lost: dice.pick([0.1, 0.5]) };
  }),
  fate('the relay is down', 0.5, ({ relay }) => {
    relay.mood = { ...fairRelay(), isDown: true };
  }),
  fate('receivers are fair', 2, ({ receivers }) => {
    receivers.mood = fairReceivers();
  }),
  fate('receivers fail', 1, ({ receivers }, dice) => {
    receivers.mood = { failing: dice.pick([0.2, 1]), silent: 0, cut: 0 };
  }),
  fate('receivers are silent or cut off', 1, ({ receivers }, dice) => {
    receivers.mood = { failing: 0, silent: dice.pick([0, 0.3]), cut: dice.pick([0, 0.3]) };
  }),
  fate('the resolver fails', 0.5, (faults, dice) => {
    faults.resolver = dice.pick(['fair', 'fair', 'servfail', 'silent']);
  }),
  fate('connections to peers are refused or silent', 0.5, (faults, dice) => {
    faults.network = dice.pick(['fair', 'fair', 'refuses', 'silent']);
  }),
  fate('the network resets connections', 1, (faults, dice) => faults.resetSome(dice)),
  fate('the disk fails at a sync', 0.5, (faults, dice) => {
    faults.failingSyncs = dice.int(1, 3);
  }),
  fate('the disk is full', 0.5, (faults) => faults.fillDisk(true)),
  fate('the disk has room again', 1.5, (faults) => faults.fillDisk(false)),
  {
    name: 'seconds pass',
    weight: 6,
    run: (scene, dice) => scene.sleep(dice.int(100, MINUTE)),
  },
  {
    name: 'hours pass',
    weight: 1.5,
    run: async (scene, dice) => {
      // No one leaves a full disk for hours, and all that waits for it is tried each second.
      scene.faults.fillDisk(false);
      scene.passTime(dice.int(1, 12) * HOUR);
    },
  },
];
