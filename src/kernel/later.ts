// What a room asks of one above it, which is opened after it. The composition root declares each such question and names who
// answers it; nothing else of a room above reaches one below.

export interface Later<T> {
  /** Throws before it is answered, where it has no value until then. */
  (): T;
  answer(value: T): void;
}

/** `until` is the value while the rooms are opened. */
export const later = <T>(what: string, until?: T): Later<T> => {
  let answered = until;
  const ask = (): T => {
    if (answered === undefined) throw new Error(`${what}: asked before the room that answers is open`);
    return answered;
  };
  return Object.assign(ask, {
    answer: (value: T) => {
      answered = value;
    },
  });
};
