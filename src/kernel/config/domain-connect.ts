// Reads the key that signs Domain Connect's apply URLs, and makes the TXT records with its public half.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { Secret } from '#src/kernel/secret.ts';
import type { ConfigFile } from './schema.ts';
import { type Environment, type Findings, readSecret } from './secrets.ts';

type Section = NonNullable<ConfigFile['domain_connect']>;

export type DomainConnectConfig = Omit<Section, 'private_key_file'> & {
  /** RSA, PEM. */
  readonly privateKey: Secret;
};

/** A TXT record of the operator's zones. */
interface TextRecord {
  readonly name: string;
  readonly type: 'TXT';
  /** Seconds. */
  readonly ttl: number;
  readonly data: string;
}

/** Providers verify RSA-SHA256 only; some refuse shorter keys. */
const LEAST_BITS = 2_048;
/** Some verifiers read only the first character-string of a record, which has at most 255 octets. */
const PART_CHARACTERS = 200;
const TTL_S = 3_600;

const isRsaKey = (text: string): boolean => {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(text);
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_BITS;
  } catch {
    return false;
  }
};

/** Null if the section is absent or its key is wrong (reported). */
export const resolveDomainConnect = (
  section: Section | undefined,
  environment: Environment,
  findings: Findings,
): DomainConnectConfig | null => {
  if (!section) return null;
  const { private_key_file: file, ...rest } = section;
  const source = { path: ['domain_connect'], name: 'private_key', file, variable: undefined };
  const expected = `an RSA private key of at least ${LEAST_BITS} bits, PEM without a passphrase`;
  const privateKey = readSecret(source, expected, isRsaKey, environment, findings);
  return privateKey && { ...rest, privateKey };
};

/** TXT records in the zone of `serviceHost` that together hold the public key (draft-ietf-dconn-domainconnect). */
export const publicKeyRecords = (
  { key_host, privateKey }: DomainConnectConfig,
  serviceHost: string,
): TextRecord[] => {
  const spki = createPublicKey(privateKey.reveal()).export({ type: 'spki', format: 'der' });
  const parts = spki.toString('base64').match(new RegExp(`.{1,${PART_CHARACTERS}}`, 'g')) ?? [];
  return parts.map((part, index) => ({
    name: `${key_host}.${serviceHost}`,
    type: 'TXT',
    ttl: TTL_S,
    data: `p=${index + 1},a=RS256,d=${part}`,
  }));
};
