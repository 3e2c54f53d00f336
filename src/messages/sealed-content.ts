// Content that nobody may read from the file: text and HTML of the service's own mails hold codes and links that let
// someone in. They lie sealed, each bound to its message, and are opened only where the copy that leaves is composed.
import { seal, unseal } from '#src/kernel/seal.ts';
import type { BodyRow } from './store.ts';

type Content = Pick<BodyRow, 'text' | 'html'>;

/** `key` is 32 bytes, derived for this alone. */
export const sealContent = (
  key: Buffer,
  messageId: string,
  { text, html }: Content,
): Omit<BodyRow, 'headers_json' | 'calendar_json'> => ({
  text: null,
  html: null,
  sealed: seal(key, Buffer.from(JSON.stringify({ text, html })), messageId),
});

/** The row as it is where nothing is sealed. Throws where the key, the message or a byte is not what it was. */
export const openContent = (key: Buffer, messageId: string, body: BodyRow): BodyRow => {
  if (body.sealed === null) return body;
  try {
    const content: Content = JSON.parse(unseal(key, body.sealed, messageId).toString());
    return { ...body, ...content };
  } catch (cause) {
    throw new Error('the sealed content of the message cannot be opened', { cause });
  }
};
