// A report becomes a ticket, the operator takes it through its stages, and the reporter gets a mail at each: ticket, step,
// audit and notice are written in one transaction of platform.db. Closed tickets are removed after some time, and the mails
// in them earlier, because they hold addresses and mails of people who only reported something.
import type { Notices } from '#src/accounts/mails/outbox.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Language } from '#src/kernel/language.ts';
import { clientKey, type RateCheck } from '#src/kernel/rate-limit.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, DAY, HOUR, SECOND } from '#src/kernel/time.ts';
import {
  hasRoomFor,
  MAX_OPEN_PER_REPORTER,
  moveTo,
  SOURCE_KEPT_MS,
  type Stage,
  stageAfter,
  whyFull,
} from './rules.ts';
import type { Report, TicketPatch } from './schema.ts';
import { type StepRow, type TicketRow, ticketStore } from './store.ts';

export interface TicketDeps {
  readonly platform: DurableFile<PlatformDb>;
  readonly notices: Notices;
  readonly limitEmail: RateCheck;
  /** Counts the bytes that each client stores. */
  readonly limitSources: RateCheck;
  readonly clock: Clock;
}

export interface Ticket {
  readonly row: TicketRow;
  readonly steps: readonly StepRow[];
}

/** A mail about a stage is useless after this time, because the ticket has most likely reached a later one. */
const NOTICE_LIFE_MS = 7 * DAY;
const FULL_RETRY_SECONDS = HOUR / SECOND;

const requireRoom = (db: PlatformDb, reporterKey: string, sourceBytes: number): void => {
  const store = ticketStore(db);
  const full = whyFull(store.countOpen(), store.countOpenOf(reporterKey));
  if (full === 'service')
    throw new AppError('unavailable', say`Too many reports wait to be looked at.`, {
      extra: { retry_after: FULL_RETRY_SECONDS },
    });
  if (full === 'reporter')
    throw new AppError(
      'rate_limited',
      say`${MAX_OPEN_PER_REPORTER} reports from this address wait to be looked at.`,
      {
        hint: say`Wait until the operator has looked at some of them.`,
        extra: { retry_after: FULL_RETRY_SECONDS },
      },
    );
  if (sourceBytes > 0 && !hasRoomFor(sourceBytes, store.sourceBytes()))
    throw new AppError('unavailable', say`There is no room for the reported mail at the moment.`, {
      hint: say`Send the report without it, and say in the description what it says.`,
      extra: { retry_after: FULL_RETRY_SECONDS },
    });
};

/** Writes the step and the mail to the reporter. */
const reach = (deps: TicketDeps, db: PlatformDb, row: TicketRow, note: string | null, now: number): void => {
  ticketStore(db).insertStep({ ticket_id: row.id, stage: row.stage, note, at: now });
  deps.notices.enqueue(
    db,
    {
      kind: 'abuse_ticket',
      ticketId: row.id,
      stage: row.stage,
      to: row.reporter_email,
      language: row.language,
      expiresAfter: now + NOTICE_LIFE_MS,
    },
    now,
  );
};

/** The octets as they came: the mail of others need not be UTF-8. */
const bytesOf = async (source: string | File | undefined): Promise<Uint8Array | null> => {
  if (source === undefined || source === '') return null;
  return typeof source === 'string' ? Buffer.from(source) : new Uint8Array(await source.arrayBuffer());
};

export interface Reporter {
  readonly language: Language;
  readonly clientAddress: string;
}

/** Resolves with the ticket's id. Throws `rate_limited` and `unavailable`. */
export const openTicket = async (
  deps: TicketDeps,
  report: Report,
  { language, clientAddress }: Reporter,
): Promise<string> => {
  const { email, emailKey } = report.email;
  deps.limitEmail(emailKey);
  const id = newId();
  const source = await bytesOf(report.source);
  if (source) deps.limitSources(clientKey(clientAddress), source.length);
  await deps.platform.write((db) => {
    requireRoom(db, emailKey, source?.length ?? 0);
    const now = deps.clock.now();
    const row: Omit<TicketRow, 'seq'> = {
      id,
      stage: 'open',
      reporter_email: email,
      reporter_key: emailKey,
      reporter_name: report.name ?? null,
      language,
      subject: report.subject,
      description: report.description,
      source_bytes: source?.length ?? null,
      tenant_id: null,
      created_at: now,
      updated_at: now,
    };
    reach(deps, db, { ...row, seq: ticketStore(db).insert(row) }, null, now);
    if (source) ticketStore(db).insertSource(id, source);
  });
  deps.notices.wake();
  return id;
};

/** Throws `not_found`. */
export const getTicket = (db: PlatformDb, id: string): Ticket => {
  const row = ticketStore(db).get(id);
  if (!row) throw new AppError('not_found', say`There is no such ticket.`);
  return { row, steps: ticketStore(db).steps(id) };
};

/** Throws `not_found` for the ticket, and where no mail came with the report. */
export const getSource = (db: PlatformDb, id: string): Buffer => {
  const source = ticketStore(db).source(getTicket(db, id).row.id);
  if (!source) throw new AppError('not_found', say`No mail came with this report, or it was removed since.`);
  return source;
};

const refusedMove = (from: Stage, to: Stage): AppError => {
  const after = stageAfter(from);
  return new AppError('conflict', say`A ticket that is \`${from}\` cannot become \`${to}\`.`, {
    hint: after === null ? say`A closed ticket stays closed.` : say`The next stage is \`${after}\`.`,
  });
};

const isReached = (from: Stage, to: Stage): boolean => {
  const move = moveTo(from, to);
  if (move === 'refused') throw refusedMove(from, to);
  return move === 'reached';
};

/** Throws `not_found` for the ticket and the practice, `conflict` where the stage is not the next one. */
export const updateTicket = async (
  deps: TicketDeps,
  id: string,
  patch: TicketPatch,
  change: Change,
): Promise<Ticket> => {
  const ticket = await deps.platform.write((db) => {
    const now = deps.clock.now();
    const { row: before } = getTicket(db, id);
    const { stage = before.stage, note = null, practice_id: practiceId = before.tenant_id } = patch;
    const reached = isReached(before.stage, stage);
    if (practiceId !== null && practiceId !== before.tenant_id && !ticketStore(db).isPractice(practiceId))
      throw new AppError('not_found', say`There is no such practice.`);
    const row: TicketRow = { ...before, stage, tenant_id: practiceId, updated_at: now };
    if (reached) reach(deps, db, row, note, now);
    else if (note !== null) ticketStore(db).insertStep({ ticket_id: id, stage, note, at: now });
    if (reached || note !== null || practiceId !== before.tenant_id) ticketStore(db).change(row);
    // The audit is kept for years, so texts by strangers stay out of it.
    auditStore(db).record(
      change,
      {
        target: { type: 'abuse_ticket', id },
        before: { stage: before.stage, practice_id: before.tenant_id },
        after: { stage, practice_id: practiceId, ...(note === null ? {} : { note }) },
      },
      now,
    );
    return getTicket(db, id);
  });
  deps.notices.wake();
  return ticket;
};

/** Each may hold a mail of 10 MiB. */
const TICKETS_PER_TRANSACTION = 10;

/** `keep`: how long a closed ticket is kept after its last change, ms. */
export const ticketRetentionJob = (
  platform: DurableFile<PlatformDb>,
  keep: () => number,
  clock: Clock,
): Job => ({
  name: 'remove old abuse tickets',
  schedule: '27 3 * * *',
  run: async (signal) => {
    const removeBefore = async (what: 'removeClosed' | 'removeSources', before: number): Promise<void> => {
      for (let removed = TICKETS_PER_TRANSACTION; removed === TICKETS_PER_TRANSACTION && !signal.aborted; )
        removed = await platform.write((db) => ticketStore(db)[what](before, TICKETS_PER_TRANSACTION));
    };
    await removeBefore('removeClosed', clock.now() - keep());
    await removeBefore('removeSources', clock.now() - SOURCE_KEPT_MS);
  },
});
