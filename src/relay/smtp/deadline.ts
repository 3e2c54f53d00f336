// One timer for whatever is being waited for. It is armed anew only where it would ring too late: a busy connection
// moves its deadline with every reply and hardly ever touches the timer.

export interface Deadline {
  /** From now; `Infinity`: nothing is waited for. */
  set(milliseconds: number): void;
  clear(): void;
}

export const createDeadline = (onPassed: () => void): Deadline => {
  let deadline = Number.POSITIVE_INFINITY;
  let ringsAt = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const arm = (now: number): void => {
    if (deadline >= ringsAt) return;
    clearTimeout(timer);
    ringsAt = deadline;
    timer = setTimeout(ring, deadline - now);
  };
  const ring = (): void => {
    ringsAt = Number.POSITIVE_INFINITY;
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
      ringsAt = Number.POSITIVE_INFINITY;
    },
  };
};
