// Takes due recipients of one tenant out of the queue, with all that sending to them needs, in one transaction: the attempt and
// the time of the next one are on the disk before anything is sent.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import {
  acceptedSignal,
  applySignals,
  type SignalDeps,
  signalOfRecipient,
} from '#src/feedback/apply-signal.ts';
import { suppressionData } from '#src/feedback/suppressions/change.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import { freeNow } from '#src/kernel/large-octets.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { Lane } from '#src/kernel/stream.ts';
import { HOUR } from '#src/kernel/time.ts';
import { addressDomain, needsSmtpUtf8 } from '#src/mail/address.ts';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { encodeReturnPath } from '#src/mail/verp.ts';
import type { Copy, StoredMessage } from '#src/messages/compose/message.ts';
import { parsedMessage } from '#src/messages/compose/parsed-message.ts';
import { prepareMessage } from '#src/messages/compose/prepare.ts';
import type { SignThreads } from '#src/messages/compose/sign-thread.ts';
import type { OwnFiles } from '#src/messages/hand-over.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { type QueueRow, queueStore } from '#src/messages/queue/store.ts';
import { withdraw } from '#src/messages/queue/withdraw.ts';
import { isToBeSent } from '#src/messages/rules.ts';
import { openContent } from '#src/messages/sealed-content.ts';
import { type BodyRow, type MessageRow, messageStore, type RecipientRow } from '#src/messages/store.ts';
import { applicableSuppression, type SuppressionFacts } from '#src/messages/suppression-rules.ts';
import { type RecipientCopyDeps, recipientCopy } from './recipient-copy.ts';
import type { Envelope } from './upstream.ts';

/** How often a paused tenant is looked at again, in case the dispatcher was not woken when it was resumed. */
const PAUSED_RECHECK_MS = HOUR;

/** The keys of a host, RSA first; none where it has no key. */
export type SignersOf = (db: TenantDb, tenantId: string, host: string) => readonly DkimSigner[];

export interface ClaimDeps extends SignalDeps, RecipientCopyDeps {
  readonly signersOf: SignersOf;
  readonly signThreads: Pick<SignThreads, 'sign' | 'finishBody'>;
  /** A key object, because node takes six times as long with the bare bytes. */
  readonly returnPathKey: TokenKeys;
  /** Opens the content of the service's own mails. */
  readonly contentKey: SealingKey;
}

export interface Claimed {
  readonly row: QueueRow;
  readonly messageId: string;
  readonly envelope: Envelope;
  /** Its acceptance, or the time that was asked for. */
  readonly waitsSince: number;
  /** Composes and signs, once. Rejects only by a defect. */
  readonly prepare: () => Promise<Buffer>;
}

export interface ClaimResult {
  readonly claimed: readonly Claimed[];
  readonly next: Readonly<Record<Lane, number | null>>;
}

export interface ClaimRequest {
  readonly tenantId: string;
  readonly lane: Lane;
  readonly limit: number;
  readonly byteBudget: number;
  readonly now: number;
  readonly policy: RetryPolicy;
}

interface Loaded extends Omit<StoredMessage, 'body'> {
  readonly body: BodyRow | undefined;
  readonly files: OwnFiles;
}

interface LoadedRecipient {
  readonly stored: Loaded;
  readonly recipient: RecipientRow;
  /** Accepted while no address was suppressed that is not now. */
  readonly isAllowed: boolean;
}

/** Foreign keys make sure that a queued recipient has its message. */
const load = (db: TenantDb, seq: number): Loaded => {
  const store = messageStore(db);
  const message = store.bySeq(seq);
  if (!message) throw new Error(`message ${seq} is queued, but missing`);
  const attachments = store.attachments(seq);
  const files = { octets: attachments.map(({ content }) => content), copies: 0 };
  return { message, body: store.body(seq), attachments, files };
};

/** What intake handed over, or what the file holds. `loaded`: recipients of one message share its rows in memory. */
const loadRecipient = (
  db: TenantDb,
  { recipient_id, message_seq }: QueueRow,
  loaded: Map<number, Loaded>,
): LoadedRecipient => {
  const suppressions = suppressionStore(db);
  const handed = messageStore(db).takeHandedOver(message_seq, recipient_id);
  const stored = handed ?? loaded.get(message_seq) ?? load(db, message_seq);
  loaded.set(message_seq, stored);
  // What was handed over counts all of its recipients.
  if (!handed) stored.files.copies += 1;
  const recipient = handed?.recipient ?? messageStore(db).recipient(recipient_id);
  if (!recipient) throw new Error(`recipient ${recipient_id} is queued, but missing`);
  const isAllowed = suppressions.isEmpty() || handed?.suppressionVersion === suppressions.version();
  return { stored, recipient, isAllowed };
};

/** Rejects where there is nothing to send, or no key to sign it with: unsigned mail never leaves. */
const prepare = async (
  { body, ...stored }: Loaded,
  copy: Copy,
  signers: readonly DkimSigner[],
  { contentKey, signThreads }: ClaimDeps,
): Promise<Buffer> => {
  if (!body) throw new Error('the content of the message has been removed');
  if (signers.length === 0) throw new Error('the sending host has no DKIM key');
  const opened = { ...stored, body: openContent(contentKey, stored.message.id, body) };
  return prepareMessage(opened, copy, signers, signThreads);
};

/** A key that cannot be opened defers what it should sign; the tenant's other messages go on. */
const signersFor = (db: TenantDb, signersOf: SignersOf, tenantId: string, host: string) => {
  try {
    const found = signersOf(db, tenantId, host);
    return () => found;
  } catch (error) {
    return (): never => {
      throw error;
    };
  }
};

const NON_ASCII = /[^\p{ASCII}]/u;

/** Whether the recipient, or someone whom the header names, has an address that is not ASCII. */
const namesUtf8 = (message: MessageRow, recipient: Address): boolean => {
  if (needsSmtpUtf8(recipient)) return true;
  // Names are no reason, but most messages have no such letter at all.
  if (!NON_ASCII.test(message.to_json) && !NON_ASCII.test(message.cc_json)) return false;
  const { to, cc } = parsedMessage(message);
  return [...to, ...cc].some((mailbox) => needsSmtpUtf8(mailbox.address));
};

const suppressionOf = (
  db: TenantDb,
  address: Address,
  tenantId: string,
  message: MessageRow,
  key: TenantKey,
): SuppressionFacts | null => {
  const rows = suppressionStore(db).ofAddress(addressHash(key, tenantId, address));
  return rows.length === 0 ? null : applicableSuppression(rows, message);
};

export const claimDue = (db: TenantDb, request: ClaimRequest, deps: ClaimDeps): ClaimResult => {
  const { tenantId, lane, limit, byteBudget, now, policy } = request;
  const practice = tenantStore(db).practice();
  // A crash may have come between a pause, or a resumption, and the mail about it.
  if (practice.pause_told === 0) deps.guardrail.notifyOwners(tenantId);
  if (practice.paused_at !== null) {
    messageStore(db).clearHandOver();
    const next = queueStore(db).nextDue();
    const later = (dueAt: number | null) =>
      dueAt === null ? null : Math.max(dueAt, now + PAUSED_RECHECK_MS);
    return { claimed: [], next: { 0: later(next[0]), 1: later(next[1]) } };
  }
  const rows = queueStore(db).claim(lane, limit, byteBudget, now, policy);
  const loaded = new Map<number, Loaded>();
  const claimed = rows.flatMap((row): Claimed[] => {
    const { stored, recipient, isAllowed } = loadRecipient(db, row, loaded);
    const { message } = stored;
    if (!isToBeSent(signalOfRecipient(db, recipient))) {
      // The process died before the outcome of an attempt was stored, and a report about it has come meanwhile.
      const attempts = row.attempts - 1;
      if (attempts > 0)
        applySignals(db, { ...recipient, attempts }, [acceptedSignal(recipient, attempts)], deps, now);
      queueStore(db).remove(row.recipient_id);
      return [];
    }
    const address = recipient.address as Address;
    // Since acceptance the recipient may have unsubscribed, or bounced.
    const suppression =
      isAllowed || message.source === 'system'
        ? null
        : suppressionOf(db, address, tenantId, message, deps.suppressionKey);
    if (suppression) {
      withdraw(db, row, suppressionData(db, address, suppression), now);
      return [];
    }
    const host = addressDomain(parsedMessage(message).from.address);
    const target = { tenantNumber: practice.number, recipientId: row.recipient_id };
    const signers = signersFor(db, deps.signersOf, tenantId, host);
    const copy = recipientCopy(deps, practice, message, recipient);
    // The rows are let go when the copy is made: it may be on its way for minutes.
    let rows: Loaded | null = stored;
    const prepareOnce = async (): Promise<Buffer> => {
      const whole = rows;
      rows = null;
      if (whole === null) throw new Error('the copy was made before');
      const made = await prepare(whole, copy, signers(), deps);
      whole.files.copies -= 1;
      if (whole.files.copies === 0) for (const octets of whole.files.octets) freeNow(octets);
      return made;
    };
    const one: Claimed = {
      row,
      messageId: message.id,
      envelope: {
        returnPath: encodeReturnPath(deps.returnPathKey, target, host),
        recipient: recipient.address,
        envelopeId: message.id,
        needsSmtpUtf8: namesUtf8(message, address),
      },
      waitsSince: Math.max(message.created_at, message.scheduled_at ?? 0),
      prepare: prepareOnce,
    };
    return [one];
  });
  // What is claimed would keep it, and with it all rows.
  loaded.clear();
  return { claimed, next: queueStore(db).nextDue() };
};
