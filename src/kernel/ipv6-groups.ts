// The one reading of IPv6 addresses: whatever the notation (RFC 4291 §2.2), the same eight groups. Pure.

/** In hexadecimal, without leading zeros; `address` has no zone. @throws TypeError where it is no address */
export const ipv6Groups = (address: string): string[] => {
  // A URL's host is in the short form of RFC 5952, whatever the address was written like.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail] = short.split('::', 2).map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - (tail?.length ?? 0)).fill('0');
  return tail === undefined ? [...head] : [...head, ...zeros, ...tail];
};
