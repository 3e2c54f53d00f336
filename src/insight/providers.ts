// Recognises the large mailbox providers by the domain of an address. A customer's own domain that a provider hosts cannot
// be recognised by its name, so it counts as `other`. Pure.

export const providers = ['gmail', 'microsoft', 'yahoo', 'gmx_webde', 't_online', 'icloud', 'other'] as const;
export type Provider = (typeof providers)[number];

/** Several providers have a domain for each country, for example `hotmail.fr` and `yahoo.co.uk`. */
const families: readonly (readonly [RegExp, Provider])[] = [
  [/^(?:gmail|googlemail)\.com$/, 'gmail'],
  [/^(?:(?:outlook|hotmail|live)\.(?:[a-z]{2,3}\.)?[a-z]{2,3}|msn\.com|passport\.com)$/, 'microsoft'],
  [/^(?:(?:yahoo|aol)\.(?:[a-z]{2,3}\.)?[a-z]{2,3}|ymail\.com|rocketmail\.com)$/, 'yahoo'],
  [/^(?:gmx\.(?:[a-z]{2,3}\.)?[a-z]{2,4}|web\.de)$/, 'gmx_webde'],
  [/^(?:t-online\.de|magenta\.de)$/, 't_online'],
  [/^(?:icloud|me|mac)\.com$/, 'icloud'],
];

/** `domain` in lower-case A-labels. */
export const providerOf = (domain: string): Provider =>
  families.find(([pattern]) => pattern.test(domain))?.[1] ?? 'other';
