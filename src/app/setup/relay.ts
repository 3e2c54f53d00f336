// Tries the relay before anything is made of it, while a mistyped password can still be typed again.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { probe } from '#src/relay/smtp/probe.ts';
import { RELAY_PASSWORD_FILE } from './configuration.ts';
import type { Answers } from './questions.ts';

export interface RelayTrial {
  /** One line. */
  readonly found: string;
  readonly isPasswordRefused: boolean;
  /** Null: not known. */
  readonly dsn: boolean | null;
}

export const keptPassword = (root: string): string | null => {
  try {
    return readFileSync(join(root, RELAY_PASSWORD_FILE), 'utf8').replace(/\r?\n$/, '');
  } catch {
    return null;
  }
};

export const tryRelay = async (answers: Answers, password: string | null): Promise<RelayTrial> => {
  const { relay_host: host, relay_port: port, relay_tls: tls, relay_user: user } = answers;
  const { ok, failedAt, error, dsn } = await probe({
    name: 'relay',
    host,
    port: Number(port),
    tls: tls as 'required',
    pool: 1,
    ehloName: answers.host,
    deliveredOn: 'dsn',
    ...(user === '' || password === null ? {} : { user, password }),
  });
  const at = `${host}:${port}`;
  if (!ok) return { found: `${at}: ${failedAt}: ${error}`, isPasswordRefused: failedAt === 'auth', dsn };
  const signedIn = user === '' ? 'takes mail without signing in' : 'signed in';
  const notices = dsn ? 'offers delivery notices (DSN)' : 'offers no delivery notices (DSN)';
  return { found: `${at}: ${signedIn}, ${notices}`, isPasswordRefused: false, dsn };
};
