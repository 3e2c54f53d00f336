// Shows what an import of subscribers would make of a file, and stores nothing. It says what the file says of people; who has left
// here is left out by the import itself.
import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { Sendable } from '#src/audience/sendable.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import { addressKey } from '#src/mail/address.ts';
import { addressText, type Head, type NamedColumns, readHead, requireAddresses, textAt } from './columns.ts';
import type { OpenedFile } from './forms/open-file.ts';
import { beginningOf, inPieces, PIECE_BYTES, type Row, rowsIn } from './read-rows.ts';
import { type Reason, reasonText } from './reasons.ts';
import type { previewSchema, previewStates } from './schema.ts';
import { isReason, readSubscriber, type SubscriberLayout, subscriberLayout } from './subscriber-line.ts';
import { UnreadableFile } from './unreadable.ts';

/** More rows are imported, but not looked at here. */
const MAX_ROWS = 100_000;
/** Before others have a turn. */
const ROWS_AT_ONCE = 500;
const SHOWN_ROWS = 20;
const SHOWN_CELLS = 3;
const MAX_SHOWN = 80;
const MAX_SHOWN_ADDRESS = 320;
const MAX_SHOWN_COLUMNS = 500;
const MAX_REASONS = 50;

export type PreviewState = (typeof previewStates)[number];
type Preview = z.infer<typeof previewSchema>;

interface Asked {
  readonly columns: NamedColumns;
  readonly fileName: string | null;
  /** What those who are taken become. */
  readonly status: 'active' | 'pending';
  readonly sendable: Sendable;
}

interface Window {
  readonly rows: readonly Row[];
  readonly delimiter: string;
}

/** All rows, as many at a time as a piece of the file has. Throws UnreadableFile. */
async function* windowsOf({ parts }: OpenedFile): AsyncGenerator<Window> {
  let begin: ReturnType<typeof beginningOf> | null = null;
  let rest: Buffer = Buffer.alloc(0);
  const read = (isLast: boolean): Window => {
    begin ??= beginningOf(rest);
    const { delimiter, at } = begin;
    const { rows, end } = rowsIn(rest.subarray(at.byte), { byte: 0, line: at.line }, delimiter, isLast);
    rest = rest.subarray(at.byte + end.byte);
    begin = { delimiter, at: { byte: 0, line: end.line } };
    return { rows, delimiter };
  };
  for (const piece of inPieces(parts)) {
    // A row is in two pieces at the most.
    if (rest.length >= PIECE_BYTES) yield read(false);
    rest = Buffer.concat([rest, piece]);
    await setImmediate();
  }
  yield read(true);
}

interface Judged {
  state: PreviewState;
  reason: Reason | null;
  readonly isSuppressible: boolean;
}

const judge = (row: Row, layout: SubscriberLayout, { status, sendable }: Asked) => {
  const read = readSubscriber(row.cells, layout);
  if (isReason(read))
    return { state: 'failed' as const, reason: read, isSuppressible: false, person: null, name: null };
  const { leftOut, address, name } = read;
  const person = addressKey(address);
  if (!sendable.takes(address))
    return {
      state: 'failed' as const,
      reason: ['not_sendable'] as const,
      isSuppressible: false,
      person: null,
      name,
    };
  if (leftOut === null) return { state: status, reason: null, isSuppressible: false, person, name };
  return {
    state: 'left_out' as const,
    reason: leftOut.reason,
    isSuppressible: leftOut.leaving !== null,
    person,
    name,
  };
};

/** Reasons that differ only in a date or an address are one. */
const kindOf = (state: PreviewState, [code, column]: Reason): string =>
  JSON.stringify([
    state,
    code,
    code === 'left' || code === 'unknown' || code === 'unconfirmed' ? column : null,
  ]);

/** Collects what becomes of the rows. */
const createTally = (asked: Asked) => {
  const { status } = asked;
  const people = new Map<string, Judged & { readonly line: number }>();
  const all: Judged[] = [];
  const first: { line: number; address: string | null; name: string | null; judged: Judged }[] = [];
  return {
    count: () => all.length,
    add: (row: Row, layout: SubscriberLayout): void => {
      const { person, name, ...read } = judge(row, layout, asked);
      const known = person === null ? undefined : people.get(person);
      let judged: Judged = read;
      if (known && known.state === status && read.isSuppressible) {
        // The person has left by this row: the earlier one is not taken either.
        known.state = 'left_out';
        known.reason = ['left_at', row.line];
      } else if (known)
        judged = { state: 'duplicates', reason: ['duplicate', known.line], isSuppressible: false };
      if (person !== null && (!known || judged === read)) {
        const kept = Object.assign(judged, { line: row.line });
        people.set(person, kept);
      }
      all.push(judged);
      if (first.length >= SHOWN_ROWS) return;
      const address = addressText(row.cells, layout.addresses).slice(0, MAX_SHOWN_ADDRESS) || null;
      first.push({ line: row.line, address, name, judged });
    },
    sum: (language: MemberLanguage): Pick<Preview, 'counts' | 'reasons' | 'suppressible' | 'first'> => {
      const counts = { active: 0, pending: 0, left_out: 0, duplicates: 0, failed: 0 };
      const reasons = new Map<string, Preview['reasons'][number]>();
      for (const { state, reason } of all) {
        counts[state] += 1;
        if (reason === null) continue;
        const kind = kindOf(state, reason);
        const group = reasons.get(kind);
        if (group) group.count += 1;
        else if (reasons.size < MAX_REASONS)
          reasons.set(kind, { state, reason: reasonText(reason, language), count: 1 });
      }
      return {
        counts,
        reasons: [...reasons.values()].toSorted((a, b) => b.count - a.count),
        suppressible: all.filter(({ isSuppressible }) => isSuppressible).length,
        first: first.map(({ judged: { state, reason }, ...row }) => ({
          ...row,
          state,
          reason: reason && reasonText(reason, language),
        })),
      };
    },
  };
};

const columnsShown = (
  { columns }: Head,
  rows: readonly Row[],
  layout: SubscriberLayout | null,
): Preview['columns'] => {
  const names = new Map(layout?.fields);
  return columns.slice(0, MAX_SHOWN_COLUMNS).map(({ index, heading, role, score }) => ({
    number: index + 1,
    heading,
    role: role === 'value' && layout && !names.has(index) ? 'ignore' : role,
    score,
    value: names.get(index) ?? null,
    examples: rows
      .map((row) => textAt(row.cells, index).trim().slice(0, MAX_SHOWN))
      .filter((cell) => cell !== '')
      .slice(0, SHOWN_CELLS),
  }));
};

export const previewImport = async (
  opened: OpenedFile,
  asked: Asked,
  language: MemberLanguage,
): Promise<Preview> => {
  const isList = opened.form === 'addresses' || opened.form === 'vcard';
  const { columns, fileName, sendable } = asked;
  const tally = createTally(asked);
  let found: Pick<Preview, 'delimiter' | 'has_head' | 'columns'> = {
    delimiter: null,
    has_head: false,
    columns: [],
  };
  let layout: SubscriberLayout | null = null;
  let failure: string | null = null;
  let isComplete = true;
  try {
    for await (const window of windowsOf(opened)) {
      let { rows } = window;
      if (layout === null && rows.length > 0) {
        const head = readHead(rows, columns, isList);
        if (head.hasHead) rows = rows.slice(1);
        const delimiter = opened.form === 'table' ? window.delimiter : null;
        found = { delimiter, has_head: head.hasHead, columns: columnsShown(head, rows, null) };
        layout = subscriberLayout(requireAddresses(head, window.rows), fileName);
        found = { ...found, columns: columnsShown(head, rows, layout) };
      }
      if (layout === null) continue;
      const { addresses } = layout;
      await sendable.learn(rows.map(({ cells }) => addressText(cells, addresses)));
      for (const [index, row] of rows.slice(0, MAX_ROWS - tally.count()).entries()) {
        tally.add(row, layout);
        if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate();
      }
      isComplete = tally.count() < MAX_ROWS;
      if (!isComplete) break;
    }
    if (layout === null) throw new UnreadableFile(['empty']);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    failure = reasonText(error.reason, language);
  }
  return {
    form: opened.form,
    encoding: opened.encoding,
    ...found,
    rows: { read: tally.count(), is_complete: isComplete && failure === null },
    ...tally.sum(language),
    failure,
  };
};
