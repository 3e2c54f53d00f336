// What keeps secrets out of logs, answers and the audit: a type that never prints its value, and what may be shown of a URL
// that is itself a secret, because anyone who knows the URL of a webhook or chat tool may post there. And how long a secret is
// valid after its rotation.
import { createHmac } from 'node:crypto';
import type { SealingKey } from './seal.ts';
import { DAY } from './time.ts';

const PLACEHOLDER = '[secret]';

/** Printed, logged, serialised or spread, it gives the placeholder. It does not protect the memory of the process. */
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

  /** console.log and util.format call it. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return PLACEHOLDER;
  }
}

/** `https://chat.example/hooks/…`: the last segment of the path is the secret at every chat tool, the first one is not. */
export const maskUrl = (url: string): string => {
  const { origin, pathname } = new URL(url);
  const [first, ...others] = pathname.slice(1).split('/');
  return others.some((segment) => segment !== '') ? `${origin}/${first}/…` : `${origin}/…`;
};

const FINGERPRINT_BYTES = 6;
/** The same for the same URL, and no way back to it. */
export const urlFingerprint = ({ present }: SealingKey, url: string): string =>
  createHmac('sha256', present)
    .update(url)
    .digest('hex')
    .slice(0, 2 * FINGERPRINT_BYTES);

/** The programs that use a secret have this time to take over the new one. */
export const FORMER_SECRET_MS = DAY;

/**
 * Until when the secret before the last rotation is valid; null where it is not. A clock that was set back does not make it valid
 * for longer.
 */
export const formerSecretUntil = (until: number | null, now: number): number | null =>
  until !== null && until > now && until <= now + FORMER_SECRET_MS ? until : null;
