// Wakes one who waits. Rung while nobody waits, it wakes the next who does, at once.

export interface Bell {
  ring(): void;
  /** Rings for good. */
  end(): void;
  /** Aborted by `end`. */
  readonly signal: AbortSignal;
  /** Resolves with true when it has been rung since the last time, with false after `ms`. One waits at a time. */
  wait(ms: number): Promise<boolean>;
}

export const createBell = (): Bell => {
  let isRung = false;
  const over = new AbortController();
  let wake = (): void => {};
  const ring = (): void => {
    isRung = true;
    wake();
  };
  const taken = (): boolean => {
    const was = isRung;
    isRung = over.signal.aborted;
    return was;
  };
  return {
    ring,
    end: () => {
      over.abort();
      ring();
    },
    signal: over.signal,
    wait: async (ms) => {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = () => {};
      }
      return taken();
    },
  };
};
