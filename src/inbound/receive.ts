// Takes a mail into the mailboxes of its recipients. What asks others (DNS, scanners) comes first, outside of any transaction; then
// one transaction for each tenant stores the mail with its event, and the reply follows when all of them are on the disk.
//
// Where one of several tenants cannot store it, the client is asked to come again, and the ids of all copies are remembered: a
// tenant that has it already, or has it after a sync that failed, does not get it twice. After a crash in between it does, as
// after a reply that was lost: both copies have one Message-ID (RFC 5321 §6.1).
//
// The first automatic reply to a message of ours is a signal about that message and no mail for people, if it would be
// in the inbox and its author is the recipient: anyone may quote a Message-ID. All others are mail.
import { createHash, hash } from 'node:crypto';
import type { SignalDeps } from '#src/feedback/apply-signal.ts';
import { readReport } from '#src/feedback/read-report.ts';
import { applyReport } from '#src/feedback/receive.ts';
import type { Report } from '#src/feedback/rules.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { newId } from '#src/kernel/id.ts';
import type { Limits } from '#src/kernel/limits.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';
import { readHeader } from '#src/mail/field-block.ts';
import type { MailboxRecipient, ReceivedMail, Reception } from '#src/mail/reception.ts';
import { receivedField, returnPathField } from '#src/mail/trace.ts';
import { messageStore, type RecipientRow } from '#src/messages/store.ts';
import { hasRoom, hasRoomAside } from './admit.ts';
import type { CheckMail } from './checks/open.ts';
import { withoutOwnResults } from './checks/results-field.ts';
import {
  blockedSender,
  type MailVerdict,
  type Placement,
  placementsOf,
  type RecipientVerdict,
  tooLarge,
  verdictOf,
} from './checks/verdict-rules.ts';
import type { CheckedMail, MailHead } from './mail.ts';
import { readHead } from './reading/head.ts';
import { mailboxFor, namesSender, withoutToken } from './recipient-rules.ts';
import { inboundSettingsStore } from './settings-store.ts';
import { countedBytes, inboundStore } from './store.ts';
import { storeMail } from './store-mail.ts';
import { threadOf } from './threads.ts';

export interface ReceiveDeps {
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
  /** The trace of its reception, and what came. */
  readonly source: readonly [trace: Buffer, content: Buffer];
  readonly now: number;
}

/** A mail that came to one tenant and may come again. */
interface Earlier {
  /** The ids of its copies. */
  readonly ids: readonly string[];
  /** The mail became a signal, so that no copy shows that it came. */
  readonly isSignal: boolean;
  /** The size of the content as it came: a mail of another size is not hashed for a comparison. */
  readonly bytes: number;
  readonly at: number;
}

type Outcome = 'stored' | 'signal' | 'full';

const STORED: Reception = { kind: 'stored' };
const FULL: Reception = {
  kind: 'refused',
  code: 452,
  text: '4.2.2 the mailbox is full, try again later',
  reason: 'full',
};
const NONE: Report = { kind: 'other' };
/** Mails, one for each tenant. Their clients come again soon. */
const MAX_REMEMBERED = 1_000;
const REMEMBERED_FOR = DAY;

const localPartOf = (address: string): string => address.slice(0, address.lastIndexOf('@'));

const judge = (
  db: TenantDb,
  { address, answers }: MailboxRecipient,
  { envelope, checked, content }: Reading,
): MailVerdict => {
  const { options } = inboundSettingsStore(db).current();
  // Size, where it was not declared before the content came.
  if (options.max_bytes !== null && content.length > options.max_bytes) return tooLarge;
  if (envelope.mailFrom !== '' && namesSender(options.senders.block, envelope.mailFrom)) return blockedSender;
  if (answers === undefined)
    return verdictOf(checked, options.senders, mailboxFor(options, localPartOf(address)));
  // A return path is no address that the tenant could have closed: where the catch-all refuses, it is open.
  const { mode, ...actions } = mailboxFor(options, '');
  return verdictOf(checked, options.senders, { ...actions, mode: mode === 'hold' ? mode : 'accept' });
};

/** Whether From names the recipient and no one else. */
const isAuthor = ({ authors }: CheckedMail, { address }: RecipientRow): boolean =>
  authors.length > 0 && authors.every((author) => author === address.toLowerCase());

/** Whether it became a signal. */
const insert = (
  db: TenantDb,
  id: string,
  { state, reason, recipients: reached }: Placement,
  answers: number | undefined,
  { envelope, head, checked, report, source, now }: Reading,
  signals: SignalDeps,
): boolean => {
  const copy = answers === undefined ? null : (messageStore(db).recipient(answers) ?? null);
  const { message, recipient, threadId } = threadOf(db, head, copy);
  const isSignal =
    report.kind === 'auto_reply' && state === 'inbox' && recipient && isAuthor(checked, recipient);
  if (isSignal && applyReport(db, recipient.id, report, 'not_proven', signals, now) === 'changed')
    return true;
  storeMail(db, {
    ...{ id, state, reason, head, source, now, thread: { message, recipient, threadId } },
    mailFrom: envelope.mailFrom,
    recipients: reached.map(withoutToken),
    auth: checked.auth,
    spam: checked.spam,
  });
  return false;
};

/** Names a mail in each tenant. Its content may be large, so it is hashed once, and only if a name is asked for. */
const namesOf = ({ envelope, content }: ReceivedMail) => {
  let digest: string | undefined;
  return (tenantId: string, recipients: readonly string[]): string => {
    digest ??= createHash('sha256').update(content).digest('base64');
    return hash('sha256', JSON.stringify([tenantId, envelope.mailFrom, recipients, digest]));
  };
};

/** What is returned rejects where a file cannot be read or written: the client is asked to come again. */
export const createReception = (deps: ReceiveDeps) => {
  const { files, clock, limits, check, serviceHost, signals } = deps;
  /** Mails that were not stored everywhere, and those that became signals. The oldest is first. */
  const remembered = new Map<string, Earlier>();

  const forgetOld = (now: number): void => {
    for (const [name, { at }] of remembered) {
      if (remembered.size <= MAX_REMEMBERED && now - at <= REMEMBERED_FOR) return;
      remembered.delete(name);
    }
  };

  const read = async (recipients: readonly MailboxRecipient[], mail: ReceivedMail): Promise<Reading> => {
    const { envelope, content } = mail;
    const now = clock.now();
    const header = readHeader(content);
    const head = readHead(content, header.shown);
    const quotes = head.inReplyTo !== null || head.references.length > 0;
    const [checked, report] = await Promise.all([
      check({ envelope, content, header, recipients: recipients.map(({ address }) => address) }),
      quotes ? readReport(content, envelope) : NONE,
    ]);
    const trace =
      returnPathField(envelope.mailFrom) +
      checked.authenticationResults +
      receivedField(envelope, serviceHost, now);
    const source = [Buffer.from(trace), withoutOwnResults(content, serviceHost)] as const;
    return { ...mail, head, checked, report, source, now };
  };

  const store = (
    tenantId: string,
    placements: readonly Placement[],
    ids: readonly string[],
    cameBefore: boolean,
    answers: ReadonlyMap<string, number | undefined>,
    reading: Reading,
  ): Promise<Outcome> =>
    files.write(tenantId, (db) => {
      if (cameBefore && ids.some((id) => inboundStore(db).byId(id) !== undefined)) return 'stored';
      const [trace, content] = reading.source;
      const bytes = countedBytes(trace.length + content.length);
      const aside = placements.filter(({ state }) => state !== 'inbox').length;
      if (!hasRoom(db, placements.length * bytes, limits())) return 'full';
      if (!hasRoomAside(db, aside * bytes, limits())) return 'full';
      const areSignals = placements.map((placement, index) => {
        const [answered] = placement.recipients.flatMap((address) => answers.get(address) ?? []);
        return insert(db, ids[index] ?? newId(), placement, answered, reading, signals);
      });
      return areSignals.includes(true) ? 'signal' : 'stored';
    });

  return async (recipients: readonly MailboxRecipient[], mail: ReceivedMail): Promise<Reception> => {
    const reading = await read(recipients, mail);
    const { now } = reading;
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
    if ('code' in placed) {
      const { code, text, reason } = placed;
      return { kind: 'refused', code, text, reason };
    }
    const answers = new Map(recipients.map(({ address, answers: number }) => [address, number]));
    const nameIn = namesOf(mail);
    forgetOld(now);
    const bytes = mail.content.length;
    const mayBeKnown = remembered.values().some((earlier) => earlier.bytes === bytes);
    const came: [name: () => string, earlier: Earlier][] = [];
    const failures: unknown[] = [];
    let isFull = false;
    // One after the other: a large mail keeps the event loop for a while in each tenant.
    for (const [tenantId, placements] of Map.groupBy(placed, (placement) => placement.tenantId)) {
      const name = () =>
        nameIn(
          tenantId,
          placements.flatMap((placement) => placement.recipients),
        );
      const known = mayBeKnown ? remembered.get(name()) : undefined;
      const ids = known?.ids ?? placements.map(() => newId());
      let isSignal = known?.isSignal ?? false;
      try {
        if (!isSignal) {
          const outcome = await store(tenantId, placements, ids, known !== undefined, answers, reading);
          isSignal = outcome === 'signal';
          isFull ||= outcome === 'full';
        }
      } catch (error) {
        failures.push(error);
      }
      came.push([name, { ids, isSignal, bytes, at: now }]);
    }
    const hasFailed = isFull || failures.length > 0;
    for (const [name, earlier] of came) {
      if (mayBeKnown) remembered.delete(name());
      if (hasFailed || earlier.isSignal) remembered.set(name(), earlier);
    }
    if (failures.length > 0) throw failures[0];
    return isFull ? FULL : STORED;
  };
};
