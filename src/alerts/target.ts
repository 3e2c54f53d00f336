// The address of a chat tool: whoever knows it may post there, so it is sealed, and shown by its beginning alone.
import { createHmac } from 'node:crypto';
import { seal, unseal } from '#src/kernel/seal.ts';

/** `key` is 32 bytes, derived for alerts alone. Bound to the alert of that id. */
export const sealUrl = (key: Buffer, id: string, url: string): Buffer => seal(key, Buffer.from(url), id);

/** Throws where it was sealed under another key or for another alert. */
export const openUrl = (key: Buffer, { id, sealed_url }: { id: string; sealed_url: Buffer }): string =>
  unseal(key, sealed_url, id).toString();

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
