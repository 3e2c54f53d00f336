// How often one network is answered by UDP. Source addresses there can be forged, so that answers hit somebody else;
// over the limit an answer is truncated instead: no longer than its query, and a real resolver comes again by TCP,
// whose addresses cannot be forged. A token bucket per network, in a bounded map that forgets who asked longest ago.

export interface RateLimitOptions {
  /** Answers a network may have each second over time. */
  readonly perSecond: number;
  /** Answers a network may have at once after silence. */
  readonly burst: number;
  /** Networks remembered; one takes about 150 octets. */
  readonly networks: number;
  /** Milliseconds, never going back. */
  readonly now: () => number;
}

export interface RateLimit {
  /** False when `network` is over its limit. */
  take(network: string): boolean;
  size(): number;
}

export const createRateLimit = ({ perSecond, burst, networks, now }: RateLimitOptions): RateLimit => {
  // In the order of last use: a Map keeps the order of insertion, and each use inserts anew.
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

/** IPv4 seen through an IPv6 socket is IPv4. */
export const plainAddress = (address: string): string => MAPPED_V4.exec(address)?.[1] ?? address;

/** The network an address is counted with: IPv4 /24, IPv6 /56 (what a provider gives one customer at most). */
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
