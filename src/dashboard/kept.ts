// Choices kept in this browser: language, colours. Reading and writing may be forbidden; then nothing is kept.
const NAME = 'sendwerk.';

export const kept = {
  /** Undefined where nothing is kept, or none of `possible`. */
  get<T extends string>(name: string, possible: readonly T[]): T | undefined {
    try {
      const value = localStorage.getItem(NAME + name);
      return possible.find((one) => one === value);
    } catch {
      return undefined;
    }
  },
  set(name: string, value: string): void {
    try {
      localStorage.setItem(NAME + name, value);
    } catch {
      // The choice holds until the page is left.
    }
  },
};
