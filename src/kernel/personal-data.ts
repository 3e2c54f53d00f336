// What a room hands in about personal data: where in its tables a person's address may stand and what an erasure does there
// (Art. 17 GDPR), what of its records is the person's to read (Art. 15, 20), and how long it is kept. The rights of a person in
// audience/people/ go through what all rooms hand in; a test fails where a table or a column is in no part of it.
import type { z } from 'zod';
import type { Caller, Permission } from './access.ts';
import type { Config } from './config/config.ts';
import type { TenantDb } from './db/sqlite.ts';
import type { TenantFiles } from './db/tenant-files.ts';
import type { Language } from './language.ts';

export interface Person {
  readonly address: string;
  /** The address as addresses are compared. */
  readonly key: string;
  /** The keyed hash by which suppressions, subscriptions and consent know the person. */
  readonly hash: Buffer;
  /** What takes the place of the address. */
  readonly pseudonym: string;
  /** Whether it is the person's address, or their pseudonym. */
  readonly is: (other: string) => boolean;
  /** The text with the pseudonym in the place of the address; `isOpaque`: also where the match is a part of a longer word. */
  readonly removedFrom: (text: string, isOpaque?: boolean) => string;
}

export interface Erasing {
  readonly person: Person;
  readonly pseudonyms: {
    readonly ofAddress: (address: string) => string;
    readonly ofText: (text: string) => string;
  };
  /** Takes a copy out of the queue, because nothing is sent to the person any more. */
  readonly withdraw: (copy: { readonly recipient_id: number; readonly message_seq: number }) => void;
  /** The person was taken out of the content of a message, or of what a bulk's messages share: its copies go. */
  readonly contentErased: (of: ErasedContent) => void;
  readonly now: number;
}

/** Numbers of a message, or of what the messages of a bulk share. */
export type ErasedContent = { readonly message: number } | { readonly shared: number };

export type Values = Readonly<Record<string, string | number | null>>;

/** A row that quotes the address, in the transaction that erases it. */
export interface FoundRow {
  /** The values of the primary key. */
  readonly key: readonly (string | number)[];
  /** The key and the searched columns, as they are now; undefined once the row is removed. */
  readonly values: () => Values | undefined;
  /** Whether one of these columns quotes the address; of all that are searched where absent. */
  readonly isQuoted: (columns?: readonly string[]) => boolean;
  readonly update: (values: Values) => void;
  readonly remove: () => void;
  /** The pseudonym takes the place of the address where it is still quoted; `more` is written too then. */
  readonly replace: (more?: Values) => void;
}

/** A table in which the address is looked for. */
export interface Place {
  readonly table: string;
  /** Primary key. */
  readonly keys: readonly string[];
  /** Columns in which the address is looked for. */
  readonly searched: readonly string[];
  /** Those of them in which it may be a part of a longer word that is no address. */
  readonly opaque?: readonly string[];
  /** Other columns of text and bytes: ids, names of the program, hashes, sealed values. */
  readonly others?: readonly string[];
  /** The name of its count in `erased`. */
  readonly kind: string;
  /**
   * What comes before the address is replaced in the rest of the row. `waits`: it is being sent, or is to be sent to others as it was
   * written; it is left as it is, and looked at again.
   */
  readonly erase?: (db: TenantDb, row: FoundRow, erasing: Erasing) => unknown;
}

/** The words that a person reads, each by the name of its count or part. */
export interface PersonWords {
  readonly erased?: Readonly<Record<string, string>>;
  readonly kept?: Readonly<Record<string, { readonly what: string; readonly why: string }>>;
  /** Titles of the parts that are shown. */
  readonly titles?: Readonly<Record<string, string>>;
}

export interface Reading {
  readonly files: TenantFiles;
  readonly tenantId: string;
  readonly person: Person;
  readonly caller: Caller;
}

export interface PersonPage<Row> {
  readonly rows: readonly Row[];
  /** The next page has those before this number; null: nothing older is left. */
  readonly before: number | null;
}

interface PartHead {
  /** Who lacks it does not see the part. */
  readonly permission: Permission;
  /** The schema of an entry, as GET …/people shows it. */
  readonly entry: z.ZodType;
  readonly says?: string;
}

/** A part that is short: all of it at once. */
export interface ShortPart extends PartHead {
  readonly all: (db: TenantDb, person: Person) => readonly unknown[];
}

/** A part that may be long. Newest first. */
export interface PagedPart<Row = unknown> extends PartHead {
  /** The query parameter by which the next page is asked for. */
  readonly cursor: string;
  /** May find fewer than `limit`, even none, while older ones are left. */
  find(db: TenantDb, person: Person, before: number | null, limit: number): PersonPage<Row>;
  present(db: TenantDb, row: Row): unknown;
  /** With all content that is still kept, and without other people's data: for the person's export. */
  whole(reading: Reading, rows: readonly Row[]): AsyncIterable<unknown>;
}

export interface PersonalData {
  /** The places are walked in this order: what leads to other rows comes before them. */
  readonly places?: readonly Place[];
  /** Tables that are not walked through, and why. */
  readonly otherTables?: Readonly<Record<string, string>>;
  /** Tables of platform.db, and why none is part of a practice's erasure. */
  readonly platformTables?: Readonly<Record<string, string>>;
  readonly words?: (language: Language) => PersonWords;
  /** What stays after an erasure, with the number of its rows; null: the certificate gives none. */
  readonly kept?: Readonly<Record<string, ((db: TenantDb, person: Person) => number) | null>>;
  readonly shown?: Readonly<Record<string, ShortPart | PagedPart>>;
  /** How long it is kept, ms. */
  readonly periods?: (db: TenantDb, retention: Config['retention']) => Readonly<Record<string, number>>;
  /** Removes copies that the room keeps of such content. */
  readonly contentErased?: (db: TenantDb, of: ErasedContent) => void;
  /** Called after the last walk: removes what is removed later than its rows. */
  readonly finish?: (files: TenantFiles, tenantId: string) => Promise<void>;
}

/** Why a table holds nothing that an erasure looks for. */
export const SETTINGS = 'what the practice has set up or written itself';
export const COUNTS = 'numbers';
export const HASHES = 'keyed hashes';
