// Takes a mail into the mailboxes of its recipients. What asks others (DNS, scanners) comes first, outside of any transaction; then
// one transaction for each tenant stores the mail with its event, and the reply follows when all of them are on the disk.
//
// Where one of several tenants cannot store it, the client is asked to come again, and the ids of all copies are remembered: a
// tenant that has it already, or has it after a sync that failed, does not get it twice. After a crash in between they do, as after a reply that
// was lost: both copies have one Message-ID (RFC 5321 §6.1).
//
// An automatic reply to a message of ours is a signal about that message (decisions 4) and no mail for people.
import { createHash } from 'node:crypto';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { eventStore } from '#src/events/store.ts';
import type { SignalDeps } from '#src/feedback/apply-signal.ts';
import { readReport } from '#src/feedback/read-report.ts';
import { applyReport } from '#src/feedback/receive.ts';
import type { Report } from '#src/feedback/rules.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { newId } from '#src/kernel/id.ts';
import type { Limits } from '#src/kernel/limits.ts';
import type { Clock } from '#src/kernel/time.ts';
import { receivedField, returnPathField } from '#src/mail/trace.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import { messageStore } from '#src/messages/store.ts';
import { hasRoom, hasRoomAside } from './admit.ts';
import type { CheckMail } from './checks/open.ts';
import { withoutOwnResults } from './checks/results-field.ts';
import {
  type MailVerdict,
  type Placement,
  placementsOf,
  type RecipientVerdict,
  tooLarge,
  verdictOf,
} from './checks/verdict-rules.ts';
import type { CheckedMail, MailEnvelope, MailHead } from './mail.ts';
import { readHead, searchTextOf } from './reading/head.ts';
import { mailboxFor, withoutToken } from './recipient-rules.ts';
import { inboundRegistryStore, inboundSettingsStore } from './settings-store.ts';
import { inboundStore } from './store.ts';
import { threadOf } from './threads.ts';

export interface ReceivedMail {
  readonly envelope: MailEnvelope;
  /** As it came. */
  readonly content: Buffer;
}

export interface MailboxRecipient {
  readonly tenantId: string;
  /** As in RCPT TO, with its domain in A-labels. */
  readonly address: string;
  /** Number of the copy's recipient, where the address is the return path of a copy. */
  readonly answers?: number;
}

export type Reception =
  | { readonly kind: 'stored' }
  /** `text` begins with the enhanced status code. */
  | { readonly kind: 'refused'; readonly code: number; readonly text: string };

export interface ReceiveDeps {
  readonly platform: Pick<DurableFile<PlatformDb>, 'read'>;
  readonly files: Pick<TenantFiles, 'read' | 'write'>;
  readonly clock: Clock;
  readonly limits: () => Limits;
  readonly serviceHost: string;
  readonly check: CheckMail;
  readonly signals: SignalDeps;
}

/** What the copies of all tenants have in common. */
interface Reading extends ReceivedMail {
  readonly head: MailHead;
  readonly checked: CheckedMail;
  readonly report: Report;
  readonly source: Buffer;
  readonly now: number;
}

/** Of one mail, in one tenant. */
interface Copies {
  readonly tenantId: string;
  readonly placements: readonly Placement[];
  readonly ids: readonly string[];
  /** Whether the mail came before, so that they may be there. */
  readonly cameBefore: boolean;
  readonly name: () => string;
}

const STORED: Reception = { kind: 'stored' };
const FULL: Reception = { kind: 'refused', code: 452, text: '4.2.2 the mailbox is full, try again later' };
const NONE: Report = { kind: 'other' };
/** Mails, one for each tenant. Their clients come again soon. */
const MAX_REMEMBERED = 1_000;

const localPartOf = (address: string): string => address.slice(0, address.lastIndexOf('@'));

const judge = (
  db: TenantDb,
  { address, answers }: MailboxRecipient,
  { checked, content }: Reading,
): MailVerdict => {
  const { options } = inboundSettingsStore(db).current();
  const mailbox = mailboxFor(options, localPartOf(address));
  // Size, where it was not declared before the content came.
  if (options.max_bytes !== null && content.length > options.max_bytes) return tooLarge;
  // A return path is no address that the tenant could have closed.
  return verdictOf(
    checked,
    options.senders,
    answers === undefined ? mailbox : { ...mailbox, mode: 'accept' },
  );
};

const insert = (
  db: TenantDb,
  id: string,
  { state, reason, recipients: reached }: Placement,
  answers: number | undefined,
  { envelope, head, checked, report, source, now }: Reading,
  signals: SignalDeps,
): void => {
  const copy = answers === undefined ? null : (messageStore(db).recipient(answers) ?? null);
  const { message, recipient, threadId } = threadOf(db, head, copy);
  if (report.kind === 'auto_reply' && recipient) {
    applyReport(db, recipient.id, report, null, signals, now);
    return;
  }
  const recipients = reached.map(withoutToken);
  const inboundSeq = inboundStore(db).insert(
    {
      id,
      state,
      state_reason: reason,
      mail_from: envelope.mailFrom,
      recipients_json: JSON.stringify(recipients),
      from_json: JSON.stringify(head.from),
      to_json: JSON.stringify(head.to),
      cc_json: JSON.stringify(head.cc),
      subject: head.subject,
      sent_at: head.sentAt,
      internet_message_id: head.internetMessageId,
      in_reply_to: head.inReplyTo,
      references_json: JSON.stringify(head.references),
      reply_to_seq: message?.seq ?? null,
      thread_id: threadId ?? id,
      auth_json: JSON.stringify(checked.auth),
      spam_json: JSON.stringify(checked.spam),
      size_bytes: source.length,
      search_text: searchTextOf(head, recipients),
      received_at: now,
    },
    source,
  );
  if (state !== 'inbox') return;
  eventStore(db).append({
    type: 'inbound.received',
    messageSeq: message?.seq ?? 0,
    recipientId: recipient?.id ?? null,
    inboundSeq,
    at: now,
  });
};

const nameOf = (
  tenantId: string,
  recipients: readonly string[],
  { envelope, content }: ReceivedMail,
): string =>
  createHash('sha256')
    .update(JSON.stringify([tenantId, envelope.mailFrom, recipients]))
    .update(content)
    .digest('base64');

/** Both reject where a file cannot be read or written: the client is asked to come again. */
export const createReception = (deps: ReceiveDeps) => {
  const { platform, files, clock, limits, check, serviceHost, signals } = deps;
  /** Ids of the copies of mails that came and were not stored everywhere. */
  const remembered = new Map<string, readonly string[]>();

  const read = async (recipients: readonly MailboxRecipient[], mail: ReceivedMail): Promise<Reading> => {
    const { envelope, content } = mail;
    const now = clock.now();
    const head = readHead(content);
    const quotes = head.inReplyTo !== null || head.references.length > 0;
    const [checked, report] = await Promise.all([
      check({ envelope, content, recipients: recipients.map(({ address }) => address) }),
      quotes ? readReport(content, envelope) : NONE,
    ]);
    const trace =
      returnPathField(envelope.mailFrom) +
      checked.authenticationResults +
      receivedField(envelope, serviceHost, now);
    const source = Buffer.concat([Buffer.from(trace), withoutOwnResults(content, serviceHost)]);
    return { ...mail, head, checked, report, source, now };
  };

  const store = (
    { tenantId, placements, ids, cameBefore }: Copies,
    answers: ReadonlyMap<string, number | undefined>,
    reading: Reading,
  ): Promise<Reception> =>
    files.write(tenantId, (db) => {
      if (cameBefore && ids.some((id) => inboundStore(db).byId(id) !== undefined)) return STORED;
      if (!hasRoom(db, placements.length * reading.source.length, limits())) return FULL;
      const aside = placements.filter(({ state }) => state !== 'inbox').length;
      if (!hasRoomAside(db, aside * reading.source.length, limits())) return FULL;
      for (const [index, placement] of placements.entries()) {
        const [answered] = placement.recipients.flatMap((address) => answers.get(address) ?? []);
        insert(db, ids[index] ?? newId(), placement, answered, reading, signals);
      }
      return STORED;
    });

  const receive = async (recipients: readonly MailboxRecipient[], mail: ReceivedMail): Promise<Reception> => {
    const reading = await read(recipients, mail);
    const verdicts = await Promise.all(
      recipients.map(
        async (recipient): Promise<RecipientVerdict> => ({
          tenantId: recipient.tenantId,
          recipient: recipient.address,
          verdict: await files.read(recipient.tenantId, (db) => judge(db, recipient, reading)),
        }),
      ),
    );
    const placed = placementsOf(verdicts);
    if ('code' in placed) return { kind: 'refused', code: placed.code, text: placed.text };
    const answers = new Map(recipients.map(({ address, answers: number }) => [address, number]));
    const tenants = [...Map.groupBy(placed, ({ tenantId }) => tenantId)];
    const copies = tenants.map(([tenantId, placements]): Copies => {
      const own = placements.flatMap((placement) => placement.recipients);
      const name = () => nameOf(tenantId, own, mail);
      const known = remembered.size === 0 ? undefined : remembered.get(name());
      const ids = known ?? placements.map(() => newId());
      return { tenantId, placements, ids, cameBefore: known !== undefined, name };
    });
    const results = await Promise.allSettled(copies.map((each) => store(each, answers, reading)));
    const failed = results.find((result) => result.status === 'rejected' || result.value.kind !== 'stored');
    if (remembered.size > MAX_REMEMBERED) remembered.clear();
    if (failed) for (const { name, ids } of copies) remembered.set(name(), ids);
    else if (remembered.size > 0) for (const { name } of copies) remembered.delete(name());
    if (failed?.status === 'rejected') throw failed.reason;
    return failed?.value ?? STORED;
  };

  return {
    receive,
    /**
     * A mail of a person to the return paths of copies, which is no report: in the mailboxes of those tenants that receive mail.
     * `targets` with their addresses. Null: none of them does.
     */
    receiveAnswer: async (
      targets: readonly { readonly address: string; readonly target: ReturnPathTarget }[],
      mail: ReceivedMail,
    ): Promise<Reception | null> => {
      const recipients = await platform.read((db) =>
        targets.flatMap(({ address, target }): MailboxRecipient[] => {
          const tenantId = registryStore(db).anyByNumber(target.tenantNumber)?.id;
          if (tenantId === undefined || !inboundRegistryStore(db).has(tenantId)) return [];
          return [{ tenantId, address, answers: target.recipientId }];
        }),
      );
      return recipients.length === 0 ? null : receive(recipients, mail);
    },
  };
};
