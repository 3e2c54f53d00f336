// People who go the whole way: form, mail, link, and out of everything again, and who come back after that.
import type { Act, Dice, Practice, Scene } from '../scene.ts';
import { answer, readerOf, subscribe } from './receiving-joining.ts';
import { leave } from './receiving-leaving.ts';
import { confirmPath, isQuestion, type Letter, newestLetters, unsubscribePath } from './receiving-letters.ts';
import { whoIsGone } from './receiving-memory.ts';

const MINUTE = 60_000;
/** How often someone looks into their mailbox, and how long they wait in between at most. */
const LOOKS = 4;
const LONGEST_WAIT_MS = 5 * MINUTE;

/** The mail that asks them, once it is there; null: they do not wait for longer. */
const asked = async (
  scene: Scene,
  dice: Dice,
  practice: Practice,
  address: string,
): Promise<Letter | null> => {
  const isTheirs = (letter: Letter): boolean =>
    letter.practice === practice && letter.address === address && isQuestion(letter);
  for (let look = 0; look < LOOKS; look += 1) {
    await scene.sleep(dice.int(1, LONGEST_WAIT_MS));
    const [letter] = newestLetters(scene, isTheirs, 1);
    if (letter !== undefined) return letter;
  }
  return null;
};

const joins = async (scene: Scene, dice: Dice, practice: Practice, address: string): Promise<void> => {
  await subscribe(scene, dice, practice, address);
  const letter = await asked(scene, dice, practice, address);
  const path = letter && confirmPath(letter);
  if (!letter || !path) return;
  await answer(scene, dice, letter, path, dice.pick(['GET', 'POST']));
  const out = unsubscribePath(letter);
  if (out !== null && dice.chance(0.3)) await leave(scene, dice, letter, out, dice.chance(0.7));
};

const join: Act = {
  name: 'someone joins a list by form, mail and link',
  weight: 3,
  run: (scene, dice) => joins(scene, dice, dice.pick(scene.practices), readerOf(dice)),
};

const comeBack: Act = {
  name: 'someone comes back who had left everything',
  weight: 2,
  run: async (scene, dice) => {
    const gone = whoIsGone(scene);
    if (gone.length === 0) return;
    const { practice, address } = dice.pick(gone);
    await joins(scene, dice, practice, address);
  },
};

export const journeyActs: readonly Act[] = [join, comeBack];
