// Appends to the consent ledger, in the caller's transaction. It is the only way in.

import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { keepBeside } from '#src/kernel/db/memory.ts';
import { overwriting, perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId, randomBase64 } from '#src/kernel/id.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import { toIso } from '#src/kernel/time.ts';
import { choiceOf, type Periods, shorterOf } from '#src/messages/retention/rules.ts';
import {
  type ConsentFacts,
  canonicalJson,
  commitmentOf,
  digestOf,
  genesisOf,
  hashOf,
  type Opening,
  type Openings,
  type PersonalName,
  reachOf,
  SALT_BYTES,
} from './entry.ts';
import {
  type ClientValue,
  type ConsentHead,
  consentStore,
  type DocumentKind,
  type NewConsentRow,
} from './store.ts';

/** What the installation has for the ledgers of all practices. */
export interface Ledger {
  /** Proves the head: derived for the purpose `consent ledger`. */
  readonly key: TenantKey;
  /** How long the installation keeps what is said of the client, ms; 0: it is not written. */
  readonly kept: () => ClientPeriods;
}

export type ClientPeriods = Pick<Periods, 'consent_ip' | 'consent_user_agent'>;

export interface NewEntry
  extends Pick<ConsentFacts, 'action' | 'way'>,
    Partial<Pick<ConsentFacts, 'legal_basis' | 'answers' | 'details'>> {
  /** Null: about all marketing mail of the practice. */
  readonly list: ListRow | null;
  /** See `addressHash`; null: about the list. */
  readonly person: Buffer | null;
  /** Values that are null are left out. */
  readonly personal?: Readonly<Partial<Record<PersonalName, string | null>>>;
  /** Whether the wording of the list was shown, and is part of the entry. */
  readonly withWording?: boolean;
  /** Another text that was shown. */
  readonly wording?: string;
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

/** How long what is said of the client is kept, ms. */
export interface ClientPeriod {
  /** The practice's choice, counted from the entry; null: as long as the consent, and `afterEnd` longer. */
  readonly fromEntry: number | null;
  readonly afterEnd: number;
}

export const clientPeriods = (
  db: TenantDb,
  installation: ClientPeriods,
): Readonly<Record<ClientValue, ClientPeriod>> => {
  const choice = choiceOf(tenantStore(db).practice());
  const periodOf = (days: number | null, afterEnd: number): ClientPeriod => ({
    fromEntry: days === null ? null : shorterOf(days, afterEnd),
    afterEnd,
  });
  return {
    ip: periodOf(choice.consent_ip, installation.consent_ip),
    user_agent: periodOf(choice.consent_user_agent, installation.consent_user_agent),
  };
};

const isNotKept = (period: ClientPeriod | undefined): boolean =>
  period !== undefined && (period.fromEntry ?? period.afterEnd) === 0;

const openingsOf = (
  personal: NewEntry['personal'] = {},
  periods: Readonly<Record<string, ClientPeriod>>,
): Openings => {
  const openings: Record<string, Opening> = {};
  for (const [name, value] of Object.entries(personal))
    if (value !== null && value !== undefined && !isNotKept(periods[name]))
      openings[name] = { salt: randomBase64(SALT_BYTES), value: value.toWellFormed() };
  return openings;
};

/** A request lasts until the person confirms; what is about no list ends with none. */
const beginningTerm = (
  action: ConsentFacts['action'],
  list: ListRow | null,
  now: number,
): Pick<NewConsentRow, 'client_term' | 'client_since'> => {
  if (action === 'request') return { client_term: 'asked', client_since: now };
  return list === null
    ? { client_term: 'ended', client_since: now }
    : { client_term: null, client_since: null };
};

export const headMac = (key: KeyObject, practiceId: string, seq: number, hash: Buffer): Buffer =>
  createHmac('sha256', key).update(`consent head|1|${practiceId}|${seq}|`).update(hash).digest();

export const isSealed = (key: KeyObject, practiceId: string, { seq, hash, mac }: ConsentHead): boolean => {
  const right = headMac(key, practiceId, seq, hash);
  return mac.length === right.length && timingSafeEqual(mac, right);
};

/** The end of the ledger while a transaction appends to it: read with its first entry and written, with one HMAC, with its last. */
interface OpenHead {
  seq: number;
  hash: Buffer;
  /** Whether its HMAC was right, or it is the first one. */
  readonly isSealed: boolean;
  readonly formerMac: Buffer;
  readonly mac: () => Buffer;
  /** The hashes of the entries that the transaction appended: most of those that an entry reaches back to. */
  readonly appended: Map<number, Buffer>;
}

const openHeads = perConnection((db: TenantDb) => {
  let open: OpenHead | null = null;
  keepBeside(db, {
    write: () => {
      if (open === null) return;
      const { seq, hash, formerMac, mac } = open;
      consentStore(db).putHead({ seq, hash, mac: open.isSealed ? mac() : formerMac });
      open = null;
    },
    forget: () => {
      open = null;
    },
  });
  return {
    current: (): OpenHead | null => open,
    begin: (practiceId: string, key: KeyObject): OpenHead => {
      const row = consentStore(db).head();
      const head: OpenHead = {
        seq: row?.seq ?? 0,
        hash: row?.hash ?? genesisOf(practiceId),
        isSealed: !row || isSealed(key, practiceId, row),
        formerMac: row?.mac ?? Buffer.alloc(0),
        mac: () => headMac(key, practiceId, head.seq, head.hash),
        appended: new Map(),
      };
      open = head;
      return head;
    },
  };
});

/** The number that the next entry gets, if it is appended in the same transaction. */
export const nextEntry = (db: TenantDb): number =>
  (openHeads(db).current()?.seq ?? consentStore(db).head()?.seq ?? 0) + 1;

/**
 * The number and id of the new entry. A head whose HMAC is wrong keeps its wrong HMAC: the next entry must not seal what someone
 * else has written, and a withdrawal must not fail for it.
 */
export const appendConsent = (
  db: TenantDb,
  ledger: Ledger,
  entry: NewEntry,
  now: number,
): { readonly seq: number; readonly id: string } => {
  const { action, way, list, person, withWording = false } = entry;
  const store = consentStore(db);
  const practiceId = tenantStore(db).practice().id;
  const head = openHeads(db).current() ?? openHeads(db).begin(practiceId, ledger.key(practiceId));
  const openings = openingsOf(entry.personal, clientPeriods(db, ledger.kept()));
  const facts: ConsentFacts = {
    action,
    at: toIso(now),
    list_id: list?.id ?? null,
    list_name: list?.name ?? null,
    channel: list?.channel ?? 'newsletter',
    legal_basis: entry.legal_basis ?? 'consent',
    way,
    wording: keepDocument(db, 'wording', null, withWording ? list?.wording : entry.wording),
    wording_version: withWording ? (list?.wording_version ?? null) : null,
    form: keepDocument(db, 'form', null, entry.form),
    mail: keepDocument(db, 'mail', person, entry.mail),
    answers: entry.answers ?? null,
    details: entry.details ?? {},
    commitments: Object.fromEntries(
      Object.entries(openings).map(([name, opening]) => [name, commitmentOf(opening)]),
    ),
  };
  const seq = head.seq + 1;
  const id = newId();
  const facts_json = canonicalJson(facts);
  const former = head.hash;
  const reach = reachOf(seq);
  const reached =
    reach === seq - 1
      ? former
      : (head.appended.get(reach) ?? store.bySeq(reach)?.hash ?? genesisOf(practiceId));
  const hash = hashOf({ seq, former, reached, digest: digestOf({ seq, id, person, facts_json }) });
  store.insert({
    ...{ seq, id, address_hash: person, facts_json, openings_json: JSON.stringify(openings), hash },
    // The term of a request holds until the person confirms.
    ...beginningTerm(action, list, now),
  });
  head.seq = seq;
  head.hash = hash;
  head.appended.set(seq, hash);
  return { seq, id };
};

/**
 * Removes what the ledger says of the person, but for the entries themselves: personal values and confirmation mails. Pages of the
 * file are overwritten. The person's hash and the facts remain, and so does the chain.
 */
export const forgetPerson = (
  db: TenantDb,
  person: Buffer,
): { readonly entries: number; readonly documents: number } =>
  overwriting(db, () => consentStore(db).forget(person));
