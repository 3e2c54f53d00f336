// The recipients of a transaction whose tenant has moved to another host. The mail is handed on there, and its reply is ours: 250
// only after the 250 of that host.
import { isAscii } from 'node:buffer';
import type { NewHost } from '#src/kernel/moved.ts';
import type { Reply } from '#src/mail/reply.ts';
import { receivedField, type Traced } from '#src/mail/trace.ts';
import { SmtpRefusal } from './read-data.ts';

export interface MovedRecipient {
  readonly kind: 'moved';
  /** The address of RCPT TO. */
  readonly address: string;
  readonly newHost: NewHost;
}

/** What the new host said. */
type HandedOn =
  | { readonly result: 'accepted' | 'broken' }
  | { readonly result: 'refused'; readonly reply: Reply };

export type HandOn = (
  to: NewHost['mail'],
  envelope: {
    readonly returnPath: string;
    readonly recipient: string;
    readonly envelopeId: string;
    readonly needs: readonly ('8BITMIME' | 'SMTPUTF8')[];
  },
  content: Buffer,
) => Promise<HandedOn>;

/** What one mail has brought already to recipients whom nothing here keeps from getting it again. */
export interface Once {
  readonly has: (recipient: string) => boolean;
  readonly note: (recipient: string) => void;
}

const PERMANENT = 500;

/** Throws SmtpRefusal unless all of them have it. Who has it already, because the mail comes again, is passed over. */
export const handOnTo = async (
  recipients: readonly MovedRecipient[],
  envelope: Traced,
  content: Buffer,
  {
    handOn,
    serviceHost,
    now,
    once,
  }: {
    readonly handOn: HandOn;
    readonly serviceHost: string;
    readonly now: () => number;
    readonly once: Once;
  },
): Promise<void> => {
  if (recipients.length === 0) return;
  const whole = Buffer.concat([Buffer.from(receivedField(envelope, serviceHost, now())), content]);
  const isUtf8 = envelope.protocol.startsWith('UTF8');
  const needs = [
    ...(isAscii(content) ? [] : (['8BITMIME'] as const)),
    ...(isUtf8 ? (['SMTPUTF8'] as const) : []),
  ];
  for (const { address, newHost } of recipients) {
    if (once.has(address)) continue;
    const outgoing = { returnPath: envelope.mailFrom, recipient: address, envelopeId: '', needs };
    const handed = await handOn(newHost.mail, outgoing, whole);
    if (handed.result === 'accepted') {
      once.note(address);
      continue;
    }
    if (handed.result === 'refused' && handed.reply.code >= PERMANENT)
      throw new SmtpRefusal(handed.reply.code, `${handed.reply.enhanced ?? '5.0.0'} ${handed.reply.text}`);
    throw new SmtpRefusal(
      451,
      '4.4.1 the host that this address has moved to does not take the mail now, try again later',
    );
  }
};
