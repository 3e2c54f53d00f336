// Packets that no client should send, from a fixed seed: changed, cut, repeated and made-up queries.
const mulberry32 = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

const opt = '00002904d000000000000c000a00080123456789abcdef';
const label = (text: string): string => Buffer.from(String.fromCharCode(text.length) + text).toString('hex');

/** A good query for the name's TXT, with EDNS and a cookie. */
export const goodQuery = (name: string, id = 0xabcd): Buffer => {
  const head = `${id.toString(16).padStart(4, '0')}01000001000000000001`;
  return Buffer.from(`${head}${name.split('.').map(label).join('')}0000100001${opt}`, 'hex');
};

/** Made of good queries for `names`. The header's QR bit is left alone mostly, so that most are looked into. */
export const hostilePackets = (seed: number, names: readonly string[]): (() => Buffer) => {
  const random = mulberry32(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const queries = names.map((name) => goodQuery(name));
  return () => {
    const query = queries[below(queries.length)] ?? Buffer.alloc(0);
    if (random() < 0.1) return Buffer.from(Array.from({ length: below(600) }, () => below(256)));
    const octets = Buffer.concat([query, random() < 0.1 ? query : Buffer.alloc(0)]);
    for (let change = below(6); change >= 0; change -= 1)
      octets[below(random() < 0.3 ? 12 : octets.length)] = random() < 0.3 ? 0xc0 + below(4) : below(256);
    return octets.subarray(0, random() < 0.3 ? below(octets.length) : octets.length);
  };
};
