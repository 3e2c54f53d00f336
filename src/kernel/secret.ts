// A secret as a type of its own: whoever prints, logs, serialises or spreads it gets no more than a placeholder.
// It does not protect the memory of the process.

const PLACEHOLDER = '[secret]';

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The secret itself; call it as late as possible and keep no copy. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return PLACEHOLDER;
  }

  toJSON(): string {
    return PLACEHOLDER;
  }

  /** What console.log and the template of util.format show. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return PLACEHOLDER;
  }
}
