// Throw-away certificates for tests, made by the openssl command: valid for a day, thrown away with the process.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  /** PEM. Self-signed, so that it is its own authority: pass it as `ca` to trust it. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

/** `openssl` with words that it is to make `key.pem` and `certificate.pem` from. */
type Make = (
  openssl: (...words: readonly string[]) => void,
  write: (name: string, text: string) => void,
) => void;

const NEW_KEY = [
  ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  ...['-nodes', '-keyout', 'key.pem'],
];

const made = (make: Make): Certificate => {
  const directory = mkdtempSync(join(tmpdir(), 'certificate-'));
  try {
    make(
      (...words) => execFileSync('openssl', words, { stdio: 'pipe', cwd: directory }),
      (name, text) => writeFileSync(join(directory, name), text),
    );
    return {
      certificate: readFileSync(join(directory, 'certificate.pem'), 'utf8'),
      key: readFileSync(join(directory, 'key.pem'), 'utf8'),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
};

const alternativesOf = (names: readonly string[]): string =>
  names.map((name) => `${isIP(name) === 0 ? 'DNS' : 'IP'}:${name}`).join(',');
const subjectOf = (names: readonly string[]): string => `/CN=${names[0] ?? 'test'}`;

/** A self-signed certificate for `names` (host names or IP addresses). */
export const createCertificate = (names: readonly string[]): Certificate =>
  made((openssl) =>
    openssl(
      ...['req', '-x509', ...NEW_KEY, '-days', '1', '-out', 'certificate.pem'],
      ...['-subj', subjectOf(names), '-addext', `subjectAltName=${alternativesOf(names)}`],
    ),
  );

/** The same, but its time was over in 2020. Only the command for authorities sets dates of the past. */
export const createExpiredCertificate = (names: readonly string[]): Certificate =>
  made((openssl, write) => {
    const settings = [
      ...['[ca]', 'default_ca = own'],
      ...['[own]', 'database = index.txt', 'new_certs_dir = .', 'rand_serial = yes', 'default_md = sha256'],
      ...['policy = any', 'x509_extensions = names', '[any]', 'commonName = supplied'],
      ...['[names]', `subjectAltName = ${alternativesOf(names)}`],
    ];
    write('ca.conf', `${settings.join('\n')}\n`);
    write('index.txt', '');
    openssl('req', '-new', ...NEW_KEY, '-subj', subjectOf(names), '-out', 'request.pem');
    openssl(
      ...['ca', '-config', 'ca.conf', '-batch', '-notext', '-selfsign', '-keyfile', 'key.pem'],
      ...['-startdate', '20200101000000Z', '-enddate', '20200102000000Z'],
      ...['-in', 'request.pem', '-out', 'certificate.pem'],
    );
  });
