// Reads secrets from the file or the environment variable that a key names. A file must be small. If others on the
// machine can read it, that is a warning, not a problem.
import { X509Certificate } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { Secret } from '#src/kernel/secret.ts';
import type { Path } from '#src/kernel/yaml-file.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Receives problems and warnings; their positions are found by the path. */
export interface Findings {
  readonly problem: (path: Path, expected: string, got?: string) => void;
  readonly warning: (path: Path, text: string) => void;
}

export interface SecretSource {
  /** The object that has the two keys. */
  readonly path: Path;
  /** `token` for `token_file` and `token_env`. */
  readonly name: string;
  readonly file: string | undefined;
  readonly variable: string | undefined;
}

/** A longer file is not a secret. */
const MAX_SECRET_BYTES = 4_096;
const OTHERS_READ_OR_WRITE = 0o006;

const FILE_EXPECTED = 'a readable file (relative paths start at the working directory)';

/** Error codes in words. */
const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known: Record<string, string> = {
    ENOENT: 'no such file',
    EACCES: 'permission denied',
    EISDIR: 'a directory',
  };
  return known[code] ?? (code || 'an unreadable file');
};

/**
 * Reads at most `most` bytes of a regular file; null after a problem was reported. `isPrivate` warns if others can read
 * or write it.
 */
const readBounded = (
  path: Path,
  file: string,
  most: number,
  isPrivate: boolean,
  findings: Findings,
): Buffer | null => {
  let descriptor: number;
  try {
    // Without O_NONBLOCK, opening a pipe would wait for its other end.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    findings.problem(
      path,
      FILE_EXPECTED,
      isPrivate ? reasonOf(error) : `${JSON.stringify(file)}: ${reasonOf(error)}`,
    );
    return null;
  }
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) {
      findings.problem(
        path,
        FILE_EXPECTED,
        status.isDirectory() ? 'a directory' : 'something that is no file',
      );
      return null;
    }
    if (isPrivate && (status.mode & OTHERS_READ_OR_WRITE) !== 0)
      findings.warning(path, 'others on this machine can read or write the file; chmod o-rw would do');
    const content = Buffer.alloc(most);
    return content.subarray(0, readSync(descriptor, content, 0, most, 0));
  } finally {
    closeSync(descriptor);
  }
};

/** Reports a problem unless `file` can be opened and read. */
export const checkFile = (path: Path, file: string, isPrivate: boolean, findings: Findings): void => {
  readBounded(path, file, 1, isPrivate, findings);
};

/** A public bundle has about 200 kB. */
const MAX_AUTHORITIES_BYTES = 1_024 * 1_024;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
};

/**
 * Reports a problem unless `file` holds PEM certificates only. TLS ignores what it cannot read, so that otherwise the
 * first connection would fail, as if the receiver were not trusted.
 */
export const checkAuthorities = (path: Path, file: string, findings: Findings): void => {
  const content = readBounded(path, file, MAX_AUTHORITIES_BYTES + 1, false, findings);
  if (content === null) return;
  const text = content.toString('latin1');
  const certificates = text.match(PEM_CERTIFICATE) ?? [];
  const begun = text.split('-----BEGIN ').length - 1;
  if (content.length > MAX_AUTHORITIES_BYTES)
    findings.problem(path, `a file of at most ${MAX_AUTHORITIES_BYTES} bytes`, 'a larger one');
  else if (certificates.length === 0 || certificates.length < begun || !certificates.every(isCertificate))
    findings.problem(path, 'certificates in PEM, and nothing else', 'something else in it');
};

const secretText = (
  { path, name, file, variable }: SecretSource,
  environment: Environment,
  findings: Findings,
) => {
  if (file !== undefined) {
    const content = readBounded([...path, `${name}_file`], file, MAX_SECRET_BYTES + 1, true, findings);
    if (content === null) return null;
    if (content.length > MAX_SECRET_BYTES) {
      findings.problem(
        [...path, `${name}_file`],
        `a file of at most ${MAX_SECRET_BYTES} bytes`,
        'a larger one',
      );
      return null;
    }
    return content.toString('utf8').replace(/\r?\n$/, '');
  }
  const value = variable === undefined ? undefined : environment[variable];
  if (value === undefined || value === '')
    findings.problem(
      [...path, `${name}_env`],
      `the environment variable ${variable} to be set`,
      'an unset or empty one',
    );
  return value || null;
};

/**
 * The secret, or null if neither key is given or the secret is wrong (reported). `expected` describes what `accepts`
 * requires.
 */
export const readSecret = (
  source: SecretSource,
  expected: string,
  accepts: (text: string) => boolean,
  environment: Environment,
  findings: Findings,
): Secret | null => {
  const { path, name, file, variable } = source;
  if (file === undefined && variable === undefined) return null;
  if (file !== undefined && variable !== undefined) {
    findings.problem([...path, `${name}_env`], `only one of ${name}_file and ${name}_env`, 'both');
    return null;
  }
  const text = secretText(source, environment, findings);
  if (text === null) return null;
  if (accepts(text)) return new Secret(text);
  findings.problem(
    [...path, file === undefined ? `${name}_env` : `${name}_file`],
    expected,
    'something else in it',
  );
  return null;
};
