// Throw-away certificates for tests, made by the openssl command: valid for a day, thrown away with the process.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  /** PEM. Self-signed, so that it is its own authority: pass it as `ca` to trust it. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

/** A self-signed certificate for `names` (host names or IP addresses). */
export const createCertificate = (names: readonly string[]): Certificate => {
  const directory = mkdtempSync(join(tmpdir(), 'certificate-'));
  try {
    const alternatives = names.map((name) => `${isIP(name) === 0 ? 'DNS' : 'IP'}:${name}`).join(',');
    const key = join(directory, 'key.pem');
    const certificate = join(directory, 'certificate.pem');
    execFileSync(
      'openssl',
      [
        ...[
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '1',
        ],
        ...['-subj', `/CN=${names[0] ?? 'test'}`, '-addext', `subjectAltName=${alternatives}`],
        ...['-keyout', key, '-out', certificate],
      ],
      { stdio: 'pipe' },
    );
    return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
};
