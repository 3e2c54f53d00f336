// Checks all of a practice's ledger: each entry, its place in the chain, and that nothing is missing behind the last one.
import { createHash, type KeyObject } from 'node:crypto';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { contentFault, type DocumentState, type Fault } from './content-rules.ts';
import { digestOf, genesisOf, hashOf, reachOf } from './entry.ts';
import { isSealed } from './ledger.ts';
import { type ConsentRow, consentStore } from './store.ts';

export interface LedgerCheck {
  readonly practice: { readonly id: string; readonly name: string };
  readonly entries: number;
  /** Null: the ledger is empty. */
  readonly head: { readonly seq: number; readonly hash: Buffer } | null;
  /** The first one; null: nothing is wrong. */
  readonly fault: Fault | null;
}

const PAGE = 1_000;
/** Wordings and forms are those of many entries, mails of one. */
const REMEMBERED = 1_000;

const stateOf = (db: TenantDb, hash: string): DocumentState => {
  try {
    const document = consentStore(db).document(Buffer.from(hash, 'hex'));
    if (!document) return 'gone';
    return createHash('sha256').update(document.content).digest('hex') === hash ? 'right' : 'changed';
  } catch {
    // The document cannot be inflated.
    return 'changed';
  }
};

const documentStates = (db: TenantDb): ((hash: string) => DocumentState) => {
  const states = new Map<string, DocumentState>();
  return (hash) => {
    const state = states.get(hash) ?? stateOf(db, hash);
    if (states.size >= REMEMBERED) states.clear();
    states.set(hash, state);
    return state;
  };
};

function* entriesOf(db: TenantDb): Generator<ConsentRow> {
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = consentStore(db).after(after, PAGE);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

const missing = (from: number, to: number): Fault => ({
  seq: from,
  id: null,
  what: from === to ? 'it is missing' : `it is missing, and so are all up to entry ${to}`,
});

interface Checked {
  readonly last: Pick<ConsentRow, 'seq' | 'id' | 'hash'> | null;
  readonly fault: Fault | null;
}

const checkEntries = (db: TenantDb, practiceId: string): Checked => {
  const documentState = documentStates(db);
  const genesis = genesisOf(practiceId);
  /** The entries to which later ones reach back: those whose numbers begin with the binary digits of the last. */
  const behind: { readonly seq: number; readonly hash: Buffer }[] = [{ seq: 0, hash: genesis }];
  let last: Checked['last'] = null;
  for (const row of entriesOf(db)) {
    const { seq, id, hash } = row;
    const expected = (last?.seq ?? 0) + 1;
    const at = (what: string): Checked => ({ last, fault: { seq, id, what } });
    if (seq < expected) return at('an entry cannot have this number');
    if (seq > expected) return { last, fault: missing(expected, seq - 1) };
    while ((behind.at(-1)?.seq ?? 0) > reachOf(seq)) behind.pop();
    const reached = behind.at(-1)?.hash ?? genesis;
    const former: Buffer = last?.hash ?? genesis;
    const digest = digestOf({ ...row, person: row.address_hash });
    if (!hashOf({ seq, former, reached, digest }).equals(hash))
      return at('it is not what was written: its hash does not follow from it and the entries before');
    const fault = contentFault(row.facts_json, row.openings_json, documentState);
    if (fault !== null) return at(fault);
    behind.push({ seq, hash });
    last = { seq, id, hash };
  }
  return { last, fault: null };
};

/** `last`: of a chain without a fault. */
const endFault = (
  db: TenantDb,
  practiceId: string,
  last: Checked['last'],
  key: KeyObject | null,
): Fault | null => {
  const store = consentStore(db);
  const head = store.head();
  const end = last?.seq ?? 0;
  const given = Math.max(head?.seq ?? 0, store.lastNumber());
  if (given > end) return missing(end + 1, given);
  if (last === null) return null;
  const at = (what: string): Fault => ({ seq: last.seq, id: last.id, what });
  if (head === undefined || head.seq < end || !head.hash.equals(last.hash))
    return at('it was not written by the service: the head of the ledger is another entry');
  if (key && !isSealed(key, practiceId, head))
    return at(
      'the HMAC of the head is wrong: this entry, or one before it, was not written by this installation, or entries are missing at the end',
    );
  return null;
};

/**
 * `key`: see `Ledger`; null: the HMAC of the head is not checked. In one transaction: the daemon may append meanwhile. Throws SqliteError
 * for a file of another kind.
 */
export const verifyLedger = (db: TenantDb, key: KeyObject | null): LedgerCheck =>
  db.transaction((): LedgerCheck => {
    const { id, name } = tenantStore(db).practice();
    const { last, fault } = checkEntries(db, id);
    return {
      practice: { id, name },
      entries: last?.seq ?? 0,
      head: last,
      fault: fault ?? endFault(db, id, last, key),
    };
  })();
