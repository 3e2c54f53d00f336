// Rows of a tenant's file that a room hands in so that they are removed once they are old. Its store has the statements; when and in
// which batches they run is the business of messages/retention, which knows no other room's table.
import type { Config } from './config/config.ts';

/** What a scan finds. Rows come in the order of their keys, which is also the order of `at`. */
export interface StoredRow {
  readonly key: number;
  /** When it was written. */
  readonly at: number;
  /** When its period begins: `at`, or later. */
  readonly since: number;
  readonly bytes: number;
  /** 1: the row stays, no matter how old it is. */
  readonly held: 0 | 1;
}

/** How long the rows of a tenant are kept, ms. The tenant may have chosen less than the installation says. */
export type KeptFor = Omit<Config['retention'], 'audit' | 'abuse_tickets' | 'waiting_list'>;

export interface OldRows {
  /** How long these are kept, ms. */
  readonly keptFor: (kept: KeptFor) => number;
  /** A query of `StoredRow` after a key, in the order of keys: there is no index on time. */
  readonly scan: string;
  /** Statements that remove the row of one key, in their order. A row that is held by then stays. */
  readonly remove: readonly string[];
}
