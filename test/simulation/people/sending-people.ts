// Whom the acts of sending write to. Most addresses are new ones, so that what becomes of one message is not mixed up with another.
// Some belong to people who are written to again and again, so that suppressions, unsubscribing and erasures meet mail to them.
import type { Dice, Scene } from '../scene.ts';

const DOMAIN = 'people.example';
/** The resolver knows no such domain; the relay takes its mail all the same. */
const MISSING_DOMAIN = 'nowhere.invalid.example';
const SIMULATOR = 'simulator.mail.example.com';

export const knownPeople: readonly string[] = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(
  (number) => `erika${number}@${DOMAIN}`,
);

export const simulated = (behaviour: 'success' | 'bounce' | 'complaint' | 'ooto'): string =>
  `${behaviour}@${SIMULATOR}`;

export interface Addresses {
  /** One that no other act and no other call has. */
  fresh(localPart?: string): string;
  /** One of any sort: new, known, the simulator's, at a domain that does not exist, or with its own fate at the relay. */
  any(): string;
  /** Different ones of any sort. */
  some(count: number): readonly string[];
}

/** What an address of any sort is, by its share. The shares that are left are new addresses that nothing befalls. */
const sorts = (fresh: Addresses['fresh'], dice: Dice): readonly (readonly [number, () => string])[] => [
  [0.15, () => dice.pick(knownPeople)],
  [0.06, () => fresh('soft')],
  [0.05, () => fresh('lost')],
  [0.04, () => fresh('slow')],
  [0.03, () => simulated('success')],
  [0.03, () => fresh('r').replace(DOMAIN, MISSING_DOMAIN)],
  [0.01, () => simulated('ooto')],
  // Few: twenty messages with one hard bounce among them pause a practice, and one complaint does.
  [0.006, () => fresh('hard')],
  [0.003, () => simulated('bounce')],
  [0.001, () => simulated('complaint')],
];

/** The addresses of one act. To be called before its first `await`: the step is part of them. */
export const addressesOf = (scene: Scene, dice: Dice): Addresses => {
  const step = scene.step();
  let count = 0;
  const fresh: Addresses['fresh'] = (localPart = 'r') => {
    count += 1;
    return `${localPart}${step}-${count}@${DOMAIN}`;
  };
  const all = sorts(fresh, dice);
  const any = (): string => {
    let draw = dice.next();
    for (const [share, make] of all) {
      if (draw < share) return make();
      draw -= share;
    }
    return fresh();
  };
  return {
    fresh,
    any,
    some: (wanted) => {
      const found = new Set<string>();
      while (found.size < wanted) found.add(any());
      return [...found];
    },
  };
};
