// Evidence of consent that someone makes without the service, with a key of their own: right in itself, and about anyone.
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  type ConsentFacts,
  canonicalJson,
  commitmentOf,
  digestOf,
  genesisOf,
  hashOf,
} from '#src/audience/consent/entry.ts';
import type { Evidence } from '#src/audience/consent/evidence-schema.ts';

export interface Forgery {
  readonly practice: Evidence['practice'];
  readonly origin: string;
  readonly address: string;
}

/** A ledger of one entry: the person has confirmed. */
export const forgeEvidence = ({ practice: { id: practiceId, name }, origin, address }: Forgery): Evidence => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const opening = { salt: Buffer.alloc(16, 7).toString('base64'), value: address };
  const facts: ConsentFacts = {
    action: 'confirm',
    at: '2026-01-01T00:00:00.000Z',
    list_id: '00000000-0000-4000-8000-000000000001',
    list_name: 'Praxisbrief',
    channel: 'newsletter',
    legal_basis: 'consent',
    way: 'link',
    wording: null,
    wording_version: null,
    form: null,
    mail: null,
    answers: null,
    details: {},
    commitments: { address: commitmentOf(opening) },
  };
  const id = '00000000-0000-4000-8000-000000000002';
  const person = createHash('sha256').update(address).digest();
  const digest = digestOf({ seq: 1, id, person, facts_json: canonicalJson(facts) });
  const genesis = genesisOf(practiceId);
  const hash = hashOf({ seq: 1, former: genesis, reached: genesis, digest }).toString('hex');
  const place = { former: genesis.toString('hex'), reached: genesis.toString('hex') };
  const signed: Omit<Evidence, 'signature'> = {
    format: 'sendwerk consent evidence 1',
    made_at: '2026-06-01T00:00:00.000Z',
    service: { name: 'Sendwerk', origin },
    practice: { id: practiceId, name },
    address,
    lists: [],
    entries: [
      {
        seq: 1,
        id,
        person: person.toString('hex'),
        facts: { ...facts },
        openings: { address: opening },
        ...place,
        hash,
      },
    ],
    links: [[]],
    head: { seq: 1, hash },
    documents: {},
  };
  return { ...signed, signature: signatureOf(privateKey, canonicalJson(signed)) };
};

const signatureOf = (key: KeyObject, text: string): Evidence['signature'] => {
  const publicKey = createPublicKey(key);
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return {
    algorithm: 'Ed25519',
    public_key: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    fingerprint: createHash('sha256').update(der).digest('hex'),
    value: sign(null, Buffer.from(text), key).toString('base64'),
  };
};
