// Work that follows something, by key: one at a time for each. However many calls come while it is under way, it runs once
// more after them, and sees what they were about.

export interface FollowUps {
  run(key: string): void;
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/** `onError` is told of what fails; the next call tries again. */
export const createFollowUps = (
  work: (key: string) => Promise<void>,
  onError: (error: unknown, key: string) => void,
): FollowUps => {
  const underWay = new Map<string, Promise<void>>();
  /** Asked for again while it was under way. */
  const again = new Set<string>();

  const follow = async (key: string): Promise<void> => {
    do {
      again.delete(key);
      await work(key).catch((error) => onError(error, key));
    } while (again.has(key));
    underWay.delete(key);
  };

  return {
    run: (key) => {
      if (underWay.has(key)) again.add(key);
      else underWay.set(key, follow(key));
    },
    stop: async () => {
      await Promise.all(underWay.values());
    },
  };
};
