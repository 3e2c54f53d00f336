// What is wrong with the world at present. Faults end when the calm begins.
import { fairReceivers, type Receivers } from './peers/receivers.ts';
import { fairRelay, type Relay } from './peers/relay.ts';
import type { Dice } from './scene.ts';
import type { Machine } from './service.ts';
import type { ResolverMood } from './world/resolver.ts';
import type { Network, Weather } from './world/sockets.ts';

export interface Faults {
  readonly relay: Relay;
  readonly receivers: Receivers;
  resolver: ResolverMood;
  /** What new connections to peers meet. */
  network: Weather;
  /** So many of the next syncs fail. */
  failingSyncs: number;
  fillDisk(isFull: boolean): void;
  /** Some of the connections of now. */
  resetSome(dice: Dice): void;
  end(): void;
}

const RESET_SHARE = 0.3;

export const createFaults = (
  relay: Relay,
  receivers: Receivers,
  network: Network,
  machines: () => readonly Machine[],
): Faults => {
  const faults: Faults = {
    relay,
    receivers,
    resolver: 'fair',
    network: 'fair',
    failingSyncs: 0,
    fillDisk: (isFull) => {
      for (const machine of machines()) machine.fillDisk(isFull);
    },
    resetSome: (dice) => {
      for (const socket of [...network.sockets]) if (dice.chance(RESET_SHARE)) socket.reset();
    },
    end: () => {
      relay.mood = fairRelay();
      receivers.mood = fairReceivers();
      faults.resolver = 'fair';
      faults.network = 'fair';
      faults.failingSyncs = 0;
      faults.fillDisk(false);
    },
  };
  return faults;
};
