// Work that follows a change, by key: one run at a time for each key. After calls during a run there is one more run, which sees
// all that these calls were about.

export interface FollowUps {
  run(key: string): void;
  /** Resolves when the runs in progress have ended. */
  stop(): Promise<void>;
}

/** `onError` gets the error of a run that failed; the next call tries again. */
export const createFollowUps = (
  work: (key: string) => Promise<void>,
  onError: (error: unknown, key: string) => void,
): FollowUps => {
  const running = new Map<string, Promise<void>>();
  /** Keys that were called for during their run. */
  const again = new Set<string>();

  const follow = async (key: string): Promise<void> => {
    do {
      again.delete(key);
      await work(key).catch((error) => onError(error, key));
    } while (again.has(key));
    running.delete(key);
  };

  return {
    run: (key) => {
      if (running.has(key)) again.add(key);
      else running.set(key, follow(key));
    },
    stop: async () => {
      await Promise.all(running.values());
    },
  };
};
