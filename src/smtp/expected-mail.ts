// Mail that the service sends to itself and waits for: the addresses are random, live for minutes in memory alone, and whoever does not
// have the mail cannot know one. The listener for mail from the world asks here first.
import { randomBytes } from 'node:crypto';
import { sleep } from '#src/kernel/time.ts';
import type { ReceivedMail } from '#src/mail/reception.ts';

export interface Arrival {
  readonly mail: ReceivedMail;
  /** The time by a clock that never goes back, ms. */
  readonly at: number;
}

export interface ExpectedMail {
  /** `address` is in lower case. */
  readonly isExpected: (address: string) => boolean;
  readonly expected: (address: string, mail: ReceivedMail) => void;
  /** Waits for a mail to that address from now on. `within` ms after the call the address is forgotten. */
  readonly wait: (address: string, within: number, signal: AbortSignal) => Promise<Arrival | null>;
}

/** The letters of tokens in return paths (verp.ts), which any server keeps. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
const TOKEN_LETTERS = 32;

/** 160 bits. */
export const randomToken = (): string =>
  [...randomBytes(TOKEN_LETTERS)].map((byte) => LETTERS[byte % LETTERS.length]).join('');

export const createExpectedMail = (): ExpectedMail => {
  const waiting = new Map<string, (arrival: Arrival) => void>();
  return {
    isExpected: (address) => waiting.has(address),
    expected: (address, mail) => waiting.get(address)?.({ mail, at: performance.now() }),
    wait: async (address, within, signal) => {
      const arrived = Promise.withResolvers<Arrival | null>();
      const key = address.toLowerCase();
      waiting.set(key, arrived.resolve);
      const over = new AbortController();
      const end = AbortSignal.any([signal, over.signal]);
      void sleep(within, end).then(() => arrived.resolve(null));
      try {
        return await arrived.promise;
      } finally {
        over.abort();
        waiting.delete(key);
      }
    },
  };
};
