// Works on imports. The file is first read as a whole, so that one that cannot be read leaves nothing behind. Then its rows are
// taken in short transactions, each of which also writes which row comes next and what has become of those before: a
// crash takes no row twice and leaves none out. At the end the file is removed; the record and what is reported of
// rows stay for a while (task.ts). Loaded with the first import.
//
// Mails that ask people to confirm go out slowly: many of an old list bounce, and the guardrail is to see that while there are
// few. A gate that refuses mail of the practice (warm-up, plan, a pause) makes the import wait.
import { setImmediate } from 'node:timers/promises';
import type { AudienceContext } from '#src/audience/context.ts';
import { listStore } from '#src/audience/lists/store.ts';
import type { AcceptHere } from '#src/intake/accept.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { AppError } from '#src/kernel/errors.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { addressText, mailboxOf, readHead, requireAddresses } from './columns.ts';
import {
  type AskedOfSubscribers,
  type AskedOfSuppressions,
  askedOf,
  type Counts,
  countsOf,
  type Progress,
  progressOf,
  reportedCount,
} from './job.ts';
import { type Part, placeIn, type ReadRow, readPart, readWindow } from './part.ts';
import type { Place, Row } from './read-rows.ts';
import { type Reason, reasonJson } from './reasons.ts';
import { type ImportRow, importStore } from './store.ts';
import {
  isReason,
  leftOutBy,
  type SubscriberLayout,
  type SubscriberLine,
  subscriberLayout,
} from './subscriber-line.ts';
import { importSubscriber, type RowResult } from './subscribers.ts';
import { type SuppressionLine, suppressionLayout } from './suppression-line.ts';
import { importSuppression } from './suppressions.ts';
import { UnreadableFile } from './unreadable.ts';

/** A transaction takes rows for so long, while the event loop waits. On a busy machine that would be few rows for one sync. */
const SLICE_MS = 8;
const SLICE_ROWS_AT_LEAST = 50;
/** An import is worked on for so long before others have a turn. */
const TURN_MS = 500;
/** Mails that ask to confirm: so many at once, and so long a pause for each, which are 20 in a minute. */
const ASKED_AT_ONCE = 10;
const PAUSE_PER_MAIL_MS = 3 * SECOND;
const LOOK_AGAIN_MS = 15 * MINUTE;
const MAX_REPORTED = 10_000;
const MAX_SHOWN_ADDRESS = 320;

const layoutOf = (row: ImportRow, rows: readonly Row[]): Progress['layout'] => {
  const { form, columns, file_name } = askedOf<AskedOfSubscribers | AskedOfSuppressions>(row);
  const head = requireAddresses(readHead(rows, columns, form === 'addresses' || form === 'vcard'), rows);
  return row.kind === 'subscribers' ? subscriberLayout(head, file_name) : suppressionLayout(head, file_name);
};

/** The people who have left by these rows: an earlier row that says otherwise of them is to be left out as well. */
const storeLeavers = async (
  { files, suppressionKey }: AudienceContext,
  tenantId: string,
  seq: number,
  rows: readonly Row[],
  layout: SubscriberLayout,
): Promise<void> => {
  if (layout.states.length === 0) return;
  const leavers = rows.flatMap(({ cells, line }) => {
    if (!leftOutBy(cells, layout)?.leaving) return [];
    const mailbox = mailboxOf(cells, layout.addresses);
    return isReason(mailbox)
      ? []
      : [{ person: addressHash(suppressionKey, tenantId, mailbox.address), line }];
  });
  if (leavers.length === 0) return;
  await files.write(tenantId, (db) => {
    for (const { person, line } of leavers) importStore(db).insertAddress(seq, person, line);
  });
};

interface Checked {
  readonly progress: Progress;
  readonly total: number;
}

/** Null where `signal` ended it. Throws UnreadableFile. */
const checkFile = async (
  context: AudienceContext,
  tenantId: string,
  row: ImportRow,
  signal: AbortSignal,
): Promise<Checked | null> => {
  let at: Place = { byte: 0, line: 1 };
  let progress: Progress | null = null;
  let total = 0;
  for (let isLast = false; !isLast; ) {
    if (signal.aborted) return null;
    const window: Awaited<ReturnType<typeof readWindow>> = await readWindow(
      context,
      tenantId,
      row.seq,
      at,
      progress?.delimiter ?? null,
    );
    const [first] = window.rows;
    let { rows } = window;
    if (progress === null && first !== undefined) {
      const layout = layoutOf(row, rows);
      const begin: Place = layout.hasHead ? first.end : window.begin;
      progress = { delimiter: window.delimiter, layout, at: begin, suppressible: 0 };
      if (layout.hasHead) rows = rows.slice(1);
    }
    total += rows.length;
    if (progress !== null && row.kind === 'subscribers')
      await storeLeavers(context, tenantId, row.seq, rows, progress.layout as SubscriberLayout);
    ({ end: at, isLast } = window);
    await setImmediate();
  }
  if (progress === null) throw new UnreadableFile(['empty']);
  return { progress, total };
};

/** Reads the file as a whole, and has the import begin; or fail, where it cannot be read. */
export const checkImport = async (
  context: AudienceContext,
  tenantId: string,
  row: ImportRow,
  signal: AbortSignal,
): Promise<void> => {
  const { files, clock } = context;
  const checked = await checkFile(context, tenantId, row, signal).catch((error: unknown) => {
    if (error instanceof UnreadableFile) return error;
    throw error;
  });
  if (checked === null) return;
  await files.write(tenantId, (db) => {
    const store = importStore(db);
    const present = store.bySeq(row.seq);
    if (present?.status !== 'pending') return;
    if (checked instanceof UnreadableFile) fail(db, present, checked.reason, clock.now());
    else {
      const progress_json = JSON.stringify(checked.progress);
      store.update({ ...present, status: 'running', progress_json, rows_total: checked.total });
    }
  });
};

const fail = (db: TenantDb, row: ImportRow, failure: Reason, now: number): void =>
  importStore(db).update({
    ...row,
    status: 'failed',
    failure: reasonJson(failure),
    finished_at: now,
    due_at: now,
  });

/** How a row of this import is taken, in this transaction; or why none is any more. */
const importerOf = (
  db: TenantDb,
  context: AudienceContext,
  accept: AcceptHere | null,
  job: ImportRow,
  now: number,
): ((row: ReadRow) => RowResult) | Reason => {
  if (job.kind === 'suppressions') {
    const asked = askedOf<AskedOfSuppressions>(job);
    return ({ read }) => {
      if (isReason(read)) return { outcome: read[0] === 'not_left' ? 'left_out' : 'failed', reason: read };
      return importSuppression(db, context.suppressionKey, asked, read as SuppressionLine, now);
    };
  }
  const asked = askedOf<AskedOfSubscribers>(job);
  const list = listStore(db).byId(asked.list_id);
  if (!list || list.archived_at !== null) return ['list_archived'];
  const one = { context, seq: job.seq, id: job.id, asked, list };
  return ({ read, person, row }) => {
    if (isReason(read)) return { outcome: 'failed', reason: read };
    return importSubscriber(db, one, accept, { ...(read as SubscriberLine), person, line: row.line }, now);
  };
};

const waitMs = ({ extra }: AppError): number =>
  typeof extra?.retry_after === 'number' ? extra.retry_after * 1_000 : LOOK_AGAIN_MS;

/** Takes rows of the part for a short while, in a transaction. How many of them are taken by then; null where the import has ended or waits. */
const takeRows = (
  db: TenantDb,
  context: AudienceContext,
  accept: AcceptHere | null,
  seq: number,
  part: Part,
  from: number,
): number | null => {
  const store = importStore(db);
  const job = store.bySeq(seq);
  const progress = job && progressOf(job);
  if (job?.status !== 'running' || !progress) return null;
  const now = context.clock.now();
  const take = importerOf(db, context, accept, job, now);
  if (isReason(take)) {
    fail(db, job, take, now);
    return null;
  }
  const until = performance.now() + SLICE_MS;
  const counts: Record<keyof Counts, number> = { ...countsOf(job) };
  let taken = from;
  let refusal: AppError | null = null;
  let asked = 0;
  let { suppressible } = progress;
  for (const one of part.rows.slice(from)) {
    const result = take(one);
    if (result.outcome === 'waits') {
      refusal = result.error;
      break;
    }
    const { outcome, reason, isErased = false } = result;
    if (result.isSuppressible) suppressible += 1;
    counts[outcome] += 1;
    if (reason !== undefined && reportedCount(counts) <= MAX_REPORTED) {
      const { cells, line } = one.row;
      const written = addressText(cells, progress.layout.addresses).slice(0, MAX_SHOWN_ADDRESS);
      const address = isErased ? null : written || null;
      store.insertFault({ import_seq: seq, line, address, outcome, reason: reasonJson(reason) });
    }
    taken += 1;
    if (accept !== null && outcome === 'added') asked += 1;
    if (asked >= ASKED_AT_ONCE || (taken - from >= SLICE_ROWS_AT_LEAST && performance.now() > until)) break;
  }
  const isDone = part.isLast && taken === part.rows.length;
  const pause = refusal ? waitMs(refusal) : asked * PAUSE_PER_MAIL_MS;
  const { delimiter, layout } = progress;
  const next: Progress = {
    ...{ delimiter, layout, suppressible, waits: refusal?.message ?? null },
    ...placeIn(part, taken),
  };
  store.update({
    ...job,
    status: isDone ? 'done' : 'running',
    progress_json: JSON.stringify(next),
    rows_done: job.rows_done + taken - from,
    counts_json: JSON.stringify(counts),
    due_at: isDone ? now : now + pause,
    finished_at: isDone ? now : null,
  });
  return isDone || pause > 0 ? null : taken;
};

/** Takes rows for a while. */
export const takeTurn = async (
  context: AudienceContext,
  tenantId: string,
  row: ImportRow,
  signal: AbortSignal,
): Promise<void> => {
  const { files, intake } = context;
  const checked = progressOf(row);
  if (!checked) throw new Error('an import runs whose file has not been checked');
  const asks = row.kind === 'subscribers' && askedOf<AskedOfSubscribers>(row).assertion === null;
  const transact = (
    work: (db: TenantDb, accept: AcceptHere | null) => number | null,
  ): Promise<number | null> =>
    asks ? intake.transact(tenantId, work) : files.write(tenantId, (db) => work(db, null));
  const until = performance.now() + TURN_MS;
  const { at, part: begun, ...found } = checked;
  let place: Pick<Progress, 'at' | 'part'> = { at, ...(begun && { part: begun }) };
  while (!signal.aborted && performance.now() < until) {
    const part: Part = await readPart(context, tenantId, row, { ...found, ...place });
    let taken: number | null = part.taken;
    do {
      const from: number = taken;
      taken = await transact((db, accept) => takeRows(db, context, accept, row.seq, part, from));
      if (taken === null) return;
    } while (taken < part.rows.length && !signal.aborted);
    place = placeIn(part, taken);
  }
};
