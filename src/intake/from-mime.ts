// A message that a mail program submits (RFC 6409) becomes a draft like any other; each recipient's copy is composed from
// that. The envelope says who gets it. To and Cc are in every copy as they were written, also where this envelope is for
// some of those recipients only, or for others (Bcc).
import { hash } from 'node:crypto';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { addressKey } from '#src/mail/address.ts';
import type { Address, Mailbox } from '#src/mail/mailbox.ts';
import { MimeError, parseMessage } from '#src/mail/mime-parts.ts';
import { type Draft, draftWith } from './draft.ts';
import type { Submission } from './evaluate.ts';
import { contentOf } from './mime-body.ts';
import { fieldsOf } from './mime-fields.ts';

export interface FromMime {
  readonly draft: Draft;
  /** The project that it names. */
  readonly projectId: string | null;
  /** Made of the key in the message, else of its bytes; null where it has neither a key nor a Message-ID. */
  readonly idempotency: Submission['idempotency'];
}

/** A client that lost the answer sends the same bytes again. */
const repeatOf = (content: Buffer, recipients: readonly Address[]): Submission['idempotency'] => {
  const envelope = [...recipients].map(addressKey).sort().join('\n');
  const key = `smtp:${hash('sha256', `${hash('sha256', content)}\n${envelope}`)}`;
  return { key, request: key };
};

/** Dates, boundaries and ids are others each time that a program writes the same message. */
const requestOf = ({ messageId: _id, parts: _boundaries, attachments, ...draft }: Draft) => ({
  ...draft,
  attachments: attachments.map(({ filename, content }) => [filename, hash('sha256', content)]),
});

const sameAddresses = (left: readonly Mailbox[], right: readonly Mailbox[]): boolean =>
  left.length === right.length && left.every(({ address }, index) => address === right[index]?.address);

/** `recipients` is the envelope, `controls` the header fields by which relays take orders. Rejects with AppError where the message
 * cannot be taken over as it is. */
export const fromMime = async (
  content: Buffer,
  recipients: readonly Address[],
  controls: readonly string[],
): Promise<FromMime> => {
  const { fields, root } = await parseMessage(content).catch((cause: unknown) => {
    if (!(cause instanceof MimeError)) throw cause;
    throw new AppError('invalid_request', say`The message cannot be read: ${cause.text}.`, {
      hint: say`Send a message of fewer parts, in the usual encodings.`,
      extra: { fields: [{ path: 'message', message: cause.text }] },
      cause,
    });
  });
  const {
    projectId,
    messageId,
    idempotencyKey,
    to: shownTo,
    cc: shownCc,
    ...rest
  } = fieldsOf(fields, controls);
  const waiting = new Map(recipients.map((address) => [addressKey(address), address]));
  const take = ({ address, name }: Mailbox): Mailbox[] => {
    const meant = waiting.get(addressKey(address));
    waiting.delete(addressKey(address));
    if (meant === undefined) return [];
    return [name === undefined ? { address: meant } : { address: meant, name }];
  };
  const to = shownTo.flatMap(take);
  const cc = shownCc.flatMap(take);
  const bcc = [...waiting.values()].map((address) => ({ address }));
  const isWhole = sameAddresses(shownTo, to) && sameAddresses(shownCc, cc);
  const draft = draftWith({
    ...rest,
    to,
    cc,
    bcc,
    ...(isWhole ? {} : { shown: { to: shownTo, cc: shownCc } }),
    ...(messageId === null ? {} : { messageId }),
    ...contentOf(root),
  });
  if (idempotencyKey !== null)
    return { draft, projectId, idempotency: { key: idempotencyKey, request: requestOf(draft) } };
  return { draft, projectId, idempotency: messageId === null ? null : repeatOf(content, recipients) };
};
