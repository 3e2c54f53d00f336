// What an answer to a report or a click promises, looked for in the practice's file. What others have done since is read from the file
// itself: events, audit and ledger say what was taken back. All of it is one promise of the book, so that many cost little: it is looked
// at after each start, now and then, and in the end.
import type Database from 'better-sqlite3';
import { GAP } from '#src/kernel/db/leave-gap.ts';
import type { Book, Practice, Scene } from '../scene.ts';
import { homeOf } from '../truths/homes.ts';
import { row, rows, value } from '../truths/sql.ts';
import { inFile, type Letter, SIMULATOR } from './receiving-letters.ts';

/** How the file was when something was asked for: what a restore takes back since is promised no more. */
export interface Asking {
  readonly practice: Practice;
  readonly at: number;
  /** How often it was restored; null: it was nowhere to be had. */
  readonly gaps: number | null;
  /** The last entry of the ledger. */
  readonly head: number;
}

interface Entry extends Asking {
  readonly what: string;
  /** Throws where it is not so. */
  readonly holds: (db: Database.Database) => void;
}

interface Promises {
  readonly entries: Map<string, Entry>;
  generation: number;
  step: number;
}

/** Faults that are found only by looking again are found in the end, too. */
const LOOKED_AT_EVERY = 100;
const RECIPIENTS = "SELECT seq FROM sqlite_sequence WHERE name = 'recipients'";

const gapsIn = (db: Database.Database): number => Math.floor((value<number>(db, RECIPIENTS) ?? 0) / GAP);

export const beginAsking = (scene: Scene, practice: Practice): Asking => ({
  practice,
  at: scene.now(),
  gaps: inFile(scene, practice, gapsIn) ?? null,
  head:
    inFile(scene, practice, (db) => value<number>(db, 'SELECT coalesce(max(seq), 0) FROM consent_entries')) ??
    -1,
});

const checkAll = (scene: Scene, { entries }: Promises): void => {
  const byPractice = Map.groupBy(entries, ([, { practice }]) => practice);
  for (const [practice, ofIt] of byPractice)
    homeOf(scene, practice.id)?.look(practice.id, (db) => {
      const gaps = gapsIn(db);
      for (const [what, { gaps: before, holds }] of ofIt)
        if (gaps === before) holds(db);
        else entries.delete(what);
    });
};

const all = new WeakMap<Book, Promises>();

const promisesOf = (scene: Scene): Promises => {
  const { book, service } = scene;
  const known = all.get(book);
  if (known !== undefined) return known;
  const promises: Promises = { entries: new Map(), generation: service.generation(), step: scene.step() };
  all.set(book, promises);
  book.promised('what those who receive were told', (now) => {
    const isDue =
      now.service.generation() !== promises.generation || now.step() >= promises.step + LOOKED_AT_EVERY;
    if (!isDue) return;
    promises.generation = now.service.generation();
    promises.step = now.step();
    checkAll(now, promises);
  });
  return promises;
};

/** `holds` is called at once, too: what is answered is in the file already. It has to be said of the practice in the same words each time. */
export const promise = (scene: Scene, asking: Asking, words: string, holds: Entry['holds']): void => {
  const { practice, gaps } = asking;
  if (gaps === null) return;
  const what = `${practice.slug}: ${words}`;
  const entry: Entry = {
    ...asking,
    what,
    holds: (db) => {
      try {
        holds(db);
      } catch (error) {
        throw new Error(`${what}: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
    },
  };
  inFile(scene, practice, (db) => {
    if (gapsIn(db) === gaps) entry.holds(db);
  });
  const { entries } = promisesOf(scene);
  if (!entries.has(what)) entries.set(what, entry);
};

export type OutcomeEvent =
  | 'message.hard_bounced'
  | 'message.soft_bounced'
  | 'message.delivery_delayed'
  | 'message.delivered'
  | 'message.spam_complaint'
  | 'message.auto_replied'
  | 'message.unsubscribed';

/** Those of our own attempts have a number; the others were reported. */
const EVENTS = `SELECT count(*) FILTER (WHERE coalesce(data_json ->> '$.repeated', 0) = 0) AS first,
    count(*) FILTER (WHERE data_json ->> '$.attempt' IS NULL) AS reported
  FROM events WHERE message_seq = (SELECT message_seq FROM recipients WHERE id = ?) AND recipient_id = ? AND type = ?`;

interface Heard {
  readonly first: number;
  readonly reported: number;
}

/** A complaint of someone who has proved who they are is news after one of someone who has not. */
const mostReports = (type: OutcomeEvent): number => (type === 'message.spam_complaint' ? 2 : 1);

/** `once`: what was reported before changes nothing. */
export const promiseEvent = (
  scene: Scene,
  asking: Asking,
  { recipientId }: Letter,
  type: OutcomeEvent,
  often: 'once' | 'at least once' = 'once',
): void =>
  promise(scene, asking, `${type} of recipient ${recipientId} is in the log ${often}`, (db) => {
    const { first, reported } = row<Heard>(db, EVENTS, recipientId, recipientId, type) as Heard;
    if (first === 0 || (often === 'once' && (first > 1 || reported > mostReports(type))))
      throw new Error(`it is there ${first} times for the first time, and was reported ${reported} times`);
  });

const COPIED = `SELECT recipients.address, route_id, source FROM recipients
  JOIN messages ON messages.seq = message_seq WHERE recipients.id = ?`;
const SUPPRESSED = `SELECT id, lifted_json FROM suppressions
  WHERE address = ? COLLATE NOCASE AND (scope = 'team' OR route_id = ?) ORDER BY lifted_json IS NOT NULL, scope = 'team' DESC`;
const KEPT = 'SELECT id, lifted_json FROM suppressions WHERE id = ?';
const WAS_REMOVED = `SELECT 1 FROM events WHERE type = 'suppression.removed'
  AND (data_json ->> '$.suppression.id' = ? OR (at >= ? AND data_json ->> '$.suppression.address' = ?)) LIMIT 1`;
/** It was lifted for a channel, and holds again since. */
const WAS_ADDED_AGAIN = `SELECT 1 FROM events WHERE type = 'suppression.added'
  AND at > ? AND data_json ->> '$.suppression.id' = ? LIMIT 1`;
/** Confirmation mails that someone asked for are sent in spite of an unsubscription, and the service's own mail knows none. */
const SENT_SINCE = `SELECT messages.id FROM messages JOIN recipients ON message_seq = messages.seq
  WHERE recipients.address = ? COLLATE NOCASE AND messages.created_at > ? AND recipients.attempts > 0
    AND messages.source NOT IN ('form', 'system') AND (? IS NULL OR route_id = ?) LIMIT 1`;

interface Suppressed {
  readonly id: string;
  readonly lifted_json: string | null;
}
interface Copied {
  readonly address: string;
  readonly route_id: string;
  readonly source: string;
}

/**
 * At an answer after which the letter's recipient gets no more mail of the practice, or of the letter's route: it is suppressed, stays so
 * until someone takes that back, and no message that is accepted from then on is handed over.
 */
export const promiseSuppression = (
  scene: Scene,
  asking: Asking,
  { recipientId, address: named }: Letter,
  scope: 'team' | 'route',
): void => {
  const { practice, at: asked } = asking;
  if (named.endsWith(`@${SIMULATOR}`)) return;
  const copied = inFile(scene, practice, (db) => row<Copied>(db, COPIED, recipientId));
  // An erasure or a retention period has taken the address.
  if (copied === undefined || !copied.address.includes('@') || copied.source === 'system') return;
  const { address } = copied;
  const route = scope === 'route' ? copied.route_id : null;
  const [found] = inFile(scene, practice, (db) => rows<Suppressed>(db, SUPPRESSED, address, route)) ?? [];
  if (found === undefined) {
    promise(scene, asking, `${address} was suppressed after ${asked}`, (db) => {
      if (value(db, WAS_REMOVED, '', asked, address) === undefined && !isBeingErased(db, asked))
        throw new Error('there is no suppression, and nothing says that one was removed');
    });
    return;
  }
  const noted = scene.now();
  const { id } = found;
  const words = `the suppression ${id} of ${address} stays, and no message that is accepted later leaves`;
  promise(scene, asking, words, (db) => {
    const kept = row<Suppressed>(db, KEPT, id);
    if (kept === undefined) {
      if (value(db, WAS_REMOVED, id, noted, address) === undefined)
        throw new Error('it is gone, and no event says that it was removed');
      return;
    }
    if (found.lifted_json !== null || kept.lifted_json !== null) return;
    if (value(db, WAS_ADDED_AGAIN, noted, id) !== undefined) return;
    const left = value<string>(db, SENT_SINCE, address, noted, route, route);
    if (left !== undefined) throw new Error(`message ${left} was handed over`);
  });
};

/** Someone is being erased, or was since then; whom, the file does not say. */
export const isBeingErased = (db: Database.Database, since: number): boolean =>
  value(db, 'SELECT 1 FROM erasures WHERE finished_at IS NULL OR finished_at >= ? LIMIT 1', since) !==
  undefined;

const AUDIENCE_CURSOR = "SELECT seq FROM event_cursors WHERE follower = 'audience'";
const STILL_ON = `SELECT consent_seq FROM subscribers JOIN lists ON lists.seq = list_seq
  WHERE address = ? COLLATE NOCASE AND status = 'active' AND consent_seq <= ? AND (? IS NULL OR lists.id = ?) LIMIT 1`;

/**
 * Who has left is on no list by a consent from before the request. `listId`: of that one; null: of all. `byLog`: it follows from the log,
 * once that has been read so far.
 */
export const promiseLeft = (
  scene: Scene,
  asking: Asking,
  { address }: Letter,
  listId: string | null,
  byLog: boolean,
): void => {
  const { practice, head } = asking;
  const until = byLog
    ? (inFile(scene, practice, (db) => value<number>(db, 'SELECT coalesce(max(seq), 0) FROM events')) ??
      Number.POSITIVE_INFINITY)
    : 0;
  promise(scene, asking, `${address} has left ${listId ?? 'all lists'}, on which it was by ${head}`, (db) => {
    if (byLog && (value<number>(db, AUDIENCE_CURSOR) ?? 0) < until) return;
    const consent = value<number>(db, STILL_ON, address, head, listId, listId);
    if (consent !== undefined) throw new Error(`it is on one by entry ${consent}`);
  });
};
