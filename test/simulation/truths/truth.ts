// One thing that must hold, whatever happens.
import type { Kept } from '../book.ts';
import type { Scene } from '../scene.ts';
import type { Memory } from './memory.ts';

export interface Truth {
  readonly name: string;
  /** Throws with a sentence that says who and which, what was expected and what is there. */
  check(scene: Scene, book: Kept, memory: Memory): void;
}

export function broken(sentence: string): never {
  throw new Error(sentence);
}
