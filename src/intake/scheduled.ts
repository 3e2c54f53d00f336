// Messages that wait for their time: withdrawn, or given another time. Only while nobody has begun to send them, which is
// looked at in the transaction that changes them: the dispatcher claims in one of its own.
import { monthOf, utcDay } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { eventStore } from '#src/events/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type Lane, laneOf } from '#src/kernel/stream.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { packDecisions, unpackDecisions } from '#src/messages/decisions.ts';
import { kinds } from '#src/messages/kinds.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import type { Status } from '#src/messages/rules.ts';
import { type MessageRow, messageStore, type RecipientRow } from '#src/messages/store.ts';
import { visibleMessage } from '#src/messages/visible-message.ts';
import type { AcceptDeps } from './accept.ts';
import type { Draft } from './draft.ts';
import { readFacts } from './facts.ts';
import type { Verdict } from './gate.ts';
import { passGates } from './gates.ts';
import type { SendAnswer } from './schema.ts';

export type ScheduledDeps = Pick<
  AcceptDeps,
  | 'files'
  | 'clock'
  | 'holdDue'
  | 'wake'
  | 'serviceHost'
  | 'safeMode'
  | 'managedHostCap'
  | 'publicOrigin'
  | 'suppressionKey'
>;

export interface Named {
  readonly tenantId: string;
  readonly messageId: string;
  readonly caller: Caller;
  readonly change: Change;
}

const CANCELLED = 'cancelled before it was due';

interface Waiting {
  readonly message: MessageRow;
  /** Those to whom it would go. */
  readonly recipients: readonly RecipientRow[];
  readonly dueAt: number;
}

/** Throws `not_found`; `conflict` where it does not wait, or not any more. */
const waitingMessage = (db: TenantDb, { messageId, caller }: Named): Waiting => {
  const message = visibleMessage(db, messageId, caller);
  const rows = queueStore(db).ofMessage(message.seq);
  const [first] = rows;
  const isUntouched = rows.every(({ claimed, attempts }) => claimed === 0 && attempts === 0);
  if (message.status !== 'pending' || first === undefined || !isUntouched) {
    throw new AppError('conflict', 'The message does not wait for its time.', {
      hint: 'Only a message that is `pending` and has not been tried can be cancelled or given another time.',
    });
  }
  const queued = new Set(rows.map(({ recipient_id }) => recipient_id));
  const recipients = messageStore(db)
    .recipients(message.seq)
    .filter(({ id }) => queued.has(id));
  return { message, recipients, dueAt: first.due_at };
};

/** As they were counted when it was accepted. */
const mailsOf = ({ recipients }: Waiting, { serviceHost }: ScheduledDeps): number =>
  recipients.filter(
    ({ address }) => addressDomain(address as Mailbox['address']) !== `simulator.${serviceHost}`,
  ).length;

const record = (
  db: TenantDb,
  { change }: Named,
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

const giveBack = (db: TenantDb, { message, dueAt }: Waiting, mails: number): void => {
  const { created_at, route_id, project_id, channel, message_kind } = message;
  const day = utcDay(created_at);
  const counters = counterStore(db);
  counters.addAccepted(day, route_id, -mails);
  counters.addToChannel(day, project_id, channel, -mails);
  counters.addUsage(monthOf(created_at).name, -mails);
  counters.addVolume(utcDay(dueAt), kinds[message_kind].stream, -mails);
};

/** Nothing of it goes out any more. */
export const cancelScheduled = (deps: ScheduledDeps, named: Named): Promise<SendAnswer> =>
  deps.files.write(named.tenantId, (db) => {
    const now = deps.clock.now();
    const waiting = waitingMessage(db, named);
    const { message, recipients } = waiting;
    const messages = messageStore(db);
    for (const { id, attempts } of recipients) {
      queueStore(db).remove(id);
      const said = { smtp_code: null, enhanced_code: null, diagnostic: CANCELLED, upstream: null };
      messages.updateRecipient(message.seq, { id, status: 'failed', attempts, ...said, updated_at: now });
      eventStore(db).append({
        type: 'message.failed',
        messageSeq: message.seq,
        recipientId: id,
        at: now,
        data: { diagnostic: CANCELLED },
      });
    }
    const mails = mailsOf(waiting, deps);
    if (mails > 0) giveBack(db, waiting, mails);
    record(db, named, message, { status: 'failed', scheduled_at: message.scheduled_at ?? now }, now);
    return { id: message.id, message_id: message.id, status: 'failed' };
  });

/** As far as the gates look that ask when it is to leave. */
const draftAgain = ({ message, recipients }: Waiting, scheduledAt: number): Draft => ({
  from: JSON.parse(message.from_json),
  to: recipients.map(({ address }) => ({ address: address as Mailbox['address'] })),
  cc: [],
  bcc: [],
  replyTo: [],
  subject: message.subject,
  text: null,
  html: null,
  route: null,
  kind: message.message_kind,
  tags: [],
  metadata: {},
  headers: [],
  attachments: [],
  settings: {},
  calendar: null,
  scheduledAt,
  shared: null,
});

const TIME_GATES: ReadonlySet<string> = new Set(['schedule', 'warmup_day', 'warmup_volume']);

/** What the gates say of the new time, and when it may leave. Throws their refusal. */
const passTimeGates = (db: TenantDb, deps: ScheduledDeps, waiting: Waiting, scheduledAt: number) => {
  const { message } = waiting;
  const draft = draftAgain(waiting, scheduledAt);
  const route = tenantStore(db).route(message.route_id);
  if (!route) throw new Error(`message ${message.seq} has lost its route`);
  const question = {
    source: message.source,
    projectId: message.project_id,
    route,
    content: null,
    now: deps.clock.now(),
  };
  // Whom a suppression has come to meanwhile is looked at when it leaves.
  const facts = { ...readFacts(db, draft, deps, question), suppressed: new Map() };
  const passage = passGates(draft, facts, { only: TIME_GATES });
  if (passage.refusal !== null) throw passage.refusal;
  return passage;
};

const decisionsWith = (kept: string, verdicts: readonly Verdict[]): string => {
  const anew = new Map(verdicts.map((verdict) => [verdict.gate, verdict]));
  return packDecisions(unpackDecisions(kept).map((decision) => anew.get(decision.gate) ?? decision));
};

/** `scheduledAt`: ms; a time that has passed means at once. */
export const reschedule = async (
  deps: ScheduledDeps,
  named: Named,
  scheduledAt: number,
): Promise<SendAnswer> => {
  const { tenantId } = named;
  const now = deps.clock.now();
  let woken: { lane: Lane; dueAt: number } = { lane: 0, dueAt: now };
  const release = await deps.holdDue(tenantId, now);
  try {
    const answer = await deps.files.write(tenantId, (db): SendAnswer => {
      const waiting = waitingMessage(db, named);
      const { message, recipients } = waiting;
      const { stream } = kinds[message.message_kind];
      const mails = mailsOf(waiting, deps);
      const counters = counterStore(db);
      // First: on its new day it must not stand in its own way.
      if (mails > 0) counters.addVolume(utcDay(waiting.dueAt), stream, -mails);
      const { verdicts, heldUntil } = passTimeGates(db, deps, waiting, scheduledAt);
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
      record(db, named, message, { status, scheduled_at: time }, now);
      woken = { lane: laneOf[stream], dueAt };
      return {
        id: message.id,
        message_id: message.id,
        status,
        ...(status === 'pending' ? { scheduled_at: toIso(time) } : {}),
      };
    });
    return answer;
  } finally {
    // Also after a failed sync: it may stand in the file all the same.
    deps.wake(tenantId, woken.lane, woken.dueAt);
    release();
  }
};
