// Throw-away certificates for tests, written in DER by hand (RFC 5280), so that no test needs the openssl command.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { DAY } from '#src/kernel/time.ts';

export interface Certificate {
  /** PEM. Self-signed, so that it is its own authority: pass it as `ca` to trust it. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

const OID = {
  commonName: '550403',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  ecdsaWithSha256: '2a8648ce3d040302',
};

/** One element: tag, length, content. */
const der = (tag: number, ...contents: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...contents: readonly Buffer[]): Buffer => der(0x30, ...contents);
const oid = (name: keyof typeof OID): Buffer => der(0x06, Buffer.from(OID[name], 'hex'));
const bits = (content: Buffer): Buffer => der(0x03, Buffer.from([0]), content);
const octets = (content: Buffer): Buffer => der(0x04, content);
/** UTCTime, as `200101000000Z`. */
const time = (at: Date): Buffer =>
  der(0x17, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(2, 14)}Z`));

const addressBytes = (address: string): Buffer => {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = [...head, ...Array(8 - head.length - (tail?.length ?? 0)).fill('0'), ...(tail ?? [])];
  return Buffer.from(groups.map((group) => String(group).padStart(4, '0')).join(''), 'hex');
};
/** GeneralName: an address of the network, or a DNS name. */
const alternative = (name: string): Buffer =>
  isIPv4(name) || isIPv6(name) ? der(0x87, addressBytes(name)) : der(0x82, Buffer.from(name));

const create = (names: readonly string[], from: Date, to: Date): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const subject = sequence(
    der(0x31, sequence(oid('commonName'), der(0x0c, Buffer.from(names[0] ?? 'test')))),
  );
  const algorithm = sequence(oid('ecdsaWithSha256'));
  const isAuthority = sequence(der(0x01, Buffer.from([0xff])));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    subject,
    sequence(time(from), time(to)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        sequence(oid('subjectAltName'), octets(sequence(...names.map(alternative)))),
        sequence(oid('basicConstraints'), octets(isAuthority)),
      ),
    ),
  );
  const whole = sequence(content, algorithm, bits(sign('sha256', content, privateKey)));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};

/** A self-signed certificate for `names` (host names or IP addresses), valid for a day. */
export const createCertificate = (names: readonly string[]): Certificate =>
  create(names, new Date(Date.now() - DAY), new Date(Date.now() + DAY));

/** The same, but its time was over in 2020. */
export const createExpiredCertificate = (names: readonly string[]): Certificate =>
  create(names, new Date('2020-01-01'), new Date('2020-01-02'));

/** What a listener takes: shows the certificate until `use` gives it another. */
export const shownCertificate = (first: Certificate) => {
  const pem = ({ certificate: cert, key }: Certificate) => ({ cert, key });
  const uses: ((next: { cert: string; key: string }) => void)[] = [];
  let shown = pem(first);
  return {
    current: () => shown,
    issued: () => shown,
    contextFor: () => null,
    watch: (use: (next: { cert: string; key: string }) => void): void => {
      uses.push(use);
    },
    use: (next: Certificate): void => {
      shown = pem(next);
      for (const use of uses) use(shown);
    },
  };
};
