// The return path of a mail that is forwarded, by the Sender Rewriting Scheme (SRS): `SRS0=<hash>=<time>=<copy>@bounce.<host>`.
// The domain of a forwarded mail's own return path would not name our servers, so that its SPF would fail. Reports about the copy
// come back to us and go no further: the tenant's mailbox has the mail, and its sender is not to know where it was forwarded.
// So the copy's number is in the place of the sender's address, as in the forms of SRS that keep addresses in a table: it fits
// into 64 octets whatever the address was. The hash keeps strangers from reporting failures, and the time from doing so with old
// paths. Letter case does not matter, because servers change it. Pure.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type TokenKeys, tenantOfToken } from './token-keys.ts';

export interface ForwardedCopy {
  readonly tenantNumber: number;
  /** The number of the row in the tenant's file. */
  readonly forwardSeq: number;
}

/** Servers try for some 5 days, and the copy waits as long for an attempt at the most. */
export const FORWARD_PATH_LIFE_DAYS = 21;
const DAY_MS = 86_400_000;
const HASH_CHARS = 20;
const PATH = new RegExp(
  `^srs0[=+-]([0-9a-f]{${HASH_CHARS}})=(\\d{1,6})=(\\d{1,10})-(\\d{1,15})@bounce\\.(.+)$`,
);

/** 80 bits: one guess in 10^24 succeeds. */
const hashOf = (
  key: KeyObject,
  day: number,
  { tenantNumber, forwardSeq }: ForwardedCopy,
  host: string,
): string =>
  createHmac('sha256', key)
    .update(`srs|1|${day}|${tenantNumber}|${forwardSeq}|${host}`)
    .digest('hex')
    .slice(0, HASH_CHARS);

/** The return path of a forwarded copy, without angle brackets. `host` is the sending host, in A-labels. */
export const encodeForwardPath = (
  keys: TokenKeys,
  copy: ForwardedCopy,
  host: string,
  now: number,
): string => {
  const day = Math.floor(now / DAY_MS);
  const hash = hashOf(keys.own(copy.tenantNumber), day, copy, host.toLowerCase());
  return `SRS0=${hash}=${day}=${copy.tenantNumber}-${copy.forwardSeq}@bounce.${host}`;
};

/** Null for every address that was not made with one of these keys, and for one that is too old. */
export const decodeForwardPath = (keys: TokenKeys, address: string, now: number): ForwardedCopy | null => {
  const [, hash = '', day, tenantNumber, forwardSeq, host = ''] = PATH.exec(address.toLowerCase()) ?? [];
  const copy = { tenantNumber: Number(tenantNumber), forwardSeq: Number(forwardSeq) };
  const age = Math.floor(now / DAY_MS) - Number(day);
  if (hash === '' || Math.abs(age) > FORWARD_PATH_LIFE_DAYS) return null;
  const number = tenantOfToken(keys, copy.tenantNumber, (key) =>
    timingSafeEqual(Buffer.from(hash), Buffer.from(hashOf(key, Number(day), copy, host))),
  );
  return number === null ? null : { ...copy, tenantNumber: number };
};
