// Tickets and their steps in platform.db.
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';
import type { Language } from '#src/kernel/language.ts';
import type { Stage } from './rules.ts';

/** A ticket without its long texts, as lists need it. */
export interface TicketSummaryRow {
  seq: number;
  id: string;
  stage: Stage;
  reporter_email: string;
  reporter_name: string | null;
  language: Language;
  subject: string;
  tenant_id: string | null;
  created_at: number;
  updated_at: number;
}

export interface TicketRow extends TicketSummaryRow {
  reporter_key: string;
  description: string;
  source_bytes: number | null;
}

export interface StepRow {
  ticket_id: string;
  stage: Stage;
  note: string | null;
  at: number;
}

type TicketChange = Pick<TicketRow, 'id' | 'stage' | 'tenant_id' | 'updated_at'>;
type PageOf = { before: number; limit: number };

const SUMMARY =
  'seq, id, stage, reporter_email, reporter_name, language, subject, tenant_id, created_at, updated_at';

export const ticketStore = perConnection((db: PlatformDb) => {
  const insert = db.prepare<Omit<TicketRow, 'seq'>>(
    `INSERT INTO abuse_tickets (id, stage, reporter_email, reporter_key, reporter_name, language, subject,
                                description, source_bytes, tenant_id, created_at, updated_at)
     VALUES (:id, :stage, :reporter_email, :reporter_key, :reporter_name, :language, :subject,
             :description, :source_bytes, :tenant_id, :created_at, :updated_at)`,
  );
  const get = db.prepare<[string], TicketRow>('SELECT * FROM abuse_tickets WHERE id = ?');
  const change = db.prepare<TicketChange>(
    'UPDATE abuse_tickets SET stage = :stage, tenant_id = :tenant_id, updated_at = :updated_at WHERE id = :id',
  );
  const countOpen = db.prepare<[], number>("SELECT count(*) FROM abuse_tickets WHERE stage = 'open'").pluck();
  const countOpenOf = db
    .prepare<[string], number>("SELECT count(*) FROM abuse_tickets WHERE reporter_key = ? AND stage = 'open'")
    .pluck();
  const list = db.prepare<PageOf, TicketSummaryRow>(
    `SELECT ${SUMMARY} FROM abuse_tickets WHERE seq < :before ORDER BY seq DESC LIMIT :limit`,
  );
  const listStage = db.prepare<PageOf & { stage: Stage }, TicketSummaryRow>(
    `SELECT ${SUMMARY} FROM abuse_tickets WHERE stage = :stage AND seq < :before ORDER BY seq DESC LIMIT :limit`,
  );
  const insertStep = db.prepare<StepRow>(
    'INSERT INTO abuse_ticket_steps (ticket_id, stage, note, at) VALUES (:ticket_id, :stage, :note, :at)',
  );
  const steps = db.prepare<[string], StepRow>(
    'SELECT ticket_id, stage, note, at FROM abuse_ticket_steps WHERE ticket_id = ? ORDER BY seq',
  );
  const removeClosed = db.prepare<[number, number]>(
    `DELETE FROM abuse_tickets WHERE seq IN
     (SELECT seq FROM abuse_tickets WHERE stage = 'closed' AND updated_at < ? ORDER BY seq LIMIT ?)`,
  );
  const removeSources = db
    .prepare<[number, number], string>(
      `DELETE FROM abuse_ticket_sources WHERE ticket_id IN
       (SELECT id FROM abuse_tickets WHERE stage = 'closed' AND updated_at < ? AND source_bytes IS NOT NULL
        ORDER BY seq LIMIT ?)
       RETURNING ticket_id`,
    )
    .pluck();
  const clearSourceBytes = db.prepare<[string]>('UPDATE abuse_tickets SET source_bytes = NULL WHERE id = ?');
  const insertSource = db.prepare<[string, Uint8Array]>(
    'INSERT INTO abuse_ticket_sources (ticket_id, content) VALUES (?, ?)',
  );
  const source = db
    .prepare<[string], Buffer>('SELECT content FROM abuse_ticket_sources WHERE ticket_id = ?')
    .pluck();
  const sourceBytes = db
    .prepare<[], number>('SELECT coalesce(sum(source_bytes), 0) FROM abuse_tickets')
    .pluck();
  const practice = db
    .prepare<[string], number>(
      "SELECT 1 FROM tenants WHERE id = ? AND state = 'active' AND purpose = 'practice'",
    )
    .pluck();
  return {
    /** Returns its position in the list. */
    insert: (row: Omit<TicketRow, 'seq'>): number => Number(insert.run(row).lastInsertRowid),
    get: (id: string): TicketRow | undefined => get.get(id),
    change: (row: TicketChange): void => {
      change.run(row);
    },
    countOpen: (): number => countOpen.get() ?? 0,
    countOpenOf: (reporterKey: string): number => countOpenOf.get(reporterKey) ?? 0,
    /** Newest first. */
    list: (
      { stage, before }: { readonly stage: Stage | null; readonly before: number | null },
      limit: number,
    ): TicketSummaryRow[] => {
      const page = { before: before ?? Number.MAX_SAFE_INTEGER, limit };
      return stage === null ? list.all(page) : listStage.all({ ...page, stage });
    },
    insertStep: (row: StepRow): void => {
      insertStep.run(row);
    },
    /** Oldest first. */
    steps: (ticketId: string): StepRow[] => steps.all(ticketId),
    insertSource: (ticketId: string, content: Uint8Array): void => {
      insertSource.run(ticketId, content);
    },
    /** The reported mail. */
    source: (ticketId: string): Buffer | undefined => source.get(ticketId),
    /** The sum over all tickets. */
    sourceBytes: (): number => sourceBytes.get() ?? 0,
    /** Removes at most `limit` closed tickets with their steps and sources; returns how many. */
    removeClosed: (changedBefore: number, limit: number): number =>
      removeClosed.run(changedBefore, limit).changes,
    /** The mails of closed tickets, which stay, at most `limit`; returns how many. */
    removeSources: (changedBefore: number, limit: number): number => {
      const ids = removeSources.all(changedBefore, limit);
      for (const id of ids) clearSourceBytes.run(id);
      return ids.length;
    },
    /** Whether there is a practice that a ticket may be about. */
    isPractice: (id: string): boolean => practice.get(id) !== undefined,
  };
});
