// Appends to the consent ledger, in the caller's transaction. It is the only way in.
import { createHash, createHmac, type KeyObject, randomBytes } from 'node:crypto';
import type { ListRow } from '#src/audience/lists/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { toIso } from '#src/kernel/time.ts';
import {
  type ConsentFacts,
  chainHash,
  commitmentOf,
  GENESIS,
  type Opening,
  type Openings,
  type PersonalName,
} from './entry.ts';
import { consentStore, type DocumentKind } from './store.ts';

const SALT_BYTES = 16;

export interface NewEntry
  extends Pick<ConsentFacts, 'action' | 'way'>,
    Partial<Pick<ConsentFacts, 'legal_basis' | 'answers' | 'details'>> {
  readonly list: ListRow;
  /** See `addressHash`; null: about the list. */
  readonly person: Buffer | null;
  /** Values that are null are left out. */
  readonly personal?: Readonly<Partial<Record<PersonalName, string | null>>>;
  /** Whether the wording of the list was shown, and is part of the entry. */
  readonly withWording?: boolean;
  /** HTML of the form as it was shown. */
  readonly form?: string;
  /** The confirmation mail as it left (RFC 5322). */
  readonly mail?: Buffer;
}

/** The SHA-256 of the document in hex; the document is kept. */
const keepDocument = (
  db: TenantDb,
  kind: DocumentKind,
  person: Buffer | null,
  content: string | Buffer | undefined,
): string | null => {
  if (content === undefined) return null;
  const bytes = Buffer.from(content);
  const hash = createHash('sha256').update(bytes).digest();
  consentStore(db).putDocument(hash, kind, person, bytes);
  return hash.toString('hex');
};

const openingsOf = (personal: NewEntry['personal'] = {}): Openings =>
  Object.fromEntries(
    Object.entries(personal).flatMap(([name, value]): [string, Opening][] =>
      value === null || value === undefined
        ? []
        : [[name, { salt: randomBytes(SALT_BYTES).toString('base64'), value }]],
    ),
  );

export const headMac = (key: KeyObject, seq: number, hash: Buffer): Buffer =>
  createHmac('sha256', key).update(`consent head|1|${seq}|`).update(hash).digest();

/** The number and id of the new entry. `key` is derived for the purpose `consent ledger`. */
export const appendConsent = (
  db: TenantDb,
  key: KeyObject,
  entry: NewEntry,
  now: number,
): { readonly seq: number; readonly id: string } => {
  const { action, way, list, person, withWording = false } = entry;
  const store = consentStore(db);
  const former = store.head();
  const openings = openingsOf(entry.personal);
  const facts: ConsentFacts = {
    action,
    at: toIso(now),
    list_id: list.id,
    list_name: list.name,
    channel: list.channel,
    legal_basis: entry.legal_basis ?? 'consent',
    way,
    wording: keepDocument(db, 'wording', null, withWording ? list.wording : undefined),
    wording_version: withWording ? list.wording_version : null,
    form: keepDocument(db, 'form', null, entry.form),
    mail: keepDocument(db, 'mail', person, entry.mail),
    answers: entry.answers ?? null,
    details: entry.details ?? {},
    commitments: Object.fromEntries(
      Object.entries(openings).map(([name, opening]) => [name, commitmentOf(opening)]),
    ),
  };
  const seq = (former?.seq ?? 0) + 1;
  const linked = { seq, id: newId(), person, facts_json: JSON.stringify(facts) };
  const hash = chainHash(former?.hash ?? GENESIS, linked);
  const { id, facts_json } = linked;
  store.insert({ seq, id, address_hash: person, facts_json, openings_json: JSON.stringify(openings), hash });
  store.putHead({ seq, hash, mac: headMac(key, seq, hash) });
  return { seq, id };
};
