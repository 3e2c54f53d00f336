// The certificate of listeners that have no other, or none yet: self-signed, made at the first start and kept in
// the data directory. It keeps out who only listens (RFC 7435); it proves nothing, and a sender that asks for proof (MTA-STS,
// RFC 8461) does not deliver. RSA, because old servers know nothing else.
import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Certificate } from '#src/kernel/certificate.ts';
import { DAY } from '#src/kernel/time.ts';

const FILE_NAME = 'inbound-certificate.pem';
const VALID_MS = 3_650 * DAY;
/** With less left a start makes the next one: no process runs that long. */
const RENEWED_MS = VALID_MS / 2;
/** RFC 5280 §4.1.2.2: positive, at most 20 octets. */
const SERIAL_OCTETS = 16;

const COMMON_NAME = '2.5.4.3';
const SHA256_WITH_RSA = '1.2.840.113549.1.1.11';
const DER_NULL = Uint8Array.of(5, 0).buffer;

const bytes = (buffer: Buffer): ArrayBuffer => Uint8Array.from(buffer).buffer;

/** A hundred files, which no start but the first needs. */
const asn = () => {
  const load = createRequire(import.meta.url);
  const schema: typeof import('@peculiar/asn1-schema') = load('@peculiar/asn1-schema');
  const x509: typeof import('@peculiar/asn1-x509') = load('@peculiar/asn1-x509');
  return { AsnConvert: schema.AsnConvert, OctetString: schema.OctetString, x509 };
};

const selfSigned = (host: string, now: number): string => {
  const { AsnConvert, OctetString, x509 } = asn();
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const algorithm = new x509.AlgorithmIdentifier({ algorithm: SHA256_WITH_RSA, parameters: DER_NULL });
  const commonName = new x509.AttributeTypeAndValue({
    type: COMMON_NAME,
    value: new x509.AttributeValue({ utf8String: host.slice(0, 64) }),
  });
  const name = new x509.Name([new x509.RelativeDistinguishedName([commonName])]);
  const alternative = new x509.SubjectAlternativeName([new x509.GeneralName({ dNSName: host })]);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const tbsCertificate = new x509.TBSCertificate({
    version: x509.Version.v3,
    serialNumber: bytes(Buffer.concat([Buffer.of(1), randomBytes(SERIAL_OCTETS - 1)])),
    signature: algorithm,
    issuer: name,
    // A client's clock may be slow.
    validity: new x509.Validity({ notBefore: new Date(now - DAY), notAfter: new Date(now + VALID_MS) }),
    subject: name,
    subjectPublicKeyInfo: AsnConvert.parse(spki, x509.SubjectPublicKeyInfo),
    extensions: new x509.Extensions([
      new x509.Extension({
        extnID: x509.id_ce_subjectAltName,
        extnValue: new OctetString(AsnConvert.serialize(alternative)),
      }),
    ]),
  });
  const signatureValue = bytes(sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), privateKey));
  const whole = new x509.Certificate({ tbsCertificate, signatureAlgorithm: algorithm, signatureValue });
  const pem = new X509Certificate(Buffer.from(AsnConvert.serialize(whole))).toString();
  return `${privateKey.export({ type: 'pkcs8', format: 'pem' })}${pem}`;
};

const isUsable = (pem: string, host: string, now: number): boolean => {
  try {
    const certificate = new X509Certificate(pem);
    return certificate.checkHost(host) !== undefined && certificate.validToDate.getTime() - now > RENEWED_MS;
  } catch {
    return false;
  }
};

const readIfThere = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
};

/**
 * The certificate for `host`: the one that was made before, where it is still good. Throws where the file cannot be read or
 * written.
 */
export const ownCertificate = (dataDirectory: string, host: string, now: number): Certificate => {
  const path = join(dataDirectory, FILE_NAME);
  const kept = readIfThere(path);
  if (isUsable(kept, host, now)) return { cert: kept, key: kept };
  const made = selfSigned(host, now);
  // Whole or not at all, whenever the process ends.
  writeFileSync(`${path}.next`, made, { mode: 0o600 });
  renameSync(`${path}.next`, path);
  return { cert: made, key: made };
};
