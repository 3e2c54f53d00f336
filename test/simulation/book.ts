// What people were told, kept for the truths: what was accepted, who gets no more mail from when on, who was erased, what was promised.
// At a closing it is noted at once which copies are being tried, for these alone may still leave.
import type Database from 'better-sqlite3';
import type { SuppressionFacts } from '#src/messages/suppression-rules.ts';
import type { Book, Closing, Practice, Scene } from './scene.ts';
import { homeOf } from './truths/homes.ts';
import { rows } from './truths/sql.ts';

export interface Accepted {
  readonly practice: Practice;
  readonly door: string;
  readonly id: string | null;
  readonly recipients: readonly string[];
  readonly at: number;
  readonly generation: number;
}

export interface Closed {
  readonly practice: Practice;
  readonly by: Closing;
  readonly address: string | null;
  readonly at: number;
  readonly step: number;
  readonly generation: number;
  /** So many mails had been handed over before. */
  readonly from: number;
  /** Mails handed over from this one on are no longer concerned; null: it holds. */
  until: number | null;
  /** Recipients whose copies were being tried. Each may leave once. */
  readonly claimed: Set<number>;
  /** The suppressions of the address, as the file had them at the answer. */
  readonly suppressions: readonly SuppressionFacts[];
  /** Recipients who were cancelled. */
  readonly failed: ReadonlySet<number>;
  /** The file was there to be looked at. */
  readonly wasSeen: boolean;
}

export interface Erased {
  readonly practice: Practice;
  readonly words: readonly string[];
  readonly at: number;
}

/** What was answered between the two may be gone: an older file has taken the place of the present one. */
export interface Loss {
  readonly practiceId: string;
  readonly since: number;
  /** Null: that may still happen. */
  until: number | null;
}

export interface Promised {
  readonly what: string;
  readonly holds: (scene: Scene) => void | Promise<void>;
  /** It asks the service, so that it is called where there is time for it. */
  isSlow: boolean;
}

/** What the truths read. */
export interface Kept extends Book {
  readonly acceptances: readonly Accepted[];
  readonly closings: readonly Closed[];
  readonly erasures: readonly Erased[];
  readonly promises: readonly Promised[];
  readonly losses: readonly Loss[];
  /** When something was last asked for that names the address in the practice; 0: never. */
  lastUseOf(practice: Practice, address: string): number;
}

const SUPPRESSIONS =
  'SELECT id, scope, project_id, route_id, reason, lifted_json FROM suppressions WHERE lower(address) = ?';
const BEING_TRIED = 'SELECT recipient_id AS id FROM queue WHERE claimed = 1';
const OF_ADDRESS = ' AND recipient_id IN (SELECT id FROM recipients WHERE lower(address) = ?)';
const FAILED = "SELECT id FROM recipients WHERE lower(address) = ? AND status = 'failed'";

const seen = (db: Database.Database, address: string | null) => {
  const ids = (sql: string, ...values: string[]): Set<number> =>
    new Set(rows<{ id: number }>(db, sql, ...values).map(({ id }) => id));
  return address === null
    ? { claimed: ids(BEING_TRIED), suppressions: [], failed: new Set<number>(), wasSeen: true }
    : {
        claimed: ids(BEING_TRIED + OF_ADDRESS, address),
        suppressions: rows<SuppressionFacts>(db, SUPPRESSIONS, address),
        failed: ids(FAILED, address),
        wasSeen: true,
      };
};

const UNSEEN = { claimed: new Set<number>(), suppressions: [], failed: new Set<number>(), wasSeen: false };

/** `scene` may lack its book. */
export const createBook = (scene: Omit<Scene, 'book'>): Kept => {
  const acceptances: Accepted[] = [];
  const closings: Closed[] = [];
  const erasures: Erased[] = [];
  const promises: Promised[] = [];
  const losses: Loss[] = [];
  const used = new Map<string, number>();
  /** Ids of practices whose file is being put back. */
  const unsure = new Set<string>();
  const use = (practice: Practice, recipients: readonly string[]): void => {
    for (const address of recipients) used.set(`${practice.id} ${address.toLowerCase()}`, scene.now());
  };
  return {
    ...{ acceptances, closings, erasures, promises, losses },
    lastUseOf: (practice, address) => used.get(`${practice.id} ${address.toLowerCase()}`) ?? 0,
    accepted: ({ practice, door, id, recipients }) => {
      use(practice, recipients);
      acceptances.push({
        ...{ practice, door, id, recipients, at: scene.now() },
        generation: scene.service.generation(),
      });
    },
    unknown: ({ practice, recipients }) => use(practice, recipients),
    closed: ({ practice, by, address: given }) => {
      if (unsure.has(practice.id)) return;
      const address = given?.toLowerCase() ?? null;
      const home = homeOf(scene, practice.id);
      const found = home === null ? UNSEEN : home.look(practice.id, (db) => seen(db, address));
      closings.push({
        ...{ practice, by, address, ...found },
        ...{ at: scene.now(), step: scene.step(), generation: home?.generation() ?? -1 },
        from: scene.peers.handedOver.length,
        until: null,
      });
    },
    opened: ({ practice, by, address: given }) => {
      const address = given?.toLowerCase() ?? null;
      for (const closing of closings)
        if (closing.practice.id === practice.id && closing.by === by && closing.address === address)
          closing.until ??= scene.peers.handedOver.length;
    },
    erased: ({ practice, words }) => {
      // Without a time nobody looks for the words.
      erasures.push({ practice, words, at: unsure.has(practice.id) ? 0 : scene.now() });
    },
    undone: ({ practice: { id }, isOver, since = null }) => {
      if (isOver) unsure.delete(id);
      else unsure.add(id);
      if (isOver) for (const loss of losses) if (loss.practiceId === id) loss.until ??= scene.now();
      if (!isOver && since !== null) losses.push({ practiceId: id, since, until: null });
      for (const closing of closings)
        if (closing.practice.id === id) closing.until ??= scene.peers.handedOver.length;
      promises.splice(0, promises.length, ...promises.filter(({ what }) => !what.startsWith(id)));
    },
    promised: (what, holds) => {
      if ([...unsure].some((id) => what.startsWith(id))) return;
      promises.push({ what, holds, isSlow: false });
    },
  };
};
