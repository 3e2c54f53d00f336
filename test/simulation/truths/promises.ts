// What acts have been told and come back to. Those that only look are asked now and then; those that ask the service, at the end.
import type { Kept, Promised } from '../book.ts';
import { Cut, type Scene } from '../scene.ts';

const failure = ({ what }: Promised, error: unknown): Error =>
  new Error(`${what}: ${error instanceof Error ? error.message : error}`, { cause: error });

/** `onBroken` gets what a slow one says later. */
export const askNow = (scene: Scene, book: Kept, onBroken: (error: Error) => void): void => {
  for (const promise of book.promises) {
    if (promise.isSlow) continue;
    let answer: void | Promise<void>;
    try {
      answer = promise.holds(scene);
    } catch (error) {
      throw failure(promise, error);
    }
    if (!(answer instanceof Promise)) continue;
    Object.assign(promise, { isSlow: true });
    answer.catch((error: unknown) => {
      if (!(error instanceof Cut)) onBroken(failure(promise, error));
    });
  }
};

export const askAll = async (scene: Scene, book: Kept): Promise<void> => {
  for (const promise of book.promises)
    try {
      await promise.holds(scene);
    } catch (error) {
      throw failure(promise, error);
    }
};
