// Header fields of the service's own on a message of a sender: the way out (RFC 2369 §3.2, RFC 8058 §3.1), what answering
// machines go by (RFC 3834 §5, and `Precedence` for older ones), and whose complaints are counted together. Pure.
import { kinds } from '#src/messages/kinds.ts';
import type { MessageFooter } from '#src/messages/settings.ts';
import type { MessageRow } from '#src/messages/store.ts';
import type { Copy, OutgoingMessage } from './message.ts';

type Fields = OutgoingMessage['headers'];

/** 5 to 15 characters that never change, says Gmail, whose field it is. */
const senderIdOf = (serviceName: string): string => {
  const plain = serviceName.toLowerCase().replace(/[^a-z0-9]/g, '');
  return (plain.length < 5 ? `${plain}-mail` : plain).slice(0, 15);
};

/** Kind, practice, service: groups, never a recipient or message, and no value twice. The kind tells the stream. */
const feedbackId = ({ message_kind }: MessageRow, { practice, service }: Copy): string =>
  `${message_kind}:p-${practice}:${senderIdOf(service.name)}`;

const wayOut = (unsubscribe: MessageFooter['unsubscribe'], url: string | null): Fields => {
  if (unsubscribe === null || url === null) return [];
  const link = ['List-Unsubscribe', `<${url}>`] as const;
  return unsubscribe === 'link' ? [link] : [link, ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click']];
};

/** What a person may have written with a mail program, or in answer to somebody, is not said to be a machine's. */
const origin = ({ message_kind, source }: MessageRow, given: Fields): Fields => {
  if (kinds[message_kind].stream === 'marketing') return [['Precedence', 'bulk']];
  const mayBePersonal = source === 'smtp' || given.some(([name]) => name.toLowerCase() === 'in-reply-to');
  return mayBePersonal ? [] : [['Auto-Submitted', 'auto-generated']];
};

/** With those that the message has already been given, which win. */
export const withServiceFields = (
  message: MessageRow,
  footer: MessageFooter,
  copy: Copy,
  given: Fields,
): Fields => {
  const taken = new Set(given.map(([name]) => name.toLowerCase()));
  const own: Fields = [
    ...wayOut(footer.unsubscribe, copy.unsubscribeUrl),
    ...origin(message, given),
    ['Feedback-ID', feedbackId(message, copy)],
  ];
  return [...own.filter(([name]) => !taken.has(name.toLowerCase())), ...given];
};
