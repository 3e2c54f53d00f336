// Tries the relay before anything is made of it, while a mistyped password can still be typed again.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { probe } from '#src/relay/smtp/probe.ts';
import { RELAY_PASSWORD_FILE } from './configuration.ts';
import type { Answers } from './questions.ts';

export interface RelayTrial {
  /** One line, and a second one where mail would not come back. */
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

/** A Postfix does not deliver to a server that greets with its own name, as the service does. */
const loopsBack = (host: string): string =>
  `it calls itself ${host}, which is the name of the service: it would take each bounce for a loop and drop it. Postfix: postconf -e myhostname=relay.${host} smtp_helo_name=${host}`;

export const tryRelay = async (answers: Answers, password: string | null): Promise<RelayTrial> => {
  const { relay_host: host, relay_port: port, relay_tls: tls, relay_user: user } = answers;
  const { ok, failedAt, error, dsn, transcript } = await probe({
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
  const [, greeted] = /^S: 220[ -](\S+)/.exec(transcript[0] ?? '') ?? [];
  const loop = greeted?.toLowerCase() === answers.host ? `\n  ${loopsBack(answers.host)}` : '';
  return { found: `${at}: ${signedIn}, ${notices}${loop}`, isPasswordRefused: false, dsn };
};
