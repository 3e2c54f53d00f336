// Text and HTML of the service's own mails are stored encrypted, because they contain codes and links that let a person
// sign in. Each is bound to its message, and is decrypted only where the copy to be sent is composed.
import type { SealingKey } from '#src/kernel/seal.ts';
import { seal, unseal } from '#src/kernel/seal.ts';
import type { SealedPlace } from '#src/kernel/sealed-place.ts';
import type { BodyRow } from './store.ts';

type Content = Pick<BodyRow, 'text' | 'html'>;

export const sealedBodies: SealedPlace = {
  table: 'message_bodies',
  keys: ['message_seq'],
  column: 'sealed',
  purpose: 'service mail',
  with: ['(SELECT id FROM messages WHERE seq = message_seq) AS message_id'],
  boundTo: ({ message_id }) => String(message_id),
};

export const sealContent = (
  key: SealingKey,
  messageId: string,
  { text, html }: Content,
): Pick<BodyRow, 'text' | 'html' | 'sealed'> => ({
  text: null,
  html: null,
  sealed: seal(key, Buffer.from(JSON.stringify({ text, html })), messageId),
});

/** Returns the row as it is if nothing is sealed. Throws if the key, the message or a byte has changed. */
export const openContent = (key: SealingKey, messageId: string, body: BodyRow): BodyRow => {
  if (body.sealed === null) return body;
  try {
    const content: Content = JSON.parse(unseal(key, body.sealed, messageId).toString());
    return { ...body, ...content };
  } catch (cause) {
    throw new Error('the sealed content of the message cannot be opened', { cause });
  }
};
