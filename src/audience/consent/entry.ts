// What an entry of the consent ledger says, and its place in the chain. Pure.
//
// The chain covers the number, the id, the person's hash and the facts: hash = SHA-256(former hash ‖ their canonical JSON). What is
// personal is not among the facts; they commit to it by SHA-256(salt ‖ value), and salt and value are kept beside the
// entry. So a personal value can be proved as long as it is kept, and removed without breaking the chain.
import { createHash } from 'node:crypto';
import type { Channel } from '#src/messages/kinds.ts';

/**
 * `request`: the person, or someone who knows the address, asked to be subscribed. `mail`: a relay took the confirmation mail.
 * `confirm`: its link was used. `import`: the tenant asserts that consent was given. `withdraw`: it has ended. `wording`: the
 * text of a list was set or changed; such an entry is about no person.
 */
export const consentActions = ['request', 'mail', 'confirm', 'import', 'withdraw', 'wording'] as const;
export type ConsentAction = (typeof consentActions)[number];

/** Personal values that an entry may have. */
export const personalNames = ['address', 'name', 'ip', 'user_agent', 'form_address', 'message_id'] as const;
export type PersonalName = (typeof personalNames)[number];

/** Base64 of 16 random bytes, and what it hides. */
export interface Opening {
  readonly salt: string;
  readonly value: string;
}
export type Openings = Readonly<Partial<Record<PersonalName, Opening>>>;

export interface ConsentFacts {
  readonly action: ConsentAction;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly list_id: string;
  readonly list_name: string;
  readonly channel: Channel;
  /** `consent`, or what an import asserts. */
  readonly legal_basis: string;
  /** How it came: `form`, `api`, `import`, `link`, `preferences`, `unsubscribe`, `bounce`, `complaint`, `declined`, `rectified`, `expired`, … */
  readonly way: string;
  /** SHA-256 of documents, in hex. */
  readonly wording: string | null;
  readonly wording_version: number | null;
  readonly form: string | null;
  readonly mail: string | null;
  /** Id of the entry that it answers. */
  readonly answers: string | null;
  /** What else is to be known and is not personal: flags of the agent, who imported, what the importer asserts. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
  /** SHA-256 in hex, by the name of the personal value. */
  readonly commitments: Readonly<Partial<Record<PersonalName, string>>>;
}

export interface LinkedEntry {
  readonly seq: number;
  readonly id: string;
  /** Null: about a list. */
  readonly person: Buffer | null;
  readonly facts_json: string;
}

export const GENESIS = Buffer.alloc(32);

export const commitmentOf = ({ salt, value }: Opening): string =>
  createHash('sha256').update(Buffer.from(salt, 'base64')).update(value).digest('hex');

/** Of an entry behind the one with the hash `former`; `GENESIS` before the first. */
export const chainHash = (former: Buffer, { seq, id, person, facts_json }: LinkedEntry): Buffer =>
  createHash('sha256')
    .update(former)
    .update(JSON.stringify([seq, id, person?.toString('hex') ?? null, facts_json]))
    .digest();
