// Erases a person from a tenant's file (Art. 17 GDPR). The request itself suppresses the address, so that nothing is sent from then
// on. Then all places that rooms hand in are walked through in short slices, each with its checkpoint, again and again until one walk
// finds the address nowhere: what was being sent, or came meanwhile, is found by the next; later ones are ever farther apart, since
// a scheduled letter to others may wait for weeks. At the end the file is rewritten, since
// SQLite leaves copies of former rows in the unused space of pages, and the WAL is emptied.
//
// The last walk waits for imports whose file has the address.

import { setImmediate } from 'node:timers/promises';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { forgetPerson } from '#src/audience/consent/ledger.ts';
import { confirmationMailStore } from '#src/audience/consent/mail-store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { removeSubscriber } from '#src/audience/subscribers/change.ts';
import { subscriberStore } from '#src/audience/subscribers/store.ts';
import type { Task } from '#src/audience/work.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { addOwnSuppression, suppressionData, wholeTeam } from '#src/feedback/suppressions/change.ts';
import type { Change } from '#src/kernel/change.ts';
import { overwriting, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import { createPace, WATCHED } from '#src/kernel/pace.ts';
import type { Erasing, Person } from '#src/kernel/personal-data.ts';
import { say } from '#src/kernel/say.ts';
import { seal, unseal } from '#src/kernel/seal.ts';
import type { SealedPlace } from '#src/kernel/sealed-place.ts';
import { HOUR, SECOND } from '#src/kernel/time.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressPseudonym, textPseudonym } from '#src/messages/pseudonym.ts';
import { withdraw } from '#src/messages/queue/withdraw.ts';
import { eraseRow } from './erase-row.ts';
import { type ErasureRow, erasureStore } from './erasure-store.ts';
import { personOf, type SearchedPerson } from './person.ts';
import { type Key, walkStore } from './walk-store.ts';

/** Where the work continues, and at its end what stays. */
export interface Progress {
  /** Walks that have begun. */
  readonly walk: number;
  /** Number of the place; -1: what is found by the person's hash. */
  readonly place: number;
  readonly after: Key | null;
  /** Whether this walk has found anything. */
  readonly found: boolean;
  /** When it is continued, ms. */
  readonly due_at: number;
  readonly kept?: Counts;
  /** Whether the file was rewritten at the end. */
  readonly rewritten?: boolean;
}

/** Rows by the kind of their place. */
export type Counts = Readonly<Record<string, number>>;

interface State {
  readonly progress: Progress;
  readonly counts: Counts;
}

const begin = (walk: number, due_at: number): Progress => ({
  walk,
  place: -1,
  after: null,
  found: false,
  due_at,
});

/** What is being sent is settled by then. */
const NEXT_WALK_MS = 2 * SECOND;
const LONGEST_WAIT_MS = HOUR;
/** An address that is written as a link writes it is shorter, in octets. */
const MAX_SPELLED = 2_048;
/** Others take turns. */
const TURN_MS = 500;
/** Rewriting it takes a few seconds, in which nothing else of the tenant is written. */
const MAX_REWRITTEN_BYTES = 256 * 1_024 * 1_024;

export const sealedAddresses: SealedPlace = {
  table: 'erasures',
  keys: ['seq'],
  column: 'sealed_address',
  purpose: 'erasures',
  with: ['id'],
  boundTo: ({ id }) => String(id),
};

type Keys = Pick<AudienceContext, 'suppressionKey' | 'erasureKey'>;

const suppress = (db: TenantDb, key: TenantKey, person: Person, now: number) =>
  addOwnSuppression(
    db,
    key,
    {
      address: person.pseudonym as Address,
      place: wholeTeam,
      reason: 'erasure',
      sourceMessageId: null,
      note: null,
    },
    now,
  ).row;

/**
 * The erasure that is in progress for the person, or a new one. It is called within a transaction of the
 * tenant's file. Throws `conflict` for an address from which the practice itself writes.
 */
export const requestErasure = (
  db: TenantDb,
  { suppressionKey, erasureKey }: Keys,
  { address, reason }: { readonly address: Address; readonly reason: string | null },
  change: Change,
  now: number,
): ErasureRow => {
  const store = erasureStore(db);
  const { id: tenantId, managed_host, custom_domain } = tenantStore(db).practice();
  if ([managed_host, custom_domain].includes(addressDomain(address)))
    throw new AppError('conflict', say`${address} is an address of the practice itself.`, {
      hint: say`Only people to whom it writes are erased; who works for it is removed among its members.`,
    });
  const person = personOf(suppressionKey, tenantId, address);
  const present = store.unfinishedOf(person.hash);
  const target = (id: string) => ({ type: 'erasure', id });
  if (present) {
    // Says only that it was asked for again.
    auditStore(db).record(
      change,
      { target: target(present.id), before: null, after: { repeated: true } },
      now,
    );
    return present;
  }
  const id = newId();
  const stored = reason && person.removedFrom(reason);
  store.insert({
    id,
    address_hash: person.hash,
    sealed_address: seal(erasureKey, Buffer.from(address), id),
    reason: stored,
    requested_by: change.actor.name || change.actor.kind,
    progress_json: JSON.stringify(begin(1, now)),
    counts_json: '{}',
    requested_at: now,
  });
  suppress(db, suppressionKey, person, now);
  auditStore(db).record(
    change,
    { target: target(id), before: null, after: { person: person.pseudonym, reason: stored } },
    now,
  );
  const row = store.byId(id);
  if (row === undefined) throw new Error('an erasure was stored and is not there');
  return row;
};

const addTo = (counts: Counts, kind: string, count: number): Counts =>
  count === 0 ? counts : { ...counts, [kind]: (counts[kind] ?? 0) + count };

/** Rows that name the person by the hash. */
const eraseByHash = (
  db: TenantDb,
  context: AudienceContext,
  { person, now }: Erasing,
  counts: Counts,
): Counts => {
  const subscribers = subscriberStore(db).ofPerson(person.hash);
  const { entries, documents } = overwriting(db, () => {
    confirmationMailStore(db).removeOfPerson(person.hash);
    for (const row of subscribers) removeSubscriber(db, context, row, 'erased', now);
    return forgetPerson(db, person.hash);
  });
  return addTo(
    addTo(addTo(counts, 'subscriptions', subscribers.length), 'consent_entries_reduced', entries),
    'consent_documents',
    documents,
  );
};

export const createErasures = (context: AudienceContext): Task => {
  const { files, clock, suppressionKey, erasureKey, personalData } = context;
  const places = personalData.flatMap((room) => room.places ?? []);

  const erasingOf = (db: TenantDb, tenantId: string, person: Person): Erasing => {
    const now = clock.now();
    // Someone may have lifted it meanwhile.
    const data = suppressionData(db, person.pseudonym, suppress(db, suppressionKey, person, now));
    return {
      person,
      pseudonyms: {
        ofAddress: (address) => addressPseudonym(suppressionKey, tenantId, address as Address),
        ofText: (text) => textPseudonym(suppressionKey, tenantId, text),
      },
      withdraw: (copy) => withdraw(db, copy, data, now),
      contentErased: (of) => {
        for (const room of personalData) room.contentErased?.(db, of);
      },
      now,
    };
  };

  /** What stays of a person, and how many of each. */
  const keptOf = (db: TenantDb, person: Person): Counts =>
    Object.fromEntries(
      personalData.flatMap(({ kept = {} }) =>
        Object.entries(kept).flatMap(([kind, count]) => (count ? [[kind, count(db, person)]] : [])),
      ),
    );

  const store = (db: TenantDb, seq: number, { progress, counts }: State): void =>
    erasureStore(db).advance({
      seq,
      progress_json: JSON.stringify(progress),
      counts_json: JSON.stringify(counts),
    });

  /** Writes what `work` does, and the state that it returns. */
  const writeState = (tenantId: string, seq: number, work: (db: TenantDb) => State): Promise<State> =>
    files.write(tenantId, (db) => {
      const state = work(db);
      store(db, seq, state);
      return state;
    });

  const finish = async (tenantId: string, seq: number, person: Person, progress: Progress): Promise<void> => {
    for (const room of personalData) await room.finish?.(files, tenantId);
    const rewritten = await files.rewrite(tenantId, MAX_REWRITTEN_BYTES);
    await files.write(tenantId, (db) =>
      overwriting(db, () => {
        const progress_json = JSON.stringify({ ...progress, kept: keptOf(db, person), rewritten });
        erasureStore(db).finish({ seq, progress_json }, clock.now());
      }),
    );
  };

  /** Whether the file of an import has the address. */
  const isInImport = async (tenantId: string, person: SearchedPerson): Promise<boolean> => {
    let at = { import_seq: 0, position: 0 };
    let tail: Buffer = Buffer.alloc(0);
    for (;;) {
      const last = at;
      const piece = await files.read(tenantId, (db) => walkStore(db).pieceAfter(last));
      if (piece === undefined) return false;
      const text = Buffer.concat([tail, piece.content]).toString();
      if (person.removedFrom(text) !== text) return true;
      tail = piece.content.subarray(-MAX_SPELLED);
      at = piece;
      await setImmediate();
    }
  };

  /** Null: there is nothing more to do for now. */
  const endWalk = async (
    tenantId: string,
    seq: number,
    person: SearchedPerson,
    { progress, counts }: State,
  ): Promise<State | null> => {
    const { walk, found } = progress;
    if (!found && !(await isInImport(tenantId, person))) {
      await finish(tenantId, seq, person, progress);
      return null;
    }
    const wait = Math.min(NEXT_WALK_MS * 2 ** (walk - 2), LONGEST_WAIT_MS);
    const next = { progress: begin(walk + 1, walk === 1 ? 0 : clock.now() + wait), counts };
    await writeState(tenantId, seq, () => next);
    return walk === 1 ? next : null;
  };

  /** The next slice of the walk; null as `endWalk`. */
  const step = async (
    tenantId: string,
    seq: number,
    person: SearchedPerson,
    state: State,
  ): Promise<State | null> => {
    const { progress, counts } = state;
    if (progress.place === -1)
      return writeState(tenantId, seq, (db) => ({
        progress: { ...progress, place: 0 },
        counts: eraseByHash(db, context, erasingOf(db, tenantId, person), counts),
      }));
    const place = places[progress.place];
    if (place === undefined) return endWalk(tenantId, seq, person, state);
    const { hits, last, isEnd } = await files.read(tenantId, (db) =>
      walkStore(db).scan(place, person.patterns, progress.after),
    );
    const next = isEnd
      ? { ...progress, place: progress.place + 1, after: null }
      : { ...progress, after: last };
    if (hits.length === 0) return { progress: next, counts };
    return writeState(tenantId, seq, (db) => {
      const erasing = erasingOf(db, tenantId, person);
      const results = hits.map((key) => eraseRow(db, place, key, erasing));
      const erased = results.filter((result) => result === 'erased').length;
      const found = progress.found || results.some((result) => result !== 'unconcerned');
      return { progress: { ...next, found }, counts: addTo(counts, place.kind, erased) };
    });
  };

  const task: Task = {
    name: 'erasures',
    isNeeded: (db) => erasureStore(db).unfinished().length > 0,
    due: (db, _, now) => {
      const due = erasureStore(db)
        .unfinished()
        .map(({ seq, progress_json }) => ({ seq, at: (JSON.parse(progress_json) as Progress).due_at }));
      const later = due.filter(({ at }) => at > now).map(({ at }) => at);
      return {
        items: due.filter(({ at }) => at <= now).map(({ seq }) => seq),
        next: later.length === 0 ? null : Math.min(...later),
      };
    },
    run: async (tenantId, seq, signal) => {
      const row = await files.read(tenantId, (db) => erasureStore(db).bySeq(seq));
      if (!row?.sealed_address) return;
      const address = unseal(erasureKey, row.sealed_address, row.id).toString() as Address;
      const person = personOf(suppressionKey, tenantId, address);
      const pace = createPace(signal, WATCHED);
      const end = performance.now() + TURN_MS;
      let state: State = { progress: JSON.parse(row.progress_json), counts: JSON.parse(row.counts_json) };
      while (performance.now() < end && !signal.aborted) {
        const next = await pace(() => step(tenantId, seq, person, state));
        if (next === null) return;
        state = next;
      }
      // Slices in which nothing was found have not written how far they came.
      await writeState(tenantId, seq, () => state);
    },
  };

  return task;
};
