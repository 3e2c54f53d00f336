// A request under an idempotency key, which is asked again after a lost answer, and sometimes after an answer that came: the same
// messages must be answered, and none may be made a second time.
import { Cut, type Dice, type Scene } from '../scene.ts';
import { type Fate, idsOf, type Sending, submit } from './sending-answers.ts';
import { inPractice, promisingMemory } from './sending-promises.ts';

/** Longest waits before each further try, ms: the service may be starting. */
const WAITS = [50, 2_000, 20_000, 120_000];
/** How often someone asks again who has an answer. */
const ASKS_AGAIN = 0.3;

const isKept = (scene: Scene, { practice }: Sending, id: string): boolean =>
  inPractice(scene, practice, (db) => db.prepare('SELECT 1 FROM messages WHERE id = ?').get(id)) !==
  undefined;

const compare = (scene: Scene, sending: Sending, first: readonly Fate[], again: readonly Fate[]): void => {
  for (const [index, fate] of first.entries()) {
    const other = again[index];
    if (typeof fate === 'string' || fate.id === null || typeof other !== 'object') continue;
    // Where a backup was restored in between, the first one is gone with its key.
    if (other.id !== fate.id && isKept(scene, sending, fate.id))
      throw new Error(`${sending.door} answered ${fate.id} and then ${other.id} for one idempotency key`);
  }
};

/** Rejects with Cut where no try was answered. */
export const submitUnderKey = async (scene: Scene, dice: Dice, sending: Sending): Promise<void> => {
  const memory = promisingMemory(scene);
  for (const tag of sending.tags)
    if (tag !== null) memory.keyed.set(tag, sending.tags.filter((one) => one === tag).length);
  let first: readonly Fate[] | null = null;
  const known = new Set<string>();
  for (const wait of [0, ...WAITS]) {
    if (wait > 0) await scene.sleep(dice.int(1, wait));
    const fates = await submit(scene, sending, known).catch((error: unknown) => {
      if (error instanceof Cut) return null;
      throw error;
    });
    if (fates === null || fates.includes('unknown')) continue;
    if (first !== null) return compare(scene, sending, first, fates);
    first = fates;
    for (const id of idsOf(fates)) known.add(id);
    if (known.size === 0 || !dice.chance(ASKS_AGAIN)) return;
  }
  if (first === null) throw new Cut('no try was answered');
};
