// Addresses that others gave to be posted to: whoever knows one may post there himself, so it is kept sealed. What is told of
// it elsewhere, to be kept for years or seen by more people, is made here. Pure.
import { createHmac } from 'node:crypto';

/** `https://chat.example/hooks/…`: the last segment of a path is a secret at every chat tool, the first is not if it is another. */
export const maskUrl = (url: string): string => {
  const { origin, pathname } = new URL(url);
  const [first, ...others] = pathname.slice(1).split('/');
  return others.some((segment) => segment !== '') ? `${origin}/${first}/…` : `${origin}/…`;
};

const FINGERPRINT_BYTES = 6;
/** Tells one address from another without telling any. */
export const urlFingerprint = (key: Buffer, url: string): string =>
  createHmac('sha256', key)
    .update(url)
    .digest('hex')
    .slice(0, 2 * FINGERPRINT_BYTES);
