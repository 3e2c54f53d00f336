// One timer for all that a connection waits for. It is set again only where it would fire too late, because a busy connection
// moves its deadline with every reply.

export interface Deadline {
  /** The time is counted from now; `Infinity`: nothing is waited for. */
  set(milliseconds: number): void;
  clear(): void;
}

export const createDeadline = (onPassed: () => void): Deadline => {
  let deadline = Number.POSITIVE_INFINITY;
  let firesAt = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const arm = (now: number): void => {
    if (deadline >= firesAt) return;
    clearTimeout(timer);
    firesAt = deadline;
    timer = setTimeout(fire, deadline - now);
  };
  const fire = (): void => {
    firesAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    if (deadline <= now) onPassed();
    else arm(now);
  };

  return {
    set: (milliseconds) => {
      const now = performance.now();
      deadline = now + milliseconds;
      arm(now);
    },
    clear: () => {
      clearTimeout(timer);
      deadline = Number.POSITIVE_INFINITY;
      firesAt = Number.POSITIVE_INFINITY;
    },
  };
};
