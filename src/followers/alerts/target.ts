// The address of a chat tool: whoever knows it may post there, so it is sealed, and shown by its beginning alone.
import { seal, unseal } from '#src/kernel/seal.ts';

/** `key` is 32 bytes, derived for alerts alone. Bound to the alert of that id. */
export const sealUrl = (key: Buffer, id: string, url: string): Buffer => seal(key, Buffer.from(url), id);

/** Throws where it was sealed under another key or for another alert. */
export const openUrl = (key: Buffer, { id, sealed_url }: { id: string; sealed_url: Buffer }): string =>
  unseal(key, sealed_url, id).toString();
