// What an answer to a report or a click promises, looked for in the practice's file at each quiet time. A promise begins with the id of
// its practice. What others have done since is read from the file itself: events, audit and ledger say what was taken back, and by whom.
import type { Practice, Scene } from '../scene.ts';
import { hostOf, type Letter, SIMULATOR, valueIn } from './receiving-letters.ts';

export type OutcomeEvent =
  | 'message.hard_bounced'
  | 'message.soft_bounced'
  | 'message.delivery_delayed'
  | 'message.delivered'
  | 'message.spam_complaint'
  | 'message.auto_replied'
  | 'message.unsubscribed';

const COUNT_EVENTS = `SELECT count(*) FROM events
  WHERE message_seq = (SELECT message_seq FROM recipients WHERE id = ?) AND recipient_id = ? AND type = ?
    AND coalesce(data_json ->> '$.repeated', 0) = 0`;

/** `once`: what was reported before changes nothing. */
export const promiseEvent = (
  scene: Scene,
  { practice, recipientId }: Letter,
  type: OutcomeEvent,
  often: 'once' | 'at least once' = 'once',
): void => {
  const what = `${practice.id}: ${type} of recipient ${recipientId} is in the log ${often}`;
  const holds = (now: Scene): void => {
    const count = valueIn<number>(now, practice, COUNT_EVENTS, recipientId, recipientId, type);
    if (count === 0 || (often === 'once' && (count ?? 0) > 1)) throw new Error(`${what}, but ${count} times`);
  };
  holds(scene);
  scene.book.promised(what, holds);
};

const RECIPIENT = `SELECT recipients.address, route_id, source FROM recipients
  JOIN messages ON messages.seq = message_seq WHERE recipients.id = ?`;
const WAS_REMOVED = `SELECT 1 FROM events WHERE type = 'suppression.removed'
  AND (data_json ->> '$.suppression.id' = ? OR (at >= ? AND data_json ->> '$.suppression.address' = ?)) LIMIT 1`;
/** It was lifted for a channel, and holds again since. */
const WAS_ADDED_AGAIN = `SELECT 1 FROM events WHERE type = 'suppression.added'
  AND at > ? AND data_json ->> '$.suppression.id' = ? LIMIT 1`;
/** Confirmation mails that someone asked for are sent in spite of an unsubscription, and the service's own mail knows none. */
const SENT_SINCE = `SELECT messages.id FROM recipients JOIN messages ON messages.seq = message_seq
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
 * until someone takes that back, and no message that is accepted from then on is handed over. `asked`: when it was asked for.
 */
export const promiseSuppression = (
  scene: Scene,
  { practice, recipientId, address: named }: Letter,
  scope: 'team' | 'route',
  asked: number,
): void => {
  const host = hostOf(scene, practice);
  if (host === null || named.endsWith(`@${SIMULATOR}`)) return;
  const copied = host.look(practice.id, (db) => db.prepare<[number], Copied>(RECIPIENT).get(recipientId));
  // An erasure or a retention period has taken the address.
  if (copied === undefined || !copied.address.includes('@') || copied.source === 'system') return;
  const { address } = copied;
  const route = scope === 'route' ? copied.route_id : null;
  const found = host.look(practice.id, (db) =>
    db
      .prepare<[string, string | null], Suppressed>(
        `SELECT id, lifted_json FROM suppressions WHERE address = ? COLLATE NOCASE AND (scope = 'team' OR route_id = ?)
         ORDER BY scope = 'team' DESC`,
      )
      .all(address, route),
  );
  const row = found.find(({ lifted_json }) => lifted_json === null) ?? found[0];
  if (row === undefined) {
    if (
      valueIn(scene, practice, WAS_REMOVED, '', asked, address) === undefined &&
      !isBeingErased(scene, practice, asked)
    )
      throw new Error(`${address} is not suppressed at ${practice.slug}, after an answer that says so`);
    return;
  }
  const noted = scene.now();
  const { id } = row;
  const what = `${practice.id}: the suppression ${id} of ${address} stays, and no message that is accepted later leaves`;
  scene.book.promised(what, (now) => {
    const here = hostOf(now, practice);
    if (here === null) return;
    const kept = here.look(practice.id, (db) =>
      db.prepare<[string], Suppressed>('SELECT id, lifted_json FROM suppressions WHERE id = ?').get(id),
    );
    if (kept === undefined) {
      if (valueIn(now, practice, WAS_REMOVED, id, noted, address) === undefined)
        throw new Error(`${what}, but it is gone, and no event says that it was removed`);
      return;
    }
    if (row.lifted_json !== null || kept.lifted_json !== null) return;
    if (valueIn(now, practice, WAS_ADDED_AGAIN, noted, id) !== undefined) return;
    const left = valueIn<string>(now, practice, SENT_SINCE, address, noted, route, route);
    if (left !== undefined) throw new Error(`${what}, but message ${left} was handed over`);
  });
};

/** Someone is being erased, or was since then; whom, the file does not say. */
export const isBeingErased = (scene: Scene, practice: Practice, since: number): boolean =>
  (valueIn<number>(
    scene,
    practice,
    'SELECT count(*) FROM erasures WHERE finished_at IS NULL OR finished_at >= ?',
    since,
  ) ?? 0) > 0;

export const lastConsent = (scene: Scene, practice: Practice): number =>
  valueIn<number>(scene, practice, 'SELECT coalesce(max(seq), 0) FROM consent_entries') ??
  Number.POSITIVE_INFINITY;

/**
 * Who has left is on no list by a consent from before: `head` is the last entry of the ledger from before the request. `listId`: of that
 * one; null: of all.
 */
export const promiseLeft = (
  scene: Scene,
  { practice, address }: Letter,
  listId: string | null,
  head: number,
): void => {
  const what = `${practice.id}: ${address} has left ${listId ?? 'all lists'}, and is on none by an earlier consent`;
  scene.book.promised(what, (now) => {
    const consent = valueIn<number>(
      now,
      practice,
      `SELECT consent_seq FROM subscribers JOIN lists ON lists.seq = list_seq
       WHERE address = ? COLLATE NOCASE AND status = 'active' AND consent_seq <= ? AND (? IS NULL OR lists.id = ?)`,
      address,
      head,
      listId,
      listId,
    );
    if (consent !== undefined) throw new Error(`${what}, but by entry ${consent}`);
  });
};
