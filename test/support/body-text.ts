// The body of a composed message as it leaves.
import { encodeFiles, layOut } from '#src/messages/compose/body.ts';
import type { ComposedMessage } from '#src/messages/compose/message.ts';

/** Its octets, one character each. */
export const bodyText = (composed: ComposedMessage): string => {
  const body = layOut(composed, 0);
  encodeFiles(body);
  return body.octets.toString('latin1');
};
