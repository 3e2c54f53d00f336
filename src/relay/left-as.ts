// A message as it left for its only recipient, made again from its rows: the same rows and keys give the same bytes. Only where
// the host has other keys by now is the signature another.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { addressDomain } from '#src/mail/address.ts';
import { parsedMessage } from '#src/messages/compose/parsed-message.ts';
import { prepareMessage } from '#src/messages/compose/prepare.ts';
import type { SignThreads } from '#src/messages/compose/sign-thread.ts';
import { messageStore } from '#src/messages/store.ts';
import type { SignersOf } from './claim.ts';
import { type RecipientCopyDeps, recipientCopy } from './recipient-copy.ts';

export interface LeftAsDeps extends RecipientCopyDeps {
  readonly files: TenantFiles;
  readonly signersOf: SignersOf;
  readonly signThreads: Pick<SignThreads, 'sign' | 'finishBody'>;
}

/** Null where it has several recipients, or its content has been removed. */
export const leftAs = async (
  { files, signersOf, signThreads, ...links }: LeftAsDeps,
  tenantId: string,
  messageSeq: number,
): Promise<Buffer | null> => {
  const found = await files.read(tenantId, (db) => {
    const store = messageStore(db);
    const message = store.bySeq(messageSeq);
    const body = store.body(messageSeq);
    const [recipient, ...others] = store.recipients(messageSeq);
    if (!message || !body || !recipient || others.length > 0) return null;
    if (body.sealed !== null || store.removed(messageSeq).attachments === 1) return null;
    const host = addressDomain(parsedMessage(message).from.address);
    return {
      stored: { message, body, attachments: store.attachments(messageSeq) },
      copy: recipientCopy(links, tenantStore(db).practice(), message, recipient),
      signers: signersOf(db, tenantId, host),
    };
  });
  return found && prepareMessage(found.stored, found.copy, found.signers, signThreads);
};
