// What a room hands in about its sealed values: where they are, by which key, and what each is bound to. When the master key changes,
// operations/seal-again.ts goes through what all rooms hand in; a test fails where a column of bytes is in no part of it.
import type { SealingPurpose } from './keys.ts';

export interface SealedPlace {
  readonly table: string;
  /** Primary key. */
  readonly keys: readonly string[];
  /** NULL where there is no value. */
  readonly column: string;
  readonly purpose: SealingPurpose;
  /** Other columns, or expressions with a name, that `boundTo` needs. */
  readonly with?: readonly string[];
  /** The context of the value: see seal.ts. `row` has the keys and what `with` names. */
  readonly boundTo: (row: Readonly<Record<string, unknown>>, tenantId: string) => string;
}

/** The places in each kind of file. */
export interface SealedPlaces {
  readonly tenant?: readonly SealedPlace[];
  readonly platform?: readonly SealedPlace[];
}
