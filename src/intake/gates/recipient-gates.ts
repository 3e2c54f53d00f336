// Gates that ask who gets the message: how many, who can be reached, safe mode, consent and suppressions.
import { AppError } from '#src/kernel/errors.ts';
import { addressDomain, addressKey, needsSmtpUtf8 } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { defineGate, type Facts, recipientsOf } from '../gate.ts';

export const recipientCount = defineGate({
  name: 'recipient_count',
  kind: 'recipients',
  errors: ['invalid_recipient', 'too_many_recipients'],
  check: ({ limits }, draft) => {
    const count = recipientsOf(draft).length;
    const facts = { count, limit: limits.recipients };
    if (count === 0) {
      return {
        facts,
        refusal: new AppError('invalid_recipient', 'The message has no recipient.', {
          hint: 'Name at least one recipient in to, cc or bcc.',
          extra: { recipients: [] },
        }),
      };
    }
    if (count <= limits.recipients) return { facts };
    return {
      facts,
      refusal: new AppError('too_many_recipients', `The message has ${count} recipients.`, { extra: facts }),
    };
  },
});

export const internationalisedAddresses = defineGate({
  name: 'internationalised_addresses',
  kind: 'recipients',
  errors: ['invalid_recipient'],
  check: ({ from, takesUtf8 }, draft) => {
    const beyond = (mailboxes: readonly Mailbox[]) =>
      mailboxes.map(({ address }) => address).filter(needsSmtpUtf8);
    // These are in the mail to everyone, also to those whose servers do not take it then.
    const senders = beyond([from, ...draft.replyTo]);
    const wide = [...senders, ...(takesUtf8 ? [] : beyond(recipientsOf(draft)))];
    if (wide.length === 0) return { facts: { smtp_utf8: takesUtf8 } };
    return {
      facts: { smtp_utf8: takesUtf8, addresses: wide },
      refusal: new AppError('invalid_recipient', 'An address has letters beyond ASCII before its @.', {
        hint:
          senders.length > 0
            ? 'From and Reply-To need an address with ASCII before the @, because many servers take no mail with another.'
            : "Such addresses need SMTPUTF8 (RFC 6531), which the operator's upstream does not offer; use an address with ASCII before the @.",
        extra: { recipients: wide },
      }),
    };
  },
});

export const consent = defineGate({
  name: 'consent',
  kind: 'recipients',
  errors: ['consent_required'],
  check: ({ stream, consent: given }, draft) => {
    if (stream !== 'marketing') return { facts: { applies: false } };
    if (given === null) return { facts: { list_send: false } };
    if (given.entry !== null) return { facts: { list_send: true, entry: given.entry } };
    const missing = recipientsOf(draft).map(({ address }) => address);
    return {
      facts: { list_send: true, missing },
      refusal: new AppError('consent_required', 'Not every recipient has given consent to this list.', {
        extra: { missing },
      }),
    };
  },
});

export const isAllowedInSafeMode = (
  { address }: Mailbox,
  facts: Pick<Facts, 'simulatorDomain' | 'safeModeAllowed'>,
): boolean => {
  const key = addressKey(address);
  const domain = addressDomain(address);
  return (
    domain === facts.simulatorDomain ||
    facts.safeModeAllowed.includes(key) ||
    facts.safeModeAllowed.includes(`@${domain}`)
  );
};

export const safeMode = defineGate({
  name: 'safe_mode',
  kind: 'recipients',
  errors: ['safe_mode_recipient'],
  check: (facts, draft) => {
    if (!facts.safeMode) return { facts: { safe_mode: false } };
    const outside = recipientsOf(draft)
      .filter((mailbox) => !isAllowedInSafeMode(mailbox, facts))
      .map(({ address }) => address);
    if (outside.length === 0) return { facts: { safe_mode: true } };
    return {
      facts: { safe_mode: true, outside },
      refusal: new AppError('safe_mode_recipient', 'Safe mode keeps mail from strangers.', {
        extra: { recipients: outside },
      }),
    };
  },
});

export const suppression = defineGate({
  name: 'suppression',
  kind: 'recipients',
  errors: [],
  check: ({ suppressed }) => {
    if (suppressed.size === 0) return { facts: { suppressed: [] } };
    const rows = [...suppressed].map(([address, { id, scope, reason }]) => ({ address, id, scope, reason }));
    return { facts: { suppressed: rows }, suppresses: [...suppressed.keys()] };
  },
});
