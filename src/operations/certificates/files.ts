// A certificate in files, which another program renews. They are looked at each minute and at a reload. A pair that does not fit, or
// is half written, is kept out: the former one stays, and health and the log say why.
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Certificate } from '#src/kernel/certificate.ts';
import type { Log } from '#src/kernel/log.ts';

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Throws where a file cannot be read, holds no certificate or key, or the key belongs to another certificate. */
export const readCertificate = ({ cert, key }: CertificateFiles): Certificate => {
  const certificate = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  createSecureContext(certificate);
  // Without a certificate in its file a context is made all the same.
  new X509Certificate(certificate.cert);
  return certificate;
};

/** Differs once either file was written or replaced, also behind a symbolic link. */
const stampOf = ({ cert, key }: CertificateFiles): string =>
  [cert, key]
    .map((path) => {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      return found === undefined ? 'none' : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
    })
    .join(', ');

export interface WatchedFiles {
  readonly current: () => Certificate;
  /** Why the files as they are now are not used; null where they are. */
  readonly problem: () => string | null;
  /** Looks whether they have changed; `always` reads them in any case. */
  readonly look: (always: boolean) => void;
}

/** `files` is asked at each look. Throws where they cannot be used at the beginning. */
export const watchFiles = (
  files: () => CertificateFiles,
  use: (certificate: Certificate) => void,
  log: Log,
): WatchedFiles => {
  let stamp = stampOf(files());
  let certificate = readCertificate(files());
  let problem: string | null = null;
  return {
    current: () => certificate,
    problem: () => problem,
    look: (always) => {
      const now = stampOf(files());
      if (now === stamp && !always) return;
      stamp = now;
      try {
        const next = readCertificate(files());
        const isNew = next.cert !== certificate.cert || next.key !== certificate.key;
        certificate = next;
        problem = null;
        use(next);
        if (isNew) log.info({ file: files().cert }, 'a renewed certificate was read');
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        log.error({ err: error }, 'the certificate was not read again: the one before stays in use');
      }
    },
  };
};
