// The draws of the simulation: sfc32 (Chris Doty-Humphrey, "Small Fast Counting RNG", PractRand), seeded by two numbers, so that each
// step has draws of its own.
import type { Dice } from '../scene.ts';

const WARM_UP = 12;

export const createDice = (seed: number, part: number): Dice => {
  let [a, b, c, counter] = [seed | 0, part | 0, 0x9e3779b9, 1];
  const next = (): number => {
    const mixed = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + mixed;
    c |= 0;
    return (mixed >>> 0) / 2 ** 32;
  };
  for (let turn = 0; turn < WARM_UP; turn += 1) next();
  return {
    next,
    int: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (share) => next() < share,
    pick: (list) => {
      if (list.length === 0) throw new Error('nothing to pick from');
      return list[Math.floor(next() * list.length)] as (typeof list)[number];
    },
  };
};
