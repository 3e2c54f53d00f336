// Finds mail received by any combination of filters, newest first. The narrowest filter that has an index yields candidates, and
// each candidate is then compared with all filters. A text is searched for in all texts, one range of numbers after the other:
// a mailbox is bounded by its quota. A call blocks the event loop, so it ends when its time is over: the page stays short then,
// and the next call continues from there.
import { numbersOf } from '#src/kernel/db/numbers.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { foldFields, hasWord, typedWords } from '#src/kernel/typed-words.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { orderStore } from '#src/messages/order-store.ts';
import { threadStore } from '../desk/thread-store.ts';
import { assigneeOf } from '../desk/threads.ts';
import { type InboundRow, type InboundState, inboundStore } from '../store.ts';

/** Null: any. */
export interface MailFilter {
  /** The words of an address, a name or the subject, as they are typed. */
  readonly text: string | null;
  /** A part of the sender's address or name. */
  readonly from: string | null;
  /** A part of a recipient's address or name. */
  readonly to: string | null;
  readonly state: InboundState | null;
  readonly read: boolean | null;
  readonly threadId: string | null;
  /** Id of the member who has the conversation; `none`: no one has it. */
  readonly assignee: string | null;
  /** Whether the conversation is done. */
  readonly done: boolean | null;
  readonly replyToSeq: number | null;
  readonly receivedFrom: number | null;
  readonly receivedBefore: number | null;
}

export interface MailPage {
  readonly rows: InboundRow[];
  /** The next page has the mails before this number; null: nothing older is left. */
  readonly before: number | null;
}

/** See `MailFilter.assignee`. */
const NO_ONE = 'none';
/** A statement that has begun then takes some more. */
const BUDGET_MS = 12;
/** The characters of the rows of a page: a sender may name hundreds of people and mails in each, and all are shown. */
const MAX_CHARACTERS = 1_000_000;
/** Candidates that one statement finds. */
const CANDIDATES = 512;
/** How many numbers one statement covers where it reads texts, which have at most 16 KiB each. */
const TEXTS = 256;
/** The same where it looks at the conversation of each mail. */
const THREADS = 2_048;

interface Range {
  readonly before: number;
  readonly from: number;
}

interface Source {
  /** Numbers of candidates in the range, newest first. */
  readonly candidates: (range: Range) => readonly number[];
  /** How many numbers one call may cover. */
  readonly reach: number;
  /** Whether there may be more candidates in the range than one call yields. */
  readonly isCut: (found: number) => boolean;
}

const wordsOf = (...people: readonly Mailbox[]): string[] =>
  people.flatMap(({ address, name }) => [address, name ?? '']);

const hasAll = (typed: readonly string[], text: () => string): boolean => {
  if (typed.length === 0) return true;
  const searched = text();
  return typed.every((word) => hasWord(searched, word));
};

const isSentBy = (row: InboundRow, typed: readonly string[]): boolean =>
  hasAll(typed, () => {
    const from: Mailbox | null = JSON.parse(row.from_json);
    return from === null ? '' : foldFields(wordsOf(from));
  });

const isSentTo = (row: InboundRow, typed: readonly string[]): boolean =>
  hasAll(typed, () =>
    foldFields([
      ...(JSON.parse(row.recipients_json) as string[]),
      ...wordsOf(...JSON.parse(row.to_json), ...JSON.parse(row.cc_json)),
    ]),
  );

const lengthOf = ({ to_json, cc_json, references_json }: InboundRow): number =>
  to_json.length + cc_json.length + references_json.length;

const isOneOf = <T>(wanted: T | null, value: T): boolean => wanted === null || wanted === value;

const receivedOrderStore = orderStore('inbound_messages', 'received_at');

export const mailFindStore = perConnection((db: TenantDb) => {
  const order = receivedOrderStore(db);
  const numbers = numbersOf(db, 'inbound_messages');
  const store = inboundStore(db);
  const oldest = db.prepare<[], number | null>('SELECT min(seq) FROM inbound_messages').pluck();
  const textOf = db.prepare<[number], string>('SELECT text FROM inbound_texts WHERE message_seq = ?').pluck();
  const byText = db
    .prepare<Range & { part: string }, number>(
      `SELECT message_seq FROM inbound_texts
       WHERE message_seq < :before AND message_seq >= :from AND instr(text, :part) > 0
       ORDER BY message_seq DESC`,
    )
    .pluck();
  const where = (condition: string) => {
    const found = db
      .prepare<Range & { value: string | number | null }, number>(
        `SELECT seq FROM inbound_messages WHERE ${condition} AND seq < :before AND seq >= :from
         ORDER BY seq DESC LIMIT ${CANDIDATES}`,
      )
      .pluck();
    return (value: string | number | null): Source => ({
      candidates: (range) => found.all({ ...range, value }),
      reach: Number.POSITIVE_INFINITY,
      isCut: (count) => count === CANDIDATES,
    });
  };
  const ofThread = where('thread_id = :value');
  const answersOf = where('reply_to_seq = :value');
  const ofState = where('state = :value');
  const unread = where('read_at IS NULL');
  const all = where('1');
  const ofDesk = (condition: string) => {
    const found = db
      .prepare<Range & { value: string | null }, number>(
        `SELECT seq FROM inbound_messages AS mail
         WHERE seq < :before AND seq >= :from AND EXISTS (
           SELECT 1 FROM inbound_threads AS thread WHERE thread.thread_id = mail.thread_id AND ${condition}
         ) ORDER BY seq DESC`,
      )
      .pluck();
    return (value: string | null): Source => ({
      candidates: (range) => found.all({ ...range, value }),
      reach: THREADS,
      isCut: () => false,
    });
  };
  const assignedTo = ofDesk('thread.assignee_id = :value');
  const doneOnes = ofDesk('thread.done_at IS NOT :value');
  const withText = (part: string): Source => ({
    candidates: (range) => byText.all({ ...range, part }),
    reach: TEXTS,
    isCut: () => false,
  });

  const sourceOf = (filter: MailFilter, words: readonly string[]): Source => {
    const { threadId, replyToSeq, state, read, assignee, done } = filter;
    const [part = ''] = words.toSorted((one, other) => other.length - one.length);
    if (threadId !== null) return ofThread(threadId);
    if (replyToSeq !== null) return answersOf(replyToSeq);
    if (state !== null && state !== 'inbox') return ofState(state);
    if (assignee !== null && assignee !== NO_ONE) return assignedTo(assignee);
    if (done === true) return doneOnes(null);
    if (read === false) return unread(null);
    return part === '' ? all(null) : withText(part);
  };

  return {
    /** Returns at most `limit` mails before number `before`; maybe fewer, even none, although more are left. */
    find: (filter: MailFilter, before: number | null, limit: number, budgetMs = BUDGET_MS): MailPage => {
      const { receivedFrom, receivedBefore, state, read, threadId, replyToSeq, assignee, done } = filter;
      const end = performance.now() + budgetMs;
      const text = typedWords(filter.text ?? '');
      const sender = typedWords(filter.from ?? '');
      const recipient = typedWords(filter.to ?? '');
      const words = [...text, ...sender, ...recipient];
      const from = Math.max(oldest.get() ?? 1, receivedFrom === null ? 1 : order.firstSince(receivedFrom));
      const until = receivedBefore === null ? order.newest() + 1 : order.firstSince(receivedBefore);
      const isOfDesk = ({ thread_id }: InboundRow): boolean => {
        if (assignee === null && done === null) return true;
        const thread = threadStore(db).get(thread_id);
        return (
          isOneOf(done, thread.done_at !== null) && isOneOf(assignee, assigneeOf(db, thread)?.id ?? NO_ONE)
        );
      };
      // The clock may have been set back between two mails, so the row decides.
      const isWanted = (row: InboundRow): boolean =>
        isOneOf(state, row.state) &&
        isOneOf(read, row.read_at !== null) &&
        isOneOf(threadId, row.thread_id) &&
        isOneOf(replyToSeq, row.reply_to_seq) &&
        (receivedFrom === null || row.received_at >= receivedFrom) &&
        (receivedBefore === null || row.received_at < receivedBefore) &&
        isOfDesk(row) &&
        hasAll(text, () => textOf.get(row.seq) ?? '') &&
        isSentBy(row, sender) &&
        isSentTo(row, recipient);

      const source = sourceOf(filter, words);
      const rows: InboundRow[] = [];
      let characters = 0;
      let position = Math.min(before ?? until, until);
      while (position > from) {
        const reached = Math.max(from, position - source.reach);
        const candidates = source.candidates({ before: position, from: reached });
        for (const seq of candidates) {
          const row = store.bySeq(seq);
          if (row && isWanted(row)) {
            // One more row than requested shows whether there is a next page.
            if (rows.push(row) > limit)
              return { rows: rows.slice(0, limit), before: rows[limit - 1]?.seq ?? null };
            characters += lengthOf(row);
          }
          if (characters >= MAX_CHARACTERS || performance.now() >= end) return { rows, before: seq };
        }
        position = source.isCut(candidates.length)
          ? (candidates.at(-1) ?? reached)
          : Math.max(from, numbers.endBefore(reached));
        if (performance.now() >= end) break;
      }
      return { rows, before: position > from ? position : null };
    },
  };
});
