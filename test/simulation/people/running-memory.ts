// What those who run the service and its practices remember between acts. One memory a simulation.
import type { Book, Practice, Scene } from '../scene.ts';
import type { Command } from './running-commands.ts';

export interface Token {
  readonly practice: Practice;
  readonly id: string;
  readonly secret: string;
  /** Milliseconds since the epoch; null: never. */
  readonly expiresAt: number | null;
  /** The one address from which it may be used; null: any. */
  readonly from: string | null;
  /** `leaving`: someone asked for its end, and has no answer. */
  state: 'works' | 'leaving' | 'revoked';
}

export interface Member {
  readonly practice: Practice;
  readonly id: string;
  readonly email: string;
  role: string;
  /** What they sign requests with; null before they have accepted. */
  session: string | null;
  state: 'invited' | 'active' | 'leaving' | 'removed';
  /** Someone changes it, and no one else does so meanwhile. */
  isBusy: boolean;
}

/** A person with words that nobody else has. */
export interface Marked {
  readonly practice: Practice;
  readonly address: string;
  readonly words: readonly string[];
}

export interface Held {
  /** Recipients who were due in the file that was restored. */
  readonly recipients: ReadonlySet<number>;
  /** Of these, whose copies were on their way as the former file was closed: each may leave once. */
  readonly onTheWay: Set<number>;
  /** So many mails had been handed over before. */
  seen: number;
  isReleased: boolean;
}

export interface Running {
  readonly tokens: Token[];
  readonly members: Member[];
  readonly marked: Marked[];
  /** Practices that an act has made. */
  readonly made: Practice[];
  /** Webhooks that an act has made, by practice. */
  readonly webhooks: { readonly practice: Practice; readonly id: string }[];
  readonly alerts: { readonly practice: Practice; readonly id: string }[];
  readonly imports: { readonly practice: Practice; readonly id: string }[];
  /** Ids of practices that send from their managed host for now. */
  readonly detached: Set<string>;
  /** Directories of backups, oldest first, and when each was begun. */
  readonly backups: { readonly directory: string; readonly at: number }[];
  /** By practice: what a restore holds. */
  readonly held: Map<string, Held>;
  /** By practice: how often its file was put back. What was answered before holds no more. */
  readonly epochs: Map<string, number>;
  /** Ids of practices whose files are being put back. */
  readonly unsure: Set<string>;
  /** What is done one after the other, by its name. */
  readonly turns: Map<string, Promise<unknown>>;
  /** Commands of the operator that run on the machine of the service. */
  readonly commands: Set<Command<unknown>>;
  /** Until when the service must not be started. */
  keptDown: Promise<unknown> | null;
  moves: number;
  count: number;
}

const memories = new WeakMap<Book, Running>();

export const runningOf = ({ book }: Pick<Scene, 'book'>): Running => {
  const known = memories.get(book);
  if (known !== undefined) return known;
  const memory: Running = {
    ...{ tokens: [], members: [], marked: [], made: [], webhooks: [], alerts: [], imports: [], backups: [] },
    ...{ detached: new Set(), held: new Map(), epochs: new Map(), turns: new Map(), commands: new Set() },
    unsure: new Set(),
    ...{ keptDown: null, moves: 0, count: 0 },
  };
  memories.set(book, memory);
  return memory;
};

/** A number that no other act has. */
export const nextNumber = (scene: Scene): number => {
  const memory = runningOf(scene);
  memory.count += 1;
  return memory.count;
};

/** Behind all that was asked for under the same name before. */
export const inTurn = <T>(scene: Scene, name: string, work: () => Promise<T>): Promise<T> => {
  const { turns } = runningOf(scene);
  const mine = (turns.get(name) ?? Promise.resolve()).then(work);
  turns.set(
    name,
    mine.catch(() => undefined),
  );
  return mine;
};

/** Equal to that of before where what was answered since then still holds. */
export const epochOf = (scene: Scene, { id }: Pick<Practice, 'id'>): number => {
  const { unsure, epochs } = runningOf(scene);
  return unsure.has(id) ? Number.NaN : (epochs.get(id) ?? 0);
};

const without = <T extends { readonly practice: Practice }>(list: T[], id: string): void => {
  list.splice(0, list.length, ...list.filter(({ practice }) => practice.id !== id));
};

/** What was answered about the practice is not asked after any more. */
export const forget = (scene: Scene, practice: Pick<Practice, 'id'>): void => {
  const memory = runningOf(scene);
  memory.epochs.set(practice.id, (memory.epochs.get(practice.id) ?? 0) + 1);
  for (const list of [memory.tokens, memory.members, memory.webhooks, memory.alerts, memory.imports] as {
    practice: Practice;
  }[][])
    without(list, practice.id);
};

/** Answers of before are no longer under way after it. */
const UNDER_WAY_MS = 10_000;

/**
 * Something by which the practices' files are those of an earlier time, or gone. Until it has ended, and all answers of before have come,
 * nothing that is answered about them is believed. `since`: the time of the files that may come back.
 */
export const puttingBack = async <T>(
  scene: Scene,
  practices: readonly Pick<Practice, 'id'>[],
  since: number | null,
  work: () => Promise<T>,
): Promise<T> => {
  const { unsure } = runningOf(scene);
  const all = (isOver: boolean): void => {
    for (const practice of practices) {
      if (isOver) unsure.delete(practice.id);
      else unsure.add(practice.id);
      forget(scene, practice);
      scene.book.undone({ practice, isOver, since });
    }
  };
  all(false);
  try {
    return await work();
  } finally {
    while (!scene.service.isUp()) await scene.sleep(1_000);
    await scene.sleep(UNDER_WAY_MS);
    all(true);
  }
};
