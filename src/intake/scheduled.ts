// Cancels messages that wait for their time, or gives them another time. Only while no attempt has begun: that is checked in
// the transaction that changes them, and the dispatcher claims in a transaction of its own.
import { monthOf, utcDay } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { eventStore } from '#src/events/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { type Lane, laneOf } from '#src/kernel/stream.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { parsedMessage } from '#src/messages/compose/parsed-message.ts';
import { kinds } from '#src/messages/kinds.ts';
import { visibleMessage } from '#src/messages/present.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import type { Status } from '#src/messages/rules.ts';
import { packDecisions, unpackDecisions } from '#src/messages/schema.ts';
import { type MessageRow, messageStore, type RecipientRow } from '#src/messages/store.ts';
import { warmupOf } from './facts.ts';
import type { Verdict } from './gate.ts';
import { type GateResult, runGates } from './gates.ts';
import type { IntakeContext } from './intake-context.ts';
import type { SendAnswer } from './schema.ts';

/** A change of a scheduled message: which one, and who changes it. */
export interface ScheduledChange {
  readonly tenantId: string;
  readonly messageId: string;
  readonly caller: Caller;
  readonly change: Change;
}

const CANCELLED = 'cancelled before it was due';

export interface WaitingMessage {
  readonly message: MessageRow;
  /** The recipients that are queued. */
  readonly recipients: readonly RecipientRow[];
  /** On that day it counts for the warm-up. */
  readonly dueAt: number;
}

/** Throws `not_found`; `conflict` where it does not wait, or no longer waits. */
const waitingMessage = (db: TenantDb, { messageId, caller }: ScheduledChange): WaitingMessage => {
  const message = visibleMessage(db, messageId, caller);
  const rows = queueStore(db).ofMessage(message.seq);
  const [first] = rows;
  const isUntouched = rows.every(({ claimed, attempts }) => claimed === 0 && attempts === 0);
  if (message.status !== 'pending' || first === undefined || !isUntouched) {
    throw new AppError('conflict', say`The message does not wait for its time.`, {
      hint: say`Only a message that is \`pending\` and has not been tried can be cancelled or given another time.`,
    });
  }
  const queued = new Set(rows.map(({ recipient_id }) => recipient_id));
  const recipients = messageStore(db)
    .recipients(message.seq)
    .filter(({ id }) => queued.has(id));
  return { message, recipients, dueAt: first.due_at };
};

/** The mails that were counted when it was accepted. */
const mailsOf = ({ recipients }: WaitingMessage, { simulatorDomain }: IntakeContext): number =>
  recipients.filter(({ address }) => addressDomain(address as Mailbox['address']) !== simulatorDomain).length;

const record = (
  db: TenantDb,
  { change }: ScheduledChange,
  before: MessageRow,
  after: { readonly status: Status; readonly scheduled_at: number },
  now: number,
): void => {
  const shown = ({ status, scheduled_at }: Pick<MessageRow, 'status' | 'scheduled_at'>) => ({
    status,
    scheduled_at: toIsoOrNull(scheduled_at),
  });
  const target = { type: 'message', id: before.id };
  auditStore(db).record(change, { target, before: shown(before), after: shown(after) }, now);
};

const fromHostOf = (message: MessageRow): string => addressDomain(parsedMessage(message).from.address);

const giveBack = (db: TenantDb, { message, dueAt }: WaitingMessage, mails: number): void => {
  const { created_at, project_id, channel, message_kind } = message;
  const day = utcDay(created_at);
  const counters = counterStore(db);
  counters.addAccepted(day, message, -mails);
  counters.addToChannel(day, project_id, channel, -mails);
  const isFromOwnDomain = fromHostOf(message) !== tenantStore(db).practice().managed_host;
  counters.addUsage(monthOf(created_at).name, -mails, isFromOwnDomain);
  counters.addVolume(utcDay(dueAt), kinds[message_kind].stream, -mails);
};

/** Recipients that no attempt holds are not sent to any more; they no longer count for plan and warm-up. */
export const cancelQueued = (
  db: TenantDb,
  intake: IntakeContext,
  waiting: WaitingMessage,
  diagnostic: string,
): void => {
  const now = intake.clock.now();
  const { message, recipients } = waiting;
  for (const { id, attempts } of recipients) {
    queueStore(db).remove(id);
    const outcome = { smtp_code: null, enhanced_code: null, diagnostic, upstream: null };
    messageStore(db).updateRecipient(message.seq, {
      id,
      status: 'failed',
      attempts,
      ...outcome,
      updated_at: now,
    });
    eventStore(db).append({
      type: 'message.failed',
      messageSeq: message.seq,
      recipientId: id,
      at: now,
      data: { diagnostic },
    });
  }
  const mails = mailsOf(waiting, intake);
  if (mails > 0) giveBack(db, waiting, mails);
};

/** Nothing of it is sent. */
export const cancelScheduled = (intake: IntakeContext, request: ScheduledChange): Promise<SendAnswer> =>
  intake.files.write(request.tenantId, (db) => {
    const now = intake.clock.now();
    const waiting = waitingMessage(db, request);
    const { message } = waiting;
    cancelQueued(db, intake, waiting, CANCELLED);
    record(db, request, message, { status: 'failed', scheduled_at: message.scheduled_at ?? now }, now);
    return { id: message.id, message_id: message.id, status: 'failed' };
  });

/** The mails of the month were counted when it was accepted, and recipients and content are the same as then. */
export const DEPENDS_ON_TIME = ['time', 'volume'] as const;

/** Throws the refusal of a gate. */
const checkNewTime = (
  db: TenantDb,
  intake: IntakeContext,
  waiting: WaitingMessage,
  scheduledAt: number,
): GateResult => {
  const { source, message_kind } = waiting.message;
  const { stream } = kinds[message_kind];
  const fromHost = fromHostOf(waiting.message);
  const now = intake.clock.now();
  const result = runGates(DEPENDS_ON_TIME, {
    now,
    limits: intake.limits(),
    stream,
    scheduledAt,
    // Suppressions that were added meanwhile are looked up when it leaves.
    mails: mailsOf(waiting, intake),
    warmup: warmupOf(db, tenantStore(db).practice(), source, stream, fromHost, now),
  });
  if (result.refusal !== null) throw result.refusal;
  return result;
};

const decisionsWith = (kept: string, verdicts: readonly Verdict[]): string => {
  const latest = new Map(verdicts.map((verdict) => [verdict.gate, verdict]));
  return packDecisions(unpackDecisions(kept).map((decision) => latest.get(decision.gate) ?? decision));
};

/** `scheduledAt`: ms; a time that has just passed means at once. */
export const reschedule = async (
  intake: IntakeContext,
  request: ScheduledChange,
  scheduledAt: number,
): Promise<SendAnswer> => {
  const { tenantId } = request;
  const now = intake.clock.now();
  let woken: { lane: Lane; dueAt: number } = { lane: 0, dueAt: now };
  const release = await intake.holdDue(tenantId, now);
  try {
    return await intake.files.write(tenantId, (db): SendAnswer => {
      const waiting = waitingMessage(db, request);
      const { message, recipients } = waiting;
      const { stream } = kinds[message.message_kind];
      const mails = mailsOf(waiting, intake);
      const counters = counterStore(db);
      // The volume is taken back before the gates run: on the new day the message must not count against itself.
      if (mails > 0) counters.addVolume(utcDay(waiting.dueAt), stream, -mails);
      const { verdicts, heldUntil } = checkNewTime(db, intake, waiting, scheduledAt);
      const time = Math.max(scheduledAt, now);
      const dueAt = Math.max(time, heldUntil ?? 0);
      if (mails > 0) counters.addVolume(utcDay(dueAt), stream, mails);
      const status: Status = scheduledAt > now ? 'pending' : 'queued';
      const messages = messageStore(db);
      messages.setSchedule(message.seq, time, decisionsWith(message.decisions_json, verdicts), now);
      for (const { id } of recipients) {
        queueStore(db).release(id, 0, dueAt);
        if (status !== 'pending') messages.setRecipientStatus(message.seq, id, status, now);
      }
      record(db, request, message, { status, scheduled_at: time }, now);
      woken = { lane: laneOf[stream], dueAt };
      return {
        id: message.id,
        message_id: message.id,
        status,
        ...(status === 'pending' ? { scheduled_at: toIso(time) } : {}),
      };
    });
  } finally {
    // This happens after a failed sync too, because the change may be in the file.
    intake.wake(tenantId, woken.lane, woken.dueAt);
    release();
  }
};
