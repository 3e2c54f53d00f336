// A certificate signing request (PKCS #10, RFC 2986) for one host name: an empty subject, the name as alternative name, ECDSA with
// SHA-256. Written in DER here, because the library's own way needs another version of the ASN.1 packages than the rest has.
import { createPublicKey, type KeyObject, sign } from 'node:crypto';

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OID = 0x06;
/** [0], constructed: the attributes. */
const ATTRIBUTES = 0xa0;
/** [2]: a DNS name (RFC 5280 §4.2.1.6). */
const DNS_NAME = 0x82;

const EXTENSION_REQUEST = '2a864886f70d01090e';
const SUBJECT_ALT_NAME = '551d11';
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';

const der = (tag: number, ...contents: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const oid = (hex: string): Buffer => der(OID, Buffer.from(hex, 'hex'));
const bits = (content: Buffer): Buffer => der(BIT_STRING, Buffer.from([0]), content);

/** PEM. `key` is a private key on P-256. */
export const signingRequest = (name: string, key: KeyObject): string => {
  const names = der(SEQUENCE, der(DNS_NAME, Buffer.from(name)));
  const extensions = der(SEQUENCE, der(SEQUENCE, oid(SUBJECT_ALT_NAME), der(OCTET_STRING, names)));
  const info = der(
    SEQUENCE,
    der(INTEGER, Buffer.from([0])),
    der(SEQUENCE),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der(ATTRIBUTES, der(SEQUENCE, oid(EXTENSION_REQUEST), der(SET, extensions))),
  );
  const request = der(SEQUENCE, info, der(SEQUENCE, oid(ECDSA_WITH_SHA256)), bits(sign('sha256', info, key)));
  const lines = request.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
};
