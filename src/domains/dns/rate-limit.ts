// Limits how often one network is answered by UDP. Source addresses can be forged there, so that answers would flood
// someone else. Over the limit an answer is truncated: it is no longer than its query, and a real resolver asks again
// by TCP, where addresses cannot be forged. Each network has a token bucket, in a bounded map that drops the one used
// longest ago.

export interface RateLimitOptions {
  /** Answers per second for a network in the long run. */
  readonly perSecond: number;
  /** Answers at once for a network after a pause. */
  readonly burst: number;
  /** Networks in the map; each takes about 150 octets. */
  readonly networks: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

export interface RateLimit {
  /** False if the network is over its limit. */
  take(network: string): boolean;
  size(): number;
}

export const createRateLimit = ({ perSecond, burst, networks, now }: RateLimitOptions): RateLimit => {
  // A Map keeps the order of insertion; each use inserts again, so the first entry was used longest ago.
  const buckets = new Map<string, { tokens: number; at: number }>();

  const take = (network: string): boolean => {
    const at = now();
    const bucket = buckets.get(network) ?? { tokens: burst, at };
    bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1_000) * perSecond);
    bucket.at = at;
    buckets.delete(network);
    buckets.set(network, bucket);
    for (const oldest of buckets.keys()) {
      if (buckets.size <= networks) break;
      buckets.delete(oldest);
    }
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };

  return { take, size: () => buckets.size };
};

const MAPPED_V4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An IPv4 address that comes through an IPv6 socket as plain IPv4. */
export const plainAddress = (address: string): string => MAPPED_V4.exec(address)?.[1] ?? address;

/**
 * The network that an address counts for: IPv4 /24, IPv6 /56 (the most that a provider gives one customer).
 */
export const networkOf = (address: string): string => {
  const v4 = plainAddress(address);
  if (!v4.includes(':')) return v4.slice(0, v4.lastIndexOf('.'));
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last].map((group) =>
    Number.parseInt(group, 16),
  );
  const [a = 0, b = 0, c = 0, d = 0] = groups;
  return [a, b, c, d & 0xff00].map((group) => group.toString(16)).join(':');
};
