// Makes the signed evidence of one person's consent. Its size does not grow with the ledger: see `wayBetween`.
import type { KeyObject } from 'node:crypto';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { listStore } from '#src/audience/lists/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { publicKeyOf, signText } from '#src/kernel/evidence-key.ts';
import { toIso } from '#src/kernel/time.ts';
import type { Address } from '#src/mail/mailbox.ts';
import {
  type ConsentFacts,
  canonicalJson,
  digestOf,
  genesisOf,
  type Link,
  reachOf,
  wayBetween,
  withheldMails,
} from './entry.ts';
import type { Evidence } from './evidence-schema.ts';
import { type ConsentRow, consentStore } from './store.ts';

const linkOf = (db: TenantDb, row: ConsentRow): Link => {
  const hashAt = (seq: number): Buffer =>
    consentStore(db).bySeq(seq)?.hash ?? genesisOf(tenantStore(db).practice().id);
  const digest = digestOf({ ...row, person: row.address_hash });
  return { seq: row.seq, former: hashAt(row.seq - 1), reached: hashAt(reachOf(row.seq)), digest };
};

const shown = ({ seq, former, reached, digest }: Link): Evidence['links'][number][number] => ({
  seq,
  former: former.toString('hex'),
  reached: reached.toString('hex'),
  digest: digest.toString('hex'),
});

const linksBetween = (db: TenantDb, from: number, to: number): Evidence['links'][number] =>
  wayBetween(from, to).flatMap((seq) => {
    const row = consentStore(db).bySeq(seq);
    // Where one was removed by force, the links break off, and the check names the place.
    return row ? [shown(linkOf(db, row))] : [];
  });

const entryOf = (db: TenantDb, row: ConsentRow, facts: ConsentFacts): Evidence['entries'][number] => {
  const { seq, former, reached } = shown(linkOf(db, row));
  return {
    seq,
    id: row.id,
    person: row.address_hash?.toString('hex') ?? '',
    facts: { ...facts },
    openings: JSON.parse(row.openings_json),
    former,
    reached,
    hash: row.hash.toString('hex'),
  };
};

const documentsOf = (
  db: TenantDb,
  all: readonly ConsentFacts[],
  withheld: ReadonlySet<string>,
): Evidence['documents'] => {
  const named = new Set(all.flatMap(({ wording, form, mail }) => [wording, form, mail]));
  return Object.fromEntries(
    [...named].flatMap((hash) => {
      const document = hash === null ? undefined : consentStore(db).document(Buffer.from(hash, 'hex'));
      return hash === null || withheld.has(hash) || !document
        ? []
        : [[hash, { kind: document.kind, content: document.content.toString('base64') }]];
    }),
  );
};

export interface EvidenceRequest {
  readonly person: Buffer;
  readonly address: Address;
  readonly service: Evidence['service'];
  /** See `evidenceKeyOf`. */
  readonly key: KeyObject;
  readonly now: number;
}

/** Null where the ledger has no entry of the person. */
export const makeEvidence = (
  db: TenantDb,
  { person, address, service, key, now }: EvidenceRequest,
): Evidence | null => {
  const rows = consentStore(db).ofPerson(person);
  const head = consentStore(db).head();
  if (rows.length === 0 || !head) return null;
  const facts = rows.map(({ facts_json }): ConsentFacts => JSON.parse(facts_json));
  const made_at = toIso(now);
  const entries = rows.map((row, index) => entryOf(db, row, facts[index] as ConsentFacts));
  const lists = [...new Set(facts.map(({ list_id }) => list_id))].flatMap((id) => {
    const list = listStore(db).byId(id);
    return list ? [{ id: list.id, name: list.name }] : [];
  });
  const { id, name } = tenantStore(db).practice();
  const evidence: Omit<Evidence, 'signature'> = {
    format: 'sendwerk consent evidence 1',
    made_at,
    service,
    practice: { id, name },
    address,
    lists,
    entries,
    links: rows.map(({ seq }, index) => linksBetween(db, seq, rows[index + 1]?.seq ?? head.seq)),
    head: { seq: head.seq, hash: head.hash.toString('hex') },
    documents: documentsOf(db, facts, withheldMails({ made_at, entries })),
  };
  const value = signText(key, canonicalJson(evidence));
  return { ...evidence, signature: { ...publicKeyOf(key), value } };
};
