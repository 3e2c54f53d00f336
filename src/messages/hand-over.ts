// Rows of messages that were just stored, for the relay, which sends most messages a moment later and would read them all
// again. It is a copy of what the file holds: a store that changes rows of a message removes its entry, and a rollback or a close
// removes all. Bounded, because messages may be accepted faster than they leave: what finds no room is read from the file.
import { keepBeside } from '#src/kernel/db/memory.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';

/** All tenants together have so much: some seconds of usual messages at full speed. */
const MAX_BYTES = 32 * 1_024 * 1_024;
/** The bound for one tenant: its messages may wait, because its upstream or its disk fails. */
const MAX_TENANT_BYTES = MAX_BYTES / 4;
/** The objects around the rows take about as much. */
const ENTRY_BYTES = 1_024;

let held = 0;

/** Octets of a message's files that nothing else has, to be freed with its last copy. */
export interface OwnFiles {
  readonly octets: readonly Uint8Array[];
  /** How many copies are still to be made of them. */
  copies: number;
}

/** Entries are numbered as the messages are. */
export const createHandOver = <Rows>(db: TenantDb) => {
  const entries = new Map<number, { readonly rows: Rows; readonly bytes: number }>();
  let own = 0;
  const count = (bytes: number): void => {
    own += bytes;
    held += bytes;
  };
  const clear = (): void => {
    count(-own);
    entries.clear();
  };
  keepBeside(db, { forget: clear });
  const remove = (seq: number): void => {
    const entry = entries.get(seq);
    if (entry && entries.delete(seq)) count(-entry.bytes);
  };
  return {
    clear,
    remove,
    /** `size`: the characters and octets of all that the rows hold. False where there is no room. */
    put: (seq: number, size: number, rows: Rows): boolean => {
      remove(seq);
      const bytes = size + ENTRY_BYTES;
      if (held + bytes > MAX_BYTES || own + bytes > MAX_TENANT_BYTES) return false;
      entries.set(seq, { rows, bytes });
      count(bytes);
      return true;
    },
    get: (seq: number): Rows | undefined => entries.get(seq)?.rows,
  };
};
