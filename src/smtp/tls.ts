// The certificate of a listener, read from its files at the start and again at a reload: a program that renews certificates
// replaces the files and sends SIGHUP.
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Log } from '#src/kernel/log.ts';
import type { Certificate, Listener } from './listener.ts';

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Throws where a file cannot be read, holds no certificate or key, or the key belongs to another certificate. */
export const readCertificate = ({ cert, key }: CertificateFiles): Certificate => {
  const certificate = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  createSecureContext(certificate);
  return certificate;
};

/**
 * The certificate holds for handshakes from now on; it is returned. Where `read` throws, the former certificate stays, the log has the
 * reason, and nothing is returned.
 */
export const renewCertificate = (
  read: () => Certificate,
  listeners: readonly Pick<Listener, 'useCertificate'>[],
  log: Log,
): Certificate | undefined => {
  try {
    const certificate = read();
    for (const listener of listeners) listener.useCertificate(certificate);
    return certificate;
  } catch (error) {
    log.error({ err: error }, 'the certificate was not read again: the one before stays in use');
    return undefined;
  }
};
