// The mailbox simulator: what each of its addresses answers to a mail of this service. The answers are real
// reports and go over SMTP to the return path like those of other servers, so that the whole loop is tested. Pure.
import { writeComplaint } from '#src/mail/arf.ts';
import { autoSubmitted, writeAutoReply } from '#src/mail/auto-reply.ts';
import { writeNotification } from '#src/mail/dsn.ts';
import { fieldValue, readFields } from '#src/mail/field-block.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { ReportHead } from '#src/mail/report.ts';

export const behaviours = ['success', 'bounce', 'complaint', 'ooto'] as const;
export type Behaviour = (typeof behaviours)[number];

/** `bounce`, `bounce+anything`; null where there is no such mailbox. */
export const behaviourOf = (localPart: string): Behaviour | null => {
  const name = localPart.toLowerCase().split('+', 1)[0];
  return behaviours.find((behaviour) => behaviour === name) ?? null;
};

export interface SimulatedMail {
  readonly behaviour: Behaviour;
  /** The address of RCPT TO. */
  readonly recipient: Address;
  /** The MAIL FROM, where the answer goes. */
  readonly returnPath: Address;
  /** Header of the mail, one character an octet. */
  readonly head: string;
}

export interface SimulatorFacts {
  readonly serviceHost: string;
  readonly version: string;
  /** Unique, for the answer's Message-ID. */
  readonly id: string;
  /** ms */
  readonly now: number;
}

/** RFC 5322 §3.6.4, as far as it may be repeated in an answer. */
const MESSAGE_ID = /^<[!-;=?-~]{1,250}>$/;

/**
 * The message to send, from the null sender. Null where the mail is itself an answer (RFC 3834 §2). A mail that a program
 * generated (`auto-generated`) is answered, because such mail is what is tested here.
 */
export const answerTo = (mail: SimulatedMail, facts: SimulatorFacts): Buffer | null => {
  const { behaviour, recipient, returnPath, head: originalHead } = mail;
  const { serviceHost, version, id, now } = facts;
  const fields = readFields(originalHead);
  if (autoSubmitted(fields) === 'auto-replied') return null;
  const host = `simulator.${serviceHost}`;
  const head = (subject: string, localPart: string): ReportHead => ({
    id: `${id}@${host}`,
    date: now,
    from: { address: `${localPart}@${host}` as Address, name: 'Mailbox simulator' },
    to: returnPath,
    subject,
  });
  const common = { recipient, reportingMta: serviceHost, arrivedAt: now, originalHead };
  switch (behaviour) {
    case 'success':
      return writeNotification(head('Delivered: your message', 'mailer-daemon'), {
        ...common,
        action: 'delivered',
        status: '2.0.0',
        diagnostic: '250 2.0.0 delivered to the mailbox simulator',
        words: `Your message to ${recipient} was delivered.`,
      });
    case 'bounce':
      return writeNotification(head('Undelivered: your message', 'mailer-daemon'), {
        ...common,
        action: 'failed',
        status: '5.1.1',
        diagnostic: `550 5.1.1 <${recipient}>: there is no such mailbox`,
        words: `Your message to ${recipient} could not be delivered: there is no such mailbox.`,
      });
    case 'complaint':
      return writeComplaint(head('Complaint about your message', 'complaints'), {
        originalMailFrom: returnPath,
        originalRecipient: recipient,
        arrivedAt: now,
        userAgent: `Sendwerk-Simulator/${version}`,
        words: `${recipient} has reported your message as spam.`,
        originalHead,
      });
    case 'ooto': {
      const messageId = fieldValue(fields, 'message-id') ?? '';
      return writeAutoReply(
        head('Automatic reply: out of the office', 'ooto'),
        MESSAGE_ID.test(messageId) ? messageId : null,
        'I am out of the office.',
      );
    }
    default:
      return behaviour satisfies never;
  }
};
