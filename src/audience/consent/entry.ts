// What an entry of the consent ledger says, and its place in the chain. Pure.
//
// The digest of an entry covers its number, its id, the person's hash and the facts, as canonical JSON (RFC 8785). Its hash covers
// its number, the hash of the entry before, that of one further back (`reachOf`) and the digest: 8 bytes, then 32 each. The one
// further back makes the way from any entry to the last one short, some hundred hashes in a ledger of a million; so one entry is
// proved to be in the ledger by digests, which say nothing of the others. The chain of a practice begins with `genesisOf`. No
// two of the three can be taken for each other: a digest is of text that begins with [, a hash of bytes that begin with 0.
//
// What is personal is not among the facts; they commit to it by SHA-256(salt ‖ value), and salt and value are kept beside the
// entry. So a personal value can be proved as long as it is kept, and removed without breaking the chain. Facts are never
// removed: nothing that identifies a person may be in `way`, `list_name` or `details`, neither written out nor as a hash without a salt.
// A document is named by its hash alone: of one with personal values, as a mail, it must hold something that cannot be guessed.
import { hash } from 'node:crypto';
import { DAY } from '#src/kernel/time.ts';
import type { Channel } from '#src/messages/kinds.ts';

/**
 * `request`: the person, or someone who knows the address, asked to be subscribed. `mail`: a relay took the confirmation mail.
 * `confirm`: its link was used. `import`: the tenant asserts that consent was given. `withdraw`: it has ended. `wording`: the
 * text of a list was set or changed; such an entry is about no person. `tracking`, `no_tracking`: the person agreed that the practice
 * records opens and clicks, or objected to it; they say nothing of being on a list.
 */
export const consentActions = [
  'request',
  'mail',
  'confirm',
  'import',
  'withdraw',
  'wording',
  'tracking',
  'no_tracking',
] as const;
export type ConsentAction = (typeof consentActions)[number];

/** How an entry came about: by what the person, the tenant or a server did. `link`: one click. `button`: that of the page behind it. */
export type ConsentWay =
  | 'form'
  | 'api'
  | 'import'
  | 'mail'
  | 'link'
  | 'button'
  | 'preferences'
  | 'unsubscribe'
  | 'complaint'
  | 'bounce'
  | 'declined'
  | 'removed'
  | 'expired'
  | 'erased'
  | 'rectified';

/** Personal values that an entry may have; `evidence`: what the tenant says of how one person consented. */
export const personalNames = [
  'address',
  'name',
  'ip',
  'user_agent',
  'form_address',
  'message_id',
  'evidence',
] as const;
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
  /** Null: about all marketing mail of the practice. */
  readonly list_id: string | null;
  readonly list_name: string | null;
  readonly channel: Channel;
  /** `consent`, or what an import asserts. */
  readonly legal_basis: string;
  readonly way: ConsentWay;
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

/** For how long the link of a confirmation mail confirms, from when the mail leaves: it may have waited. */
export const CONFIRM_WITHIN_DAYS = 7;

/** Who is asked for what, as the link of the mail is bound to it. */
export const askedOf = (listId: string | null, person: Buffer): string =>
  `${listId}|${person.toString('hex')}`;

/** `leftAt`: of the mail, ms; null: it has not left. */
export const isTooOld = ({ at }: ConsentFacts, leftAt: number | null, now: number): boolean =>
  (leftAt ?? Date.parse(at)) + CONFIRM_WITHIN_DAYS * DAY <= now;

/** When the mail left, by the entry of the mail, ms. Null: it does not say. */
export const leftAtOf = ({ details: { sent_at } }: ConsentFacts): number | null =>
  typeof sent_at === 'string' ? Date.parse(sent_at) : null;

/** Whether the person, or an import, has said since the request what holds for its list. `later`: entries of the person behind it. */
export const isAnswered = ({ list_id }: ConsentFacts, later: readonly ConsentFacts[]): boolean =>
  later.some((entry) => entry.list_id === list_id && /^(?:confirm|import|withdraw)$/.test(entry.action));

/**
 * The mails, by their hash, whose link could still confirm when evidence was made. They are not in it: who reads one could confirm
 * for the person. `entries`: all of the person, in their order.
 */
export const withheldMails = ({
  made_at,
  entries,
}: {
  readonly made_at: string;
  readonly entries: readonly { readonly id: string; readonly facts: object }[];
}): ReadonlySet<string> => {
  const now = Date.parse(made_at);
  const all = entries.map(({ facts }) => facts as ConsentFacts);
  const isOpen = (mail: ConsentFacts): boolean => {
    const index = entries.findIndex(({ id }) => id === mail.answers);
    const request = all[index];
    if (request === undefined || isTooOld(request, leftAtOf(mail), now)) return false;
    return !isAnswered(request, all.slice(index + 1));
  };
  return new Set(all.flatMap((facts) => (facts.mail !== null && isOpen(facts) ? [facts.mail] : [])));
};

export interface LinkedEntry {
  readonly seq: number;
  readonly id: string;
  /** Null: about a list. */
  readonly person: Buffer | null;
  readonly facts_json: string;
}

export const SALT_BYTES = 16;

/** RFC 8785, for values without numbers that are not whole. Undefined is left out. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let fields = '';
  // The order is that of UTF-16 code units (RFC 8785 §3.2.3).
  for (const name of Object.keys(value).sort()) {
    const field = (value as Readonly<Record<string, unknown>>)[name];
    if (field === undefined) continue;
    fields += `${fields === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(field)}`;
  }
  return `{${fields}}`;
};

export const commitmentOf = ({ salt, value }: Opening): string =>
  hash('sha256', Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(value)]), 'hex');

/** The hash in the place of an entry before the first one of a practice's ledger. */
export const genesisOf = (practiceId: string): Buffer =>
  hash('sha256', `sendwerk consent ledger 1 ${practiceId}`, 'buffer');

/** `facts_json` is canonical. */
export const digestOf = ({ seq, id, person, facts_json }: LinkedEntry): Buffer =>
  hash(
    'sha256',
    `[${seq},${JSON.stringify(id)},${JSON.stringify(person?.toString('hex') ?? null)},${facts_json}]`,
    'buffer',
  );

/** The number of the entry further back whose hash an entry has: its own without its lowest binary digit 1. 0: the genesis. */
export const reachOf = (seq: number): number => seq - (seq & -seq);

/** An entry as a link of the chain. */
export interface Link {
  readonly seq: number;
  /** The hash of the entry before. */
  readonly former: Buffer;
  /** The hash of the entry `reachOf(seq)`. */
  readonly reached: Buffer;
  readonly digest: Buffer;
}

export const hashOf = ({ seq, former, reached, digest }: Link): Buffer => {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(seq));
  return hash('sha256', Buffer.concat([number, former, reached, digest]), 'buffer');
};

/** The numbers on a short way from an entry to a later one: behind `from`, up to `to`. */
export const wayBetween = (from: number, to: number): number[] => {
  const way: number[] = [];
  for (let at = to; at > from; at = reachOf(at) >= from ? reachOf(at) : at - 1) way.unshift(at);
  return way;
};
