// What people remember of what they sent, for acts that come back to it: they read, cancel, send again. One memory a simulation.
import type { Book, Practice, Scene } from '../scene.ts';
import { epochOf } from './running-memory.ts';

/** A message that was accepted and whose id is known. */
export interface Sent {
  readonly practice: Practice;
  readonly id: string;
  readonly door: string;
  readonly recipients: readonly string[];
  readonly tag: string | null;
  /** See `isAsBefore`. */
  readonly epoch: number;
  /** The place in the order of statuses of the highest that was seen. */
  rank: number;
}

/** A message that waits for its time, or did. */
export interface Scheduled {
  readonly sent: Sent;
  /** Nothing of it may leave before. Whoever asks for another time lowers it before, and raises it at the answer. */
  notBefore: number;
  /** Someone is asking for another time or for its end, and no one else does so meanwhile. */
  isBusy: boolean;
  /** It was cancelled, or may have been. */
  isOver: boolean;
}

export interface Campaign {
  readonly practice: Practice;
  readonly id: string;
  status: 'draft' | 'scheduled' | 'sending' | 'paused' | 'cancelled';
  isBusy: boolean;
  /** While it hands no one over: how many messages it had at the answer that said so. */
  most: { readonly count: number; readonly epoch: number } | null;
}

export interface Memory {
  readonly sent: Sent[];
  readonly scheduled: Scheduled[];
  readonly campaigns: Campaign[];
  /** Secrets of inbound hooks, by practice. */
  readonly hooks: Map<string, { readonly path: string; readonly secret: string }>;
  /** How many messages each idempotency key may have made, by the tag that they all have. */
  readonly keyed: Map<string, number>;
  /** Addresses of messages whose content was refused: nothing may ever leave to them. */
  readonly blocked: Set<string>;
  /** How far someone has followed the stream of events, by practice. */
  readonly places: Map<string, { readonly place: number; readonly epoch: number }>;
}

/** Enough for acts to choose from; a soak of many steps must not grow without end. */
const REMEMBERED = 400;

const memories = new WeakMap<Book, Memory>();

export const memoryOf = ({ book }: Pick<Scene, 'book'>): Memory => {
  const known = memories.get(book);
  if (known !== undefined) return known;
  const memory: Memory = {
    sent: [],
    scheduled: [],
    campaigns: [],
    hooks: new Map(),
    keyed: new Map(),
    blocked: new Set(),
    places: new Map(),
  };
  memories.set(book, memory);
  return memory;
};

/** False where the practice's file is that of an earlier time since: what was answered then holds no more. */
export const isAsBefore = (
  scene: Scene,
  practice: Practice,
  { epoch }: { readonly epoch: number },
): boolean => epochOf(scene, practice) === epoch;

export const remember = <T>(list: T[], one: T): T => {
  list.push(one);
  if (list.length > REMEMBERED) list.shift();
  return one;
};
