// The version of a record that two people may change: a hash of what they write in it. GET answers it as ETag, and what
// changes the record takes it in If-Match (RFC 9110 §13.1.1). Pure.
import { createHash } from 'node:crypto';

/** Takes from the record, as it is answered, what its version is made of. */
export type Versioned = (record: never) => unknown;

/** The record without what changes by itself, such as its counters. */
export const wholeBut =
  <R extends object>(...names: readonly (keyof R & string)[]) =>
  (record: R): unknown =>
    Object.fromEntries(
      Object.entries(record).filter(([name]) => !(names as readonly string[]).includes(name)),
    );

const HASH_CHARACTERS = 22;

/** The field's value, with its quotes. */
export const etagOf = (version: Versioned, record: object): string => {
  const written = JSON.stringify(version(record as never));
  return `"${createHash('sha256').update(written).digest('base64url').slice(0, HASH_CHARACTERS)}"`;
};

/**
 * Whether the value of If-Match names that version. Proxies that compress an answer make its ETag weak; it names the
 * record's version all the same, so `W/` is no difference.
 */
export const namesVersion = (ifMatch: string, etag: string): boolean =>
  ifMatch
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === '*' || one === etag);
