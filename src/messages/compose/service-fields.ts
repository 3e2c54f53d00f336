// The header fields that the service adds to a sender's message: the link to unsubscribe (RFC 2369 §3.2, RFC 8058 §3.1), the
// fields that stop automatic replies (RFC 3834 §5, and `Precedence` for older programs), the Feedback-ID, by which Gmail
// counts complaints, and the address that others report them to (RFC 9477). Pure.
import { kinds } from '#src/messages/kinds.ts';
import type { MessageFooter } from '#src/messages/settings.ts';
import type { MessageRow } from '#src/messages/store.ts';
import type { Copy, OutgoingMessage } from './message.ts';

type Fields = OutgoingMessage['headers'];

/** Gmail, which defined the field, requires 5 to 15 characters that never change. */
const senderIdOf = (serviceName: string): string => {
  const plain = serviceName.toLowerCase().replace(/[^a-z0-9]/g, '');
  return (plain.length < 5 ? `${plain}-mail` : plain).slice(0, 15);
};

/**
 * Campaign, kind, practice and service: groups, never a recipient or a message, and no value twice. The kind implies the stream;
 * campaigns are numbered in each practice.
 */
const feedbackId = ({ message_kind, campaign_seq }: MessageRow, { practice, service }: Copy): string => {
  const campaign = campaign_seq === null ? '' : `c-${practice}-${campaign_seq}:`;
  return `${campaign}${message_kind}:p-${practice}:${senderIdOf(service.name)}`;
};

/** The https address is the first: one-click takes that (RFC 8058 §3.1). */
const unsubscribeFields = (
  unsubscribe: MessageFooter['unsubscribe'],
  { unsubscribeUrl: url, unsubscribeAddress: address }: Copy,
): Fields => {
  if (unsubscribe === null || url === null) return [];
  const mail = address === null ? '' : `, <mailto:${address}?subject=unsubscribe>`;
  const link = ['List-Unsubscribe', `<${url}>${mail}`] as const;
  return unsubscribe === 'link' ? [link] : [link, ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click']];
};

const complaintFields = ({ complaints }: Copy): Fields =>
  complaints === null
    ? []
    : [
        ['CFBL-Address', `${complaints.address}; report=arf`],
        ['CFBL-Feedback-ID', complaints.id],
      ];

/** Mail that a person may have written with a mail program or as a reply is not declared as automatic. */
const origin = ({ message_kind, source }: MessageRow, given: Fields): Fields => {
  if (kinds[message_kind].stream === 'marketing') return [['Precedence', 'bulk']];
  if (source === 'automatic_reply')
    return [
      ['Auto-Submitted', 'auto-replied'],
      ['X-Auto-Response-Suppress', 'All'],
    ];
  const mayBePersonal = source === 'smtp' || given.some(([name]) => name.toLowerCase() === 'in-reply-to');
  return mayBePersonal ? [] : [['Auto-Submitted', 'auto-generated']];
};

/** The fields of the service before the `given` ones. A given field replaces one of the service. */
export const withServiceFields = (
  message: MessageRow,
  footer: MessageFooter,
  copy: Copy,
  given: Fields,
): Fields => {
  const taken = new Set(given.map(([name]) => name.toLowerCase()));
  const own: Fields = [
    ...unsubscribeFields(footer.unsubscribe, copy),
    ...origin(message, given),
    ['Feedback-ID', feedbackId(message, copy)],
    ...complaintFields(copy),
  ];
  return [...own.filter(([name]) => !taken.has(name.toLowerCase())), ...given];
};
