// What those who receive remember between acts: who may be on the way back to a practice. One memory a simulation.
import { type Book, Cut, type Practice, type Scene } from '../scene.ts';

interface Memory {
  /** By practice and address: requests under way by which mail to the person may leave again. */
  readonly returning: Map<string, number>;
  /** Ids of messages that a form made, which are in the book. */
  readonly noted: Set<string>;
  /** By practice: hard bounces that were reported. */
  readonly bounces: Map<string, number>;
  /** Who has left everything, and may come back. */
  readonly gone: Person[];
}

export interface Person {
  readonly practice: Practice;
  readonly address: string;
}

/** The guardrail pauses a practice at one in twenty. */
const MAILS_PER_BOUNCE = 30;

const memories = new WeakMap<Book, Memory>();

const memoryOf = ({ book }: Pick<Scene, 'book'>): Memory => {
  const known = memories.get(book);
  if (known !== undefined) return known;
  const memory: Memory = { returning: new Map(), noted: new Set(), bounces: new Map(), gone: [] };
  memories.set(book, memory);
  return memory;
};

const keyOf = ({ id }: Practice, address: string): string => `${id} ${address}`;

/** Their address may be stored from now on, also where it was erased before. */
const use = ({ book }: Scene, practice: Practice, address: string): void =>
  book.unknown({ practice, door: 'mailbox', recipients: [address] });

/** Something by which the address is stored; no one sees when. */
export const using = async <T>(
  scene: Scene,
  practice: Practice,
  address: string,
  work: () => Promise<T>,
): Promise<T> => {
  use(scene, practice, address);
  try {
    return await work();
  } finally {
    use(scene, practice, address);
  }
};

const openAll = ({ book }: Scene, practice: Practice, address: string): void => {
  for (const by of ['unsubscribed', 'suppressed', 'erased'] as const) book.opened({ practice, by, address });
};

/**
 * A request by which the person may get mail of the practice again: what was closed is open from its beginning on, for no one sees when
 * it takes effect. One whose answer was lost may take effect at any time.
 */
export const returning = async <T>(
  scene: Scene,
  practice: Practice,
  address: string,
  work: () => Promise<T>,
): Promise<T> => {
  const memory = memoryOf(scene).returning;
  const key = keyOf(practice, address);
  const add = (count: number): void => {
    memory.set(key, (memory.get(key) ?? 0) + count);
  };
  openAll(scene, practice, address);
  add(1);
  try {
    const result = await using(scene, practice, address, work);
    add(-1);
    openAll(scene, practice, address);
    return result;
  } catch (error) {
    if (!(error instanceof Cut)) add(-1);
    throw error;
  }
};

/** At an answer that says that the person gets no more mail of the practice. */
export const close = (
  scene: Scene,
  practice: Practice,
  by: 'unsubscribed' | 'suppressed',
  address: string,
): void => {
  if ((memoryOf(scene).returning.get(keyOf(practice, address)) ?? 0) > 0) return;
  scene.book.closed({ practice, by, address });
};

/** Whether the message is to be written into the book now; true once. */
export const isNewMessage = (scene: Scene, id: string): boolean => {
  const { noted } = memoryOf(scene);
  if (noted.has(id)) return false;
  noted.add(id);
  return true;
};

export const noteBounce = (scene: Scene, { id }: Practice): void => {
  const { bounces } = memoryOf(scene);
  bounces.set(id, (bounces.get(id) ?? 0) + 1);
};

/** More of them would pause the practice in most simulations. */
export const isTooManyBounces = (scene: Scene, { id }: Practice): boolean =>
  ((memoryOf(scene).bounces.get(id) ?? 0) + 1) * MAILS_PER_BOUNCE * scene.practices.length >
  scene.peers.handedOver.length;

const REMEMBERED = 30;

export const rememberGone = (scene: Scene, practice: Practice, address: string): void => {
  const { gone } = memoryOf(scene);
  gone.push({ practice, address });
  if (gone.length > REMEMBERED) gone.shift();
};
export const whoIsGone = (scene: Scene): readonly Person[] => memoryOf(scene).gone;
